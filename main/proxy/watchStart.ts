import type { IncomingMessage } from 'node:http'
import { parseListOptions, parseRequestTarget } from '../../core/request/requestTarget.ts'
import { requestInfo } from '../../core/request/requestInfo.ts'

/** Marks the end of the initial events of a watch that requested them (`sendInitialEvents`). */
const INITIAL_EVENTS_END = Buffer.from('k8s.io/initial-events-end')
/** It may begin in one chunk and end in the next. */
const SEAM = INITIAL_EVENTS_END.length - 1

/** When a watch counts as initialised. Milliseconds. */
export interface WatchStart {
  /** Its server itself signals the end of the initial events. */
  readonly told: boolean
  /** A watch that is silent for this long has sent its initial events. */
  readonly quietMs: number
  /** A watch that is never silent counts as initialised after this time: later events have just happened. */
  readonly longestMs: number
}

/** Servers before 1.27 do not support the bookmark and end their initial events without a signal. */
const TOLD: WatchStart = { told: true, quietMs: 5_000, longestMs: 60_000 }
/** All objects are sent first. */
const ALL_OBJECTS: WatchStart = { told: false, quietMs: 20, longestMs: 10_000 }
/** The changes since a version are sent first. */
const SINCE: WatchStart = { told: false, quietMs: 20, longestMs: 1_000 }

/** Whether a request is a watch (specification 2.1). */
export function asksForWatch({ method = 'GET', url = '/' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  const read = parseRequestTarget(url)
  return read !== undefined && requestInfo(method, read).info.verb === 'watch'
}

/** How a watch begins, by the target of its request. */
export function watchStartOf(target: string): WatchStart {
  const read = parseRequestTarget(target)
  const options = read === undefined ? undefined : parseListOptions(read.query)
  if (options === undefined) return ALL_OBJECTS
  if (options.sendInitialEvents === true) return TOLD
  return options.resourceVersion === '' || options.resourceVersion === '0' ? ALL_OBJECTS : SINCE
}

/**
 * Detects when a watch has sent its initial events, which the server itself signals internally (specification 4.13): by
 * the bookmark that ends them where there is one, or else by the first silence after the response began. Calls back
 * once, unless the response ends before.
 */
export function whenInitialised(
  answer: IncomingMessage,
  { told, quietMs, longestMs }: WatchStart,
  initialised: () => void,
): void {
  const latest = performance.now() + longestMs
  let seam: Buffer = Buffer.alloc(0)
  const ends = (piece: Buffer): boolean => {
    if (piece.includes(INITIAL_EVENTS_END)) return true
    const joined = Buffer.concat([seam, piece.subarray(0, SEAM)])
    seam = Buffer.from(piece.length < SEAM ? joined.subarray(-SEAM) : piece.subarray(-SEAM))
    return joined.includes(INITIAL_EVENTS_END)
  }
  const finish = (): void => {
    clearTimeout(timer)
    answer.off('data', look)
    initialised()
  }
  const look = (piece: Buffer): void => {
    if ((told && ends(piece)) || performance.now() >= latest) finish()
    else timer.refresh()
  }
  const timer = setTimeout(finish, quietMs)
  answer.on('data', look)
  answer.once('close', () => clearTimeout(timer))
}
