import { type AggregateLevel, type SpreadOverServers, peakOverMean } from '../frame/aggregate.ts'
import { isExempt, sumOfKnown } from '../frame/reading.ts'
import { needAttention, type LevelRow } from './levelRows.ts'

/** One level on all servers, side by side. */
export interface AcrossRow {
  readonly name: string
  readonly exempt: boolean
  /** The level's row on each server that has it, by server id. */
  readonly on: Readonly<Record<string, LevelRow>>
  readonly rejectingOn: readonly string[]
  readonly queueingOn: readonly string[]
  /** `undefined`: no server reports it. */
  readonly executing: boolean | undefined
  /** Executing seats of the busiest server over the mean; absent while the mean is too small for a ratio. */
  readonly peakOverMean: number | undefined
  readonly queuedSeats: number | undefined
  readonly rejectedPerSecond: number | undefined
}

/** Below this mean of executing seats a ratio between servers is chance. */
const LEAST_MEAN = 2

export interface ServerRows {
  readonly id: string
  readonly rows: readonly LevelRow[]
}

/** Levels of all servers in their fixed order. */
export function acrossRows(
  servers: readonly ServerRows[],
  compare: (a: string, b: string) => number,
): readonly AcrossRow[] {
  const names = [...new Set(servers.flatMap(({ rows }) => rows.map(({ name }) => name)))].toSorted(compare)
  return names.map((name): AcrossRow => {
    const entries = servers.flatMap(({ id, rows }) => {
      const row = rows.find((candidate) => candidate.name === name)
      return row === undefined ? [] : [[id, row] as const]
    })
    const rows = entries.map(([, row]) => row)
    const executing = rows.map(({ seats }) => seats.executing)
    const mean = executing.reduce<number>((sum, seats) => sum + (seats ?? 0), 0) / Math.max(1, rows.length)
    const where = (state: 'rejecting' | 'queueing') =>
      entries.filter(([, row]) => row.states.includes(state)).map(([id]) => id)
    return {
      name,
      exempt: isExempt({ name }),
      on: Object.fromEntries(entries),
      rejectingOn: where('rejecting'),
      queueingOn: where('queueing'),
      executing: executing.every((seats) => seats === undefined)
        ? undefined
        : executing.some((seats) => (seats ?? 0) > 0),
      peakOverMean: mean > LEAST_MEAN ? peakOverMean(executing) : undefined,
      queuedSeats: sumOfKnown(rows.map(({ seats }) => seats.queued)),
      rejectedPerSecond: sumOfKnown(rows.map((row) => row.rejectedPerSecond)),
    }
  })
}

/** At most this many copies are shown above the ruled line. */
export const MOST_PINNED = 6

/** Names of the levels that need attention on some server, worst first, and how many did not fit. */
export function pinnedNames(servers: readonly ServerRows[]): {
  readonly names: readonly string[]
  readonly more: number
} {
  const names = [...new Set(needAttention(servers.flatMap(({ rows }) => rows)).map(({ name }) => name))]
  return { names: names.slice(0, MOST_PINNED), more: Math.max(0, names.length - MOST_PINNED) }
}

/** The smallest and the largest of a limit over the servers: limits are per server and not averaged. */
export function spreadText(spread: SpreadOverServers | undefined): string | undefined {
  if (spread === undefined) return undefined
  return spread.min === spread.max ? `${spread.min} each` : `${spread.min} to ${spread.max}`
}

/** Requests rejected per second on all servers; `undefined` while no server reports it. */
export function rejectedSum({ rejectedPerSecondSums: sums }: AggregateLevel): number | undefined {
  const parts = [sums['queue-full'], sums['concurrency-limit'], sums['time-out']]
  return sumOfKnown(parts.map((part) => part?.sum))
}

/**
 * The server that the Busiest view shows. It stays with the present one until another is clearly busier, so that the
 * view does not jump between two that are alike.
 */
export function busiestServer(
  loads: readonly { readonly id: string; readonly executing: number | undefined }[],
  present: string | undefined,
): string | undefined {
  const clearly = 1.1
  const peak = loads.reduce<(typeof loads)[number] | undefined>(
    (best, load) => ((load.executing ?? -1) > (best?.executing ?? -1) ? load : best),
    undefined,
  )
  const now = loads.find(({ id }) => id === present)
  const stays = now?.executing !== undefined && (peak?.executing ?? 0) <= now.executing * clearly
  return stays ? now.id : (peak?.id ?? loads[0]?.id)
}

/** How busy one server is, in seats. `undefined` is unknown. */
export interface ServerLoad {
  readonly id: string
  /** Exempt included. */
  readonly executing: number | undefined
  /** Sum of nominal limits. */
  readonly nominal: number | undefined
  readonly queuedSeats: number | undefined
}

export interface ServerStrip {
  readonly loads: readonly ServerLoad[]
  readonly busiest: ServerLoad | undefined
  /** Executing seats of the busiest server over the mean of all; absent when unknown or nothing executes. */
  readonly peakOverMean: number | undefined
}

export function serverStrip(loads: readonly ServerLoad[]): ServerStrip {
  const known = loads.filter((load) => load.executing !== undefined)
  const busiest = known.toSorted((a, b) => (b.executing ?? 0) - (a.executing ?? 0))[0]
  return { loads, busiest, peakOverMean: peakOverMean(loads.map((load) => load.executing)) }
}

/** With more servers than this a table only has columns for three of them. */
const MOST_COLUMNS = 8

type ServerRole = 'busiest' | 'median' | 'idlest'

export interface ServerColumn {
  readonly id: string
  /** Why this one was chosen, when not all are shown. */
  readonly role: ServerRole | undefined
}

/** The servers that get a column: all of up to eight, else the busiest, the median and the idlest. */
export function serverColumns(loads: readonly ServerLoad[]): readonly ServerColumn[] {
  if (loads.length <= MOST_COLUMNS) return loads.map(({ id }) => ({ id, role: undefined }))
  const sorted = loads.toSorted((a, b) => (b.executing ?? -1) - (a.executing ?? -1) || (a.id < b.id ? -1 : 1))
  const at = (index: number, role: ServerRole) => ({ id: sorted[index]?.id ?? '', role })
  return [at(0, 'busiest'), at(Math.floor(sorted.length / 2), 'median'), at(sorted.length - 1, 'idlest')]
}
