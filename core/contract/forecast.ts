import { z } from 'zod'
import { QUANTITIES } from '../bounds.ts'
import { ObjectSetSchema } from '../config/schema.ts'
import { HistogramSchema } from '../frame/frame.ts'
import { runEventSchema } from './whatif.ts'

export const QuantitySchema = z.enum(QUANTITIES)
export type Quantity = z.infer<typeof QuantitySchema>

const known = z.number().exactOptional()

/**
 * The numbers of a level over a time span. A wait is absent if no request finished waiting; `current` is the mean of
 * the current limit.
 */
export const QuantitiesSchema = z.object({
  arrivalsPerSecond: z.number(),
  waitP50: known,
  waitP99: known,
  rejectedPerSecond: z.number(),
  seats: known,
  current: known,
})
export type Quantities = z.infer<typeof QuantitiesSchema>

/** The 90 % interval of a forecast and its middle. */
export const BandSchema = z.object({ low: z.number(), point: z.number(), high: z.number() })
export type Band = z.infer<typeof BandSchema>

/** A quantity of which there is no useful band: its direction, if that is certain, and why in part of a sentence. */
const UnsureSchema = z.object({ to: z.enum(['rises', 'falls']).exactOptional(), why: z.string() })
export type Unsure = z.infer<typeof UnsureSchema>

export const ForecastLevelSchema = z.object({
  level: z.string(),
  /** Over the time span that the forecast is made from; absent for a level that the edit adds. */
  now: QuantitiesSchema.exactOptional(),
  /** Nominal limit after the edit, exact; absent for a level that the edit removes. */
  nominal: z.number().exactOptional(),
  bands: z.partialRecord(QuantitySchema, BandSchema),
  /** Those without a band, although the level has a forecast. */
  unsure: z.partialRecord(QuantitySchema, UnsureSchema).exactOptional(),
  /** Why there are no bands, or how unreliable they are, in one sentence. */
  note: z.string().exactOptional(),
})
export type ForecastLevel = z.infer<typeof ForecastLevelSchema>

/** How well the twin reproduces one level under the present configuration. */
export const FitLevelSchema = z.object({
  level: z.string(),
  observed: QuantitiesSchema,
  twin: QuantitiesSchema,
  /** Mean relative error of the waits, rejections, seats and limits. */
  error: z.number(),
  fits: z.boolean(),
  /** `open`: arrivals do not depend on the outcomes of other requests; `closed`: each client waits for its response; `mixed`: each flow as its requests show. */
  clients: z.enum(['open', 'closed', 'mixed']),
  flows: z.number(),
})
export type FitLevel = z.infer<typeof FitLevelSchema>

export const ForecastReportSchema = z.object({
  server: z.string(),
  /** Of the history, Unix milliseconds. */
  fromMs: z.number(),
  untilMs: z.number(),
  levels: z.array(ForecastLevelSchema).readonly(),
  fit: z.array(FitLevelSchema).readonly(),
  /** Simulated runs behind each band, and the simulated seconds of each. */
  runs: z.number(),
  seconds: z.number(),
  /** Factors by which earlier forecasts here widened the bands; absent: not at all. */
  widened: z.partialRecord(QuantitySchema, z.number()).exactOptional(),
  /** Assumptions and missing inputs of the forecast, in sentences. */
  notes: z.array(z.string()).readonly(),
})
export type ForecastReport = z.infer<typeof ForecastReportSchema>

const SchemaTrafficSchema = z.object({
  schema: z.string(),
  /** Requests per second in each step. */
  arrivals: z.array(z.number()).readonly(),
  rejected: z.array(z.number()).readonly(),
  /** Requests that wait or execute in each step. */
  present: z.array(z.number()).readonly(),
  /** Seconds; of watches until they are initialised. */
  execution: HistogramSchema.optional(),
  executionWatch: HistogramSchema.optional(),
  widths: HistogramSchema.optional(),
  /** Mean seats that its requests occupy. */
  seats: z.number().optional(),
})
/** Requests of one flow schema, step by step and in histograms over the whole time span. */
export type SchemaTraffic = z.infer<typeof SchemaTrafficSchema>

const optional = z.number().optional()

/** Statistics about the arrivals of a level; absent if the server does not report them. */
const LevelEvidenceSchema = z.object({
  /** Mean number of requests that wait. */
  queued: optional,
  /** Of seat demand within a recomputation period: means of its average, deviation and high watermark. */
  demand: optional,
  deviation: optional,
  highWatermark: optional,
  /** Mean length of a queue right after a request was enqueued. */
  queueLength: optional,
  /** Mean square of the change of the number of requests within five seconds, without the largest changes. */
  moved: optional,
})

/** Seat demand in one recomputation period (specification 6.3), seats. */
const DemandPeriodSchema = z.object({ average: z.number(), stdev: z.number(), highWatermark: z.number() })
export type DemandPeriod = z.infer<typeof DemandPeriodSchema>

