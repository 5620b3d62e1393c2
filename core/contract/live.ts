import { z } from 'zod'
import { ALGORITHMS } from '../engine/profiles.ts'
import { ObjectSetSchema } from '../config/schema.ts'
import { REJECT_REASONS } from '../frame/reading.ts'
import { SeatCountSchema } from './simulation.ts'

/**
 * Requests that go through the embedded engine one by one: those of a proxy, which waits and refuses by its decisions, and
 * those of feeds, which only tell what happened elsewhere.
 */

const port = z.number().int().min(0).max(65_535)

/** The two flags of a server, whose sum is what the engine distributes; and the release that it behaves like. */
const engineFields = {
  maxRequestsInFlight: SeatCountSchema.default(400),
  maxMutatingRequestsInFlight: SeatCountSchema.default(200),
  /** gitVersion; absent: that of the upstream, or the newest that is known. */
  version: z.string().exactOptional(),
  /** What its flow control does; absent: as upstream. */
  algorithm: z.enum(ALGORITHMS).exactOptional(),
}

/** Where the objects come from that the engine begins with. */
const objectsField = z.enum(['upstream', 'built-in']).default('upstream')

export const ProxyUpstreamSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('kubeconfig'),
    file: z.string().min(1).exactOptional(),
    context: z.string().min(1).exactOptional(),
  }),
  z.object({ kind: z.literal('url'), url: z.url({ protocol: /^https?$/ }) }),
])

/** How the proxy knows who asks (docs/proxy.md). */
export const PROXY_IDENTITIES = ['kubeconfig', 'token', 'certificate', 'headers'] as const

const path = z.string().min(1)

/**
 * Who can connect, and how: paths and switches, never a secret, for specs are kept among the recent sources. What goes with
 * what is `reachProblem` of `core/live/proxyReach.ts`.
 */
const ProxyListenSchema = z.object({
  /** An address or name of this machine, `0.0.0.0` or `::` for all of them; absent: loopback. */
  host: z
    .string()
    .regex(/^[\w.:-]{1,253}$/)
    .exactOptional(),
  /** Speak TLS. `generated`: by a certificate that the console makes and keeps. The files hold PEM. */
  tls: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('generated') }),
      z.object({ kind: z.literal('files'), certFile: path, keyFile: path }),
    ])
    .exactOptional(),
  /** PEM: the authority of the client certificates, for the identity `certificate`. */
  clientCaFile: path.exactOptional(),
  /**
   * What clients bring as a bearer token. `generated`: one that the console makes and keeps in a file. Absent: one where the
   * proxy lends its credentials (`reachOf`), so that `none` must be said.
   */
  token: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('none') }),
      z.object({ kind: z.literal('generated') }),
      z.object({ kind: z.literal('file'), file: path }),
    ])
    .exactOptional(),
})
export type ProxyListen = z.infer<typeof ProxyListenSchema>

/** `enforce`: requests wait and are rejected as the engine decides. `observe`: they pass, and it only computes decisions. */
export const ProxyModeSchema = z.enum(['enforce', 'observe'])
export type ProxyMode = z.infer<typeof ProxyModeSchema>

/** An earlier name of `observe`, which kept specifications and scripts may still have. */
export const FORMER_OBSERVE = 'shadow'

export const ProxySpecSchema = z.object({
  kind: z.literal('proxy'),
  upstream: ProxyUpstreamSchema,
  /** 0 takes a free one. */
  port: port.default(0),
  /** Absent: on loopback; with TLS and a token where the proxy lends its credentials. */
  listen: ProxyListenSchema.exactOptional(),
  mode: z.union([ProxyModeSchema, z.literal(FORMER_OBSERVE).transform(() => 'observe' as const)]).default('enforce'),
  identity: z.enum(PROXY_IDENTITIES).default('kubeconfig'),
  objects: objectsField,
  /** Whether `exec`, `attach`, `port-forward` and `proxy` pass where the proxy lends its credentials. */
  allowExec: z.boolean().default(false),
  ...engineFields,
  /** Absent, both: what the upstream reports, else those of a server without options. */
  maxRequestsInFlight: SeatCountSchema.exactOptional(),
  maxMutatingRequestsInFlight: SeatCountSchema.exactOptional(),
})
export type ProxySpec = z.infer<typeof ProxySpecSchema>

