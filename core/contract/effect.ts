import { z } from 'zod'
import { ForecastReportSchema, QuantitiesSchema, QuantitySchema } from './forecast.ts'

/**
 * The effect of an applied edit: one server before and after it, and the forecast that was shown when it was applied.
 * Stored with the journal, under the id of the journal entry. Times are Unix milliseconds by the clock of the pages.
 */

const known = z.number().optional()
const PairSchema = z.object({ a: known, b: known, change: known, share: known })

/** One level before (`a`) and after (`b`), with the numbers of core/compare. */
const EffectLevelSchema = z.object({
  name: z.string(),
  in: z.enum(['both', 'a', 'b']),
  numbers: z.object({
    executing: PairSchema,
    limit: PairSchema,
    queued: PairSchema,
    rejected: PairSchema,
    dispatched: PairSchema,
    waitP99: PairSchema,
  }),
})

const SpanSchema = z.object({ from: z.number(), to: z.number() })

const MeasuredSchema = z.object({
  /** After the settling time of the edit. */
  fromMs: z.number(),
  untilMs: z.number(),
  /** Those that changed most first; counts are per second. Empty if no time before the edit can be compared. */
  compared: z.array(EffectLevelSchema).readonly(),
  /** The time before the edit and the time after it that are compared. */
  spans: z.object({ a: SpanSchema, b: SpanSchema }).exactOptional(),
  /** Of the waves in which the load came before the edit; absent where it came in none. */
  periodMs: z.number().exactOptional(),
  /** The measured numbers that a forecast is compared with, for each level. */
  levels: z.array(z.object({ level: z.string(), quantities: QuantitiesSchema })).readonly(),
})
export type Measured = z.infer<typeof MeasuredSchema>

export const EffectSchema = z.object({
  /** Of the journal entry. */
  id: z.string(),
  label: z.string(),
  server: z.string(),
  /** Of the last page before the edit. */
  atMs: z.number(),
  /** The forecast that was on the screen; absent if there was none. */
  forecast: ForecastReportSchema.exactOptional(),
  /** Absent until enough time was measured. */
  measured: MeasuredSchema.exactOptional(),
  /**
   * Why the measurement ended. `complete`: the whole time passed. `changed`: another edit, or other limits.
   * `restarted`: the process of the server ended. `interrupted`: pages are missing, for example because the console
   * ended. Absent while it is watched.
   */
  ended: z.enum(['complete', 'changed', 'restarted', 'interrupted']).exactOptional(),
})
export type Effect = z.infer<typeof EffectSchema>

/** How the last forecasts held, by quantity: numbers within their bands, and directions where there was no band. */
export const ScoreSchema = z.object({
  edits: z.number(),
  quantities: z
    .array(
      z.object({
        quantity: QuantitySchema,
        numbers: z.number(),
        inside: z.number(),
        directions: z.number(),
        rightDirections: z.number(),
      }),
    )
    .readonly(),
})
export type Score = z.infer<typeof ScoreSchema>

export const EffectsStateSchema = z.object({
  connection: z.number(),
  /** Incremented with each change of an effect. */
  revision: z.number(),
  /** The edit that is being watched, and until when by the clock of the pages. */
  watched: z.object({ id: z.string(), untilMs: z.number() }).nullable(),
  /** `null` until something was measured. */
  score: ScoreSchema.nullable(),
})
export type EffectsState = z.infer<typeof EffectsStateSchema>
