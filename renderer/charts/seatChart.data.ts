import { gapsOf, lateAfterMs, type Gap } from '../../core/history/gaps.ts'
import { gapAround } from '../../core/history/gapsWithin.ts'
import type { Threshold } from '../../core/contract/advice.ts'
import { movedSeats } from '../../core/frame/reading.ts'
import { movedText, queuedText } from './seatBar.data.ts'
import type { Series } from '../../core/history/series.ts'
import type { LevelColumn } from '../../core/history/columns.ts'
import { format } from '../theme/format.ts'
import { gapsText } from '../theme/gapWords.ts'
import { nearestIndex } from './crosshair.data.ts'
import { type Column, largest, lastValue, reduceColumn, reduceTimes, timeRanges } from './reduce.data.ts'
import { type ValueAxis, valueAxis } from '../../core/text/axis.ts'

/** Maximum number of points in a chart (docs/decisions/020-charts.md). */
export const MAX_POINTS = 300

/** One instant of the Seats chart, in seats; `null` where there is no sample. */
export interface SeatPoint {
  readonly t: number
  readonly executing: number | null
  /** From executing up to executing + queued: the waiting seats. */
  readonly queued: readonly [number, number] | null
  readonly demand: number | null
  /** From the lower limit to the part of the upper limit that exists and fits on the axis. */
  readonly band: readonly [number, number] | null
  readonly nominal: number | null
  readonly current: number | null
}

/** One instant as its labels say it, in seats. */
type SeatValues = Readonly<
  Record<'executing' | 'queued' | 'current' | 'nominal' | 'lower' | 'upper', number | undefined>
>

export interface SeatChartData {
  readonly points: readonly SeatPoint[]
  readonly axis: ValueAxis
  /** Stretches without a sample, Unix milliseconds. */
  readonly gaps: readonly Gap[]
  /** A newest sample older than this leaves an empty box at the right edge, because the axis continues. */
  readonly lateAfterMs: number
  /** Samples at which the counters were reset: a notch on the axis. */
  readonly resets: readonly number[]
  /** First rejection inside the range after a sample without one. */
  readonly firstRejection: number | undefined
  readonly last: SeatValues
  /** Seats borrowed at the end; less than 0 is lent. */
  readonly moved: number | undefined
  /** Each point holds the largest value of this many seconds; `undefined` when nothing was reduced. */
  readonly reducedTo: number | undefined
}

export interface SeatChartOptions {
  /** The level has neither limits nor queues (specification 6.4: exempt). */
  readonly exempt: boolean
  /** Sum of nominal limits: the seats that exist; the upper limit is not drawn beyond it. */
  readonly exist: number | undefined
  /** What the demand is judged by. */
  readonly threshold?: Threshold | undefined
}

const NOTHING: Column = []

/** A sample with seats but no rate, directly after one with both, follows a reset of the counters. */
function resetsOf(times: readonly number[], executing: Column, rate: Column): number[] {
  const resets: number[] = []
  for (let i = 1; i < times.length; i++) {
    const seen = (executing[i - 1] ?? null) !== null && (executing[i] ?? null) !== null
    if (seen && (rate[i - 1] ?? null) !== null && (rate[i] ?? null) === null) resets.push(times[i] ?? 0)
  }
  return resets
}

function firstRejectionOf(times: readonly number[], rates: readonly Column[]): number | undefined {
  let quiet = false
  for (const [index, at] of times.entries()) {
    const known = rates.map((rate) => rate[index] ?? null).filter((value) => value !== null)
    if (known.length === 0) continue
    if (known.every((value) => value === 0)) quiet = true
    else if (quiet) return at
    else return undefined
  }
  return undefined
}

const blank = (t: number): SeatPoint => ({
  t,
  executing: null,
  queued: null,
  demand: null,
  band: null,
  nominal: null,
  current: null,
})

