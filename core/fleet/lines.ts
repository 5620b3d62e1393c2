import { compileFilter, parseFilter, type Token, type Vocabulary } from '../filter/filter.ts'
import { byCodeUnits } from '../text/text.ts'
import {
  compareByTrouble,
  currentNumbers,
  worstOf,
  type ClusterRow,
  type FleetNumbers,
  type FleetState,
  type LevelRow,
  type ServerRow,
} from './fleet.ts'

/** A heading above clusters with a common property. */
export interface GroupLine extends FleetNumbers {
  readonly kind: 'group'
  readonly key: string
  readonly name: string
  readonly state: FleetState
  readonly clusters: readonly ClusterRow[]
}

export type FleetLine = GroupLine | ClusterRow | ServerRow | LevelRow

export const GROUPINGS = ['none', 'state', 'version', 'source'] as const
export type Grouping = (typeof GROUPINGS)[number]

export const SORTINGS = [
  'worst',
  'name',
  'servers',
  'saturation',
  'rejected',
  'queued',
  'wait',
  'drift',
  'version',
] as const
export type Sorting = (typeof SORTINGS)[number]

/** The searchable text of a level, or of a source without any. */
export interface Searched extends FleetNumbers {
  readonly cluster: string
  readonly server: string
  readonly level: string
  readonly states: readonly string[]
  readonly version: string
  readonly via: string
  readonly drift: number
}

/** `cluster:prod* state:rejecting level:workload-low wait>1s`. */
export const FLEET_VOCABULARY: Vocabulary<Searched> = {
  texts: {
    cluster: { of: ({ cluster }) => cluster },
    server: { of: ({ server }) => server },
    level: { of: ({ level }) => level },
    state: { of: ({ states }) => states.join(' ') },
    version: { of: ({ version }) => version },
    source: { of: ({ via }) => via },
  },
  amounts: {
    wait: { of: ({ waitP99 }) => (waitP99 === undefined ? undefined : waitP99 * 1_000), unit: 'duration' },
    queued: { of: ({ queued }) => queued, unit: 'count' },
    rejected: { of: ({ rejected }) => rejected, unit: 'count' },
    saturation: {
      of: ({ saturation }) => (saturation === undefined ? undefined : saturation * 100),
      unit: 'count',
    },
    drift: { of: ({ drift }) => drift, unit: 'count' },
  },
  free: ({ cluster, server, level, version }) => [cluster, server, level, version],
}

const NOTHING: FleetNumbers = { saturation: undefined, rejected: undefined, queued: undefined, waitP99: undefined }

const searched = (cluster: ClusterRow, server: ServerRow | undefined, level: LevelRow | undefined): Searched => ({
  ...NOTHING,
  ...(level && {
    saturation: level.saturation,
    rejected: level.rejected,
    queued: level.queued,
    waitP99: level.waitP99,
  }),
  cluster: cluster.source.name,
  server: server?.server ?? '',
  level: level?.level ?? '',
  states: [...(level?.states ?? []), ...(server === undefined ? [cluster.state] : [server.state])],
  version: server?.version ?? '',
  via: cluster.source.via,
  drift: driftCount(cluster),
})

const driftCount = ({ source: { drift } }: ClusterRow): number =>
  drift === undefined ? 0 : drift.levels + drift.schemas

/**
 * The part of the fleet that matches a search: clusters with the servers and levels that match, with the numbers of the
 * whole.
 */
export function searchFleet(clusters: readonly ClusterRow[], tokens: readonly Token[]): readonly ClusterRow[] {
  if (tokens.length === 0) return clusters
  const matches = compileFilter(tokens, FLEET_VOCABULARY)
  return clusters.flatMap((cluster): ClusterRow[] => {
    const servers = cluster.servers.flatMap((server): ServerRow[] => {
      if (server.levelCount === 0) return matches(searched(cluster, server, undefined)) ? [server] : []
      const levels = server.levels.filter((level) => matches(searched(cluster, server, level)))
      return levels.length === 0 ? [] : [levels.length === server.levelCount ? server : { ...server, levels }]
    })
    if (servers.length > 0) return [{ ...cluster, servers }]
    return cluster.servers.length === 0 && matches(searched(cluster, undefined, undefined)) ? [cluster] : []
  })
}

export const parseFleetSearch = (text: string): readonly Token[] => parseFilter(text, FLEET_VOCABULARY)

export interface FleetWish {
  readonly group: Grouping
  readonly sort: Sorting
  readonly descending: boolean
  /** Keys of clusters and servers whose parts are listed. */
  readonly open: ReadonlySet<string>
}

