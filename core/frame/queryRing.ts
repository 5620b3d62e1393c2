import { byCodeUnits } from '../text/order.ts'
import { cellOf, COLUMN_MERGES, mergeValue } from './columns.ts'
import { recordOf } from './recordOf.ts'
import type { Ring } from './ring.ts'
import { LEVEL_COLUMNS, type LevelSeries, type Series } from './series.ts'

export interface RingQuery {
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
