import { z } from 'zod'
import type { Json } from '../manifest/json.ts'

/** Any value. */
export const JsonSchema: z.ZodType<Json> = z.json()

/** A class or a rule as written in files; the rules engine validates it. */
const DocumentSchema = z.record(z.string(), JsonSchema)

const list = <T extends z.ZodType>(schema: T) => z.array(schema).readonly()

const NAME = z.string().min(1).max(63)
const KIND = z.enum(['class', 'rule'])

/** Whether the console may change rules and mode; otherwise it only reads. */
const editing = z.boolean().default(false)
const path = z.string().min(1)
/** Names of proxies, which are also names of files. */
export const PROXY_NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/

/**
 * A proxy in front of an etcd that runs on this machine, one that the console starts, or a simulated one. Paths and
 * switches, never a secret, because specs are stored among the recent sources.
 */
export const EtcdSpecSchema = z.object({
  kind: z.literal('etcd'),
  of: z.discriminatedUnion('kind', [
    /** By its name; absent: the only one that runs. */
    z.object({ kind: z.literal('proxy'), name: z.string().min(1).max(63).optional(), editing }),
    z.object({
      kind: z.literal('start'),
      /** Of the proxy and of the rules that it stores. */
      name: z.string().regex(PROXY_NAME).default('console'),
      /** The member: `http://127.0.0.1:2379`. */
      upstream: z.url({ protocol: /^https?$/ }),
      /** On loopback; 0 selects a free one. */
      port: z.number().int().min(0).max(65_535).default(0),
      /** PEM: the authority of etcd's certificate, and the certificate that the proxy presents to etcd. */
      caFile: path.exactOptional(),
      certFile: path.exactOptional(),
      keyFile: path.exactOptional(),
      /** PEM: the proxy serves TLS; with the authority it requires client certificates. */
      tls: z.object({ certFile: path, keyFile: path, clientCaFile: path.exactOptional() }).exactOptional(),
      /** Rules that replace the stored ones when it starts. */
      rulesFile: path.exactOptional(),
      editing,
    }),
    z.object({ kind: z.literal('story'), seed: z.number().int().min(0).default(1) }),
  ]),
})
export type EtcdSpec = z.infer<typeof EtcdSpecSchema>

export const ETCD_MODES = ['enforce', 'observe'] as const

/** A change of the rules of a proxy. */
export const EtcdChangeSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('add'), kind: KIND, name: NAME, members: DocumentSchema }),
  /** Only the given members change; `null` removes one. */
  z.object({ action: z.literal('update'), kind: KIND, name: NAME, members: DocumentSchema }),
  z.object({ action: z.literal('remove'), kind: KIND, name: NAME }),
  /** Replaces everything. */
  z.object({ action: z.literal('import'), document: DocumentSchema }),
  z.object({ action: z.literal('mode'), mode: z.enum(ETCD_MODES) }),
])
export type EtcdChange = z.infer<typeof EtcdChangeSchema>

export const EtcdChangedSchema = z.object({ revision: z.number(), warnings: list(z.string()) })
export type EtcdChanged = z.infer<typeof EtcdChangedSchema>

/** The outcome of a request. */
export const ETCD_VERDICTS = ['passed', 'delayed', 'limited'] as const
/** Source of the quota of a member: the member, its metrics page, or etcd's default. */
export const QUOTA_ORIGINS = ['status', 'metrics', 'default'] as const

const VerdictsSchema = z.object({ passed: z.number(), delayed: z.number(), limited: z.number() })

const UsageSchema = z.object({
  op: z.string(),
  keys: z.string(),
  requests: z.number(),
  limited: z.number(),
  scannedKeys: z.number(),
  requestBytes: z.number(),
  responseBytes: z.number(),
  p50Ms: z.number().optional(),
  p99Ms: z.number().optional(),
  meanMs: z.number().optional(),
  /** The latest of them, in one line. */
  example: z.string(),
})
export type EtcdUsage = z.infer<typeof UsageSchema>

