import { USUAL_INTERVAL_OF } from '../frame/derive.ts'
import { recordOf } from '../frame/reading.ts'
import { staleAfterMs } from '../frame/staleAfter.ts'
import { median } from '../frame/quantile.ts'
import { lowerBound } from '../search.ts'
import { byCodeUnits } from '../text/text.ts'
import { pointIn, type Point } from './point.ts'
import { LEVEL_COLUMNS, type LevelColumn } from './columns.ts'
import type { LevelSeries, Series } from './series.ts'

const WIDTH = LEVEL_COLUMNS.length

/** A frame has fewer; beyond this the level that was not seen for longest is dropped, so that memory is bounded. */
const MOST_LEVELS = 160

export interface TierOptions {
  readonly capacity: number
  /** Width of the step whose samples are merged into one row; 0 keeps every sample separate. */
  readonly stepMs: number
}

export interface TierQuery {
  /** Unix milliseconds, both included. */
  readonly from: number
  readonly to: number
  readonly maxPoints: number
}

/**
 * The newest `capacity` rows of one server, each a sample or the samples of one step. Points may arrive in any order:
 * the result of a query depends only on the points. Of two at the same instant the first counts. Values are single
 * precision: about seven digits.
 */
export interface Tier {
  /** `count` is the number of samples of the point, 1 by default. */
  add(point: Point, count?: number): void
  /** Adds the missing rates of a sample that was added without them. */
  complete(point: Point): void
  /** Removes the rows that end at or after an instant. */
  truncate(from: number): void
  /** Whether everything that was added since that instant is still stored. */
  reaches(from: number): boolean
  /**
   * The rows between two instants, merged over equal steps when there are more than `maxPoints`. Steps are aligned to
   * the clock, so that points keep their position while the range advances. A silence that is a gap (`staleAfterMs`) by
   * the usual interval before it and by the one after it is one point without values.
   */
  query(query: TierQuery): Omit<Series, 'server'>
}

/** A tier that is continued from another one's query result. */
export function tierFrom(series: Series, capacity: number): Tier {
  const tier = createTier({ capacity, stepMs: series.mergedSeconds * 1_000 })
  addSeries(tier, series)
  return tier
}

/** Adds the points of a series; its gaps follow from the distance of their neighbours. */
export function addSeries(tier: Tier, series: Series): void {
  for (const [i, count] of series.samples.entries()) if (count > 0) tier.add(pointIn(series, i), count)
}

