import {
  amount,
  counted,
  numberColumns,
  phrase,
  textColumns,
  type Answer,
  type Sentence,
  type Table,
} from '../answer/answer.ts'
import { plural } from '../text/format.ts'
import { driftText } from './configuration.ts'
import { countFleet, worstOf, type ClusterRow, type FleetState, type ServerRow } from './fleet.ts'
import type { FleetLine } from './lines.ts'

/** The present state of the fleet, additional facts, and the lines of its table. */
export function presentFleet(clusters: readonly ClusterRow[], lines: readonly FleetLine[] = []): Answer {
  const counts = countFleet(clusters)
  const worst = worstOf(clusters)
  const all = counted(counts.clusters, 'cluster')
  if (worst === undefined) return { title: ['No cluster is connected.'], evidence: [], tables: [] }
  const { clustersIn } = counts
  const unknown = clusters.filter(({ state }) => state === 'unknown').length
  const title =
    clustersIn('rejecting') > 0
      ? [ofAll(clustersIn('rejecting'), counts.clusters, 'rejecting requests')]
      : clustersIn('queueing') > 0
        ? [ofAll(clustersIn('queueing'), counts.clusters, 'queueing requests')]
        : notCurrent(clusters) === counts.clusters
          ? phrase`No cluster of ${all} has a current sample.`
          : unknown === counts.clusters
            ? clusters.every(({ servers }) => servers.every(isBare))
              ? phrase`The levels of ${all} are not reported.`
              : phrase`Whether requests wait in ${all} is unknown.`
            : [`No cluster is rejecting or queueing requests${unknown > 0 ? ', as far as is shown' : ''}.`]
  const differing = clusters.filter(({ source: { drift } }) => drift !== undefined && drift.levels + drift.schemas > 0)
  const parts = [
    ...(differing.length === 0
      ? []
      : [phrase`${counted(differing.length, 'cluster differs', 'clusters differ')} from the reference configuration.`]),
    ...troubleWith('failing', 'cannot be read', clusters),
    ...troubleWith('stale', 'missed three samples in a row', clusters),
    ...troubleWith('connecting', 'has no sample yet', clusters),
    ...troubleWith('unknown', 'has no priority levels', clusters, isBare),
    ...troubleWith('unknown', 'does not show what waits', clusters, (server) => !isBare(server)),
  ]
  return {
    title,
    evidence: [
      ...(clustersIn('rejecting') + clustersIn('queueing') > 0 ? [where(worst)] : []),
      ...(parts.length > 0 ? parts : [phrase`${all}, ${counted(counts.servers, 'server')}, all current.`]),
    ],
    tables: [tableOf(lines)].filter(({ rows }) => rows.length > 0),
  }
}

const ofAll = (n: number, all: number, what: string): string =>
  n === all && n === 1 ? `The cluster is ${what}.` : `${n} of ${all} clusters ${plural(n, 'is', 'are')} ${what}.`

function where({ source, worst }: ClusterRow): Sentence {
  const level = worst?.worst
  if (worst === undefined || level === undefined) return []
  const much =
    level.rejected !== undefined && level.rejected > 0
      ? phrase`${amount('rate')(level.rejected)} rejected`
      : counted(level.queued ?? 0, 'request waits', 'requests wait')
  return phrase`Worst: ${source.name}, ${level.level} on ${worst.server}, ${much}.`
}

const isBare = ({ levelCount }: ServerRow): boolean => levelCount === 0

const notCurrent = (clusters: readonly ClusterRow[]): number =>
  clusters.filter(({ state }) => state === 'failing' || state === 'stale' || state === 'connecting').length

/** One server by name, several by their number. */
function troubleWith(
  state: FleetState,
  what: string,
  clusters: readonly ClusterRow[],
  isMeant: (server: ServerRow) => boolean = () => true,
): readonly Sentence[] {
  const found = clusters.flatMap(({ source, servers }) =>
    servers.filter((server) => server.state === state && isMeant(server)).map(({ server }) => ({ source, server })),
  )
  const [first] = found
  if (first === undefined) return []
  if (found.length === 1) return [[`${first.server} of ${first.source.name} ${what}.`]]
  const sources = new Set(found.map(({ source }) => source.id)).size
  return [
    phrase`${String(found.length)} servers of ${counted(sources, 'cluster')} ${what.replace(/^has /, 'have ').replace(/^does /, 'do ')}.`,
  ]
}

const tableOf = (lines: readonly FleetLine[]): Table => ({
  title: 'Clusters',
  note: 'rates over about 10 s, waits over about 30 s',
  columns: [
    { id: 'name', label: 'Cluster' },
    ...numberColumns('Servers'),
    { id: 'state', label: 'State' },
    { id: 'worst', label: 'Worst' },
    ...numberColumns('Saturation', 'Rejected', 'Queued', 'Wait p99'),
    ...textColumns('Drift', 'Version', 'Problem'),
  ],
  rows: lines.map((line) => {
    const [name, servers, worst, ...about] = cellsOf(line)
    return [
      name,
      servers,
      line.state,
      worst,
      amount('percent')(line.saturation),
      amount('rate')(line.rejected),
      amount('fixed')(line.queued),
      amount('seconds')(line.waitP99),
      ...about,
    ]
  }),
})

type Named = readonly [name: string, servers: string, worst: Sentence, drift: string, version: string, problem: string]

function cellsOf(line: FleetLine): Named {
  switch (line.kind) {
    case 'group':
      return [line.name, String(line.clusters.length), [], '', '', '']
    case 'cluster': {
      const { source, servers, worst, versions, problem } = line
      const level = worst?.worst === undefined ? [] : [`${worst.worst.level} on ${worst.server}`]
      const drift = source.drift === undefined ? '-' : driftText(source.drift)
      return [source.name, String(servers.length), level, drift, versions.join(', '), problem?.message ?? '']
    }
    case 'server':
      return [`  ${line.server}`, '', [line.worst?.level ?? ''], '', line.version ?? '', line.problem?.message ?? '']
    case 'level': {
      const { level, executing, limit } = line
      const seats = limit === undefined ? [] : phrase`${amount('fixed')(executing)} of ${amount('fixed')(limit)} seats`
      return [`    ${level}`, '', seats, '', '', '']
    }
  }
}