/** Everything that the Seats chart draws, from the history of one level; `undefined` when the level is not in it. */
export function seatChartData(series: Series, levelName: string, options: SeatChartOptions): SeatChartData | undefined {
  const columns = series.levels.find((level) => level.name === levelName)?.columns
  if (columns === undefined) return undefined
  const ranges = timeRanges(series.times, MAX_POINTS)
  const full = (name: LevelColumn): Column => columns[name] ?? NOTHING
  const state = (name: LevelColumn): Column => reduceColumn(full(name), ranges, 'last')
  /** The largest value inside a point where the history kept one, otherwise the value itself. */
  const peak = (name: LevelColumn, otherwise: LevelColumn): Column => {
    const [peaks, values] = [full(name), full(otherwise)]
    const merged = series.times.map((_, i) => peaks[i] ?? values[i] ?? null)
    return reduceColumn(merged, ranges, 'max')
  }

  const times = reduceTimes(series.times, ranges)
  const executing = peak('executingMax', 'executing')
  const queued = options.exempt ? NOTHING : peak('queuedSeatsMax', 'queuedSeats')
  const limits = options.exempt
    ? { nominal: NOTHING, current: NOTHING, lower: NOTHING, upper: NOTHING }
    : { nominal: state('nominal'), current: state('current'), lower: state('lower'), upper: state('upper') }

  const demand = executing.map((seats, i) => (seats === null ? null : seats + (queued[i] ?? 0)))
  const drawn = largest(demand, limits.current, limits.nominal, [options.threshold?.seats ?? 0])
  const ceiling = Math.min(lastValue(limits.upper) ?? 0, options.exist ?? Number.POSITIVE_INFINITY)
  // An upper limit far above everything else would flatten the rest of the chart; it is labelled instead of drawn.
  const axis = valueAxis(Math.max(drawn, ceiling <= drawn * 1.6 ? ceiling : 0) * 1.04)

  const isKnown = (index: number): boolean => (columns.executing[index] ?? null) !== null
  const gaps = gapsOf(series, isKnown)
  const samples = times.map((t, i): SeatPoint => {
    const seats = executing[i] ?? null
    const lower = limits.lower[i] ?? null
    const upper = limits.upper[i] ?? null
    return {
      t,
      executing: seats,
      demand: demand[i] ?? null,
      queued: seats === null || options.exempt ? null : [seats, demand[i] ?? seats],
      band:
        lower === null || upper === null
          ? null
          : [lower, Math.max(lower, Math.min(upper, options.exist ?? upper, axis.max))],
      nominal: limits.nominal[i] ?? null,
      current: limits.current[i] ?? null,
    }
  })
  // Points without a sample carry no information; one in the middle of each gap breaks the lines there.
  const points = [
    ...samples.filter((point) => point.executing !== null),
    ...gaps.map(({ from, to }) => blank((from + to) / 2)),
  ].toSorted((a, b) => a.t - b.t)
  const pointSeconds = (series.stepSeconds * series.times.length) / Math.max(1, ranges.length)
  const bucketed = ranges.length < series.times.length || series.stepSeconds > 2
  return {
    points,
    axis,
    gaps,
    lateAfterMs: lateAfterMs(series),
    resets: resetsOf(series.times, full('executing'), full('dispatchedRate')),
    firstRejection: firstRejectionOf(series.times, [
      full('queueFullRate'),
      full('concurrencyLimitRate'),
      full('timeOutRate'),
    ]),
    moved: movedSeats(
      { seatFairFrac: lastValue(series.fairFrac) },
      { current: lastValue(limits.current), nominal: lastValue(limits.nominal) },
    ),
    last: {
      executing: lastValue(full('executing')),
      queued: options.exempt ? undefined : lastValue(full('queuedSeats')),
      current: lastValue(limits.current),
      nominal: lastValue(limits.nominal),
      lower: lastValue(limits.lower),
      upper: lastValue(limits.upper),
    },
    reducedTo: bucketed ? Math.round(pointSeconds) : undefined,
  }
}

export interface EdgeLabel {
  readonly text: string
  /** Seats at which the label should preferably be. */
  readonly value: number
  readonly tone: 'queued' | 'strong' | 'quiet'
}