export function createTier({ capacity, stepMs }: TierOptions): Tier {
  const times = new Float64Array(capacity)
  const fairFracs = new Float32Array(capacity)
  const samples = new Uint16Array(capacity)
  const levels = new Map<string, LevelRows>()
  /** Slots in the order of their times, and those without a row. */
  const order: number[] = []
  // The lowest first: levels allocate space up to the highest used slot.
  const free = Array.from({ length: capacity }, (_, i) => capacity - 1 - i)
  let whole = true

  const timeOf = (row: number): number => times[order[row] ?? -1] ?? Number.NaN

  /** The first row that lies in the step of an instant, or after it. */
  const rowAt = (at: number): number => {
    const step = stepOf(at, stepMs)
    // Most points are the newest.
    if (stepOf(timeOf(order.length - 1), stepMs) < step) return order.length
    return lowerBound(0, order.length, (row) => stepOf(timeOf(row), stepMs) >= step)
  }

  const release = (slot: number): void => {
    for (const [name, level] of levels) {
      if (!hasLevel(level, slot)) continue
      level.rows--
      if (level.rows === 0) levels.delete(name)
      level.seenAt[slot] = Number.NaN
      level.cells.fill(Number.NaN, slot * WIDTH, (slot + 1) * WIDTH)
      level.known.fill(0, slot * MEANS.length, (slot + 1) * MEANS.length)
    }
    samples[slot] = 0
    free.push(slot)
  }

  /** A slot for a new row; `undefined` for one older than all the stored ones when there is no room. */
  const slotAt = (row: number): number | undefined => {
    const full = free.length === 0
    if (full) {
      whole = false
      if (row === 0) return undefined
      release(order.shift() ?? 0)
    }
    const slot = free.pop()
    if (slot !== undefined) order.splice(full ? row - 1 : row, 0, slot)
    return slot
  }

  const levelRows = (name: string): LevelRows => {
    const found = levels.get(name)
    if (found !== undefined) return found
    if (levels.size >= MOST_LEVELS) {
      const [idlest] = [...levels].reduce((a, b) => (b[1].lastAt < a[1].lastAt ? b : a))
      levels.delete(idlest)
    }
    const made = { ...roomFor(Math.min(capacity, FIRST_SLOTS)), rows: 0, lastAt: Number.NEGATIVE_INFINITY }
    levels.set(name, made)
    return made
  }

  const add: Tier['add'] = ({ at, fairFrac, levels: point }, count = 1) => {
    const row = rowAt(at)
    const known = row < order.length && stepOf(timeOf(row), stepMs) === stepOf(at, stepMs)
    if (known && stepMs === 0) return
    const slot = known ? order[row] : slotAt(row)
    if (slot === undefined) return
    if (!known || at >= (times[slot] ?? at)) {
      times[slot] = at
      fairFracs[slot] = fairFrac
    }
    samples[slot] = Math.min(MOST_SAMPLES, (samples[slot] ?? 0) + count)
    for (const [name, values] of point) {
      const level = levelRows(name)
      if (slot >= level.seenAt.length) enlarge(level, Math.min(capacity, Math.max(slot + 1, level.seenAt.length * 2)))
      if (!hasLevel(level, slot)) level.rows++
      level.lastAt = Math.max(level.lastAt, at)
      mergeInto(level, slot, { at, values, count })
    }
  }

  /** Usual distance of the samples of the rows from `first` to before `end`; `undefined` if there are not two. */
  const usualOf = (first: number, end: number): number | undefined => {
    const distances: number[] = []
    for (let row = Math.max(1, first); row < Math.min(end, order.length); row++) {
      distances.push((timeOf(row) - timeOf(row - 1)) / Math.max(1, samples[order[row] ?? -1] ?? 1))
    }
    return median(distances)
  }
  const usualBefore = (row: number): number | undefined => usualOf(row - USUAL_INTERVAL_OF, row)

  /** The position of a visible silence before a row; steps are `width` wide. */
  const gapBefore = (row: number, width: number): number | undefined => {
    const [before, now] = [timeOf(row - 1), timeOf(row)]
    // If samples are merged, a silence is visible once it leaves a step empty.
    if (width > 0 && stepOf(now, width) - stepOf(before, width) <= 1) return undefined
    const after = usualOf(row + 1, row + 1 + USUAL_INTERVAL_OF)
    // After the very first row, the following rows determine the usual interval.
    const usual = usualBefore(row) ?? after
    if (usual === undefined || now - before <= staleAfterMs(usual)) return undefined
    // Samples that become less frequent from here on leave no gap: another interval was configured.
    const next = after ?? usualOf(row - 1, row) ?? 0
    return now - before > staleAfterMs(next) ? before + Math.max(usual, width) : undefined
  }

  /** The rows from `first` to before `end` as points. */
  const pointsOf = (first: number, end: number, width: number): readonly MergedRows[] => {
    const points: MergedRows[] = []
    let open: number[] = []
    for (let row = first; row < end; row++) {
      const slot = order[row] ?? 0
      const at = timeOf(row)
      if (row > first && width > 0 && stepOf(at, width) === stepOf(timeOf(row - 1), width)) {
        open.push(slot)
        points[points.length - 1] = { at, slots: open }
        continue
      }
      const gap = row > first ? gapBefore(row, width) : undefined
      if (gap !== undefined) points.push({ at: gap, slots: [] })
      open = [slot]
      points.push({ at, slots: open })
    }
    return points
  }

  return {
    add,
    complete({ at, levels: point }) {
      const row = rowAt(at)
      const slot = stepOf(timeOf(row), stepMs) === stepOf(at, stepMs) ? order[row] : undefined
      if (slot === undefined) return
      for (const [name, values] of point) {
        const level = levels.get(name)
        // Its reported values are the same again; for means, only rates were missing, which are counted now.
        if (level !== undefined && hasLevel(level, slot)) mergeInto(level, slot, { at, values, count: 1 })
      }
    },
    truncate(from) {
      while (timeOf(order.length - 1) >= from) release(order.pop() ?? 0)
    },
    reaches: (from) => whole || timeOf(0) <= from,
    query({ from, to, maxPoints }) {
      const first = lowerBound(0, order.length, (row) => timeOf(row) >= from)
      const end = lowerBound(0, order.length, (row) => timeOf(row) > to)
      let width = stepMs
      let points = pointsOf(first, end, width)
      if (points.length > maxPoints) {
        // One step fewer than the range allows: aligned steps may cut it at both ends.
        width = Math.max(1, Math.ceil((to - from) / Math.max(1, maxPoints - 1)))
        points = pointsOf(first, end, width)
      }
      const starts = points.map(startOf)
      return {
        stepSeconds: Math.max(width, usualBefore(order.length) ?? 1_000) / 1_000,
        mergedSeconds: width / 1_000,
        times: points.map(({ at }) => at),
        samples: points.map(({ slots }) => slots.reduce((sum, slot) => sum + (samples[slot] ?? 0), 0)),
        fairFrac: points.map(({ slots }) => cellOf(fairFracs[slots.at(-1) ?? -1] ?? Number.NaN)),
        levels: [...levels]
          .toSorted(([a], [b]) => byCodeUnits(a, b))
          .flatMap(([name, level]): LevelSeries[] => {
            const columns = columnsOf(level, points, starts)
            return columns === undefined ? [] : [{ name, columns }]
          }),
      }
    },
  }
}

