import { isExempt, recordOf } from '../frame/reading.ts'
import type { LevelSeries, Series } from '../history/series.ts'
import type { LevelColumn } from '../history/columns.ts'
import { msOf, type Gap } from '../history/gaps.ts'
import { gapsWithin } from '../history/gapsWithin.ts'
import { countOf, rejectedRate } from '../history/range.ts'
import { byCodeUnits } from '../text/text.ts'
import type { Period } from './period.ts'

/** One number in two periods. */
export interface Difference {
  readonly a?: number | undefined
  readonly b?: number | undefined
  /** b − a; `undefined` when one is unknown. */
  readonly change?: number | undefined
  /** The change as a fraction of a; `undefined` where a is 0 or unknown. */
  readonly share?: number | undefined
}

export const NUMBERS = ['executing', 'limit', 'queued', 'rejected', 'dispatched', 'waitP99'] as const
/**
 * - `executing`, `limit`: mean, seats. `queued`: mean, requests.
 * - `rejected`, `dispatched`: requests in the period, or per second if the periods are not equally long.
 * - `waitP99`: the longest within the period, seconds.
 */
export type NumberName = (typeof NUMBERS)[number]

export interface ComparedLevel {
  readonly name: string
  /** The part that has samples. */
  readonly in: 'both' | 'a' | 'b'
  readonly numbers: Readonly<Record<NumberName, Difference>>
}

/** How much of a period is recorded. */
export interface Recorded {
  readonly seconds: number
  readonly samples: number
  /** Parts of the period in which nothing was recorded, ascending; the period may start or end in one. */
  readonly gaps: readonly Gap[]
  /** Fraction of the period that is in none of them, 0 to 1. */
  readonly share: number
}

export interface Comparison {
  readonly a: Recorded
  readonly b: Recorded
  /** Counts are shown per second, because the periods are not equally long or because that was requested. */
  readonly perSecond: boolean
  /** Sums over the levels; for waits the longest. */
  readonly totals: Readonly<Record<NumberName, Difference>>
  /** The levels that changed most first. */
  readonly levels: readonly ComparedLevel[]
}

/** Lengths that differ by less than this part are equal. */
const SAME_LENGTH = 0.02

const equallyLong = (a: Period, b: Period): boolean => {
  const [lengthA, lengthB] = [a.to - a.from, b.to - b.from]
  return Math.abs(lengthA - lengthB) <= SAME_LENGTH * Math.max(lengthA, lengthB)
}

/** Compares two periods of one server. `perSecond`: counts per second even if they are equally long. */
export function compare(
  { series: seriesA, period: a }: ComparedPeriod,
  { series: seriesB, period: b }: ComparedPeriod,
  perSecond = !equallyLong(a, b),
): Comparison {
  const [lengthA, lengthB] = [a.to - a.from, b.to - b.from]
  const of = (series: Series, length: number): ReadonlyMap<string, Numbers> =>
    new Map(series.levels.filter(hasSamples).map((level) => [level.name, numbersOf(series, level, length, perSecond)]))
  const [inA, inB] = [of(seriesA, lengthA), of(seriesB, lengthB)]
  const names = [...new Set([...inA.keys(), ...inB.keys()])]
  const levels = names.map((name): ComparedLevel => {
    const [before, after] = [inA.get(name), inB.get(name)]
    return {
      name,
      in: before === undefined ? 'b' : after === undefined ? 'a' : 'both',
      numbers: recordOf(NUMBERS, (number) => difference(before?.[number], after?.[number])),
    }
  })
  const total = (all: ReadonlyMap<string, Numbers>, number: NumberName): number | undefined => {
    const values = [...all].flatMap(([name, numbers]) =>
      number === 'limit' && isExempt({ name }) ? [] : (numbers[number] ?? []),
    )
    if (values.length === 0) return undefined
    return number === 'waitP99' ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0)
  }
  return {
    a: recorded(seriesA, a),
    b: recorded(seriesB, b),
    perSecond,
    totals: recordOf(NUMBERS, (number) => difference(total(inA, number), total(inB, number))),
    levels: levels.toSorted((x, y) => compareBySize(x, y) || byCodeUnits(x.name, y.name)),
  }
}

/** The history of a server over a period. */
export interface ComparedPeriod {
  readonly series: Series
  readonly period: Period
}

type Numbers = Readonly<Record<NumberName, number | undefined>>

const hasSamples = ({ columns }: LevelSeries): boolean =>
  columns.executing.some((value) => value !== null) || columns.nominal.some((value) => value !== null)

function numbersOf(series: Series, level: LevelSeries, lengthMs: number, perSecond: boolean): Numbers {
  const { columns } = level
  const counted = (rateAt: (index: number) => number | null): number | undefined => {
    const count = countOf(series, level, rateAt)
    return count === undefined ? undefined : perSecond ? count / (lengthMs / 1_000) : Math.round(count)
  }
  const exempt = isExempt(level)
  return {
    executing: meanOf(series, columns.executing),
    limit: exempt ? undefined : meanOf(series, columns.current),
    queued: exempt ? undefined : meanOf(series, columns.queuedRequests),
    rejected: exempt ? undefined : counted((index) => rejectedRate(level, index)),
    dispatched: counted((index) => columns.dispatchedRate[index] ?? null),
    waitP99: exempt ? undefined : largestOf(columns.waitP99),
  }
}

type Column = LevelSeries['columns'][LevelColumn]

/** Over the samples: a point is weighted by its number of samples. */
function meanOf({ samples }: Series, column: Column): number | undefined {
  let [sum, count] = [0, 0]
  column.forEach((value, index) => {
    if (value === null) return
    const weight = Math.max(1, samples[index] ?? 1)
    sum += value * weight
    count += weight
  })
  return count === 0 ? undefined : sum / count
}

const largestOf = (column: Column): number | undefined =>
  column.reduce<number | undefined>(
    (most, value) => (value === null ? most : Math.max(most ?? value, value)),
    undefined,
  )

function difference(a: number | undefined, b: number | undefined): Difference {
  const change = a === undefined || b === undefined ? undefined : b - a
  return { a, b, change, share: change === undefined || a === undefined || a === 0 ? undefined : change / a }
}

/**
 * Rejections first, then queues, then seats. For a level that is in one period only, all that it did there counts as
 * change.
 */
function compareBySize(x: ComparedLevel, y: ComparedLevel): number {
  for (const number of ['rejected', 'queued', 'executing', 'limit'] as const) {
    const order = sizeOf(y.numbers[number]) - sizeOf(x.numbers[number])
    if (order !== 0) return order
  }
  return 0
}

const sizeOf = ({ a, b }: Difference): number => Math.abs((b ?? 0) - (a ?? 0))

function recorded(series: Series, period: Period): Recorded {
  const { times, samples } = series
  const gaps = gapsWithin(series, period)
  const length = Math.max(1, period.to - period.from)
  return {
    seconds: length / 1_000,
    samples: samples.reduce((sum, count, index) => sum + ((times[index] ?? 0) >= period.from ? count : 0), 0),
    gaps,
    share: 1 - gaps.reduce((sum, gap) => sum + msOf(gap), 0) / length,
  }
}

/** If less than this fraction of a period is recorded, a comparison is incomplete. */
const COMPLETE = 0.98
export const isRecorded = (share: number): boolean => share >= COMPLETE
export const isComplete = ({ a, b }: Comparison): boolean => isRecorded(a.share) && isRecorded(b.share)
