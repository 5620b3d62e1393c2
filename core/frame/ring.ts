import { byCodeUnits } from '../text/text.ts'
import { LEVEL_COLUMNS, type LevelColumn, type LevelSeries, type Series } from './series.ts'
import type { DerivedLevel } from './derived.ts'
import { type LevelFrame, recordOf } from './frame.ts'

const WIDTH = LEVEL_COLUMNS.length

/** A frame has fewer; beyond this the level that was not seen for longest makes room, so that memory has a bound. */
const MOST_LEVELS = 160

/** What one frame adds to a history: a row per level in the order of LEVEL_COLUMNS. */
export interface Point {
  /** Unix milliseconds. */
  readonly at: number
  readonly fairFrac: number
  readonly levels: ReadonlyMap<string, Float64Array>
}

export interface RingOptions {
  readonly capacity: number
  /** Width of one slot; 0 keeps every point for itself. */
  readonly stepMs: number
}

/** A level's cells, row by row, and what is known of the newest row while it is being filled. */
interface LevelCells {
  readonly cells: Float32Array
  readonly known: Uint16Array
  lastRow: number
}

/**
 * A ring of points, each merged over `stepMs`. Slots are addressed by row numbers that only grow; a row lives in slot
 * `row % capacity` until the ring has gone round. Values are single precision: about seven digits.
 */
interface Ring {
  readonly stepMs: number
  add(point: Point): void
  /** Notes that nothing was sampled for a while before the next point. */
  addGap(at: number): void
  /** Forgets everything at or after an instant. */
  truncate(from: number): void
  /** Oldest and one past the newest row. */
  rows(): { readonly first: number; readonly end: number }
  timeOf(row: number): number
  isGap(row: number): boolean
  fairFracOf(row: number): number
  levelNames(): IterableIterator<string>
  /** Cells of a level: slot by slot, in each the columns of LEVEL_COLUMNS; NaN is not known. */
  cellsOf(level: string): ArrayLike<number> | undefined
  slotOf(row: number): number
}

export function createRing({ capacity, stepMs }: RingOptions): Ring {
  const times = new Float64Array(capacity)
  const fairFracs = new Float32Array(capacity)
  const gaps = new Uint8Array(capacity)
  const levels = new Map<string, LevelCells>()
  let first = 0
  let end = 0
  /** End of the step that the newest row collects; undefined when the next point starts a row. */
  let openUntil: number | undefined

  const startRow = (at: number, gap: boolean): void => {
    const slot = end % capacity
    times[slot] = at
    fairFracs[slot] = Number.NaN
    gaps[slot] = gap ? 1 : 0
    for (const [name, { cells, known, lastRow }] of levels) {
      if (end - lastRow > capacity) levels.delete(name)
      cells.fill(Number.NaN, slot * WIDTH, (slot + 1) * WIDTH)
      known.fill(0)
    }
    end++
    first = Math.max(first, end - capacity)
  }

  const levelCells = (level: string): LevelCells => {
    const found = levels.get(level)
    if (found !== undefined) return found
    if (levels.size >= MOST_LEVELS) {
      const [idlest] = [...levels].reduce((a, b) => (b[1].lastRow < a[1].lastRow ? b : a))
      levels.delete(idlest)
    }
    const made = {
      cells: new Float32Array(capacity * WIDTH).fill(Number.NaN),
      known: new Uint16Array(WIDTH),
      lastRow: end,
    }
    levels.set(level, made)
    return made
  }

  return {
    stepMs,
    add({ at, fairFrac, levels: rows }) {
      if (openUntil === undefined || at > openUntil) {
        startRow(at, false)
        openUntil = stepMs === 0 ? undefined : Math.ceil(at / stepMs) * stepMs
      }
      const slot = (end - 1) % capacity
      times[slot] = at
      fairFracs[slot] = fairFrac
      for (const [name, row] of rows) {
        const level = levelCells(name)
        level.lastRow = end - 1
        for (let column = 0; column < WIDTH; column++) {
          const cell = slot * WIDTH + column
          const value = row[column] ?? Number.NaN
          const merge = COLUMN_MERGES[column] ?? 'last'
          level.cells[cell] = mergeValue(merge, level.cells[cell] ?? Number.NaN, value, level.known[column] ?? 0)
          if (!Number.isNaN(value)) level.known[column] = (level.known[column] ?? 0) + 1
        }
      }
    },
    addGap(at) {
      startRow(at, true)
      openUntil = undefined
    },
    truncate(from) {
      while (end > first && (times[(end - 1) % capacity] ?? 0) >= from) end--
      openUntil = undefined
    },
    rows: () => ({ first, end }),
    timeOf: (row) => times[row % capacity] ?? Number.NaN,
    isGap: (row) => gaps[row % capacity] === 1,
    fairFracOf: (row) => fairFracs[row % capacity] ?? Number.NaN,
    levelNames: () => levels.keys(),
    cellsOf: (level) => levels.get(level)?.cells,
    slotOf: (row) => row % capacity,
  }
}

/** How several points of a column become one. */
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

/** Merge rules in the order of LEVEL_COLUMNS; all others keep the last value. */
export const COLUMN_MERGES: readonly Merge[] = LEVEL_COLUMNS.map((column) => MERGE[column] ?? 'last')

