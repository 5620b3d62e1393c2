import { z } from 'zod'
import { QUANTITIES } from './bounds.ts'
import { ObjectSetSchema } from '../config/schema.ts'
import { HistogramSchema } from '../frame/frame.ts'
import { runEventSchema } from './whatif.ts'

export const QuantitySchema = z.enum(QUANTITIES)
export type Quantity = z.infer<typeof QuantitySchema>

const known = z.number().exactOptional()

/**
 * What a level did over a span of time. A wait is absent where no request finished waiting; `current` is the mean of the
 * current limit.
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

export const ForecastLevelSchema = z.object({
  level: z.string(),
  /** Over the span that the forecast is made from; absent for a level that the edit adds. */
  now: QuantitiesSchema.exactOptional(),
  /** Nominal limit after the edit, exact; absent for a level that the edit removes. */
  nominal: z.number().exactOptional(),
  bands: z.partialRecord(QuantitySchema, BandSchema),
  /** Why there are no bands, or how little they are worth, in one sentence. */
  note: z.string().exactOptional(),
})
export type ForecastLevel = z.infer<typeof ForecastLevelSchema>

/** How the twin reproduces one level under the present configuration. */
export const FitLevelSchema = z.object({
  level: z.string(),
  observed: QuantitiesSchema,
  twin: QuantitiesSchema,
  /** Mean relative error of the waits, rejections, seats and limits. */
  error: z.number(),
  fits: z.boolean(),
  /** `open`: requests come whatever becomes of the others; `closed`: each client waits for its answer. */
  clients: z.enum(['open', 'closed']),
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
  /** By how much earlier forecasts here widened the bands; absent: not at all. */
  widening: z.number().exactOptional(),
  /** What the forecast assumes and lacks, in sentences. */
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
/** Requests of one flow schema, step by step and in histograms over the whole span. */
export type SchemaTraffic = z.infer<typeof SchemaTrafficSchema>

const optional = z.number().optional()

/** What tells how the requests of a level come; absent where the server does not report it. */
const LevelEvidenceSchema = z.object({
  /** Mean number of requests that wait. */
  queued: optional,
  /** Of seat demand within a recomputation period: means of its average, deviation and high watermark. */
  demand: optional,
  deviation: optional,
  highWatermark: optional,
  /** Mean length of a queue right after a request was enqueued. */
  queueLength: optional,
})

/** Seat demand in one recomputation period (specification 6.3), seats. */
const DemandPeriodSchema = z.object({ average: z.number(), stdev: z.number(), highWatermark: z.number() })
export type DemandPeriod = z.infer<typeof DemandPeriodSchema>

const ObservedLevelSchema = z.object({
  name: z.string(),
  quantities: QuantitiesSchema,
  evidence: LevelEvidenceSchema,
  /** Smoothed demand when the span began and when it ended, seats. */
  smoothed: z.object({ first: optional, last: optional }),
  /** One of each recomputation, in their order; empty where the server does not report them. */
  demands: z.array(DemandPeriodSchema).readonly(),
  schemas: z.array(SchemaTrafficSchema).readonly(),
})
export type ObservedLevel = z.infer<typeof ObservedLevelSchema>

/** What one server did over a span of time, from its pages alone. Times are Unix milliseconds. */
const ObservationSchema = z.object({
  server: z.string(),
  version: z.string().optional(),
  fromMs: z.number(),
  untilMs: z.number(),
  /** Length of the steps of the traffic, whole milliseconds. */
  stepMs: z.number(),
  levels: z.array(ObservedLevelSchema).readonly(),
})
export type Observation = z.infer<typeof ObservationSchema>

/** What a twin is fitted to, and what it is checked against where the pages suffice for both. */
const TwinHistorySchema = z.object({
  whole: ObservationSchema,
  fitted: ObservationSchema,
  held: ObservationSchema.exactOptional(),
})
export type TwinHistory = z.infer<typeof TwinHistorySchema>

/** A flow of a schema as dumps show it: the name of the user or namespace. */
const DumpedFlowSchema = z.object({
  name: z.string(),
  /** Its part of the requests of the schema that waited or executed. */
  share: z.number(),
  /** The part of them that is wider than one seat; absent where dumps show too few wide requests of the schema. */
  wide: z.number().exactOptional(),
})
export type DumpedFlow = z.infer<typeof DumpedFlowSchema>

export const ForecastEvidenceSchema = z.object({
  /** What one server showed: `null` while its pages span too little time. */
  history: TwinHistorySchema.nullable(),
  /** Flows that dumps show, by schema. */
  flows: z.array(z.object({ schema: z.string(), flows: z.array(DumpedFlowSchema).readonly() })).readonly(),
  /** What earlier forecasts of the source got wrong: a factor of the bands, at least 1. */
  widening: z.number(),
})
export type ForecastEvidence = z.infer<typeof ForecastEvidenceSchema>

export const ForecastWishSchema = z.object({
  /** `at` (Unix ms): of a recording, from the ten minutes before that instant. */
  of: z.object({ connection: z.number().int(), server: z.string(), at: z.number().exactOptional() }),
  before: ObjectSetSchema,
  after: ObjectSetSchema,
  /** Seats of the server. */
  serverLimit: z.number().int().min(1),
  version: z.string(),
})
export type ForecastWish = z.infer<typeof ForecastWishSchema>

export const ForecastEventSchema = runEventSchema(ForecastReportSchema)
export type ForecastEvent = z.infer<typeof ForecastEventSchema>
