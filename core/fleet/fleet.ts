import type { ServerSummary } from '../contract/fleet.ts'
import type { Problem } from '../errors.ts'
import type { Connected, ServerHealth } from '../contract/source.ts'
import { LEVEL_STATES, type LevelState } from '../frame/recent.ts'
import { byCodeUnits } from '../text/text.ts'
import type { ConfigurationDrift } from './configuration.ts'
import { saturationOf } from './summary.ts'

/**
 * State of a row: that of its worst level, unless its numbers are not current. `failing`: the source cannot be read;
 * `stale`: three samples are missing; `connecting`: no sample yet.
 */
export type FleetState = LevelState | 'failing' | 'stale' | 'connecting'

/** The worst first. */
export const FLEET_STATES: readonly FleetState[] = [
  'rejecting',
  'queueing',
  'failing',
  'stale',
  'connecting',
  ...LEVEL_STATES.filter((state) => state !== 'rejecting' && state !== 'queueing'),
]

/** Numbers of every row; `undefined` is unknown or not applicable. */
export interface FleetNumbers {
  /** Executing seats over the current limit; for a row of several levels, of the busiest one. */
  readonly saturation: number | undefined
  /** Requests per second, over about the last 10 s; the sum over the levels of the row. */
  readonly rejected: number | undefined
  /** Requests that wait; the sum over the levels of the row. */
  readonly queued: number | undefined
  /** Seconds; the longest of the levels of the row. */
  readonly waitP99: number | undefined
}

interface Row extends FleetNumbers {
  /** Unique within the fleet. */
  readonly key: string
  readonly source: FleetSource
  readonly state: FleetState
}

export interface LevelRow extends Row {
  readonly kind: 'level'
  readonly server: string
  readonly level: string
  /** Of the level itself, the worst first, whether or not the sample is current. */
  readonly states: readonly LevelState[]
  readonly executing: number | undefined
  readonly limit: number | undefined
  readonly nominal: number | undefined
}

export interface ServerRow extends Row {
  readonly kind: 'server'
  readonly server: string
  /** gitVersion. */
  readonly version: string | undefined
  /** Unix milliseconds of the sample. */
  readonly at: number | undefined
  /** Number of its levels; `levels` are computed on access, because most rows are never opened. */
  readonly levelCount: number
  readonly levels: readonly LevelRow[]
  /** The level to open first. */
  readonly worst: LevelRow | undefined
  readonly trend: ServerSummary['trend']
  /** Why the server cannot be read. */
  readonly problem: Problem | undefined
}

export interface ClusterRow extends Row {
  readonly kind: 'cluster'
  readonly servers: readonly ServerRow[]
  /** The server to open first; its worst level, trend and age represent the cluster. */
  readonly worst: ServerRow | undefined
  /** Distinct versions, in their order. */
  readonly versions: readonly string[]
  readonly problem: Problem | undefined
}

/** The data of one connected source. */
export interface FleetSource extends Pick<Connected, 'id' | 'still'> {
  readonly name: string
  /** How it is read. */
  readonly via: string
  readonly health: readonly ServerHealth[]
  /** Absent before the first one. */
  readonly servers: readonly ServerSummary[] | undefined
  /** For a source that reads several clusters: this one. */
  readonly cluster?: string | undefined
  /** `servers` are all its servers; health that belongs to none of them applies to each. */
  readonly whole?: boolean | undefined
  /** Differences of its objects from the reference; absent if they cannot be read. */
  readonly drift?: ConfigurationDrift | undefined
  /** Milliseconds without a sample after which its numbers are not current. */
  readonly staleAfterMs: number
}

/**
 * Rows of all sources in the given order, one for each cluster. `now` is Unix milliseconds by the clock of the samples.
 */
export const fleetRows = (sources: readonly FleetSource[], now: number): readonly ClusterRow[] =>
  sources.flatMap(clustersOf).map((source) => {
    const known = new Map(source.servers?.map((server) => [server.id, server]))
    const health = new Map(source.health.map((server) => [server.id, server]))
    const ids = source.whole === true ? [...known.keys()] : [...new Set([...known.keys(), ...health.keys()])]
    const ofAll = source.whole === true ? source.health.find(({ id }) => !known.has(id)) : undefined
    return clusterRow(
      source,
      ids.toSorted(byCodeUnits).map((id) => serverRow(source, id, known.get(id), health.get(id) ?? ofAll, now)),
    )
  })