/** What happened at a server, as its audit log, its audit webhook or its request log (`-v=3`) tells. */
export const FeedSpecSchema = z.object({
  kind: z.literal('feed'),
  feed: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('audit-file'), path: z.string().min(1), follow: z.boolean().default(true) }),
    z.object({ kind: z.literal('audit-webhook'), port: port.default(0) }),
    z.object({ kind: z.literal('httplog'), path: z.string().min(1), follow: z.boolean().default(true) }),
  ]),
  /** A kubeconfig whose cluster is asked for objects, object counts and watches; without, the built-in objects. */
  cluster: z
    .object({ file: z.string().min(1).exactOptional(), context: z.string().min(1).exactOptional() })
    .exactOptional(),
  ...engineFields,
})
export type FeedSpec = z.infer<typeof FeedSpecSchema>

/**
 * Where a request is, or how it ended. `crowded-out`: the proxy answered 429 before its engine decided, because the heads of
 * other requests fill its memory budget. `bypassed`: long-running and no watch, so that it takes no seat.
 */
export const LIVE_STATES = [
  'waiting',
  'executing',
  'served',
  'rejected',
  'crowded-out',
  'cancelled',
  'failed',
  'bypassed',
] as const

/** One request, as far as it has come. Times are Unix milliseconds, durations milliseconds. */
export const LiveRequestSchema = z.object({
  /** Rises by one for each request. */
  seq: z.number().int(),
  at: z.number(),
  user: z.string(),
  groups: z.array(z.string()),
  /** Of the client, without a port, as the proxy or the audit log has it; other sources do not have it. */
  address: z.string().exactOptional(),
  verb: z.string(),
  /** Path and query, tokens in the query hidden. */
  url: z.string(),
  /** `pods`, `deployments.apps/scale`; empty for requests that are not of a resource. */
  resource: z.string(),
  namespace: z.string(),
  name: z.string(),
  state: z.enum(LIVE_STATES),
  level: z.string(),
  schema: z.string(),
  /** Distinguisher. */
  flow: z.string(),
  /** Of its arrival: milliseconds since the engine that placed it began. Limits are recomputed each 10 s from there on. */
  engineMs: z.number().exactOptional(),
  /** Where it was enqueued; absent where it was not, as where the level has no queues or the chosen one was full. */
  queue: z.number().int().exactOptional(),
  seats: z.object({ initial: z.number(), final: z.number() }),
  /** Until it was dispatched or refused. */
  waitMs: z.number().exactOptional(),
  /** From its dispatch to the end of the answer; of a watch, until it was initialised. */
  runMs: z.number().exactOptional(),
  /** How long its final seats linger after that. */
  lingerMs: z.number().exactOptional(),
  /** HTTP status of the answer. */
  status: z.number().int().exactOptional(),
  reason: z.enum(REJECT_REASONS).exactOptional(),
  /** Seconds. */
  retryAfter: z.number().exactOptional(),
  /** What the server itself said: by its response headers, or in its log. Names, where they could be resolved. */
  server: z
    .object({
      level: z.string().exactOptional(),
      schema: z.string().exactOptional(),
      initialSeats: z.number().exactOptional(),
      finalSeats: z.number().exactOptional(),
      waitMs: z.number().exactOptional(),
    })
    .exactOptional(),
  /** What the draft made of it, where one runs beside. `behind`: it has not come so far, and names nothing yet. */
  candidate: z
    .object({
      level: z.string(),
      schema: z.string(),
      state: z.enum([...LIVE_STATES, 'behind']),
      waitMs: z.number().exactOptional(),
      reason: z.enum(REJECT_REASONS).exactOptional(),
    })
    .exactOptional(),
})
export type LiveRequest = z.infer<typeof LiveRequestSchema>

/** Agreement between our decisions and what the server said, over the last five minutes. */
export const AgreementSchema = z.object({
  /** Requests of which the server said where it put them. */
  compared: z.number().int(),
  schemaAndLevel: z.number().int(),
  /** Of those whose width it said. */
  widthCompared: z.number().int(),
  width: z.number().int(),
  /** Most frequent kinds of disagreement. */
  differences: z.array(z.object({ what: z.string(), count: z.number().int(), likely: z.string() })),
})
export type Agreement = z.infer<typeof AgreementSchema>

/** One side of a comparison of two configurations on the same arrivals, over the last five minutes. */
export const ComparedSideSchema = z.object({
  arrived: z.number().int(),
  rejected: z.number().int(),
  executingSeats: z.number(),
  queued: z.number().int(),
  /** Milliseconds; by level. */
  waitP99: z.record(z.string(), z.number()),
})
export const CandidateReportSchema = z.object({
  /** How long has been counted: since the draft began to run, at most five minutes. */
  seconds: z.number(),
  a: ComparedSideSchema,
  b: ComparedSideSchema,
  /** Requests that the two decided differently. */
  different: z.number().int(),
  /** How far the draft is behind, because it has to know first how long a request takes that it lets run earlier. */
  behindMs: z.number().exactOptional(),
  /** Requests of which it did not wait to know that: they took the usual time. */
  assumed: z.number().int().exactOptional(),
})
export type CandidateReport = z.infer<typeof CandidateReportSchema>