const ObservedLevelSchema = z.object({
  name: z.string(),
  quantities: QuantitiesSchema,
  evidence: LevelEvidenceSchema,
  /** Smoothed demand at the start and at the end of the time span, seats. */
  smoothed: z.object({ first: optional, last: optional }),
  /** One for each recomputation, in their order; empty if the server does not report them. */
  demands: z.array(DemandPeriodSchema).readonly(),
  schemas: z.array(SchemaTrafficSchema).readonly(),
})
export type ObservedLevel = z.infer<typeof ObservedLevelSchema>

/** The numbers of one server over a time span, from its pages only. Times are Unix milliseconds. */
const ObservationSchema = z.object({
  server: z.string(),
  version: z.string().optional(),
  fromMs: z.number(),
  untilMs: z.number(),
  /** Length of the steps of the traffic, whole milliseconds. */
  stepMs: z.number(),
  levels: z.array(ObservedLevelSchema).readonly(),
  /**
   * How much slower requests execute the more seats are in use, and the factor of the observed execution times that
   * gives those while few are; absent unless several flow schemas show it.
   */
  slowdown: z
    .object({ curve: z.array(z.object({ seats: z.number(), slowdown: z.number() })), unslowed: z.number() })
    .exactOptional(),
})
export type Observation = z.infer<typeof ObservationSchema>

/** The span that a twin is fitted to, and equally long parts of it, one after the other, if it is long enough. */
const TwinHistorySchema = z.object({
  whole: ObservationSchema,
  /** Levels whose requests come in waves, most requests first, with the period in seconds: `whole` may be a part of one. */
  waves: z.array(z.object({ level: z.string(), seconds: z.number() })).readonly(),
  parts: z
    .array(
      z.object({
        seconds: z.number(),
        levels: z.array(z.object({ level: z.string(), quantities: QuantitiesSchema })).readonly(),
      }),
    )
    .readonly(),
})
export type TwinHistory = z.infer<typeof TwinHistorySchema>

/** How many numbers of earlier forecasts lay in their bands, and the factor with which nine in ten had; at least 1. */
const EarlierSchema = z.partialRecord(
  QuantitySchema,
  z.object({ numbers: z.number(), inside: z.number(), widening: z.number() }),
)
/** What earlier forecasts of the source show, by quantity; absent without enough evidence. */
export type Earlier = z.infer<typeof EarlierSchema>

/** How many requests of some clients wait or execute at instants that are equally far apart. */
const CourseSchema = z.object({
  everySeconds: z.number(),
  /** Mean number of requests. */
  present: z.number(),
  /** The part of them that waits. */
  waiting: z.number(),
  /** Mean square of the change from one instant to the next, without the largest changes. */
  moved: z.number(),
})
export type Course = z.infer<typeof CourseSchema>

/** A flow of a schema, found in dumps: the name of the user or namespace. */
const DumpedFlowSchema = z.object({
  name: z.string(),
  /** Its part of the arrivals of the schema. */
  share: z.number(),
  /** How long its requests execute, compared with the mean of the schema. */
  slowness: z.number(),
  /** Mean number of its requests that wait or execute. */
  present: z.number(),
  /** Absent if there are too few dumps. */
  course: CourseSchema.exactOptional(),
  /** Requests that wait or execute at each dump, by its time; only of a flow that comes in waves. */
  counts: z
    .array(z.object({ atMs: z.number(), count: z.number() }))
    .readonly()
    .exactOptional(),
  /** The part of them that is wider than one seat; absent if dumps contain too few wide requests of the schema. */
  wide: z.number().exactOptional(),
})
export type DumpedFlow = z.infer<typeof DumpedFlowSchema>

export const ForecastEvidenceSchema = z.object({
  /** Numbers of one server: `null` until its pages cover enough time. */
  history: TwinHistorySchema.nullable(),
  /** Flows found in dumps, by schema. */
  flows: z.array(z.object({ schema: z.string(), flows: z.array(DumpedFlowSchema).readonly() })).readonly(),
  earlier: EarlierSchema,
})
export type ForecastEvidence = z.infer<typeof ForecastEvidenceSchema>

export const ForecastWishSchema = z.object({
  /** `at` (Unix ms): for a recording, use the ten minutes before that instant. */
  of: z.object({ connection: z.number().int(), server: z.string(), at: z.number().exactOptional() }),
  before: ObjectSetSchema,
  after: ObjectSetSchema,
  /** Seats of the server. */
  serverLimit: z.number().int().min(1),
  /** The same after a restart with other flags. */
  newServerLimit: z.number().int().min(1).exactOptional(),
  version: z.string(),
})
export type ForecastWish = z.infer<typeof ForecastWishSchema>

export const ForecastEventSchema = runEventSchema(ForecastReportSchema)
export type ForecastEvent = z.infer<typeof ForecastEventSchema>
