import { z } from 'zod'
import { rfc3339 } from '../units.ts'

/**
 * Frames: the complete state of API servers' flow control at one instant.
 *
 * Every source produces frames and every screen, recording, export and command reads frames and nothing else
 * (docs/architecture.md). The JSON of a frame is public: docs/frame.md. Numbers are exactly as the server reported
 * them.
 *
 * Absence has two kinds. A family that this server's version has but that appears only after its first event reads as
 * 0. A family that the version hides or lacks (or that was not readable) is left out, so the property is `undefined`,
 * and is listed in `missing`.
 */
export const FRAME_FORMAT_VERSION = 1

const number = z.number()
/** A value that the server may not expose. */
const reported = number.optional()

/**
 * A cumulative Prometheus histogram. `bounds` are the finite upper bounds, ascending; `counts` has one more item, for
 * +Inf. Counts of the timing-ratio families are nanoseconds (specification 8.2).
 */
export const HistogramSchema = z.object({
  bounds: z.array(number),
  counts: z.array(number),
  sum: number,
  count: number,
  /** Largest observation of each bucket, 0 for an empty one; only from sources that see every observation. */
  largest: z.array(number).exactOptional(),
})
export type Histogram = z.infer<typeof HistogramSchema>

/** Requests rejected since the server started, by reason. */
export const RejectedSchema = z.object({ 'queue-full': number, 'concurrency-limit': number, 'time-out': number })
export type Rejected = z.infer<typeof RejectedSchema>
export type RejectReason = keyof Rejected

/** Executing and queued amounts; requests or seats, depending on the name of the property. */
export const OccupancySchema = z.object({ executing: reported, queued: reported })
export type Occupancy = z.infer<typeof OccupancySchema>

/** One flow schema inside the priority level that it feeds. Counters are totals since the server started. */
export const SchemaFrameSchema = z.object({
  name: z.string(),
  dispatched: reported,
  rejected: RejectedSchema.optional(),
  seats: OccupancySchema,
  requests: OccupancySchema,
  /** Heads of queues that were selected but did not fit. */
  noAccommodation: reported,
  /** Seconds waited by requests that went on to execute or timed out in the queue (`execute="true"`). */
  wait: HistogramSchema.optional(),
  /** Seconds "waited" by requests that were rejected at once (`execute="false"`). */
  waitRejected: HistogramSchema.optional(),
  /** Seconds of execution of ordinary requests. */
  execution: HistogramSchema.optional(),
  /** Seconds until watches were initialised. */
  executionWatch: HistogramSchema.optional(),
  /** Length of the queue, including the request itself, that each enqueued request found. */
  queueLength: HistogramSchema.optional(),
  /** Seats estimated for each classified request. */
  estimatedSeats: HistogramSchema.optional(),
  /** Watchers counted for each estimated mutating request. */
  watchCount: HistogramSchema.optional(),
})
export type SchemaFrame = z.infer<typeof SchemaFrameSchema>

/** The histograms among its members. */
export const SCHEMA_HISTOGRAMS = [
  'wait',
  'waitRejected',
  'execution',
  'executionWatch',
  'queueLength',
  'estimatedSeats',
  'watchCount',
] as const satisfies readonly (keyof SchemaFrame)[]

/** Seat limits (specification 6.1, 6.4). */
export const LimitsSchema = z.object({ nominal: reported, lower: reported, upper: reported, current: reported })
export type Limits = z.infer<typeof LimitsSchema>

/** Statistics of seat demand over the last adjustment period, in seats (specification 6.3). */
export const DemandSchema = z.object({
  highWatermark: reported,
  average: reported,
  stdev: reported,
  smoothed: reported,
  target: reported,
})
export type Demand = z.infer<typeof DemandSchema>

/** Virtual time of the level's fair queuing, in seat-seconds (specification 8.1). */
export const VirtualTimeSchema = z.object({
  currentR: reported,
  dispatchR: reported,
  latestS: reported,
  nextSMin: reported,
  nextSMax: reported,
  nextDiscountedSMin: reported,
  nextDiscountedSMax: reported,
  /** How often it was set back before it could overflow, or failed to be (specification 4.4). */
  epochs: reported,
})
export type VirtualTime = z.infer<typeof VirtualTimeSchema>

/** One priority level of one server. `seats`, `requests`, `dispatched` and `rejected` sum over its flow schemas. */
export const LevelFrameSchema = z.object({
  name: z.string(),
  limits: LimitsSchema,
  seats: OccupancySchema,
  requests: OccupancySchema,
  demand: DemandSchema,
  dispatched: reported,
  rejected: RejectedSchema.optional(),
  noAccommodation: reported,
  virtualTime: VirtualTimeSchema.optional(),
  /** Time-weighted: nanoseconds spent at each ratio seats in use ÷ current limit. */
  seatUtilization: HistogramSchema.optional(),
  /** Time-weighted: nanoseconds spent at each ratio seat demand ÷ current limit (specification 8.2). */
  demandRatio: HistogramSchema.optional(),
  /** The same of requests: executing ÷ current limit, and waiting ÷ places in its queues. */
  executingUtilization: HistogramSchema.optional(),
  waitingUtilization: HistogramSchema.optional(),
  schemas: z.array(SchemaFrameSchema),
})
export type LevelFrame = z.infer<typeof LevelFrameSchema>

