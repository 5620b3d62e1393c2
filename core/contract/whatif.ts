import { z } from 'zod'
import { MOST_PAST_REQUESTS, MOST_SCENARIO_TEXT, MOST_VARIANTS } from '../bounds.ts'
import { ObjectSetSchema } from '../config/schema.ts'
import { SeriesSchema } from '../history/series.ts'
import { ALGORITHMS } from '../engine/profiles.ts'
import { REJECT_REASONS } from '../frame/reading.ts'
import { LiveRequestSchema } from './live.ts'
import type { Problem } from '../errors.ts'
import { ProblemSchema } from '../problem.ts'
import { CoveredVersionSchema, SeatCountSchema } from './simulation.ts'

export const MOST_SERVERS = 100
export const EXECUTION_FACTOR = { min: 0.01, max: 100 } as const
/** The part of the requests that clients send. */
export const REQUEST_FACTOR = { min: 0.01, max: 1 } as const
export const WHAT_IF_SEED = { min: 0, max: 2 ** 31 - 1 } as const
/** Of the simulated cluster. */
export const WHAT_IF_SECONDS = { min: 1, max: 3_600, default: 300 } as const

/** Objects, bytes or watches for a seat. */
export const PER_SEAT = { min: 1, max: 1_000_000_000 } as const
const cost = z.number().int().min(PER_SEAT.min).max(PER_SEAT.max)

/** One configuration of the API servers. */
const WishedVariantSchema = z.object({
  name: z.string().min(1).max(100),
  /**
   * Absent: for the baseline those of the scenario, or the built-in ones of its version; for a candidate those of the
   * baseline.
   */
  objects: ObjectSetSchema.exactOptional(),
  maxRequestsInFlight: SeatCountSchema,
  maxMutatingRequestsInFlight: SeatCountSchema,
  servers: z.number().int().min(1).max(MOST_SERVERS),
  version: CoveredVersionSchema,
  algorithm: z.enum(ALGORITHMS),
  executionFactor: z.number().min(EXECUTION_FACTOR.min).max(EXECUTION_FACTOR.max),
  requestFactor: z.number().min(REQUEST_FACTOR.min).max(REQUEST_FACTOR.max).exactOptional(),
  /** Upstream’s where absent. */
  objectsPerSeat: cost.exactOptional(),
  bytesPerSeat: cost.exactOptional(),
  watchesPerSeat: cost.exactOptional(),
})
export type WishedVariant = z.infer<typeof WishedVariantSchema>

const seed = z.number().int().min(WHAT_IF_SEED.min).max(WHAT_IF_SEED.max)

/** Source of the requests. */
const RequestsFromSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('cluster'),
    seed,
    seconds: z.number().int().min(WHAT_IF_SECONDS.min).max(WHAT_IF_SECONDS.max),
  }),
  /** The clients of a scenario of the library, without its phases. */
  z.object({ kind: z.literal('scenario'), name: z.string().max(100), seed }),
  /** The last recorded requests of a connected source, at most `MOST_PAST_REQUESTS`. */
  z.object({ kind: z.literal('recorded'), connection: z.number().int() }),
])
export type RequestsFrom = z.infer<typeof RequestsFromSchema>

export const WhatIfWishSchema = z.object({
  from: RequestsFromSchema,
  /** `closed`: simulated clients wait for responses, back off and retry, with one server. */
  clients: z.enum(['open', 'closed']),
  baseline: WishedVariantSchema,
  candidates: z
    .array(WishedVariantSchema)
    .min(1)
    .max(MOST_VARIANTS - 1),
})
export type WhatIfWish = z.infer<typeof WhatIfWishSchema>

/** Data that a comparison or a run only references: recorded requests, and the text of a scenario. */
const RunGivenSchema = z.object({
  requests: z.array(LiveRequestSchema).max(MOST_PAST_REQUESTS).exactOptional(),
  scenario: z.string().max(MOST_SCENARIO_TEXT).exactOptional(),
})
export type RunGiven = z.infer<typeof RunGivenSchema>

