import type { DumpFrame } from '../frame/dump.ts'
import { MS_PER_SECOND, type UnixMs } from '../units.ts'

/** The state of a request of a level in a run at an instant. `absent`: finished, rejected, elsewhere, or not sent. */
export type Standing =
  | { readonly kind: 'executing' }
  | { readonly kind: 'waiting'; readonly queue: number; readonly position: number }
  | { readonly kind: 'absent' }

/** One request in two runs of the same arrivals. */
export interface BesideRow {
  /** Unique among the rows. */
  readonly key: string
  /** `get /api/v1/pods by ann`. */
  readonly request: string
  readonly user: string | undefined
  /** Seconds from the start of the run. */
  readonly arrivedSeconds: number
  readonly a: Standing
  readonly b: Standing
  readonly differs: boolean
}

/** One queue of a level in two runs: the requests that wait in it and those that execute from it. */
export interface BesideQueue {
  readonly index: number
  readonly a: QueueLoad
  readonly b: QueueLoad
  readonly differs: boolean
}
interface QueueLoad {
  readonly waiting: number
  readonly executing: number
}

const EMPTY: QueueLoad = { waiting: 0, executing: 0 }

type Dumped = Pick<DumpFrame, 'queues' | 'requests'>

/** The queues of a level that hold a request in either dump, by number. */
export function queuesBeside(a: Dumped, b: Dumped, level: string): readonly BesideQueue[] {
  const loads = ({ queues = [] }: Dumped): ReadonlyMap<number, QueueLoad> =>
    new Map(
      queues
        .filter((queue) => queue.level === level && queue.pending + queue.executing > 0)
        .map(({ index, pending, executing }) => [index, { waiting: pending, executing }]),
    )
  const [left, right] = [loads(a), loads(b)]
  return [...new Set([...left.keys(), ...right.keys()])]
    .toSorted((x, y) => x - y)
    .map((index) => {
      const [inA, inB] = [left.get(index) ?? EMPTY, right.get(index) ?? EMPTY]
      return { index, a: inA, b: inB, differs: inA.waiting !== inB.waiting || inA.executing !== inB.executing }
    })
}

const ABSENT: Standing = { kind: 'absent' }

/**
 * The requests of a level in the dumps of two runs at the same instant, side by side: those that differ first, then by
 * arrival. Two entries are the same request if they arrived at the same instant from the same user for the same
 * address, which holds as long as clients do not react to answers. `start` is the start of both runs.
 */
export function requestsBeside(a: Dumped, b: Dumped, level: string, start: UnixMs): readonly BesideRow[] {
  const rows = new Map<string, Omit<BesideRow, 'differs' | 'a' | 'b'> & { a: Standing; b: Standing }>()
  const take = ({ requests = [] }: Dumped, side: 'a' | 'b'): void => {
    const seen = new Map<string, number>()
    for (const { level: of, arrivedAt, user, verb, path, queue, position } of requests) {
      if (of !== level) continue
      const request = `${verb ?? '?'} ${path ?? '?'} by ${user ?? '?'}`
      const alike = `${arrivedAt} ${request}`
      const count = (seen.get(alike) ?? 0) + 1
      seen.set(alike, count)
      const key = `${count} ${alike}`
      const arrivedSeconds = (arrivedAt - start) / MS_PER_SECOND
      const row = rows.get(key) ?? { key, request, user, arrivedSeconds, a: ABSENT, b: ABSENT }
      row[side] = position < 0 ? { kind: 'executing' } : { kind: 'waiting', queue, position }
      rows.set(key, row)
    }
  }
  take(a, 'a')
  take(b, 'b')
  return [...rows.values()]
    .map((row) => ({ ...row, differs: standingText(row.a) !== standingText(row.b) }))
    .toSorted((x, y) => Number(y.differs) - Number(x.differs) || x.arrivedSeconds - y.arrivedSeconds)
}

/** `queue 12, place 3`, counted from 1. */
export const standingText = (standing: Standing): string =>
  standing.kind === 'waiting'
    ? `queue ${standing.queue}, place ${standing.position + 1}`
    : standing.kind === 'absent'
      ? 'not there'
      : 'executing'

/** Explains requests that only one of the runs has. */
export const NOT_THERE =
  'A request that is not there has finished, was rejected, is in another level, or was not sent: clients that wait for answers send others once one answer differs.'
