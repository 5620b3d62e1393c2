import { z } from 'zod'
import { LEVEL_STATES } from '../frame/recent.ts'

/**
 * One number for each level, in the order of `levels`; `null` if the server does not report it, or it does not apply.
 */
const column = z.array(z.number().nullable())

/** One server in a few numbers: the data that the Fleet screen compares. */
export const ServerSummarySchema = z.object({
  id: z.string(),
  /** Only if the source reads several clusters. */
  cluster: z.string().exactOptional(),
  /** Unix milliseconds of the sample. */
  at: z.number(),
  /** gitVersion. */
  version: z.string().exactOptional(),
  levels: z.array(z.string()),
  /** For each level, the worst first (`core/frame/recent.ts`). */
  states: z.array(z.array(z.enum(LEVEL_STATES))),
  /** Seats. The Exempt level has no limit. */
  executing: column,
  limit: column,
  nominal: column,
  /** Requests that wait. */
  queued: column,
  /** Requests per second within the window of the present. */
  rejected: column,
  /** Seconds. */
  waitP99: column,
  /** Saturation of the busiest level in equal steps of the last 10 min, oldest first; `null` without a sample. */
  trend: z.array(z.number().nullable()),
})
export type ServerSummary = z.infer<typeof ServerSummarySchema>

/** A connected source in a few numbers for each level, so that many can be shown at once. */
export const SourceSummarySchema = z.object({
  connection: z.number(),
  servers: z.array(ServerSummarySchema),
  /**
   * These are all servers; the source has frames of some or none of them, and health not assigned to a server applies
   * to all of them.
   */
  whole: z.literal(true).exactOptional(),
})
export type SourceSummary = z.infer<typeof SourceSummarySchema>