/** One level's point in the order of LEVEL_COLUMNS, NaN for what is not known. */
export function levelRow(level: LevelFrame, derived: DerivedLevel | undefined): Float64Array {
  const { seats, requests, limits, demand } = level
  const rejected = derived?.rejectedPerSecond
  const point: Record<LevelColumn, number | undefined> = {
    executing: seats.executing,
    executingMax: seats.executing,
    queuedSeats: seats.queued,
    queuedSeatsMax: seats.queued,
    executingRequests: requests.executing,
    queuedRequests: requests.queued,
    queuedRequestsMax: requests.queued,
    current: limits.current,
    nominal: limits.nominal,
    lower: limits.lower,
    upper: limits.upper,
    highWatermark: demand.highWatermark,
    average: demand.average,
    stdev: demand.stdev,
    smoothed: demand.smoothed,
    target: demand.target,
    dispatchedRate: derived?.dispatchedPerSecond,
    queueFullRate: rejected?.['queue-full'],
    concurrencyLimitRate: rejected?.['concurrency-limit'],
    timeOutRate: rejected?.['time-out'],
    waitP50: derived?.waitP50,
    waitP99: derived?.waitP99,
    utilizationMean: derived?.utilizationMean,
  }
  return Float64Array.from(LEVEL_COLUMNS, (column) => point[column] ?? Number.NaN)
}

/**
 * `merged` with one more value, `known` being how many values it already has. NaN is "not known": it never spoils a
 * maximum or a mean, but it is a last value like any other.
 */
export function mergeValue(merge: Merge, merged: number, value: number, known: number): number {
  if (merge === 'last') return value
  if (Number.isNaN(value)) return merged
  if (known === 0) return value
  return merge === 'max' ? Math.max(merged, value) : merged + (value - merged) / (known + 1)
}

/** A value as a cell of a series: `null` for NaN, which is "not known". */
export const cellOf = (value: number): number | null => (Number.isNaN(value) ? null : value)

interface RingQuery {
  readonly from: number
  readonly to: number
  readonly maxPoints: number
  /** Usual distance of two rows. */
  readonly naturalMs: number
}

/**
 * The rows between two instants, merged over equal steps when there are more than `maxPoints`. Steps are aligned to
 * the clock, so that points keep their place while the range moves on.
 */
export function queryRing(ring: Ring, { from, to, maxPoints, naturalMs }: RingQuery): Omit<Series, 'server'> {
  const rows = rowsBetween(ring, from, to)
  const groups =
    rows.length > maxPoints ? mergeRows(ring, rows, (to - from) / Math.max(1, maxPoints - 1)) : single(rows)
  const slotGroups = groups.rows.map((group) => group.map((row) => ring.slotOf(row)))
  const levels: LevelSeries[] = []
  for (const name of [...ring.levelNames()].toSorted(byCodeUnits)) {
    const cells = ring.cellsOf(name)
    const columns = cells === undefined ? undefined : levelColumns(cells, slotGroups)
    if (columns !== undefined) levels.push({ name, columns })
  }
  return {
    stepSeconds: Math.max(groups.stepMs, naturalMs) / 1_000,
    times: groups.rows.map((group) => ring.timeOf(group.at(-1) ?? 0)),
    fairFrac: groups.rows.map((group) => cellOf(ring.fairFracOf(group.at(-1) ?? 0))),
    levels,
  }
}

function rowsBetween(ring: Ring, from: number, to: number): number[] {
  const { first, end } = ring.rows()
  const rows: number[] = []
  for (let row = first; row < end; row++) {
    const time = ring.timeOf(row)
    if (time >= from && time <= to) rows.push(row)
  }
  return rows
}

interface Groups {
  readonly stepMs: number
  readonly rows: readonly (readonly number[])[]
}

const single = (rows: readonly number[]): Groups => ({ stepMs: 0, rows: rows.map((row) => [row]) })

/** `width` is a step too few for the range: aligned steps may cut it at both ends. */
function mergeRows(ring: Ring, rows: readonly number[], width: number): Groups {
  const stepMs = Math.max(1, Math.ceil(width))
  const groups = new Map<number, number[]>()
  for (const row of rows) {
    const step = Math.ceil(ring.timeOf(row) / stepMs)
    const group = groups.get(step)
    if (group === undefined) groups.set(step, [row])
    else group.push(row)
  }
  return { stepMs, rows: [...groups.values()].map((group) => withoutGaps(ring, group)) }
}

/** A gap shorter than a step does not show, but a step of nothing else stays one. */
function withoutGaps(ring: Ring, group: readonly number[]): readonly number[] {
  const sampled = group.filter((row) => !ring.isGap(row))
  return sampled.length > 0 ? sampled : group
}

/** `undefined` for a level of which nothing is known in these slots. */
function levelColumns(
  cells: ArrayLike<number>,
  slotGroups: readonly (readonly number[])[],
): LevelSeries['columns'] | undefined {
  let any = false
  const columns = recordOf(LEVEL_COLUMNS, (name) => {
    const column = LEVEL_COLUMNS.indexOf(name)
    const merge = COLUMN_MERGES[column] ?? 'last'
    return slotGroups.map((slots) => {
      let merged = Number.NaN
      let known = 0
      for (const slot of slots) {
        const value = cells[slot * LEVEL_COLUMNS.length + column] ?? Number.NaN
        merged = mergeValue(merge, merged, value, known)
        if (!Number.isNaN(value)) known++
      }
      any ||= known > 0
      return cellOf(merged)
    })
  })
  return any ? columns : undefined
}