/** A source that reads several clusters has one row for each. */
function clustersOf(source: FleetSource): readonly FleetSource[] {
  const clusters = Map.groupBy(source.servers ?? [], ({ cluster }) => cluster)
  return [...clusters.keys()].every((name) => name === undefined)
    ? [source]
    : [...clusters].map(([cluster, servers]) => ({
        ...source,
        cluster,
        // Series without the label belong to a cluster without a name.
        name: cluster === undefined || cluster === '' ? source.name : cluster,
        servers,
      }))
}

/** Unique among clusters. */
const keyOf = ({ id, cluster }: FleetSource): string => (cluster === undefined ? String(id) : `${id} ${cluster}`)

function clusterRow(source: FleetSource, servers: readonly ServerRow[]): ClusterRow {
  const worst = worstOf(servers)
  return {
    kind: 'cluster',
    key: keyOf(source),
    source,
    state: worst?.state ?? 'connecting',
    // Servers that cannot be read count only where none can: then the row is as old as its age says.
    ...numbersOf(servers.some(isCurrent) ? servers.filter(isCurrent) : servers),
    servers,
    worst,
    versions: [...new Set(servers.flatMap(({ version }) => version ?? []))].toSorted(byCodeUnits),
    problem: servers.find(({ problem }) => problem !== undefined)?.problem,
  }
}

function serverRow(
  source: FleetSource,
  id: string,
  summary: ServerSummary | undefined,
  health: ServerHealth | undefined,
  now: number,
): ServerRow {
  const old = summary === undefined || (!source.still && now - summary.at >= source.staleAfterMs)
  const failure = health?.status === 'failing' ? health.failures.at(-1)?.problem : undefined
  const notCurrent = !old
    ? undefined
    : failure !== undefined
      ? 'failing'
      : summary === undefined
        ? 'connecting'
        : 'stale'
  let levels: readonly LevelRow[] | undefined
  const worst = summary === undefined ? undefined : worstLevel(source, summary, notCurrent)
  return {
    kind: 'server',
    key: `${keyOf(source)} ${id}`,
    source,
    server: id,
    state: notCurrent ?? worst?.state ?? 'unknown',
    ...(summary === undefined ? numbersOf([]) : summaryNumbers(summary)),
    version: summary?.version,
    at: summary?.at,
    levelCount: summary?.levels.length ?? 0,
    get levels() {
      levels ??= (summary?.levels ?? []).flatMap((_, index) =>
        summary === undefined ? [] : [levelRow(source, summary, index, notCurrent)],
      )
      return levels
    },
    worst,
    trend: summary?.trend ?? [],
    problem: old ? failure : undefined,
  }
}

/** The same numbers as `numbersOf` its level rows. */
function summaryNumbers({ executing, limit, rejected, queued, waitP99 }: ServerSummary): FleetNumbers {
  let [saturation, longest]: (number | undefined)[] = []
  let [rejections, waiting]: (number | undefined)[] = []
  for (let index = 0; index < executing.length; index++) {
    const share = saturationOf(executing[index] ?? null, limit[index] ?? null)
    if (share !== null) saturation = Math.max(saturation ?? share, share)
    const wait = waitP99[index] ?? undefined
    if (wait !== undefined) longest = Math.max(longest ?? wait, wait)
    const [rate, requests] = [rejected[index] ?? undefined, queued[index] ?? undefined]
    if (rate !== undefined) rejections = (rejections ?? 0) + rate
    if (requests !== undefined) waiting = (waiting ?? 0) + requests
  }
  return { saturation, rejected: rejections, queued: waiting, waitP99: longest }
}

/** The row of the level to open first: only levels in the worst state are compared. */
function worstLevel(
  source: FleetSource,
  summary: ServerSummary,
  notCurrent: FleetState | undefined,
): LevelRow | undefined {
  const ranks = summary.states.map((states) => RANK.get(states[0] ?? 'unknown') ?? 0)
  const worst = notCurrent === undefined ? Math.min(...ranks) : undefined
  return worstOf(
    ranks.flatMap((rank, index) =>
      worst === undefined || rank === worst ? [levelRow(source, summary, index, notCurrent)] : [],
    ),
  )
}