/** Direct labels on the right edge: demand, limits, and how much of the upper limit exists; at the cursor or newest. */
export function edgeLabels(
  data: SeatChartData,
  options: SeatChartOptions,
  { executing, queued, current, nominal, lower, upper }: SeatValues = data.last,
): readonly EdgeLabel[] {
  const labels: EdgeLabel[] = []
  if (options.exempt) {
    if (executing !== undefined)
      labels.push({ text: `executing ${format.seats(executing)}`, value: executing, tone: 'strong' })
    labels.push({ text: 'no limit', value: data.axis.max, tone: 'quiet' })
    return labels
  }
  if (upper !== undefined) {
    const reachable = Math.min(upper, options.exist ?? upper)
    labels.push({ text: `max ${format.seats(upper)}`, value: Math.min(reachable, data.axis.max), tone: 'quiet' })
    if (reachable < upper)
      labels.push({
        text: `${format.seats(reachable)} exist`,
        value: Math.min(reachable, data.axis.max),
        tone: 'quiet',
      })
  }
  if (executing !== undefined && queued !== undefined && queued > 0)
    labels.push({ text: `demand ${format.seats(executing + queued)}`, value: executing + queued, tone: 'queued' })
  if (current !== undefined) labels.push({ text: `limit ${format.seats(current)}`, value: current, tone: 'strong' })
  if (executing !== undefined && executing !== current)
    labels.push({ text: `executing ${format.seats(executing)}`, value: executing, tone: 'quiet' })
  if (nominal !== undefined && nominal !== current)
    labels.push({ text: `nominal ${format.seats(nominal)}`, value: nominal, tone: 'quiet' })
  if (lower !== undefined && lower !== nominal)
    labels.push({ text: `min ${format.seats(lower)}`, value: lower, tone: 'quiet' })
  return labels
}

/** The chart in one sentence, for screen readers. */
export function seatSentence(levelName: string, data: SeatChartData): string {
  const { executing, queued, current } = data.last
  if (executing === undefined) return `${levelName}: no sample in this range`
  const of = current === undefined ? '' : ` of ${current}`
  const gaps = data.gaps.length > 0 ? `, ${gapsText(data.gaps)}` : ''
  return `${levelName}: ${executing}${of} seats executing${movedText(data.moved)}${queuedText(queued)}${gaps}`
}

/** One sample of the table behind the chart, in seats; `null` for unknown values. */
export type SeatRow = Readonly<
  Record<'executing' | 'queued' | 'demand' | 'current' | 'nominal' | 'lower' | 'upper', number | null>
> & { readonly t: number }

/** The values of the sample closest to an instant; `undefined` in a gap. */
export function seatsAt(series: Series, levelName: string, at: number): SeatValues | undefined {
  if (gapAround(series, at) !== undefined) return undefined
  const columns = series.levels.find((level) => level.name === levelName)?.columns
  const index = nearestIndex(series.times, at)
  const value = (name: LevelColumn): number | undefined => columns?.[name]?.[index] ?? undefined
  const executing = value('executing')
  if (executing === undefined) return undefined
  return {
    executing,
    queued: value('queuedSeats'),
    current: value('current'),
    nominal: value('nominal'),
    lower: value('lower'),
    upper: value('upper'),
  }
}

/** Every sample of a level that the history holds, newest first. */
export function seatRows(series: Series, levelName: string): readonly SeatRow[] {
  const columns = series.levels.find((level) => level.name === levelName)?.columns
  if (columns === undefined) return []
  const at = (name: LevelColumn, index: number): number | null => columns[name]?.[index] ?? null
  const rows = series.times.map((t, i): SeatRow => {
    const [executing, queued] = [at('executing', i), at('queuedSeats', i)]
    return {
      t,
      executing,
      queued,
      demand: executing === null ? null : executing + (queued ?? 0),
      current: at('current', i),
      nominal: at('nominal', i),
      lower: at('lower', i),
      upper: at('upper', i),
    }
  })
  return rows.toReversed()
}
