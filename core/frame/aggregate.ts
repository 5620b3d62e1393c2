import { byCodeUnits } from '../text/text.ts'
import type { Seats } from '../units.ts'
import type { DerivedLevel, DerivedServer } from './derived.ts'
import type { LevelFrame, Limits, Rejected, ServerFrame } from './frame.ts'
import { dispatchRate, recentRejected } from './recent.ts'

/** A sum over the servers that report the number, and their count. */
export interface SumOverServers {
  readonly sum: number
  readonly servers: number
}

/** How a number differs between the servers that report it: limits are per server and are never averaged silently. */
export interface SpreadOverServers {
  readonly min: number
  readonly mean: number
  readonly max: number
  readonly servers: number
}

export interface AggregateLevel {
  readonly name: string
  readonly limitSpread: Readonly<Record<keyof Limits, SpreadOverServers | undefined>>
  readonly seatSums: { readonly executing: SumOverServers | undefined; readonly queued: SumOverServers | undefined }
  readonly requestSums: { readonly executing: SumOverServers | undefined; readonly queued: SumOverServers | undefined }
  /** Rates over the window of the present, about 10 s. */
  readonly dispatchedPerSecondSum: SumOverServers | undefined
  readonly rejectedPerSecondSums: Readonly<Record<keyof Rejected, SumOverServers | undefined>>
  /** Peak ÷ mean of executing seats over servers: 1 is balanced; the number of servers means that all are on one. */
  readonly imbalance: number | undefined
}

/** Several servers as one; every number specifies how it was computed. */
export interface Aggregate {
  readonly servers: number
  /** Sorted by name. */
  readonly levels: readonly AggregateLevel[]
  /** For executing seats over all levels; absent while nothing executes or seats are not reported. */
  readonly imbalance: Imbalance | undefined
}

/** Frames of the servers of one source at about one instant, with what was derived for them (matched by id). */
export function aggregate(frames: readonly ServerFrame[], derived: readonly DerivedServer[] = []): Aggregate {
  const derivedLevels = new Map(
    derived.flatMap((server) => server.levels.map((level) => [`${level.name}\u0000${server.id}`, level] as const)),
  )
  const levels = new Map<string, { readonly level: LevelFrame; readonly derived: DerivedLevel | undefined }[]>()
  for (const frame of frames) {
    for (const level of frame.levels) {
      const members = levels.get(level.name) ?? []
      levels.set(level.name, members)
      members.push({ level, derived: derivedLevels.get(`${level.name}\u0000${frame.id}`) })
    }
  }
  return {
    servers: frames.length,
    levels: [...levels.keys()].toSorted(byCodeUnits).map((name) => aggregateLevel(name, levels.get(name) ?? [])),
    imbalance: busiest(frames.map((frame) => ({ server: frame.id, seats: executingSeats(frame) }))),
  }
}

function aggregateLevel(
  name: string,
  members: readonly { readonly level: LevelFrame; readonly derived: DerivedLevel | undefined }[],
): AggregateLevel {
  const ofLevels = (value: (level: LevelFrame) => number | undefined) => members.map(({ level }) => value(level))
  const rates = (value: (level: DerivedLevel) => number | undefined) =>
    sum(members.map(({ derived }) => (derived === undefined ? undefined : value(derived))))
  return {
    name,
    limitSpread: {
      nominal: spread(ofLevels(({ limits }) => limits.nominal)),
      lower: spread(ofLevels(({ limits }) => limits.lower)),
      upper: spread(ofLevels(({ limits }) => limits.upper)),
      current: spread(ofLevels(({ limits }) => limits.current)),
    },
    seatSums: {
      executing: sum(ofLevels(({ seats }) => seats.executing)),
      queued: sum(ofLevels(({ seats }) => seats.queued)),
    },
    requestSums: {
      executing: sum(ofLevels(({ requests }) => requests.executing)),
      queued: sum(ofLevels(({ requests }) => requests.queued)),
    },
    dispatchedPerSecondSum: rates(({ recent }) => dispatchRate(recent)),
    rejectedPerSecondSums: {
      'queue-full': rates(({ recent }) => recentRejected(recent)?.['queue-full']),
      'concurrency-limit': rates(({ recent }) => recentRejected(recent)?.['concurrency-limit']),
      'time-out': rates(({ recent }) => recentRejected(recent)?.['time-out']),
    },
    imbalance: imbalanceIndex(reported(ofLevels(({ seats }) => seats.executing))),
  }
}

/** Seats executing on a whole server; `undefined` when it does not report them. */
function executingSeats(frame: ServerFrame): number | undefined {
  return sum(frame.levels.map(({ seats }) => seats.executing))?.sum
}

const reported = (values: readonly (number | undefined)[]): number[] => values.filter((value) => value !== undefined)

function sum(values: readonly (number | undefined)[]): SumOverServers | undefined {
  const known = reported(values)
  if (known.length === 0) return undefined
  return { sum: known.reduce((a, b) => a + b, 0), servers: known.length }
}

function spread(values: readonly (number | undefined)[]): SpreadOverServers | undefined {
  const known = reported(values)
  if (known.length === 0) return undefined
  return {
    min: Math.min(...known),
    mean: known.reduce((a, b) => a + b, 0) / known.length,
    max: Math.max(...known),
    servers: known.length,
  }
}

/**
 * Peak ÷ mean of a number over servers: 1 when they share it evenly, the number of servers when one has it all.
 * `undefined` when the sum is 0: an idle cluster is neither balanced nor unbalanced.
 */
export function imbalanceIndex(values: readonly number[]): number | undefined {
  const total = values.reduce((a, b) => a + b, 0)
  if (!(total > 0)) return undefined
  return Math.max(...values) / (total / values.length)
}

/** The busiest over the mean; absent for a single server, and unless every amount is known and the mean is not 0. */
export function peakOverMean(amounts: readonly (number | undefined)[]): number | undefined {
  const known = amounts.filter((amount) => amount !== undefined)
  return known.length < Math.max(2, amounts.length) ? undefined : imbalanceIndex(known)
}

interface Imbalance {
  readonly index: number
  /** The server with the most executing seats; if there are several, the first by id. */
  readonly busiest: string
  readonly seats: Seats
}

/** Imbalance of executing seats over whole servers; those that do not report them are left out. */
function busiest(
  servers: readonly { readonly server: string; readonly seats: Seats | undefined }[],
): Imbalance | undefined {
  const known = servers.flatMap(({ server, seats }) => (seats === undefined ? [] : [{ server, seats }]))
  const index = imbalanceIndex(known.map(({ seats }) => seats))
  if (index === undefined) return undefined
  const peak = known.reduce((a, b) => (b.seats > a.seats || (b.seats === a.seats && b.server < a.server) ? b : a))
  return { index, busiest: peak.server, seats: peak.seats }
}
