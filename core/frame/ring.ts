import { COLUMN_MERGES, mergeValue } from './columns.ts'
import { LEVEL_COLUMNS } from './series.ts'

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
export interface Ring {
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