/** Why a family is not in the frame. */
export const MISSING_REASONS = ['removed', 'hidden', 'not-yet', 'not-exposed', 'too-many'] as const
/**
 * A family that the console would use and this server does not show.
 * - `removed`: gone from this version on.
 * - `hidden`: deprecated and hidden by default in this version.
 * - `not-yet`: this version is older than the family.
 * - `not-exposed`: the version has it and exposes it at rest, but it was not in the page.
 * - `too-many`: the page names more levels or schemas than any server has; the rest is left out.
 */
export const MissingFamilySchema = z.object({
  family: z.string(),
  reason: z.enum(MISSING_REASONS),
  /** One sentence for people: the information that is missing because of it, and its substitute. */
  note: z.string(),
})
export type MissingFamily = z.infer<typeof MissingFamilySchema>

/** How the page of this frame was obtained. */
export const AcquisitionSchema = z.object({
  /** Milliseconds from the request to the last byte; absent for files. */
  fetchMs: reported,
  parseMs: reported,
  /** Bytes of text, and bytes on the wire when it was compressed. */
  bytes: number,
  wireBytes: reported,
  families: number,
})
export type Acquisition = z.infer<typeof AcquisitionSchema>

/** Requests of each kind: the maximum within the last second, separately for read-only and mutating ones. */
export const KindsSchema = z.object({ readOnly: reported, mutating: reported })
export type Kinds = z.infer<typeof KindsSchema>

const KindRatiosSchema = z.object({ readOnly: HistogramSchema.optional(), mutating: HistogramSchema.optional() })
export type KindRatios = z.infer<typeof KindRatiosSchema>

/**
 * Seconds that requests of all levels took since the server started, except watches and other long-running ones: in
 * total, without webhooks and the wait in queues, and in total by verb, without verbs that had no request. They are not
 * divided by level.
 */
export const RequestTimesSchema = z.object({
  duration: HistogramSchema,
  own: HistogramSchema.exactOptional(),
  verbs: z
    .object({
      get: HistogramSchema.exactOptional(),
      list: HistogramSchema.exactOptional(),
      write: HistogramSchema.exactOptional(),
    })
    .exactOptional(),
})
export type RequestTimes = z.infer<typeof RequestTimesSchema>

/** One API server at one instant. */
export const ServerFrameSchema = z.object({
  /** Stable within the source: usually host:port. */
  id: z.string(),
  /** When the page was requested, RFC 3339 UTC with milliseconds. */
  at: z.string(),
  /** gitVersion, for example `v1.36.3`. */
  version: z.string().optional(),
  /** Start of the server process, Unix seconds; a change means a restart. */
  startedAt: reported,
  /** Factor that the borrowing solver found, 0 in the two constrained cases (specification 6.4). */
  seatFairFrac: reported,
  /** Executing and queued requests by kind; absent if the page does not contain them. */
  inFlight: KindsSchema.optional(),
  inQueue: KindsSchema.optional(),
  /** Time-weighted: nanoseconds at each ratio of executing, or waiting, requests of a kind ÷ what the whole server may have. */
  executingByKind: KindRatiosSchema.optional(),
  waitingByKind: KindRatiosSchema.optional(),
  /** Absent if the page does not contain them. */
  requests: RequestTimesSchema.optional(),
  /** Sorted by name. */
  levels: z.array(LevelFrameSchema),
  /**
   * Levels that were deleted and whose last series the server still exports; they are not among `levels`. Known only if
   * the objects are read in addition to the page.
   */
  deleted: z.array(z.string()).optional(),
  missing: z.array(MissingFamilySchema),
  acquisition: AcquisitionSchema.optional(),
})
export type ServerFrame = z.infer<typeof ServerFrameSchema>

export const SOURCE_KINDS = [
  'scrape',
  'prometheus',
  'file',
  'demo',
  'simulation',
  'proxy',
  'feed',
  'etcd',
  'recording',
  'run',
] as const
export const SourceInfoSchema = z.object({
  kind: z.enum(SOURCE_KINDS),
  /** The operator's name for it: context, host, file name. */
  name: z.string(),
  /** How it is read, for people: `/metrics direct`, `recording of v1.36.3, loops every 90 s`. */
  via: z.string(),
  /** The algorithm of the console's own flow control, unless it is upstream's. */
  algorithm: z.string().exactOptional(),
})
export type SourceInfo = z.infer<typeof SourceInfoSchema>

/** A source's note about its algorithm; none for upstream's. */
export const ofAlgorithm = (algorithm: string | undefined): Pick<SourceInfo, 'algorithm'> =>
  algorithm === undefined || algorithm === 'upstream' ? {} : { algorithm }

export const FrameSchema = z.object({
  formatVersion: z.literal(FRAME_FORMAT_VERSION),
  at: z.string(),
  source: SourceInfoSchema,
  /** Sorted by id. */
  servers: z.array(ServerFrameSchema),
})
export type Frame = z.infer<typeof FrameSchema>

/** Merges servers into one frame, which is as new as the newest of them. */
export function frameOf(source: SourceInfo, servers: readonly ServerFrame[]): Frame {
  const at =
    servers
      .map((server) => server.at)
      .toSorted()
      .at(-1) ?? rfc3339(0)
  return { formatVersion: FRAME_FORMAT_VERSION, at, source, servers: [...servers] }
}
