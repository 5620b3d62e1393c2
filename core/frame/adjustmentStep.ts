import { z } from 'zod'
import { DemandSchema, LimitsSchema } from './frame.ts'

/** One level in one recomputation of the limits: seats as the server reported them, exactly. */
export const AdjustmentLevelSchema = z.object({
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
      /** Its limits were configured otherwise: another share, another server limit, other percentages. */
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
   * first step, whose beginning nobody saw.
   */
  after: z.number().optional(),
  /** Unix milliseconds at which the step before was seen first. */
  since: z.number().optional(),
  /**
   * Whether it is the very next recomputation after the step before, so that the values before are exact: every
   * smoothed demand follows from the one before (specification 6.3). Otherwise some were missed between two pages.
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
