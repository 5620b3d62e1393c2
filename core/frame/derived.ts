import { z } from 'zod'
import { RejectedSchema } from './frame.ts'

/**
 * What is derived from two samples of one server, or from its histograms: never reported by the server itself, and
 * marked so on the screens (docs/architecture.md, rule 3).
 */
const optional = z.number().optional()

/** Seconds between which a quantile certainly lies; `upTo` is absent when nothing bounds it. */
export const QuantileRangeSchema = z.object({ above: z.number(), upTo: optional })
export type QuantileRange = z.infer<typeof QuantileRangeSchema>

/** Requests within the window of the present (`recent.ts`): about 10 s, less after the start, never less than an interval. */
export const RecentSchema = z.object({ seconds: z.number(), dispatched: optional, rejected: RejectedSchema.optional() })
export type Recent = z.infer<typeof RecentSchema>

/** Rates per second between the last two samples, and quantiles over the wait window. */
export const DerivedFlowSchema = z.object({
  dispatchedPerSecond: optional,
  rejectedPerSecond: RejectedSchema.optional(),
  noAccommodationPerSecond: optional,
  /** Over the window of the present; absent until there are two samples. */
  recent: RecentSchema.optional(),
  /** Seconds, over the quantile window, interpolated; absent when no request finished waiting in it. */
  waitP50: optional,
  waitP99: optional,
  /** Where the same quantiles certainly lie. */
  waitP50Range: QuantileRangeSchema.optional(),
  waitP99Range: QuantileRangeSchema.optional(),
  executionP50: optional,
  executionP99: optional,
})
export type DerivedFlow = z.infer<typeof DerivedFlowSchema>

export const DerivedLevelSchema = DerivedFlowSchema.extend({
  name: z.string(),
  /** Current limit − nominal limit in seats: positive is borrowed, negative is lent. */
  borrowed: optional,
  /** Average + deviation of demand, seats (specification 6.3). Absent when the page is torn. */
  envelope: optional,
  /** Mean ratio of seats in use to the current limit between the last two samples; time-weighted by the server. */
  utilizationMean: optional,
  schemas: z.array(DerivedFlowSchema.extend({ name: z.string() })),
})
export type DerivedLevel = z.infer<typeof DerivedLevelSchema>

/**
 * Why rates are missing or unusual. After a `gap` (more than three usual intervals without a sample) rates are there:
 * exact averages over `intervalSeconds`, which says nothing about their course within it.
 */
export const RATE_GAPS = ['first-sample', 'restart', 'clock-step', 'duplicate', 'gap'] as const
export const DerivedServerSchema = z.object({
  id: z.string(),
  /** Seconds between the two samples that the rates come from; absent when there are no rates, with the reason. */
  intervalSeconds: optional,
  noRates: z.enum(RATE_GAPS).optional(),
  /** The page mixes two recomputations of the limits (specification 8): demand and limits are shown with ≈. */
  torn: z.boolean(),
  /** Unix milliseconds at which limits were last seen to change; the next change is expected 10 s later. */
  lastAdjustmentAt: optional,
  levels: z.array(DerivedLevelSchema),
})
export type DerivedServer = z.infer<typeof DerivedServerSchema>