function levelRow(
  source: FleetSource,
  summary: ServerSummary,
  index: number,
  notCurrent: FleetState | undefined,
): LevelRow {
  const level = summary.levels[index] ?? ''
  const states = summary.states[index] ?? []
  const [executing, limit] = [summary.executing[index] ?? null, summary.limit[index] ?? null]
  return {
    kind: 'level',
    key: `${keyOf(source)} ${summary.id} ${level}`,
    source,
    server: summary.id,
    level,
    states,
    state: notCurrent ?? states[0] ?? 'unknown',
    executing: executing ?? undefined,
    limit: limit ?? undefined,
    nominal: summary.nominal[index] ?? undefined,
    saturation: saturationOf(executing, limit) ?? undefined,
    rejected: summary.rejected[index] ?? undefined,
    queued: summary.queued[index] ?? undefined,
    waitP99: summary.waitP99[index] ?? undefined,
  }
}

const isCurrent = ({ state }: ServerRow): boolean => !['stale', 'failing', 'connecting'].includes(state)

/** Of all servers that have a current sample. */
export const currentNumbers = (clusters: readonly ClusterRow[]): FleetNumbers =>
  numbersOf(clusters.flatMap(({ servers }) => servers).filter(isCurrent))

/**
 * Aggregates several rows: sums of additive numbers, the maximum of others; a number that one row does not report is
 * left out.
 */
function numbersOf(rows: readonly FleetNumbers[]): FleetNumbers {
  const sum = (pick: (row: FleetNumbers) => number | undefined): number | undefined => fold(rows, pick, (a, b) => a + b)
  const most = (pick: (row: FleetNumbers) => number | undefined): number | undefined => fold(rows, pick, Math.max)
  return {
    saturation: most(({ saturation }) => saturation),
    rejected: sum(({ rejected }) => rejected),
    queued: sum(({ queued }) => queued),
    waitP99: most(({ waitP99 }) => waitP99),
  }
}

function fold(
  rows: readonly FleetNumbers[],
  pick: (row: FleetNumbers) => number | undefined,
  join: (a: number, b: number) => number,
): number | undefined {
  let all: number | undefined
  for (const row of rows) {
    const value = pick(row)
    if (value !== undefined) all = all === undefined ? value : join(all, value)
  }
  return all
}

const RANK = new Map(FLEET_STATES.map((state, index) => [state, index]))

type Compared = FleetNumbers & { readonly state: FleetState }

/** The worst first: by state, then rejections, queued requests, saturation. */
export function compareByTrouble(a: Compared, b: Compared): number {
  return (
    (RANK.get(a.state) ?? 0) - (RANK.get(b.state) ?? 0) ||
    (b.rejected ?? 0) - (a.rejected ?? 0) ||
    (b.queued ?? 0) - (a.queued ?? 0) ||
    (b.saturation ?? -1) - (a.saturation ?? -1)
  )
}

/** The row to open first; the first of equals. */
export const worstOf = <R extends Compared>(rows: readonly R[]): R | undefined =>
  rows.reduce<R | undefined>(
    (worst, row) => (worst === undefined || compareByTrouble(row, worst) < 0 ? row : worst),
    undefined,
  )

/** How many clusters and servers are in each state. */
export interface FleetCounts {
  readonly clusters: number
  readonly servers: number
  readonly clustersIn: (state: FleetState) => number
  readonly serversIn: (state: FleetState) => number
}

export function countFleet(clusters: readonly ClusterRow[]): FleetCounts {
  const servers = clusters.flatMap((cluster) => cluster.servers)
  // A server with a level that rejects often has levels that queue as well: each server counts by its worst level.
  const count = (rows: readonly { readonly state: FleetState }[], state: FleetState): number =>
    rows.filter((row) => row.state === state).length
  return {
    clusters: clusters.length,
    servers: servers.length,
    clustersIn: (state) => count(clusters, state),
    serversIn: (state) => count(servers, state),
  }
}
