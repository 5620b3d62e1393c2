import { plain, plural } from '../text/format.ts'
import { countFleet, worstOf, type ClusterRow, type FleetState } from './fleet.ts'

/** The present state of the fleet, then additional facts. `rate` formats requests per second with their unit. */
export function fleetSentence(
  clusters: readonly ClusterRow[],
  rate: (perSecond: number) => string,
): { readonly title: string; readonly evidence: string } {
  const counts = countFleet(clusters)
  const worst = worstOf(clusters)
  const all = plain.counted(counts.clusters, 'cluster')
  if (worst === undefined) return { title: 'No cluster is connected.', evidence: '' }
  const { clustersIn } = counts
  // An etcd proxy has no servers.
  const withoutLevels = clusters.filter(({ state, servers }) => state === 'unknown' && servers.length > 0).length
  const title =
    clustersIn('rejecting') > 0
      ? `${ofAll(clustersIn('rejecting'), counts.clusters, 'rejecting requests')} ${where(worst, rate)}`
      : clustersIn('queueing') > 0
        ? `${ofAll(clustersIn('queueing'), counts.clusters, 'queueing requests')} ${where(worst, rate)}`
        : notCurrent(clusters) === counts.clusters
          ? `No cluster of ${all} has a current sample.`
          : withoutLevels === counts.clusters
            ? `The levels of ${all} are not reported.`
            : `No cluster is rejecting or queueing requests${withoutLevels > 0 ? ', as far as levels are reported' : ''}.`
  const differing = clusters.filter(({ source: { drift } }) => drift !== undefined && drift.levels + drift.schemas > 0)
  const parts = [
    ...(differing.length === 0
      ? []
      : [`${plain.counted(differing.length, 'cluster differs', 'clusters differ')} from the reference configuration.`]),
    ...troubleWith('failing', 'cannot be read', clusters),
    ...troubleWith('stale', 'missed three samples in a row', clusters),
    ...troubleWith('connecting', 'has no sample yet', clusters),
    ...troubleWith('unknown', 'has no priority levels', clusters),
  ]
  return {
    title,
    evidence: parts.join(' ') || `${all}, ${plain.counted(counts.servers, 'server', 'servers')}, all current.`,
  }
}

const ofAll = (n: number, all: number, what: string): string =>
  n === all && n === 1 ? `The cluster is ${what}.` : `${n} of ${all} clusters ${plural(n, 'is', 'are')} ${what}.`

function where({ source, worst }: ClusterRow, rate: (perSecond: number) => string): string {
  const level = worst?.worst
  if (worst === undefined || level === undefined) return ''
  const amount =
    level.rejected !== undefined && level.rejected > 0
      ? `${rate(level.rejected)} rejected`
      : plain.counted(level.queued ?? 0, 'request waits', 'requests wait')
  return `Worst: ${source.name}, ${level.level} on ${worst.server}, ${amount}.`
}

const notCurrent = (clusters: readonly ClusterRow[]): number =>
  clusters.filter(({ state }) => state === 'failing' || state === 'stale' || state === 'connecting').length

/** One server by name, several by their number. */
function troubleWith(state: FleetState, what: string, clusters: readonly ClusterRow[]): string[] {
  const found = clusters.flatMap(({ source, servers }) =>
    servers.filter((server) => server.state === state).map(({ server }) => ({ source, server })),
  )
  const [first] = found
  if (first === undefined) return []
  if (found.length === 1) return [`${first.server} of ${first.source.name} ${what}.`]
  const sources = new Set(found.map(({ source }) => source.id)).size
  return [
    `${found.length} servers of ${plain.counted(sources, 'cluster', 'clusters')} ${what.replace(/^has /, 'have ')}.`,
  ]
}