/** The run of one variant as a source: it has a current instant, and every other one can be queried. */
export const RunSpecSchema = z.object({
  kind: z.literal('run'),
  of: z.discriminatedUnion('kind', [
    /** `variant` counts from the baseline, 0. */
    z.object({
      kind: z.literal('comparison'),
      wish: WhatIfWishSchema,
      variant: z
        .number()
        .int()
        .min(0)
        .max(MOST_VARIANTS - 1),
    }),
    /** A scenario with its phases, by the name of its variant: from the library, unless its text is given. */
    z.object({ kind: z.literal('scenario'), name: z.string().max(100), seed, variant: z.string().max(100) }),
  ]),
  /**
   * Added by the console when the run is connected; for a scenario that is not in the library, the page provides the
   * text.
   */
  given: RunGivenSchema.exactOptional(),
})
export type RunSpec = z.infer<typeof RunSpecSchema>

/** What a scenario says of itself. */
export const ABOUT_SCENARIO = {
  name: z.string(),
  title: z.string(),
  /** Its conclusions, in a few sentences. */
  teaches: z.string(),
  seed: z.number(),
  seconds: z.number(),
  /** Earlier events are not counted. Seconds. */
  statisticsFrom: z.number(),
}

/** A scenario of the library, and a description of the server that its first variant runs. */
export const LibraryScenarioSchema = z.object({
  ...ABOUT_SCENARIO,
  /** The behaviour of its clients, by group. */
  clients: z.array(z.object({ name: z.string(), does: z.string() })),
  /** Names of its variants, in their order. */
  variants: z.array(z.string()),
  /** Variants whose runs can be stepped through: their servers have priority levels. */
  steppable: z.array(z.string()),
  /** Absent for a scenario about an etcd, whose clients do not use an API server. */
  server: z
    .object({ maxRequestsInFlight: z.number(), maxMutatingRequestsInFlight: z.number(), version: z.string() })
    .exactOptional(),
})
export type LibraryScenario = z.infer<typeof LibraryScenarioSchema>

/** Waits of the requests that were dispatched, milliseconds; 0 if there were none. Quantiles by nearest rank. */
const WaitQuantilesSchema = z.object({ p50: z.number(), p90: z.number(), p99: z.number(), max: z.number() })

/** Outcomes of some requests. offered = served + expired + rejected + still open at the end. */
export const OutcomesSchema = z.object({
  offered: z.number(),
  served: z.number(),
  /** Ended by the server's request timeout or a restart of the server (simulated requests only). */
  expired: z.number(),
  rejected: z.record(z.enum(REJECT_REASONS), z.number()),
  waitMs: WaitQuantilesSchema,
  /** Seats, mean over the period. */
  seats: z.number(),
  /**
   * Jain index of the seats that the flows held: 1 when all held the same, 1/n when one of n held everything. Absent if
   * no seats were held.
   */
  jain: z.number().exactOptional(),
  /** How many times as long as on an idle server they executed; absent where no load slows the server down. */
  slowdown: z.number().exactOptional(),
})
export type Outcomes = z.infer<typeof OutcomesSchema>

/** Limits of a level in seats, means over the period and summed over the servers. */
const LevelLimitsSchema = z.object({
  nominal: z.number(),
  current: z.number(),
  /** Seats above the nominal limit, and below it. */
  borrowed: z.number(),
  lent: z.number(),
})
export type LevelLimits = z.infer<typeof LevelLimitsSchema>

const LevelResultSchema = OutcomesSchema.extend({
  level: z.string(),
  /** Absent under the max-in-flight filter. */
  limits: LevelLimitsSchema.exactOptional(),
})
export type LevelResult = z.infer<typeof LevelResultSchema>

const FairnessOverTimeSchema = z.object({ mean: z.number(), worst: z.number() })
export type FairnessOverTime = z.infer<typeof FairnessOverTimeSchema>

/** Jain indices over clients of the work that was begun for each as a part of its max-min fair share: 1 is fair. */
const FairnessSchema = z.object({
  /** Of all the time. */
  overall: z.number(),
  windowSeconds: z.number(),
  /** Of intervals of that length, of windows that slide, and of averages that decay; absent in a shorter run. */
  intervals: FairnessOverTimeSchema.optional(),
  sliding: FairnessOverTimeSchema.optional(),
  decaying: FairnessOverTimeSchema.optional(),
})
export type Fairness = z.infer<typeof FairnessSchema>

