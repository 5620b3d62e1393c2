import { z } from 'zod'
import { RejectedSchema, DemandSchema, LimitsSchema } from './frame.ts'
import { VERB_GROUPS } from './reading.ts'

/**
 * Data derived from two samples of one server, or from its histograms: never reported by the server itself, and marked
 * so on the screens (docs/architecture.md, rule 3).
 */
const optional = z.number().optional()

/** Bounds in seconds between which a quantile certainly lies; `upTo` is absent when it is unbounded. */
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
  /** Bounds of the same quantiles. */
  waitP50Range: QuantileRangeSchema.optional(),
  waitP99Range: QuantileRangeSchema.optional(),
  executionP50: optional,
  executionP99: optional,
})
export type DerivedFlow = z.infer<typeof DerivedFlowSchema>

export const DerivedLevelSchema = DerivedFlowSchema.extend({
  name: z.string(),
  /** Seats: positive is borrowed, negative is lent. */
  borrowed: optional,
  /** Average + deviation of demand, seats (specification 6.3). Absent when the page is torn. */
  envelope: optional,
  /** Mean ratio of seats in use to the current limit between the last two samples; time-weighted by the server. */
  utilizationMean: optional,
  schemas: z.array(DerivedFlowSchema.extend({ name: z.string() })),
})
export type DerivedLevel = z.infer<typeof DerivedLevelSchema>

const TimeQuantileSchema = z.object({
  seconds: z.number(),
  /** It lies beyond the last bound of the histogram, which is the value of `seconds`. */
  atLeast: z.boolean(),
})
export type TimeQuantile = z.infer<typeof TimeQuantileSchema>
const VerbTimesSchema = z.object({
  /** Requests that ended. */
  count: z.number(),
  p50: TimeQuantileSchema,
  p99: TimeQuantileSchema,
})
export type VerbTimes = z.infer<typeof VerbTimesSchema>

/**
 * Times of requests of all levels, in seconds: in total, on average without webhooks and the wait in queues, and by
 * verb, without verbs of which no request ended. Absent if no request ended at all, or the server does not report them.
 */
const DerivedTimesSchema = z.object({
  /** Covered time: about the last 30 s, and never less than one interval. */
  overSeconds: z.number(),
  mean: z.number(),
  meanOwn: optional,
  p50: TimeQuantileSchema.exactOptional(),
  p99: TimeQuantileSchema.exactOptional(),
  verbs: z.partialRecord(z.enum(VERB_GROUPS), VerbTimesSchema),
})
export type DerivedTimes = z.infer<typeof DerivedTimesSchema>

/**
 * Why rates are missing or unusual. After a `gap` (more than three usual intervals without a sample) rates are present:
 * exact averages over `intervalSeconds`, which do not show their course within it.
 */
export const RATE_GAPS = ['first-sample', 'restart', 'clock-step', 'duplicate', 'gap'] as const
export const DerivedServerSchema = z.object({
  id: z.string(),
  /**
   * Seconds between the two samples that the rates are computed from; absent when there are no rates, with the reason.
   */
  intervalSeconds: optional,
  noRates: z.enum(RATE_GAPS).optional(),
  /** The page mixes two recomputations of the limits (specification 8): demand and limits are shown with ≈. */
  torn: z.boolean(),
  /** Unix milliseconds at which a change of limits was last observed; the next change is expected 10 s later. */
  lastAdjustmentAt: optional,
  requests: DerivedTimesSchema.exactOptional(),
  levels: z.array(DerivedLevelSchema),
  /** Requests that levels which were deleted rejected within the window of the present, by flow. */
  gone: z.array(z.object({ level: z.string(), schema: z.string(), rejected: RejectedSchema })).exactOptional(),
})
export type DerivedServer = z.infer<typeof DerivedServerSchema>

/** One level in one recomputation of the limits: seats as the server reported them, exactly. */
const AdjustmentLevelSchema = z.object({
  name: z.string(),
  limits: LimitsSchema,
  demand: DemandSchema,
  /** Seats executing in the page that showed the new limits; sampled, not at the instant of the recomputation. */
  executing: z.number().optional(),
  /** The same level in the step before; absent when there was none. */
  before: z
    .object({
      current: z.number().optional(),
      smoothed: z.number().optional(),
      /** Its limits were reconfigured: another share, another server limit, other percentages. */
      reconfigured: z.boolean().optional(),
    })
    .optional(),
})
export type AdjustmentLevel = z.infer<typeof AdjustmentLevelSchema>

/** One recomputation of the limits of one server (specification 6.4), as its pages showed it. */
export const AdjustmentStepSchema = z.object({
  /** Counts from 1 since the source was connected. */
  number: z.number().int(),
  /** Unix milliseconds of the first page that showed it. */
  at: z.number(),
  /**
   * Unix milliseconds of the last page that did not show it yet: the server recomputed between the two. Absent for the
   * first step, whose beginning was not observed.
   */
  after: z.number().optional(),
  /** Unix milliseconds at which the previous step was first seen. */
  since: z.number().optional(),
  /**
   * Whether it is the recomputation directly after the previous step, so that the previous values are exact: every
   * smoothed demand follows from the previous one (specification 6.3). Otherwise some were missed between two pages.
   */
  follows: z.boolean(),
  /** Only one page has shown it so far: it may mix two recomputations without contradicting itself. */
  onePage: z.boolean().optional(),
  version: z.string().optional(),
  seatFairFrac: z.number().optional(),
  /** Sorted by name. */
  levels: z.array(AdjustmentLevelSchema),
})
export type AdjustmentStep = z.infer<typeof AdjustmentStepSchema>
