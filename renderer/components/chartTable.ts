import type { CsvValue } from './csv.ts'

/** The numbers behind a chart. The first column heads each row, usually a time. */
export interface ChartTable {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly CsvValue[])[]
}

export const MAX_TABLE_ROWS = 60

/** At most `max` rows, evenly taken, the first and the last among them. */
export function thinned<T>(rows: readonly T[], max = MAX_TABLE_ROWS): readonly T[] {
  if (rows.length <= max) return rows
  const step = (rows.length - 1) / (max - 1)
  const taken = new Set(Array.from({ length: max }, (_, index) => Math.round(index * step)))
  return rows.filter((_, index) => taken.has(index))
}