const CodelReportSchema = z.object({
  targetMs: z.number(),
  intervalMs: z.number(),
  /** Requests that a queue dispatched in an interval, where it dispatched any: mean and most. */
  mean: z.number(),
  most: z.number(),
})
export type CodelReport = z.infer<typeof CodelReportSchema>

/** The results of one variant, by level. */
const VariantReportSchema = z.object({
  name: z.string(),
  /** Absent if there was no request. */
  fairness: FairnessSchema.exactOptional(),
  /** Absent without CoDel. */
  codel: CodelReportSchema.exactOptional(),
  /** The part of the requests that its clients send, where it is not all of them. */
  requestFactor: z.number().exactOptional(),
  /** Of the measured period. */
  seconds: z.number(),
  total: OutcomesSchema,
  /** By name; levels that had no request and have no limit are left out. */
  levels: z.array(LevelResultSchema).readonly(),
  /** Numbers over time, all servers together; absent if they were not requested, and under the max-in-flight filter. */
  series: SeriesSchema.exactOptional(),
})
export type VariantReport = z.infer<typeof VariantReportSchema>

/** The earliest decision that two runs make differently, in sentences, and the request that it is about. */
export const FirstDifferenceSchema = z.object({
  /** Since the start. */
  seconds: z.number(),
  request: z.object({
    /** Empty where no levels limit requests. */
    level: z.string(),
    user: z.string(),
    arrivedSeconds: z.number(),
  }),
  explanation: z.array(z.string()).readonly(),
})
export type FirstDifference = z.infer<typeof FirstDifferenceSchema>

const ChangedOutcomeSchema = z.object({
  /** Of its arrival, since the start. */
  seconds: z.number(),
  verb: z.string(),
  path: z.string(),
  user: z.string(),
  /** `undecided`: it still waits at the end. */
  baseline: z.string(),
  candidate: z.string(),
})
export type ChangedOutcome = z.infer<typeof ChangedOutcomeSchema>

/** How the decisions of a candidate differ from those of the baseline on the same requests. */
const DecisionDifferencesSchema = z.object({
  /** Put into another level or by another flow schema. */
  placed: z.number(),
  /** Rejected by the candidate alone, and by the baseline alone. */
  rejected: z.number(),
  letRun: z.number(),
  /** Dispatched by both, but after a longer or a shorter wait. */
  longer: z.number(),
  shorter: z.number(),
  /** Requests that one of the two rejects and the other does not, in the order of their arrival: the first of them. */
  changed: z.array(ChangedOutcomeSchema).readonly(),
  /** Absent if no decision differs. */
  first: FirstDifferenceSchema.exactOptional(),
})
export type DecisionDifferences = z.infer<typeof DecisionDifferencesSchema>

const WhatIfReportSchema = z.object({
  /**
   * `open`: the same list of requests for every variant, regardless of its decisions. `closed`: the same simulated
   * clients, which wait for responses, back off and retry.
   */
  clients: z.enum(['open', 'closed']),
  /** Of the list; absent with closed-loop clients. */
  requests: z.number().exactOptional(),
  /** Assumptions and missing inputs, in sentences. */
  notes: z.array(z.string()).readonly(),
  baseline: VariantReportSchema,
  candidates: z
    .array(
      z.object({
        result: VariantReportSchema,
        /** Absent with closed-loop clients, whose requests differ from variant to variant. */
        decisions: DecisionDifferencesSchema.exactOptional(),
      }),
    )
    .readonly(),
})
export type WhatIfReport = z.infer<typeof WhatIfReportSchema>

/** Progress of a run in a thread of its own; `done` and `failed` are final. */
export type RunEvent<R> =
  | { readonly kind: 'progress'; readonly part: number }
  | { readonly kind: 'done'; readonly report: R; readonly elapsedMs: number }
  | { readonly kind: 'failed'; readonly problem: Problem }
export const runEventSchema = <R extends z.ZodType>(report: R) =>
  z.discriminatedUnion('kind', [
    /** Fraction of 1. */
    z.object({ kind: z.literal('progress'), part: z.number() }),
    z.object({ kind: z.literal('done'), report, elapsedMs: z.number() }),
    z.object({ kind: z.literal('failed'), problem: ProblemSchema }),
  ])

export const WhatIfEventSchema = runEventSchema(WhatIfReportSchema)
export type WhatIfEvent = z.infer<typeof WhatIfEventSchema>