/** Most samples that one row or point counts; more make no difference for the weight of a mean. */
const MOST_SAMPLES = 65_535

/** The number of the step that contains an instant; without steps every instant is one. */
const stepOf = (at: number, width: number): number => (width === 0 ? at : Math.ceil(at / width))

/** Values of a level, with room for some slots. */
interface LevelCells {
  /** Slot by slot, in each the columns of LEVEL_COLUMNS; NaN is unknown. */
  cells: Float32Array
  /** Slot by slot, the number of values of each of the columns in MEANS. */
  known: Uint16Array
  /** By slot, the time of the last sample that contained the level; NaN if none did. */
  seenAt: Float64Array
}

/** Initial slots of a new level; most servers are observed for minutes, and a full tier is hours. */
const FIRST_SLOTS = 64

const roomFor = (slots: number): LevelCells => ({
  cells: new Float32Array(slots * WIDTH).fill(Number.NaN),
  known: new Uint16Array(slots * MEANS.length),
  seenAt: new Float64Array(slots).fill(Number.NaN),
})

function enlarge(level: LevelCells, slots: number): void {
  const { cells, known, seenAt } = roomFor(slots)
  cells.set(level.cells)
  known.set(level.known)
  seenAt.set(level.seenAt)
  Object.assign(level, { cells, known, seenAt })
}

interface LevelRows extends LevelCells {
  /** Slots that contain the level. */
  rows: number
  lastAt: number
}

const hasLevel = ({ seenAt }: LevelRows, slot: number): boolean => !Number.isNaN(seenAt[slot] ?? Number.NaN)

/** Rows that became one point; none for a gap. */
interface MergedRows {
  readonly at: number
  readonly slots: readonly number[]
}

