import { fewOf } from '../../../core/text/text.ts'
import type { Problem } from '../../../core/errors.ts'
import type { PrometheusSpec, PrometheusTarget } from '../../../core/contract/prometheus.ts'
import { CLOCK } from '../../../core/prom/asked.ts'
import { discover, type Discovery, type FoundCluster } from '../../../core/prom/discovery.ts'
import { equals, oneOf, selector, type Matcher } from '../../../core/prom/promql.ts'
import { LIVE_LIMITS, type PrometheusApi } from './api.ts'

/** Long enough for two scrapes at the longest usual interval. */
const DISCOVERY_MS = 600_000
/** Servers that are read in full; Fleet shows all of them. */
export const MOST_SERVERS = 32

/** The servers that a source reads, and the labels that select them. */
export interface Selected {
  readonly discovery: Discovery
  readonly cluster: FoundCluster
  readonly instances: readonly string[]
  /** Sentences about servers that were found and are not read. */
  readonly notes: readonly string[]
}

type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem }

/** Queries which clusters and servers there are. */
export async function findServers(
  api: PrometheusApi,
  { matchers = [], labels }: PrometheusTarget,
  signal: AbortSignal,
): Promise<Result<Discovery>> {
  const query = selector([...CLOCK, ...matchersOf(matchers)], DISCOVERY_MS)
  const reply = await api.query(query, undefined, { signal, limits: LIVE_LIMITS })
  if (!reply.ok) return reply
  const discovery = discover(reply.series, labels)
  if (discovery.clusters.length > 0) return { ok: true, value: discovery }
  const among = matchers.length === 0 ? '' : ' with these labels'
  return {
    ok: false,
    problem: {
      code: 'not-found',
      message: `${api.host} has no flow-control metrics of any API server${among} in the last 10 min; check that it scrapes kube-apiserver and keeps apiserver_flowcontrol_*.`,
    },
  }
}

export const matchersOf = (matchers: NonNullable<PrometheusTarget['matchers']>): Matcher[] =>
  matchers.map(({ label, value }) => equals(label, value))

/** The selected cluster and servers, or a problem that states what has to be chosen. */
export function select(discovery: Discovery, spec: PrometheusSpec, host: string): Result<Selected> {
  const { clusters, labels } = discovery
  const wanted = clusters.filter(({ name }) => spec.cluster === undefined || name === spec.cluster)
  const [cluster, ...others] = wanted
  const refuse = (message: string): Result<Selected> => ({ ok: false, problem: { code: 'invalid-input', message } })
  if (cluster === undefined) {
    return refuse(`${host} has no cluster ${JSON.stringify(spec.cluster)}; it has ${namesOf(clusters)}.`)
  }
  if (others.length > 0) {
    return refuse(
      `${host} has ${wanted.length} clusters by the label ${labels.cluster ?? ''}: ${namesOf(clusters)}. Choose one on the Connection screen, or with --prometheus-label ${labels.cluster ?? ''}=NAME; apf-console fleet lists all.`,
    )
  }
  const all = cluster.servers.map(({ instance }) => instance)
  const strange = spec.instances?.find((instance) => !all.includes(instance))
  if (strange !== undefined) {
    return refuse(
      `${host} has no server ${JSON.stringify(strange)} by the label ${labels.instance}; it has ${fewOf(all, MOST_LISTED)}.`,
    )
  }
  const instances = (spec.instances ?? all).slice(0, MOST_SERVERS)
  const left = (spec.instances ?? all).length - instances.length
  return {
    ok: true,
    value: {
      discovery,
      cluster,
      instances,
      notes:
        left > 0
          ? [`${left} more servers are on the Fleet screen only; open one there, or choose at most ${MOST_SERVERS}.`]
          : [],
    },
  }
}

/** Matchers of all series of the selected servers. */
export const serverMatchers = (spec: PrometheusSpec, { discovery, cluster }: Selected): Matcher[] =>
  clusterMatchers(spec, discovery.labels, cluster.name ?? '')

/** Matchers of all series of one cluster; without a name, of all clusters. */
export const clusterMatchers = (
  { matchers = [] }: PrometheusTarget,
  { cluster: label }: Discovery['labels'],
  name: string | undefined,
): Matcher[] => [...matchersOf(matchers), ...(label === undefined || name === undefined ? [] : [equals(label, name)])]

export const instancesMatcher = ({ discovery }: Selected, instances: readonly string[]): Matcher =>
  oneOf(discovery.labels.instance, instances)

const MOST_LISTED = 8
const namesOf = (clusters: readonly FoundCluster[]): string =>
  fewOf(
    clusters.map(({ name = '' }) => (name === '' ? 'one without a name' : name)),
    MOST_LISTED,
  )
