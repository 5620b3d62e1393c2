import { cellOf, COLUMN_MERGES, levelRow, mergeValue } from '../../core/frame/ring.ts'
import type { DerivedServer } from '../../core/frame/derived.ts'
import { type ServerFrame, recordOf } from '../../core/frame/frame.ts'
import { LEVEL_COLUMNS, type LevelSeries, type Series } from '../../core/frame/series.ts'
import { unixMsOf } from '../../core/units.ts'

/** One frame of one server as one point of its series; values that are not known are NaN. */
export interface Sample {
  /** Unix milliseconds. */
  readonly at: number
  readonly fairFrac: number
  /** By level, in the order of LEVEL_COLUMNS. */
  readonly levels: ReadonlyMap<string, ArrayLike<number>>
}

export function sampleOf(server: ServerFrame, derived?: DerivedServer): Sample {
  const rates = new Map(derived?.levels.map((level) => [level.name, level]))
  return {
    at: unixMsOf(server.at),
    fairFrac: server.seatFairFrac ?? Number.NaN,
    levels: new Map(server.levels.map((level) => [level.name, levelRow(level, rates.get(level.name))])),
  }
}

export interface AppendOptions {
  /** Points before this instant are dropped, except the last of them, from which lines enter the picture. */
  readonly from: number
  /** Usual distance of samples, milliseconds. */
  readonly intervalMs: number
  /** A silence longer than this many milliseconds is a gap. */
  readonly gapMs: number
}

/** A step this many times the usual distance of samples holds several of them. */
const SEVERAL = 1.5

/**
 * The series with one more sample, as the history itself would answer it (core/frame/ring.ts): a point of its
 * own, after an empty one where the silence was long enough to be a gap; merged into the newest point where steps
 * hold several samples and both lie in the same one.
 */
export function append(series: Series, sample: Sample, options: AppendOptions): Series {
  const { from, intervalMs, gapMs } = options
  const stepMs = series.stepSeconds * 1_000
  const last = series.times.at(-1)
  if (last !== undefined && sample.at <= last) return series
  const step = Math.ceil(sample.at / stepMs)
  if (last !== undefined && stepMs >= SEVERAL * intervalMs && step === Math.ceil(last / stepMs)) {
    const known = Math.max(1, Math.round((last - (step - 1) * stepMs) / intervalMs))
    return withPoint(withoutLast(series), sample, { series, known })
  }
  const gap = last !== undefined && sample.at - last > Math.max(gapMs, stepMs)
  const before = gap ? withPoint(series, { at: last + intervalMs, fairFrac: Number.NaN, levels: new Map() }) : series
  return trimmed(withPoint(before, sample), from)
}

/** Adds a point; `merging` is the series whose last point it takes in, which stands for `known` samples. */
function withPoint(
  series: Series,
  sample: Sample,
  merging?: { readonly series: Series; readonly known: number },
): Series {
  const names = new Set([...series.levels.map(({ name }) => name), ...sample.levels.keys()])
  const old = new Map(series.levels.map((level) => [level.name, level.columns]))
  const newest = new Map(merging?.series.levels.map((level) => [level.name, level.columns]))
  const levels = Array.from(names, (name): LevelSeries => {
    const point = sample.levels.get(name)
    const columns = recordOf(LEVEL_COLUMNS, (column) => {
      const index = LEVEL_COLUMNS.indexOf(column)
      const value = point?.[index] ?? Number.NaN
      const before = newest.get(name)?.[column].at(-1)
      const merged =
        merging === undefined || before === undefined || before === null
          ? value
          : mergeValue(COLUMN_MERGES[index] ?? 'last', before, value, merging.known)
      return [...(old.get(name)?.[column] ?? series.times.map(() => null)), cellOf(merged)]
    })
    return { name, columns }
  })
  return {
    ...series,
    times: [...series.times, sample.at],
    fairFrac: [...series.fairFrac, cellOf(sample.fairFrac)],
    levels,
  }
}

const withoutLast = (series: Series): Series => sliced(series, 0, -1)

function trimmed(series: Series, from: number): Series {
  const inside = series.times.findIndex((time) => time >= from)
  const drop = (inside === -1 ? series.times.length : inside) - 1
  return drop <= 0 ? series : sliced(series, drop)
}

const sliced = (series: Series, start: number, end?: number): Series => ({
  ...series,
  times: series.times.slice(start, end),
  fairFrac: series.fairFrac.slice(start, end),
  levels: series.levels.map(({ name, columns }) => ({
    name,
    columns: recordOf(LEVEL_COLUMNS, (column) => columns[column].slice(start, end)),
  })),
})
