import { byCodeUnits } from '../text/text.ts'
import type { PromSeries } from './answer.ts'
import { isPageLabel } from './asked.ts'
import { usualDistance } from './interval.ts'

type Labels = Readonly<Record<string, string>>

/** Names of the labels that identify a series' cluster and server. */
export interface TargetLabels {
  /** Absent where Prometheus has one cluster only and does not label it. */
  readonly cluster?: string
  readonly instance: string
}

export interface FoundServer {
  readonly instance: string
  /** Unix milliseconds of its newest sample. */
  readonly lastAt: number
  /** Usual scrape interval, milliseconds; absent before the second scrape. */
  readonly intervalMs?: number
}

export interface FoundCluster {
  /** Absent without a label for clusters. */
  readonly name?: string
  /** Sorted by instance. */
  readonly servers: readonly FoundServer[]
}

/** Result of one query about the servers. */
export interface Discovery {
  readonly labels: TargetLabels
  /** Names of the labels that Prometheus added to every server, sorted: one of them may be the correct one instead. */
  readonly choices: readonly string[]
  /** Sorted by name. */
  readonly clusters: readonly FoundCluster[]
  /** Usual scrape interval, milliseconds; absent before the second scrape. */
  readonly intervalMs?: number
}

/** By convention, the most common first. */
export const CLUSTER_LABELS = [
  'cluster',
  'kubernetes_cluster',
  'k8s_cluster',
  'cluster_name',
  'k8s_cluster_name',
  'cluster_id',
]
export const INSTANCE_LABELS = ['instance', 'node', 'host', 'hostname', 'pod', 'server']

/** Finds clusters and servers in the series that each server has exactly once (`CLOCK`). `wish` overrides labels. */
export function discover(clocks: readonly PromSeries[], wish: Partial<TargetLabels> = {}): Discovery {
  const sets = clocks.map(({ labels }) => labels)
  const labels = labelsIn(sets, wish)
  const clusters = new Map<string | undefined, Map<string, PromSeries[]>>()
  for (const clock of clocks) {
    const { cluster, instance } = placeOf(clock.labels, labels)
    const servers = clusters.get(cluster) ?? new Map<string, PromSeries[]>()
    clusters.set(cluster, servers)
    servers.set(instance, [...(servers.get(instance) ?? []), clock])
  }
  const intervalMs = usualDistance(clocks)
  return {
    labels,
    choices: targetsOf(clocks).labels,
    clusters: [...clusters]
      .toSorted(([a = ''], [b = '']) => byCodeUnits(a, b))
      .map(([name, servers]) => ({
        ...(name !== undefined && { name }),
        servers: [...servers]
          .toSorted(([a], [b]) => byCodeUnits(a, b))
          .map(([instance, own]) => serverOf(instance, own)),
      })),
    ...(intervalMs !== undefined && { intervalMs }),
  }
}

function serverOf(instance: string, clocks: readonly PromSeries[]): FoundServer {
  const intervalMs = usualDistance(clocks)
  return {
    instance,
    lastAt: Math.max(0, ...clocks.map(({ times }) => times.at(-1) ?? 0)),
    ...(intervalMs !== undefined && { intervalMs }),
  }
}

/** Cluster and server of a series according to these labels; a missing label is empty, as in Prometheus. */
export function placeOf(set: Labels, { cluster, instance }: TargetLabels): { cluster?: string; instance: string } {
  return { ...(cluster !== undefined && { cluster: set[cluster] ?? '' }), instance: set[instance] ?? '' }
}

/**
 * How to distinguish targets, including those of several Prometheus replicas: the labels that were added to their
 * clocks, and a key of a series made of them.
 */
export function targetsOf(clocks: readonly PromSeries[]): {
  readonly labels: string[]
  readonly keyOf: (series: Pick<PromSeries, 'labels'>) => string
} {
  const names = [...new Set(clocks.flatMap(({ labels }) => addedLabels(labels)))].toSorted(byCodeUnits)
  return { labels: names, keyOf: ({ labels }) => JSON.stringify(names.map((name) => labels[name] ?? '')) }
}

/** The labels of a series that are not on its metrics page. */
const addedLabels = (set: Labels): string[] => Object.keys(set).filter((name) => !isPageLabel(name))

function labelsIn(sets: readonly Labels[], wish: Partial<TargetLabels>): TargetLabels {
  const cluster = wish.cluster ?? CLUSTER_LABELS.find((name) => sets.some((set) => set[name] !== undefined))
  // All servers have it, and it separates as many of them as any other label does.
  const present = INSTANCE_LABELS.filter((name) => sets.every((set) => (set[name] ?? '') !== ''))
  const apart = (name: string): number => new Set(sets.map((set) => set[name])).size
  const most = Math.max(0, ...present.map(apart))
  const instance = wish.instance ?? present.find((name) => apart(name) === most) ?? 'instance'
  return { ...(cluster !== undefined && { cluster }), instance }
}
