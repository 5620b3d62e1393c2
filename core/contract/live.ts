import { z } from 'zod'
import { ALGORITHMS } from '../engine/profiles.ts'
import { ObjectSetSchema } from '../config/schema.ts'
import { REJECT_REASONS } from '../frame/reading.ts'
import { SeatCountSchema } from './simulation.ts'

/**
 * Requests that go through the embedded engine one by one: those of a proxy, which can enforce its decisions, and those
 * of feeds, which only report what happened elsewhere.
 */

const port = z.number().int().min(0).max(65_535)

/** The two flags of a server, whose sum is what the engine distributes; and the release whose behaviour it follows. */
const engineFields = {
  maxRequestsInFlight: SeatCountSchema.default(400),
  maxMutatingRequestsInFlight: SeatCountSchema.default(200),
  /** gitVersion; absent: that of the upstream, or the newest known one. */
  version: z.string().exactOptional(),
  /** The algorithm of its flow control; absent: upstream's. */
  algorithm: z.enum(ALGORITHMS).exactOptional(),
  /** `false`: lists of the latest version are read from etcd; absent: as by default in the version. */
  consistentReadsFromCache: z.literal(false).exactOptional(),
}

/** Source of the initial objects of the engine. */
const objectsField = z.enum(['upstream', 'built-in']).default('upstream')

export const ProxyUpstreamSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('kubeconfig'),
    file: z.string().min(1).exactOptional(),
    context: z.string().min(1).exactOptional(),
  }),
  z.object({ kind: z.literal('url'), url: z.url({ protocol: /^https?$/ }) }),
])

/** How the proxy identifies the user (docs/proxy.md). */
export const PROXY_IDENTITIES = ['kubeconfig', 'token', 'certificate', 'headers'] as const

const path = z.string().min(1)

/**
 * Which clients can connect, and how: paths and switches, never a secret, because specs are stored among the recent
 * sources. Valid combinations: `reachProblem` of `core/live/proxyReach.ts`.
 */
const ProxyListenSchema = z.object({
  /** An address or name of this machine, `0.0.0.0` or `::` for all of them; absent: loopback. */
  host: z
    .string()
    .regex(/^[\w.:-]{1,253}$/)
    .exactOptional(),
  /** Serve TLS. `generated`: with a certificate that the console generates and stores. The files hold PEM. */
  tls: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('generated') }),
      z.object({ kind: z.literal('files'), certFile: path, keyFile: path }),
    ])
    .exactOptional(),
  /** PEM: the authority of the client certificates, for the identity `certificate`. */
  clientCaFile: path.exactOptional(),
  /**
   * The bearer token of clients. `generated`: one that the console generates and stores in a file. Absent: one if the
   * proxy lends its credentials (`reachOf`), so `none` must be set explicitly.
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

/**
 * `enforce`: requests wait and are rejected as the engine decides. `observe`: they pass, and the engine only computes
 * decisions.
 */
export const ProxyModeSchema = z.enum(['enforce', 'observe'])
export type ProxyMode = z.infer<typeof ProxyModeSchema>

/** An earlier name of `observe`, which stored specifications and scripts may still contain. */
export const FORMER_OBSERVE = 'shadow'

export const ProxySpecSchema = z.object({
  kind: z.literal('proxy'),
  upstream: ProxyUpstreamSchema,
  /** 0 selects a free one. */
  port: port.default(0),
  /** Absent: on loopback; with TLS and a token if the proxy lends its credentials. */
  listen: ProxyListenSchema.exactOptional(),
  mode: z.union([ProxyModeSchema, z.literal(FORMER_OBSERVE).transform(() => 'observe' as const)]).default('observe'),
  identity: z.enum(PROXY_IDENTITIES).default('kubeconfig'),
  objects: objectsField,
  /** Whether `exec`, `attach`, `port-forward` and `proxy` pass if the proxy lends its credentials. */
  allowExec: z.boolean().default(false),
  ...engineFields,
  /** Absent, both: the values that the upstream reports, else the defaults of a server. */
  maxRequestsInFlight: SeatCountSchema.exactOptional(),
  maxMutatingRequestsInFlight: SeatCountSchema.exactOptional(),
})
export type ProxySpec = z.infer<typeof ProxySpecSchema>