/** The lines of the table: groups, clusters, and the servers and levels of expanded ones. */
export function fleetLines(clusters: readonly ClusterRow[], wish: FleetWish): readonly FleetLine[] {
  const compare = comparatorOf(wish)
  const linesOf = (members: readonly ClusterRow[]): readonly FleetLine[] =>
    members
      .toSorted(compare)
      .flatMap((cluster): readonly FleetLine[] => [
        cluster,
        ...(wish.open.has(cluster.key) ? cluster.servers.toSorted(compare) : []).flatMap(
          (server): readonly FleetLine[] => [
            server,
            ...(wish.open.has(server.key) ? server.levels.toSorted(compare) : []),
          ],
        ),
      ])
  if (wish.group === 'none') return linesOf(clusters)
  return groupsOf(clusters, wish.group).flatMap((group) => [group, ...linesOf(group.clusters)])
}

function groupsOf(clusters: readonly ClusterRow[], grouping: Exclude<Grouping, 'none'>): readonly GroupLine[] {
  const members = new Map<string, ClusterRow[]>()
  for (const cluster of clusters) {
    const name = GROUP_OF[grouping](cluster)
    members.set(name, [...(members.get(name) ?? []), cluster])
  }
  return [...members]
    .map(([name, of]) => groupOf(name, of))
    .toSorted((a, b) => (grouping === 'state' ? compareByTrouble(a, b) : 0) || byCodeUnits(a.name, b.name))
}

/** Clusters under one name. */
const groupOf = (name: string, clusters: readonly ClusterRow[]): GroupLine => ({
  kind: 'group',
  key: `group ${name}`,
  name,
  state: worstOf(clusters)?.state ?? 'unknown',
  clusters,
  ...currentNumbers(clusters),
})

/** The same lines in the same order with the current numbers; a line that no longer exists is left out. */
export function linesNow(lines: readonly FleetLine[], clusters: readonly ClusterRow[]): readonly FleetLine[] {
  const now = new Map(clusters.map((cluster) => [cluster.key, cluster]))
  const servers = new Map(clusters.flatMap((cluster) => cluster.servers.map((server) => [server.key, server])))
  const levels = new Map<ServerRow, ReadonlyMap<string, LevelRow>>()
  const levelOf = ({ key, source, server }: LevelRow): LevelRow | undefined => {
    const on = servers.get(`${source.id} ${server}`)
    if (on === undefined) return undefined
    const known = levels.get(on) ?? new Map(on.levels.map((level) => [level.key, level]))
    levels.set(on, known)
    return known.get(key)
  }
  return lines.flatMap((line): readonly FleetLine[] => {
    if (line.kind === 'group')
      return [
        groupOf(
          line.name,
          line.clusters.flatMap(({ key }) => now.get(key) ?? []),
        ),
      ]
    const found =
      line.kind === 'cluster' ? now.get(line.key) : line.kind === 'server' ? servers.get(line.key) : levelOf(line)
    return found === undefined ? [] : [found]
  })
}

const GROUP_OF: Readonly<Record<Exclude<Grouping, 'none'>, (cluster: ClusterRow) => string>> = {
  state: ({ state }) => state,
  version: ({ versions }) => versions.join(', ') || 'unknown version',
  source: ({ source }) => source.via,
}

type Sortable = ClusterRow | ServerRow | LevelRow

/** Rows sorted by one number or text, unknown values last in either direction; equal ones by trouble, then by name. */
function comparatorOf({ sort, descending }: FleetWish): (a: Sortable, b: Sortable) => number {
  const direction = descending ? -1 : 1
  const byName = (a: Sortable, b: Sortable): number => byCodeUnits(nameOf(a), nameOf(b))
  if (sort === 'worst') return (a, b) => direction * compareByTrouble(a, b) || byName(a, b)
  return (a, b) => {
    const [left, right] = [VALUE_OF[sort](a), VALUE_OF[sort](b)]
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined) || byName(a, b)
    }
    const order =
      typeof left === 'number' && typeof right === 'number' ? left - right : byCodeUnits(String(left), String(right))
    return direction * order || compareByTrouble(a, b) || byName(a, b)
  }
}

const VALUE_OF: Readonly<Record<Exclude<Sorting, 'worst'>, (row: Sortable) => number | string | undefined>> = {
  name: (row) => nameOf(row),
  servers: (row) => (row.kind === 'cluster' ? row.servers.length : undefined),
  saturation: ({ saturation }) => saturation,
  rejected: ({ rejected }) => rejected,
  queued: ({ queued }) => queued,
  wait: ({ waitP99 }) => waitP99,
  drift: (row) => (row.kind === 'cluster' && row.source.drift !== undefined ? driftCount(row) : undefined),
  version: (row) => (row.kind === 'cluster' ? row.versions[0] : row.kind === 'server' ? row.version : undefined),
}

const nameOf = (row: Sortable): string =>
  row.kind === 'cluster' ? row.source.name : row.kind === 'server' ? row.server : row.level