/**
 * How far waits of a feed's engine can be trusted: an audit event tells the wait at the server only of a request that took
 * more than half a second, and of others wait and execution together. Seconds, since the feed began.
 */
export const FeedWaitsSchema = z.object({
  /** All waits in the engine. */
  here: z.number(),
  /** Of an audit feed: waits at the server that its events tell, and how long the others can have been at most. */
  bounds: z
    .object({
      told: z.number(),
      untold: z.number(),
      /** Requests whose execution time is what the wait in the engine leaves of their stay. */
      guessed: z.number().int(),
    })
    .exactOptional(),
  /** By the server's own histogram of waits, since the first scrape; and those here since then. */
  reported: z.object({ sinceMs: z.number(), server: z.number(), here: z.number() }).exactOptional(),
  /** Requests whose execution time the server's histogram of executions tells; `factor` of their stay in all. */
  corrected: z
    .object({ fromMs: z.number(), toMs: z.number(), requests: z.number().int(), factor: z.number() })
    .exactOptional(),
  /** Levels and flow schemas of which it does not, with the counts of both since the first scrape. */
  uncorrected: z
    .array(z.object({ level: z.string(), schema: z.string(), feed: z.number().int(), server: z.number().int() }))
    .exactOptional(),
})
export type FeedWaits = z.infer<typeof FeedWaitsSchema>

export const LiveStateSchema = z.object({
  /** What the proxy or the feed is, in words: `http://127.0.0.1:41233 → prod-eu-1`. */
  title: z.string(),
  /** Address for clients, of a proxy and of a webhook receiver. */
  address: z.string().exactOptional(),
  /** Path of a kubeconfig that was written for the clients of a proxy. */
  clientKubeconfig: z.string().exactOptional(),
  mode: z.enum([...ProxyModeSchema.options, 'feed', 'simulation']),
  /** What this source cannot know, in sentences. */
  limits: z.array(z.string()),
  arrived: z.number().int(),
  /** Requests of these that were too many to become rows; absent where all have one. */
  withoutRow: z.number().int().exactOptional(),
  /** Requests that were received and have no row yet, because earlier ones may still come. */
  heldBack: z.number().int().exactOptional(),
  /** Lines or requests that could not be placed, and the last reason. */
  unreadable: z.number().int(),
  lastUnreadable: z.string().exactOptional(),
  /** What the console itself refused: posts and connections of a webhook, requests that the proxy had no room for. */
  refused: z.object({ count: z.number().int(), last: z.string() }).exactOptional(),
  agreement: AgreementSchema,
  /** Of a feed. */
  waits: FeedWaitsSchema.exactOptional(),
  candidate: CandidateReportSchema.exactOptional(),
})
export type LiveState = z.infer<typeof LiveStateSchema>

/**
 * Requests that are new or changed after the event `from`. A reader may miss events, because a slow one gets only the newest:
 * whoever has not seen everything up to `from`, or gets an event with `dropped` rows, asks `live.page` for what changed
 * since the last event that it has seen in full. The first event of a subscription has no requests; it reports the number.
 */
export const LiveEventSchema = z.object({
  connection: z.number(),
  from: z.number().int(),
  event: z.number().int(),
  requests: z.array(LiveRequestSchema).max(2_000),
  /** Changed requests that did not fit. */
  dropped: z.number().int(),
})
export type LiveEvent = z.infer<typeof LiveEventSchema>

/** The newest requests without `before`, else those with smaller numbers; with `since`, those that changed after an event. */
export const LivePageSchema = z.object({
  before: z.number().int().exactOptional(),
  since: z.number().int().exactOptional(),
  count: z.number().int().min(1).max(2_000),
})
/** Oldest first. `event`: everything up to this event is in it. */
export const LivePageOfRequestsSchema = z.object({
  connection: z.number(),
  event: z.number().int(),
  requests: z.array(LiveRequestSchema),
})

export type LivePageOfRequests = z.infer<typeof LivePageOfRequestsSchema>

export const CandidateWishSchema = z.discriminatedUnion('on', [
  z.object({ on: z.literal(true), objects: ObjectSetSchema }),
  z.object({ on: z.literal(false) }),
])
export type CandidateWish = z.infer<typeof CandidateWishSchema>
