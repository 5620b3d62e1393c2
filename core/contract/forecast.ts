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

export const ForecastLevelSchema = z.object({
  level: z.string(),
  /** Over the time span that the forecast is made from; absent for a level that the edit adds. */
  now: QuantitiesSchema.exactOptional(),
  /** Nominal limit after the edit, exact; absent for a level that the edit removes. */
  nominal: z.number().exactOptional(),
  bands: z.partialRecord(QuantitySchema, BandSchema),
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
  /** `open`: arrivals do not depend on the outcomes of other requests; `closed`: each client waits for its response. */
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
  /** Factor by which earlier forecasts here widened the bands; absent: not at all. */
  widening: z.number().exactOptional(),
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
})
export type Observation = z.infer<typeof ObservationSchema>

/** The span that a twin is fitted to, and the span that it is checked against if the pages suffice for both. */
const TwinHistorySchema = z.object({
  whole: ObservationSchema,
  fitted: ObservationSchema,
  held: ObservationSchema.exactOptional(),
})
export type TwinHistory = z.infer<typeof TwinHistorySchema>

/** A flow of a schema, found in dumps: the name of the user or namespace. */
const DumpedFlowSchema = z.object({
  name: z.string(),
  /** Its part of the requests of the schema that waited or executed. */
  share: z.number(),
  /** The part of them that is wider than one seat; absent if dumps contain too few wide requests of the schema. */
  wide: z.number().exactOptional(),
})
export type DumpedFlow = z.infer<typeof DumpedFlowSchema>

export const ForecastEvidenceSchema = z.object({
  /** Numbers of one server: `null` until its pages cover enough time. */
  history: TwinHistorySchema.nullable(),
  /** Flows found in dumps, by schema. */
  flows: z.array(z.object({ schema: z.string(), flows: z.array(DumpedFlowSchema).readonly() })).readonly(),
  /** Correction from the errors of earlier forecasts of the source: a factor of the bands, at least 1. */
  widening: z.number(),
})
export type ForecastEvidence = z.infer<typeof ForecastEvidenceSchema>

export const ForecastWishSchema = z.object({
  /** `at` (Unix ms): for a recording, use the ten minutes before that instant. */
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
