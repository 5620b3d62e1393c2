import { z } from 'zod'
import { MS_PER_DAY, MS_PER_HOUR } from '../units.ts'
import { AddressCredentialsSchema } from './credentials.ts'

/** How much of the past is read when a Prometheus is connected, milliseconds: screens can show one day. */
export const PAST_MS = { min: 0, max: MS_PER_DAY, default: MS_PER_HOUR } as const

/** A header in addition to those of the credentials. Its value may be a secret: it is never sent back. */
export const HeaderSchema = z.object({
  name: z
    .string()
    .max(100)
    .regex(/^[!#$%&'*+.^`|~\w-]+$/),
  /** Printable ASCII, so that it cannot end the header. */
  value: z
    .string()
    .max(8_192)
    .regex(/^[\x20-\x7e]*$/),
})
export type Header = z.infer<typeof HeaderSchema>

/** Headers that describe the connection or the message: only the client sets them. */
const RESERVED_HEADERS = ['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade', 'te', 'trailer']
export const isReservedHeader = (name: string): boolean => RESERVED_HEADERS.includes(name.toLowerCase())

/** Names of the labels for the cluster and the server of a series, if they are not the usual ones. */
export const TargetLabelsSchema = z.object({
  cluster: z.string().min(1).max(200).exactOptional(),
  instance: z.string().min(1).max(200).exactOptional(),
})

/** A context of a kubeconfig, whose API server passes queries on; the usual file and the current context by default. */
export const ThroughSchema = z.object({
  file: z.string().min(1).exactOptional(),
  context: z.string().min(1).exactOptional(),
})
export type Through = z.infer<typeof ThroughSchema>

/** A service in a cluster that answers as Prometheus: `monitoring/prometheus-k8s:web`, and its address at the API server. */
export const ClusterServiceSchema = z.object({ service: z.string(), url: z.string() })
export type ClusterService = z.infer<typeof ClusterServiceSchema>

/** The address of a Prometheus, Thanos, Mimir or VictoriaMetrics, and the credentials for it. */
export const PrometheusTargetSchema = z.object({
  /** The address of the API, before `/api/v1`: a path prefix is part of it. */
  url: z.url({ protocol: /^https?$/ }),
  /** The address is one of this API server, and is queried with these credentials. */
  through: ThroughSchema.exactOptional(),
  credentials: AddressCredentialsSchema.exactOptional(),
  /** X-Scope-OrgID. */
  tenant: z
    .string()
    .min(1)
    .max(1_000)
    .regex(/^[\x21-\x7e]+$/)
    .exactOptional(),
  headers: z.array(HeaderSchema).max(16).exactOptional(),
  /** Series have these labels with these values. */
  matchers: z
    .array(z.object({ label: z.string().min(1).max(200), value: z.string().max(1_000) }))
    .max(16)
    .exactOptional(),
  labels: TargetLabelsSchema.exactOptional(),
})
export type PrometheusTarget = z.infer<typeof PrometheusTargetSchema>

/** A Prometheus as a source of past data, and how much of it is read. */
export const PrometheusPastSchema = PrometheusTargetSchema.extend({
  pastMs: z.number().int().min(PAST_MS.min).max(PAST_MS.max).default(PAST_MS.default),
})
export type PrometheusPast = z.infer<typeof PrometheusPastSchema>

export const PrometheusSpecSchema = PrometheusPastSchema.extend({
  kind: z.literal('prometheus'),
  /** Value of the label for clusters; required if there are several. */
  cluster: z.string().max(1_000).exactOptional(),
  /** Servers of the cluster; absent: all of them. */
  instances: z.array(z.string().min(1).max(1_000)).min(1).max(100).exactOptional(),
  /** All servers of all clusters, for the Fleet screen only: a few numbers for each level, and no frames. */
  fleet: z.literal(true).exactOptional(),
})
export type PrometheusSpec = z.infer<typeof PrometheusSpecSchema>

/** A Prometheus with the past of another source. */
export function pastFromPrometheus(spec: PrometheusSpec): PrometheusPast {
  const { kind: _, cluster: _cluster, instances: _instances, fleet: _fleet, ...past } = spec
  return past
}

/** Clusters and servers for which a Prometheus has flow-control metrics. */
export const PrometheusServersSchema = z.object({
  /** The labels that are used, and the possible ones. */
  labels: z.object({ cluster: z.string().exactOptional(), instance: z.string() }),
  choices: z.array(z.string()),
  clusters: z.array(
    z.object({
      /** Absent if there is no label for clusters. */
      name: z.string().exactOptional(),
      servers: z.array(z.object({ instance: z.string(), lastAt: z.number() })),
    }),
  ),
  /** Milliseconds between two scrapes, if known. */
  intervalMs: z.number().exactOptional(),
})
export type PrometheusServers = z.infer<typeof PrometheusServersSchema>
