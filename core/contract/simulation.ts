import { z } from 'zod'

/** How many simulated seconds pass in one. */
export const SPEED = { min: 0.1, max: 1_000, default: 1 } as const

const seatCount = z.number().int().min(0).max(100_000)

/** The built-in simulated server as a source. */
export const SimulationSpecSchema = z.object({
  kind: z.literal('simulation'),
  /** The same seed gives the same cluster, event by event. */
  seed: z.number().int().default(1),
  /** gitVersion that it claims and behaves like. */
  version: z
    .string()
    .regex(/^v1\.(29|3\d)\.\d+$/)
    .default('v1.37.2'),
  /** What the two in-flight flags of the server would be; their sum is what flow control distributes. */
  maxRequestsInFlight: seatCount.default(400),
  maxMutatingRequestsInFlight: seatCount.default(200),
})
export type SimulationSpec = z.infer<typeof SimulationSpecSchema>

/** What may be changed of the pace; what is absent stays. */
export const SimulationControlSchema = z.object({
  speed: z.number().min(SPEED.min).max(SPEED.max).exactOptional(),
  paused: z.boolean().exactOptional(),
  /** Pauses and lets this many events happen. */
  step: z.number().int().min(1).max(10_000).exactOptional(),
})
export type SimulationControl = z.infer<typeof SimulationControlSchema>

export const SimulationStateSchema = z.object({
  speed: z.number(),
  paused: z.boolean(),
  /** Simulated seconds that passed in each second lately; less than `speed` when the machine cannot follow. */
  reachedSpeed: z.number(),
  /** Simulated time, RFC 3339. */
  at: z.string(),
  /** Simulated seconds since the start of the server. */
  elapsedSeconds: z.number(),
  /** Nothing goes on any more: the clock has come to its end. */
  ended: z.boolean(),
  /** What a rejected request would be told now, seconds, by level (specification 4.14). */
  retryAfterSeconds: z.record(z.string(), z.number()),
  /** Times that virtual time was taken back before it could overflow, by level (specification 4.4). */
  epochs: z.record(z.string(), z.number()),
})
export type SimulationState = z.infer<typeof SimulationStateSchema>

const name = z.string().min(1).max(253)
const names = z.array(z.string())
const MetadataSchema = z.object({
  name,
  uid: z.string().exactOptional(),
  resourceVersion: z.string().exactOptional(),
  generation: z.number().exactOptional(),
  annotations: z.record(z.string(), z.string()).exactOptional(),
})
const percent = z.number().int().min(0)
const shares = z.number().int().min(0).max(1_000_000)

/** An API server admits ten million queues; no machine that also shows them does. */
const MOST_QUEUES = 10_000

const PriorityLevelSchema = z.object({
  metadata: MetadataSchema,
  spec: z.object({
    type: z.string(),
    limited: z
      .object({
        nominalConcurrencyShares: shares.default(30),
        lendablePercent: percent.max(100).default(0),
        borrowingLimitPercent: percent.max(1_000_000).exactOptional(),
        limitResponse: z.object({
          type: z.string(),
          queuing: z
            .object({
              queues: z.number().int().min(1).max(MOST_QUEUES).default(64),
              handSize: z.number().int().min(1).default(8),
              queueLengthLimit: z.number().int().min(1).default(50),
            })
            .exactOptional(),
        }),
      })
      .exactOptional(),
    exempt: z
      .object({
        nominalConcurrencyShares: shares.default(0),
        lendablePercent: percent.max(100).default(0),
      })
      .exactOptional(),
  }),
})

const PolicyRulesSchema = z.object({
  subjects: z.array(
    z.object({
      kind: z.string(),
      user: z.object({ name: z.string() }).exactOptional(),
      group: z.object({ name: z.string() }).exactOptional(),
      serviceAccount: z.object({ namespace: z.string(), name: z.string() }).exactOptional(),
    }),
  ),
  resourceRules: z
    .array(
      z.object({
        verbs: names,
        apiGroups: names,
        resources: names,
        clusterScope: z.boolean().exactOptional(),
        namespaces: names.exactOptional(),
      }),
    )
    .exactOptional(),
  nonResourceRules: z.array(z.object({ verbs: names, nonResourceURLs: names })).exactOptional(),
})

const FlowSchemaSchema = z.object({
  metadata: MetadataSchema,
  spec: z.object({
    priorityLevelConfiguration: z.object({ name }),
    matchingPrecedence: z.number().int().min(1).max(10_000).default(1_000),
    distinguisherMethod: z.object({ type: z.string() }).exactOptional(),
    rules: z.array(PolicyRulesSchema).exactOptional(),
  }),
})

/** All objects of the simulated server, defaulted as an API server does; what is not among them is deleted. */
export const SimulationObjectsSchema = z.object({
  levels: z.array(PriorityLevelSchema).max(1_000),
  schemas: z.array(FlowSchemaSchema).max(5_000),
})
export type SimulationObjects = z.infer<typeof SimulationObjectsSchema>

/** What the engine made of the objects (specification 7). */
export const SimulationReportSchema = z.object({
  /** Objects that are treated as if they did not exist, and why. */
  refused: z.array(z.object({ name: z.string(), reason: z.string() })),
  /** Flow schemas whose level does not exist. */
  dangling: z.array(z.string()),
  /** Levels without an object that still serve what they hold. */
  quiescing: z.array(z.string()),
})
export type SimulationReport = z.infer<typeof SimulationReportSchema>
