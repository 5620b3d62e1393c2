import { type LevelSeries, LevelSeriesSchema, type Series } from '../../core/history/series.ts'
import { type LevelColumn, LEVEL_COLUMNS } from '../../core/history/columns.ts'

type Values = Partial<Record<LevelColumn, readonly (number | null)[]>>

/** A series for tests: one point a second from `start`; columns that are not given are empty. */
export function seriesOf(levels: Readonly<Record<string, Values>>, length: number, start = 0): Series {
  const levelOf = (name: string, values: Values): LevelSeries =>
    LevelSeriesSchema.parse({
      name,
      columns: Object.fromEntries(
        LEVEL_COLUMNS.map((column) => [column, Array.from({ length }, (_, i) => values[column]?.[i] ?? null)]),
      ),
    })
  return {
    server: 'a',
    stepSeconds: 1,
    mergedSeconds: 0,
    times: Array.from({ length }, (_, i) => start + i * 1_000),
    samples: Array.from({ length }, () => 1),
    fairFrac: Array.from({ length }, () => null),
    levels: Object.entries(levels).map(([name, values]) => levelOf(name, values)),
  }
}