/** How several values of a column are merged into one. */
type Merge = 'last' | 'max' | 'mean'

const MERGE: Partial<Record<LevelColumn, Merge>> = {
  executingMax: 'max',
  queuedSeatsMax: 'max',
  queuedRequestsMax: 'max',
  dispatchedRate: 'mean',
  queueFullRate: 'mean',
  concurrencyLimitRate: 'mean',
  timeOutRate: 'mean',
  utilizationMean: 'mean',
}

/** In the order of LEVEL_COLUMNS. */
const MERGES: readonly Merge[] = LEVEL_COLUMNS.map((column) => MERGE[column] ?? 'last')
const MEANS = LEVEL_COLUMNS.filter((column) => MERGE[column] === 'mean')
/** The position of each column in MEANS; −1 for others. */
const MEAN_AT = LEVEL_COLUMNS.map((column) => MEANS.indexOf(column))

interface Values {
  readonly at: number
  readonly values: ArrayLike<number>
  readonly count: number
}

function mergeInto({ cells, known, seenAt }: LevelRows, slot: number, { at, values, count }: Values): void {
  const newest = !(at < (seenAt[slot] ?? Number.NaN))
  for (let column = 0; column < WIDTH; column++) {
    const cell = slot * WIDTH + column
    const value = values[column] ?? Number.NaN
    if (MERGES[column] === 'last') {
      // A value that the last sample lacks is unknown, regardless of earlier ones.
      if (newest) cells[cell] = value
    } else if (!Number.isNaN(value)) {
      const before = cells[cell] ?? Number.NaN
      const counted = slot * MEANS.length + (MEAN_AT[column] ?? -1)
      const of = known[counted] ?? 0
      cells[cell] = MERGES[column] === 'max' ? larger(before, value) : mean(before, of, value, count)
      if (MERGES[column] === 'mean') known[counted] = Math.min(MOST_SAMPLES, of + count)
    }
  }
  if (newest) seenAt[slot] = at
}

/** The larger of two values, the first of which may be unknown. */
const larger = (a: number, b: number): number => (a > b ? a : b)

/** The mean of `of` values with the mean `value`, and of `more` values with the mean `next`. */
const mean = (value: number, of: number, next: number, more: number): number =>
  of === 0 ? next : value + ((next - value) * more) / (of + more)

/** A value as a cell of a series: `null` for NaN, which is unknown. */
const cellOf = (value: number): number | null => (Number.isNaN(value) ? null : value)

/** First cell of a point that is one row, as most are; −1 for others. */
const startOf = ({ slots }: MergedRows): number => (slots.length === 1 ? (slots[0] ?? -1) * WIDTH : -1)

/** `undefined` for a level without any known value in these points. */
function columnsOf(
  rows: LevelRows,
  points: readonly MergedRows[],
  starts: readonly number[],
): LevelSeries['columns'] | undefined {
  const { cells } = rows
  let any = false
  const columns = recordOf(LEVEL_COLUMNS, (name) => {
    const column = LEVEL_COLUMNS.indexOf(name)
    return starts.map((start, i) => {
      const value = start < 0 ? mergedCell(rows, column, points[i]?.slots ?? []) : (cells[start + column] ?? Number.NaN)
      if (Number.isNaN(value)) return null
      any = true
      return value
    })
  })
  return any ? columns : undefined
}

function mergedCell({ cells, known }: LevelRows, column: number, slots: readonly number[]): number {
  let value = Number.NaN
  let of = 0
  for (const slot of slots) {
    const next = cells[slot * WIDTH + column] ?? Number.NaN
    if (MERGES[column] === 'last') value = next
    else if (MERGES[column] === 'max') value = Number.isNaN(next) ? value : larger(value, next)
    else {
      const more = known[slot * MEANS.length + (MEAN_AT[column] ?? -1)] ?? 0
      if (more > 0) value = mean(value, of, next, more)
      of += more
    }
  }
  return value
}
