import { z } from 'zod'
import { MOST_SCENARIO_TEXT } from '../bounds.ts'
import { KeptScenarioSchema } from './scenario.ts'
import { runEventSchema } from './whatif.ts'

/** A sweep to run. */
export const SweepWishSchema = z.object({
  /** YAML or JSON (docs/sweeps.md). */
  text: z.string().max(MOST_SCENARIO_TEXT),
  /** The scenario that it names, unless that is in the library. */
  scenario: KeptScenarioSchema.exactOptional(),
})
export type SweepWish = z.infer<typeof SweepWishSchema>

/** What the points of a sweep have in common: also the first line of a file of results. */
export const SweepHeaderSchema = z.object({
  sweep: z.string(),
  /** Fingerprint of everything that the results depend on. */
  fingerprint: z.string(),
  points: z.number().int().min(0),
  /** Names of the columns: `workload-low.queues`. */
  parameters: z.array(z.string()),
  results: z.array(z.string()),
})
export type SweepHeader = z.infer<typeof SweepHeaderSchema>

/** Result of one point. */
export const PointResultSchema = z.object({
  /** Number of the point, from 0. */
  point: z.number().int().min(0),
  /** One for each parameter. */
  values: z.array(z.number()).readonly(),
  /** One for each result; absent with a problem. */
  results: z.array(z.number()).readonly().exactOptional(),
  /** Why these values are invalid. One sentence. */
  problem: z.string().exactOptional(),
})
export type PointResult = z.infer<typeof PointResultSchema>

const SweepReportSchema = z.object({
  header: SweepHeaderSchema,
  /** In order of number. */
  points: z.array(PointResultSchema).readonly(),
})
export type SweepReport = z.infer<typeof SweepReportSchema>

export const SweepEventSchema = runEventSchema(SweepReportSchema)
export type SweepEvent = z.infer<typeof SweepEventSchema>