/** A request that ended, as the monitor reports it. */
export const EtcdRequestSchema = z.object({
  /** Unix milliseconds. */
  at: z.number(),
  method: z.string(),
  /** In one line: `KV/Range /registry/pods/ (prefix)`. */
  request: z.string(),
  user: z.string(),
  clientIP: z.string(),
  verdict: z.enum(ETCD_VERDICTS),
  rule: z.string().optional(),
  class: z.string().optional(),
  reason: z.string().optional(),
  retryAfterMs: z.number().optional(),
  waitedMs: z.number().optional(),
  scannedKeys: z.number().optional(),
  requestBytes: z.number().optional(),
  responseBytes: z.number().optional(),
  latencyMs: z.number().optional(),
  /** Identity for the tracker, for requests that it tracks. */
  hash: z.string().optional(),
})
export type EtcdRequest = z.infer<typeof EtcdRequestSchema>

/** Kinds of the monitor, with the values that they compare (QoS specification 8). */
export const MONITOR_KINDS = ['latency', 'traffic', 'scanKeyNum'] as const
/** Most records of one monitor (QoS specification 8). */
export const MOST_MONITORED = 99

/** Which requests to show: above a threshold of milliseconds, bytes or keys, decided by a rule, or both. */
export const EtcdMonitorSchema = z.object({
  type: z.enum(MONITOR_KINDS).exactOptional(),
  threshold: z.number().nonnegative().exactOptional(),
  rule: z.string().exactOptional(),
  limit: z.number().int().min(1).max(MOST_MONITORED),
})
export type EtcdMonitor = z.infer<typeof EtcdMonitorSchema>

/** The state of a class, in the numbers that its discipline compares. */
export const EtcdLevelSchema = z.discriminatedUnion('qdisc', [
  /** `tokens` is negative while the bucket is in debt. */
  z.object({ qdisc: z.literal('tbf'), tokens: z.number(), burst: z.number(), qps: z.number() }),
  /** `freeInMs`: until a request is admitted; 0 if it is admitted at once. */
  z.object({ qdisc: z.literal('lbf'), freeInMs: z.number(), qps: z.number() }),
  z.object({ qdisc: z.literal('maxinflight'), inFlight: z.number(), num: z.number() }),
  z.object({ qdisc: z.literal('window'), used: z.number(), limit: z.number(), windowMs: z.number() }),
])
export type EtcdLevel = Readonly<z.infer<typeof EtcdLevelSchema>>

const ClassStateSchema = z.object({
  name: z.string(),
  document: DocumentSchema,
  /** In words. */
  summary: z.string(),
  /** The groups that are kept, the most recently used first, and their total number. */
  groups: list(
    z.object({
      group: z.string(),
      rule: z.string().optional(),
      level: EtcdLevelSchema,
      text: z.string(),
      waiting: z.number(),
    }),
  ),
  groupCount: z.number(),
  waiting: z.number(),
  /**
   * Its requests that ended and arrived, or were admitted after a wait, in the last seconds; absent in older
   * recordings.
   */
  lately: z
    .object({
      seconds: z.number(),
      passed: z.number(),
      limited: z.number(),
      /** Time of the latest of them, milliseconds before `at`. */
      passedAgo: list(z.number()),
      limitedAgo: list(z.number()),
    })
    .optional(),
})
export type EtcdClass = z.infer<typeof ClassStateSchema>

const RuleStateSchema = z.object({
  name: z.string(),
  document: DocumentSchema,
  class: z.string(),
  priority: z.number(),
  enabled: z.boolean(),
  /** What it selects, in words. */
  selects: z.string(),
  counts: VerdictsSchema,
  /** Of `rateSeconds`. */
  perSecond: z.number(),
  limitedPerSecond: z.number(),
  /** Rules of the same priority that some larger request matches too. */
  warnings: list(z.string()),
})
export type EtcdRule = z.infer<typeof RuleStateSchema>

