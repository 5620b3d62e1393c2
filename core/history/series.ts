import { z } from 'zod'
import { LEVEL_COLUMNS } from './columns.ts'

/**
 * Time series as drawn on screens: one shared time axis per server, columns of equal length, `null` where no sample
 * exists (a gap is drawn as a gap, never as zero).
 */
const column = z.array(z.number().nullable())

export const LevelSeriesSchema = z.object({
  name: z.string(),
  columns: z.record(z.enum(LEVEL_COLUMNS), column),
})
export type LevelSeries = z.infer<typeof LevelSeriesSchema>

export const SeriesSchema = z.object({
  server: z.string(),
  /**
   * Width of one point in seconds. The columns named …Max hold the maximum within it, rates and `utilizationMean` the
   * mean, others the last value.
   */
  stepSeconds: z.number(),
  /** Samples within steps of this width were merged into one point; 0 where every point is one sample. */
  mergedSeconds: z.number(),
  /** Unix milliseconds of the last sample of each point, ascending. */
  times: z.array(z.number()),
  /** Number of samples of each point; 0 for a gap. */
  samples: z.array(z.number()),
  fairFrac: column,
  levels: z.array(LevelSeriesSchema),
})
export type Series = z.infer<typeof SeriesSchema>

/** Events per bucket and time cell: `cells[time][bucket]`, `null` for a time without samples. */
export const HeatMapSchema = z.object({
  stepSeconds: z.number(),
  times: z.array(z.number()),
  /** Finite upper bounds in seconds; cells have one more bucket, for +Inf. */
  bounds: z.array(z.number()),
  cells: z.array(z.array(z.number()).nullable()),
})
export type HeatMap = z.infer<typeof HeatMapSchema>