/** Requests at a server, reported by its audit log, its audit webhook or its request log (`-v=3`). */
export const FeedSpecSchema = z.object({
  kind: z.literal('feed'),
  feed: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('audit-file'), path: z.string().min(1), follow: z.boolean().default(true) }),
    z.object({ kind: z.literal('audit-webhook'), port: port.default(0) }),
    z.object({ kind: z.literal('httplog'), path: z.string().min(1), follow: z.boolean().default(true) }),
  ]),
  /**
   * A kubeconfig of the cluster from which objects, object counts and watches are read; absent: the built-in objects.
   */
  cluster: z
    .object({ file: z.string().min(1).exactOptional(), context: z.string().min(1).exactOptional() })
    .exactOptional(),
  ...engineFields,
})
export type FeedSpec = z.infer<typeof FeedSpecSchema>

/**
 * Where a request is, or how it ended. `crowded-out`: the proxy answered 429 before its engine decided, because the
 * heads of other requests fill its memory budget. `bypassed`: long-running but not a watch, so it takes no seat.
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

/** One request, up to its current state. Times are Unix milliseconds, durations milliseconds. */
export const LiveRequestSchema = z.object({
  /** Incremented for each request. */
  seq: z.number().int(),
  at: z.number(),
  user: z.string(),
  groups: z.array(z.string()),
  /** Address of the client, without a port, from the proxy or the audit log; other sources do not have it. */
  address: z.string().exactOptional(),
  verb: z.string(),
  /** Path and query, tokens in the query hidden. */
  url: z.string(),
  /** `pods`, `deployments.apps/scale`; empty for non-resource requests. */
  resource: z.string(),
  namespace: z.string(),
  name: z.string(),
  state: z.enum(LIVE_STATES),
  level: z.string(),
  schema: z.string(),
  /** Distinguisher. */
  flow: z.string(),
  /**
   * Time of arrival: milliseconds since the start of the engine that classified it. Limits are recomputed each 10 s
   * from there on.
   */
  engineMs: z.number().exactOptional(),
  /**
   * The queue that it was added to; absent if it was not enqueued, for example because the level has no queues or the
   * chosen one was full.
   */
  queue: z.number().int().exactOptional(),
  seats: z.object({ initial: z.number(), final: z.number() }),
  /** Until it was dispatched or rejected. */
  waitMs: z.number().exactOptional(),
  /** From its dispatch to the end of the response; for a watch, until it was initialised. */
  runMs: z.number().exactOptional(),
  /** How long its final seats are held after that. */
  lingerMs: z.number().exactOptional(),
  /** HTTP status of the response. */
  status: z.number().int().exactOptional(),
  reason: z.enum(REJECT_REASONS).exactOptional(),
  /** Seconds. */
  retryAfter: z.number().exactOptional(),
  /**
   * The classification by the server itself: from its response headers, or in its log. Names, if they could be
   * resolved.
   */
  server: z
    .object({
      level: z.string().exactOptional(),
      schema: z.string().exactOptional(),
      initialSeats: z.number().exactOptional(),
      finalSeats: z.number().exactOptional(),
      waitMs: z.number().exactOptional(),
    })
    .exactOptional(),
  /**
   * The decision of the draft, if one runs alongside. `behind`: the draft has not reached it yet, and contains no
   * names.
   */
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

/** Agreement between our decisions and those of the server, over the last five minutes. */
export const AgreementSchema = z.object({
  /** Requests for which the server reported the classification. */
  compared: z.number().int(),
  schemaAndLevel: z.number().int(),
  /** Those for which it reported the width. */
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
  /** Length of the counted time: since the draft began to run, at most five minutes. */
  seconds: z.number(),
  a: ComparedSideSchema,
  b: ComparedSideSchema,
  /** Requests for which the two decided differently. */
  different: z.number().int(),
  /** Lag of the draft: for a request that it dispatches earlier, it has to wait for the measured execution time. */
  behindMs: z.number().exactOptional(),
  /** Requests for which it did not wait for that: the usual time was used. */
  assumed: z.number().int().exactOptional(),
})
export type CandidateReport = z.infer<typeof CandidateReportSchema>

/**
 * How far the waits of a feed's engine can be trusted: an audit event contains the wait at the server only for a
 * request that took more than half a second; for others it contains only the sum of wait and execution. Seconds, since
 * the feed began.
 */
export const FeedWaitsSchema = z.object({
  /** All waits in the engine. */
  here: z.number(),
  /** For an audit feed: waits at the server that its events contain, and the upper bound of the others. */
  bounds: z
    .object({
      told: z.number(),
      untold: z.number(),
      /** Requests whose execution time is the rest of their duration after the wait in the engine. */
      guessed: z.number().int(),
    })
    .exactOptional(),
  /** According to the server's own histogram of waits, since the first scrape; and those here since then. */
  reported: z.object({ sinceMs: z.number(), server: z.number(), here: z.number() }).exactOptional(),
  /**
   * Requests whose execution time comes from the server's histogram of executions; `factor` of their total duration.
   */
  corrected: z
    .object({ fromMs: z.number(), toMs: z.number(), requests: z.number().int(), factor: z.number() })
    .exactOptional(),
  /** Levels and flow schemas for which it does not, with the counts of both since the first scrape. */
  uncorrected: z
    .array(z.object({ level: z.string(), schema: z.string(), feed: z.number().int(), server: z.number().int() }))
    .exactOptional(),
})
export type FeedWaits = z.infer<typeof FeedWaitsSchema>

export const LiveStateSchema = z.object({
  /** A description of the proxy or the feed: `http://127.0.0.1:41233 → prod-eu-1`. */
  title: z.string(),
  /** Address for clients, for a proxy and for a webhook receiver. */
  address: z.string().exactOptional(),
  /** Path of a kubeconfig that was written for the clients of a proxy. */
  clientKubeconfig: z.string().exactOptional(),
  mode: z.enum([...ProxyModeSchema.options, 'feed', 'simulation']),
  /** What a log says of its server that single requests do not, in sentences. */
  findings: z.array(z.string()).exactOptional(),
  /** Information that this source lacks, in sentences. */
  limits: z.array(z.string()),
  arrived: z.number().int(),
  /** Levels or kinds whose requests were too many to become rows; absent if all have one. */
  withoutRow: z.number().int().exactOptional(),
  /** Requests that were received but have no row yet, because earlier ones may still arrive. */
  heldBack: z.number().int().exactOptional(),
  /** Lines or requests that could not be placed, and the last reason. */
  unreadable: z.number().int(),
  lastUnreadable: z.string().exactOptional(),
  /**
   * Rejected by the console itself: posts and connections of a webhook, requests that exceeded the capacity of the
   * proxy.
   */
  refused: z.object({ count: z.number().int(), last: z.string() }).exactOptional(),
  agreement: AgreementSchema,
  /** For a feed. */
  waits: FeedWaitsSchema.exactOptional(),
  candidate: CandidateReportSchema.exactOptional(),
})
export type LiveState = z.infer<typeof LiveStateSchema>

/**
 * Requests that are new or changed after the event `from`. A reader may miss events, because a slow one gets only the
 * newest: a reader that has not received everything up to `from`, or gets an event with `dropped` rows, calls
 * `live.page` for what changed since the last event that it received in full. The first event of a subscription
 * contains no requests; it reports the number.
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

/**
 * The newest requests if `before` is absent, else those with smaller numbers; with `since`, those that changed after an
 * event.
 */
export const LivePageSchema = z.object({
  before: z.number().int().exactOptional(),
  since: z.number().int().exactOptional(),
  count: z.number().int().min(1).max(2_000),
})
/** Oldest first. `event`: everything up to this event is included. */
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
