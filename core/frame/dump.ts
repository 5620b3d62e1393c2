import { z } from 'zod'

/**
 * The debug dumps of one server, parsed (specification 12): the only source of queues, flows and single requests.
 * A dump takes the server's configuration lock, so it is fetched at a bounded rate and its cost is shown.
 */
export const DumpLevelSchema = z.object({
  name: z.string(),
  activeQueues: z.number(),
  idle: z.boolean(),
  quiescing: z.boolean(),
  waiting: z.number(),
  executing: z.number(),
  /** The counters are absent in dumps of 1.26 and earlier. */
  dispatched: z.number().optional(),
  rejected: z.number().optional(),
  timedOut: z.number().optional(),
  cancelled: z.number().optional(),
})
export type DumpLevel = z.infer<typeof DumpLevelSchema>

/** Sums cover waiting requests only. `nextDispatchR` and `totalWork` are seat-seconds. */
export const DumpQueueSchema = z.object({
  level: z.string(),
  index: z.number(),
  pending: z.number(),
  executing: z.number(),
  seatsInUse: z.number(),
  /** Absent, as is `totalWork`, in dumps of 1.22 and earlier. */
  nextDispatchR: z.number().optional(),
  initialSeats: z.number(),
  maxSeats: z.number(),
  totalWork: z.number().optional(),
})
export type DumpQueue = z.infer<typeof DumpQueueSchema>

/**
 * `queue` and `position` are −1 for a request without a queue or one that no longer waits. Times are Unix milliseconds.
 */
export const DumpRequestSchema = z.object({
  level: z.string(),
  schema: z.string(),
  queue: z.number(),
  position: z.number(),
  flow: z.string(),
  arrivedAt: z.number(),
  initialSeats: z.number(),
  finalSeats: z.number(),
  additionalLatencyMs: z.number(),
  /** Absent while the request waits. */
  startedAt: z.number().optional(),
  user: z.string().optional(),
  verb: z.string().optional(),
  path: z.string().optional(),
  namespace: z.string().optional(),
  name: z.string().optional(),
  apiVersion: z.string().optional(),
  resource: z.string().optional(),
  subresource: z.string().optional(),
})
export type DumpRequest = z.infer<typeof DumpRequestSchema>

/** One reading of the dumps of one server. A dump that could not be read is absent, with its error in `errors`. */
export const DumpFrameSchema = z.object({
  server: z.string(),
  /** When the last of them was requested: usually that of the requests. */
  at: z.string(),
  /** Milliseconds until the last byte, and bytes, of all dumps of this reading. */
  costMs: z.number(),
  bytes: z.number(),
  levels: z.array(DumpLevelSchema).optional(),
  queues: z.array(DumpQueueSchema).optional(),
  requests: z.array(DumpRequestSchema).optional(),
  /** The requests are only those that wait: dumps of 1.26 and earlier have no others. */
  waitingOnly: z.boolean().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })),
})
export type DumpFrame = z.infer<typeof DumpFrameSchema>
