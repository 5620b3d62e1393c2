import { z } from 'zod'
import { DUMPS_MS, INTERVAL_MS } from '../bounds.ts'
import { SourceInfoSchema } from '../frame/frame.ts'
import { AddressCredentialsSchema } from './credentials.ts'
import { ProblemSchema } from '../problem.ts'
import { EtcdSpecSchema } from './etcd.ts'
import { FeedSpecSchema, ProxySpecSchema } from './live.ts'
import { PrometheusPastSchema, PrometheusSpecSchema } from './prometheus.ts'
import { SimulationSpecSchema } from './simulation.ts'
import { RunSpecSchema } from './whatif.ts'

export const CadenceSchema = z.object({
  intervalMs: z.number().int().min(INTERVAL_MS.min).max(INTERVAL_MS.max).default(INTERVAL_MS.default),
  /** `null` disables the debug dumps. */
  dumpsEveryMs: z.number().int().min(DUMPS_MS.min).max(DUMPS_MS.max).nullable().default(DUMPS_MS.default),
})
export type Cadence = z.infer<typeof CadenceSchema>

/** What to scrape. A kubeconfig is given by path and read in the main process. */
export const TargetSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('kubeconfig'),
    /** Path of the file; absent means KUBECONFIG or ~/.kube/config. */
    file: z.string().min(1).optional(),
    /** Absent means the current context. */
    context: z.string().min(1).optional(),
    /**
     * Addresses of single API servers (https://host:port) read with the same credentials; absent means the context's
     * own.
     */
    servers: z.array(z.url({ protocol: /^https?$/ })).optional(),
  }),
  z.object({
    kind: z.literal('urls'),
    /** Complete addresses of metrics pages, one per API server. */
    urls: z.array(z.url({ protocol: /^https?$/ })).min(1),
    credentials: AddressCredentialsSchema.optional(),
  }),
])
export type Target = z.infer<typeof TargetSchema>

export const UploadedFileSchema = z.object({
  name: z.string(),
  text: z.string(),
  /** Why it could not be opened, in a sentence; its text is empty then. */
  problem: z.string().exactOptional(),
})
export type UploadedFile = z.infer<typeof UploadedFileSchema>
/** As a page sends it: an archive, or a text in another encoding than UTF-8, as bytes in base64. */
export const SentFileSchema = z.union([UploadedFileSchema, z.object({ name: z.string(), base64: z.base64() })])
export type SentFile = z.infer<typeof SentFileSchema>

/** Recordings of one source, by their names, played as one. */
const RecordingSpecSchema = z.object({
  kind: z.literal('recording'),
  ids: z.array(z.string().min(1).max(100)).min(1).max(10_000),
  /** Unix milliseconds of its current instant; absent: its end. */
  at: z.number().exactOptional(),
})

export const SourceSpecSchema = z.discriminatedUnion('kind', [
  SimulationSpecSchema,
  z.object({ kind: z.literal('demo') }),
  z.object({
    kind: z.literal('scrape'),
    target: TargetSchema,
    cadence: CadenceSchema,
    /** A Prometheus that has scraped the same servers: their past is read from it. */
    past: PrometheusPastSchema.exactOptional(),
  }),
  z.object({ kind: z.literal('files'), files: z.array(SentFileSchema).min(1) }),
  RecordingSpecSchema,
  RunSpecSchema,
  PrometheusSpecSchema,
  ProxySpecSchema,
  FeedSpecSchema,
  EtcdSpecSchema,
])
export type SourceSpec = z.infer<typeof SourceSpecSchema>

/** A context in a kubeconfig; no server is contacted until one is selected. */
export const FoundContextSchema = z.object({
  file: z.string(),
  context: z.string(),
  cluster: z.string(),
  server: z.string(),
  user: z.string(),
  current: z.boolean(),
  /** Why it cannot be used, if that is known without contacting a server. */
  problem: z.string().optional(),
})
export type FoundContext = z.infer<typeof FoundContextSchema>

/** An action that the operator is asked to confirm outside the page, before the console performs it. */
export const ConsentSchema = z.object({
  waiting: z
    .object({
      /** Completes “A page asks the console to …”: `run /usr/bin/aws eks get-token`. */
      what: z.string(),
      where: z.enum(['terminal', 'window']),
      /** RFC 3339; without a response by then, the action is not performed. */
      until: z.string(),
    })
    .nullable(),
})
export type Consent = z.infer<typeof ConsentSchema>

/** Permissions of a credential, tested without side effects. */
export const CAPABILITIES = [
  'version',
  'metrics',
  'dump-levels',
  'dump-queues',
  'dump-requests',
  'list-objects',
  'watch-objects',
  'dry-run',
  'write',
] as const
export type Capability = (typeof CAPABILITIES)[number]

/** Those that viewing requires; the others are for edits. */
export const LOOKING: ReadonlySet<Capability> = new Set(
  CAPABILITIES.filter((capability) => capability !== 'dry-run' && capability !== 'write'),
)