/** All data of a running proxy that changes by itself. */
export const EtcdStateSchema = z.object({
  /** Unix milliseconds. */
  at: z.number(),
  /** The address that clients connect to, and the member behind it. */
  url: z.string(),
  upstream: z.string(),
  mode: z.enum(ETCD_MODES),
  /** Of the stored rules; `null` if they come from files and can only be changed there. */
  revision: z.number().nullable(),
  /** Whether this console can change the rules. */
  editable: z.boolean().default(true),
  counts: VerdictsSchema,
  unread: z.number(),
  watches: z.number(),
  /** `null` if the member has not answered yet, or not for 10 s. */
  storage: z
    .object({
      usedBytes: z.number(),
      allocatedBytes: z.number(),
      quotaBytes: z.number(),
      quotaFrom: z.enum(QUOTA_ORIGINS),
      /** Committed entries that are not applied yet. */
      gap: z.number(),
      /** Of etcd: `3.6.8`. */
      version: z.string().optional(),
    })
    .nullable(),
  /**
   * Requests for keys that the member answered lately, and at least how many of them bypassed this proxy. Absent if the
   * member does not report it.
   */
  bypass: z.object({ answered: z.number(), outside: z.number(), seconds: z.number() }).optional(),
  /** Start of the proxy, Unix milliseconds; absent in older recordings, like the following members. */
  since: z.number().optional(),
  /** Time to read a request and to decide about it, median of the latest 1,000. */
  decideMs: z.number().optional(),
  tracker: z.object({
    entries: z.number(),
    capacity: z.number(),
    hits: z.number(),
    misses: z.number(),
    evictions: z.number(),
  }),
  classes: list(ClassStateSchema),
  rules: list(RuleStateSchema),
  /** The members of a rule file apart from classes and rules; absent in older recordings. */
  settings: DocumentSchema.optional(),
  /** The last 120 seconds, the oldest first. */
  seconds: list(
    z.object({
      /** Counted by the clock of the proxy. */
      second: z.number(),
      passed: z.number(),
      delayed: z.number(),
      limited: z.number(),
      requestBytes: z.number(),
      responseBytes: z.number(),
    }),
  ),
  /** Seconds over which rates are taken, at most 10: a proxy that has just started has fewer. */
  rateSeconds: z.number().default(10),
  /** During these seconds, by operation and prefix. */
  rates: list(UsageSchema),
  /** The most expensive requests of the last ten minutes, by keys, by bytes and by time. */
  top: z.object({ scan: list(UsageSchema), traffic: list(UsageSchema), latency: list(UsageSchema) }),
  /** The latest first. */
  limited: list(EtcdRequestSchema),
  slow: list(EtcdRequestSchema),
})
export type EtcdState = z.infer<typeof EtcdStateSchema>

/** The effect that rules would have had on earlier requests. */
export const EtcdPreviewSchema = z.object({
  requests: z.number(),
  /** From the first of them to the last. */
  spanMs: z.number(),
  would: VerdictsSchema,
  /** The decisions made when they arrived. */
  did: VerdictsSchema,
  /** Each rule that applied to any of them. */
  rules: list(VerdictsSchema.extend({ rule: z.string() })),
  /** Some that would have been limited, and how often, the most frequent first. */
  limited: list(z.object({ request: z.string(), user: z.string(), times: z.number() })),
})
export type EtcdPreview = z.infer<typeof EtcdPreviewSchema>

/** Proposed rules, evaluated together with the rules in effect on earlier requests. */
export const EtcdAdviceSchema = z.object({
  id: z.string(),
  title: z.string(),
  why: z.string(),
  classes: list(DocumentSchema),
  rules: list(DocumentSchema),
  /** Its rules are in effect already. */
  inEffect: z.boolean(),
  /** Absent if the proposal conflicts with the rules in effect; `problem` contains the reason. */
  preview: EtcdPreviewSchema.optional(),
  problem: z.string().optional(),
})
export type EtcdAdvice = z.infer<typeof EtcdAdviceSchema>

/** One change of the stored rules. */
export const EtcdRevisionSchema = z.object({
  revision: z.number(),
  at: z.number(),
  action: z.string(),
  kind: z.string(),
  name: z.string(),
  before: JsonSchema,
  after: JsonSchema,
})
export type EtcdRevision = z.infer<typeof EtcdRevisionSchema>

/** The outcome of one request, with the effect of every rule on it. */
export const EtcdTestSchema = z.object({
  request: z.string(),
  verdict: z.enum(['passed', 'waiting', 'delayed', 'limited']),
  explanation: z.string(),
  rules: list(
    z.object({
      rule: z.string(),
      className: z.string(),
      priority: z.number(),
      outcome: z.enum(['applies', 'outranked', 'no match', 'disabled']),
      /** Each part by itself. */
      parts: z.object({
        method: z.boolean(),
        caller: z.boolean(),
        retry: z.boolean(),
        op: z.boolean(),
        key: z.boolean(),
        condition: z.boolean(),
      }),
      reason: z.string(),
    }),
  ),
})
export type EtcdTest = z.infer<typeof EtcdTestSchema>
