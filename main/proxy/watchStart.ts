import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { parseListOptions, parseRequestTarget } from '../../core/request/requestTarget.ts'
import { requestInfo } from '../../core/request/requestInfo.ts'

/** Marks the end of the initial events of a watch that requested them (`sendInitialEvents`). */
const INITIAL_EVENTS_END = Buffer.from('k8s.io/initial-events-end')
/** It may begin in one chunk and end in the next. */
const SEAM = INITIAL_EVENTS_END.length - 1

/** When a watch counts as initialised. Milliseconds. */
export interface WatchStart {
  /** Its server itself signals the end of the initial events. */
  readonly announced: boolean
  /** A watch that is silent for this long has sent its initial events. */
  readonly quietMs: number
  /** A watch that is never silent counts as initialised after this time: later events have just happened. */
  readonly longestMs: number
}

/** Servers before 1.27 do not support the bookmark and end their initial events without a signal. */
const ANNOUNCED: WatchStart = { announced: true, quietMs: 5_000, longestMs: 60_000 }
/** All objects are sent first. */
const ALL_OBJECTS: WatchStart = { announced: false, quietMs: 20, longestMs: 10_000 }
/** The changes since a version are sent first. */
const SINCE: WatchStart = { announced: false, quietMs: 20, longestMs: 1_000 }

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
  if (options.sendInitialEvents === true) return ANNOUNCED
  // The server reads `00` as version 0 as well, although only `0` costs seats (specification 5.4).
  return /^0*$/.test(options.resourceVersion) ? ALL_OBJECTS : SINCE
}

/** Compressed bytes of a watch that may wait to be decompressed. */
const MOST_WAITING_BYTES = 1 << 20

/**
 * Detects when a watch has sent its initial events, which the server itself signals internally (specification 4.13): by
 * the bookmark that ends them where there is one, in whichever format, or else by the first silence after the response
 * began. A bookmark that cannot be read, because of its encoding or because the rest arrives faster than it is
 * decompressed, counts as none. Calls back once, unless the response ends before.
 */
export function whenInitialised(
  answer: IncomingMessage,
  { announced, quietMs, longestMs }: WatchStart,
  initialised: () => void,
): void {
  const started = performance.now()
  let latest = started + longestMs
  const finish = (): void => {
    stop()
    initialised()
  }
  const unreadable = (): void => {
    reader = undefined
    latest = started + ALL_OBJECTS.longestMs
    clearTimeout(timer)
    timer = setTimeout(finish, ALL_OBJECTS.quietMs)
  }
  const look = (piece: Buffer): void => {
    timer.refresh()
    if (performance.now() >= latest) finish()
    else reader?.read(piece)
  }
  const stop = (): void => {
    clearTimeout(timer)
    answer.off('data', look)
    reader?.close()
  }
  let timer = setTimeout(finish, quietMs)
  let reader = announced ? bookmarkReader(answer.headers['content-encoding'], finish, unreadable) : undefined
  if (announced && reader === undefined) unreadable()
  answer.on('data', look)
  answer.once('close', stop)
}

interface BookmarkReader {
  read(piece: Buffer): void
  close(): void
}

/** Reads chunks as they are sent; `undefined` for an encoding that no API server sends. */
function bookmarkReader(
  encoding: string | undefined,
  found: () => void,
  unreadable: () => void,
): BookmarkReader | undefined {
  const search = bookmarkSearch()
  if (encoding === undefined || encoding === 'identity') {
    return {
      read(piece) {
        if (search(piece)) found()
      },
      close: () => undefined,
    }
  }
  if (encoding !== 'gzip') return undefined
  const gunzip = createGunzip()
  const close = (): void => void gunzip.destroy()
  const giveUp = (): void => {
    close()
    unreadable()
  }
  gunzip.on('data', (piece: Buffer) => {
    if (search(piece)) found()
  })
  gunzip.on('error', giveUp)
  // Zeros after a member end the stream, without an error.
  gunzip.on('end', giveUp)
  return {
    read(piece) {
      gunzip.write(piece)
      if (gunzip.writableLength > MOST_WAITING_BYTES) giveUp()
    },
    close,
  }
}

/** Whether the chunks so far contain the bookmark; JSON, protobuf and CBOR all spell strings out. */
function bookmarkSearch(): (piece: Buffer) => boolean {
  let seam: Buffer = Buffer.alloc(0)
  return (piece) => {
    if (piece.includes(INITIAL_EVENTS_END)) return true
    const joined = Buffer.concat([seam, piece.subarray(0, SEAM)])
    seam = Buffer.from(piece.length < SEAM ? joined.subarray(-SEAM) : piece.subarray(-SEAM))
    return joined.includes(INITIAL_EVENTS_END)
  }
}
