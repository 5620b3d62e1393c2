import type { Series } from './series.ts'

/** What happened to one level over a range of time, from its history. */
export interface RangeLevel {
  readonly name: string
  /** Requests rejected; `undefined` when that was never known. */
  readonly rejected: number | undefined
  /** Unix milliseconds of the last sample that saw a rejection, or requests that wait. */
  readonly lastRejectedAt: number | undefined
  readonly lastQueuedAt: number | undefined
}

export interface RangeFacts {
  /** Unix milliseconds of the first and the last sample. */
  readonly from: number
  readonly to: number
  /** Histories keep steps of 10 s beyond twenty minutes, so counts are approximate. */
  readonly approximate: boolean
  readonly levels: readonly RangeLevel[]
}

const RATES = ['queueFullRate', 'concurrencyLimitRate', 'timeOutRate'] as const

/** The facts of a history; `undefined` before it has two samples. */
export function rangeFacts({ times, stepSeconds, levels }: Series): RangeFacts | undefined {
  const [from] = times
  const to = times.at(-1)
  if (from === undefined || to === undefined || from === to) return undefined
  return {
    from,
    to,
    approximate: to - from > EXACT_MS,
    levels: levels.map(({ name, columns }) => {
      let rejected: number | undefined
      let lastRejectedAt: number | undefined
      let lastQueuedAt: number | undefined
      let known: number | undefined
      times.forEach((at, i) => {
        const rates = RATES.map((column) => columns[column][i] ?? null)
        const rate = rates.every((one) => one === null) ? undefined : rates.reduce<number>((a, b) => a + (b ?? 0), 0)
        if (rate !== undefined) {
          const seconds = known === undefined ? stepSeconds : (at - known) / 1_000
          rejected = (rejected ?? 0) + rate * seconds
          if (rate > 0) lastRejectedAt = at
        }
        if ((columns.queuedRequestsMax[i] ?? columns.queuedSeatsMax[i] ?? 0) > 0) lastQueuedAt = at
        // A point without occupancy is a gap: the rate after it is the mean over all of it.
        if ((columns.executing[i] ?? columns.nominal[i] ?? null) !== null) known = at
      })
      return { name, rejected: rejected === undefined ? undefined : Math.round(rejected), lastRejectedAt, lastQueuedAt }
    }),
  }
}

const EXACT_MS = 20 * 60_000