export const CapabilityResultSchema = z.object({
  capability: z.enum(CAPABILITIES),
  /** What the console shows with it. */
  label: z.string(),
  /** The call that requires it: `GET /metrics`. */
  needs: z.string(),
  status: z.enum(['allowed', 'forbidden', 'failed', 'not-applicable']),
  /** The result, or the reason for its absence, in a few words: `v1.36.3`, `403 for user apf-viewer`. */
  found: z.string(),
})
export type CapabilityResult = z.infer<typeof CapabilityResultSchema>

/** One address of the source and the permissions of its credential there. */
export const PermissionReportSchema = z.object({
  server: z.string(),
  user: z.string().optional(),
  checkedAt: z.string(),
  results: z.array(CapabilityResultSchema),
  /**
   * ClusterRole and ClusterRoleBinding for the missing permissions that viewing requires; absent when none is missing.
   */
  missingRole: z.string().optional(),
  /** The same for edits, for a user who has all viewing permissions: viewing does not require it. */
  editRole: z.string().optional(),
  /** A priority level for the console, recommended if its user would queue with ordinary traffic. */
  ownLevel: z.string().optional(),
  /** Why there is no report at all. */
  problem: ProblemSchema.optional(),
})
export type PermissionReport = z.infer<typeof PermissionReportSchema>

export const ServerHealthSchema = z.object({
  id: z.string(),
  status: z.enum(['connecting', 'ok', 'failing']),
  /** RFC 3339 of the last good frame. */
  lastGoodAt: z.string().optional(),
  /** Failed attempts since the last good frame, oldest first, at most 8. */
  failures: z.array(z.object({ at: z.string(), problem: ProblemSchema })),
  /** RFC 3339 of the next attempt while failing. */
  nextTryAt: z.string().optional(),
  /** Milliseconds: median of the last 30 fetches and parses. */
  fetchMs: z.number().optional(),
  parseMs: z.number().optional(),
  bytes: z.number().optional(),
  wireBytes: z.number().optional(),
  /** Bytes and lines of the flow-control part of the page. */
  families: z.number().optional(),
  /** Server clock − own clock, milliseconds, from the Date header (±1 s); absent when unknown. */
  clockOffsetMs: z.number().optional(),
  /** UID of the priority level that serves the console's own scrapes, from the header of the last response. */
  ownLevelUid: z.string().optional(),
  /** Warnings for the operator, in sentences: a certificate that is not verified, several servers at one address. */
  notes: z.array(z.string()).optional(),
  /** How far the past has been read, if the source reads it. */
  past: z
    .object({
      state: z.enum(['reading', 'done', 'stopped', 'failed']),
      /** RFC 3339: the start of the requested past, and the start of the available past. */
      wanted: z.string(),
      reached: z.string(),
      /** The oldest scrape, if the earlier part of the requested past has none. */
      begins: z.string().exactOptional(),
      /** Milliseconds between the scrapes that are read, if those in between are left out. */
      stepMs: z.number().exactOptional(),
      /** Warnings of Prometheus during the read: data may be missing. */
      warnings: z.array(z.string()).exactOptional(),
      problem: ProblemSchema.exactOptional(),
    })
    .exactOptional(),
  /** For a server that is read from a Prometheus: its labels there, and its scrape interval. */
  prometheus: z
    .object({
      labels: z.array(z.object({ label: z.string(), value: z.string() })),
      /** Milliseconds; absent before the second scrape. */
      intervalMs: z.number().exactOptional(),
      /** Families for which it has native histograms and no classic ones; absent if there are none. */
      native: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  dumps: z
    .object({
      status: z.enum(['off', 'ok', 'forbidden', 'failing']),
      costMs: z.number().optional(),
      bytes: z.number().optional(),
      lastAt: z.string().optional(),
      problem: ProblemSchema.optional(),
    })
    .optional(),
})
export type ServerHealth = z.infer<typeof ServerHealthSchema>
export type PastRead = NonNullable<ServerHealth['past']>

/** Stored objects and watches of a server, from its own metrics: the inputs of its seat estimates. */
export const ReportedFactsSchema = z.object({
  /** By `resource` or `resource.group`; `averageSize` in bytes, absent if the server does not report sizes. */
  objects: z.record(z.string(), z.object({ count: z.number(), averageSize: z.number().exactOptional() })),
  /** Watches of all objects of a resource, by the same key. */
  watches: z.record(z.string(), z.number()),
})
export type ReportedFacts = z.infer<typeof ReportedFactsSchema>

/** A recently used source, for reconnecting with one click. Pasted files are not remembered. */
export const RecentSourceSchema = z.object({ at: z.string(), name: z.string(), spec: SourceSpecSchema })
export type RecentSource = z.infer<typeof RecentSourceSchema>

/** A connected source. */
export const ConnectedSchema = z.object({
  /** Unique for every connect. */
  id: z.number(),
  source: SourceInfoSchema,
  spec: SourceSpecSchema,
  cadence: CadenceSchema,
  servers: z.array(ServerHealthSchema),
  /** It provides single requests. */
  requests: z.literal(true).exactOptional(),
  /** Name of the algorithm of the console's own flow control, unless it is upstream's. */
  algorithm: z.string().exactOptional(),
  /** It is a proxy in front of an etcd, or a recording of one. */
  etcd: z.literal(true).exactOptional(),
  /** A still source (a file) never becomes stale. */
  still: z.boolean(),
})
export type Connected = z.infer<typeof ConnectedSchema>
