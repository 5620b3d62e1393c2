import { gapsOf, type Gap } from './gaps.ts'
import type { LevelSeries, Series } from './series.ts'

const EXACT_MS = 20 * 60_000

/** Events of one level over a range of time, from its history. */
export interface RangeLevel {
  readonly name: string
  /** Requests rejected; `undefined` if that was never known. */
  readonly rejected: number | undefined
  /** Unix milliseconds of the last sample with a rejection, or with waiting requests. */
  readonly lastRejectedAt: number | undefined
  readonly lastQueuedAt: number | undefined
}

export interface RangeFacts {
  /** Unix milliseconds of the first and the last sample. */
  readonly from: number
  readonly to: number
  /** Histories keep steps of 10 s beyond twenty minutes, so counts are approximate. */
  readonly approximate: boolean
  /** Time spans between them without a sample. */
  readonly gaps: readonly Gap[]
  readonly levels: readonly RangeLevel[]
}

const RATES = ['queueFullRate', 'concurrencyLimitRate', 'timeOutRate'] as const

/** The facts of a history; `undefined` before it has two samples. */
export function rangeFacts(series: Series): RangeFacts | undefined {
  const { times, stepSeconds, levels } = series
  const [from] = times
  const to = times.at(-1)
  if (from === undefined || to === undefined || from === to) return undefined
  return {
    from,
    to,
    approximate: to - from > EXACT_MS,
    gaps: gapsOf(series),
    levels: levels.map((level) => {
      const { name, columns } = level
      let lastRejectedAt: number | undefined
      let lastQueuedAt: number | undefined
      times.forEach((at, i) => {
        if ((rejectedRate(level, i) ?? 0) > 0) lastRejectedAt = at
        if ((columns.queuedRequestsMax[i] ?? columns.queuedSeatsMax[i] ?? 0) > 0) lastQueuedAt = at
      })
      const rejected = countOf({ times, stepSeconds }, level, (i) => rejectedRate(level, i))
      return { name, rejected: rejected === undefined ? undefined : Math.round(rejected), lastRejectedAt, lastQueuedAt }
    }),
  }
}

/** Requests rejected per second at a point of the series, for all reasons; `null` if none of them is known. */
export function rejectedRate({ columns }: LevelSeries, index: number): number | null {
  const rates = RATES.map((key) => columns[key][index] ?? null)
  return rates.every((one) => one === null) ? null : rates.reduce<number>((a, b) => a + (b ?? 0), 0)
}

/** Count of an event of a level, from its rate at each point of the series; `undefined` if that was never known. */
export function countOf(
  { times, stepSeconds }: Pick<Series, 'times' | 'stepSeconds'>,
  { columns }: LevelSeries,
  rateAt: (index: number) => number | null,
): number | undefined {
  let count: number | undefined
  let known: number | undefined
  times.forEach((at, i) => {
    const rate = rateAt(i)
    if (rate !== null) count = (count ?? 0) + rate * (known === undefined ? stepSeconds : (at - known) / 1_000)
    // A point without occupancy is a gap: the next rate is the mean over the whole gap.
    if ((columns.executing[i] ?? columns.nominal[i] ?? null) !== null) known = at
  })
  return count
}
