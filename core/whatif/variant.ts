import type { ObjectSet } from '../config/objects.ts'
import { CODEL, type CodelRules } from '../engine/codel.ts'
import { type Algorithm, AS_UPSTREAM, NEWEST_VERSION, rulesOf } from '../engine/profiles.ts'
import { UPSTREAM_COSTS, type CostConstants } from '../engine/workEstimator.ts'
import type { RunOptions } from '../run/run.ts'
import { msToNs, nsToSeconds, type Nanoseconds, type Seats, type UnixMs } from '../units.ts'

/**
 * One way to run the API servers: the settings in which a baseline and its candidates differ. What a seat stands for is
 * upstream’s where absent.
 */
export interface Variant extends Partial<CostConstants> {
  readonly name: string
  readonly objects: ObjectSet
  readonly maxRequestsInFlight: Seats
  readonly maxMutatingRequestsInFlight: Seats
  /** Each has these limits; a user always uses the server that the hash of its name selects. */
  readonly servers: number
  /** gitVersion whose rules apply. */
  readonly version: string
  readonly algorithm: Algorithm
  /** Multiplies every execution time. */
  readonly executionFactor: number
  /** The part of the requests that clients send; all of them if absent. */
  readonly requestFactor?: number
  /** Of the algorithm `codel`; the published figures if absent. */
  readonly codelTargetMs?: number
  readonly codelIntervalMs?: number
}

/** A server without options, with its own objects. */
export const defaultVariant = (name: string, objects: ObjectSet): Variant => ({
  name,
  objects,
  maxRequestsInFlight: 400,
  maxMutatingRequestsInFlight: 200,
  servers: 1,
  version: NEWEST_VERSION,
  algorithm: 'upstream',
  executionFactor: 1,
})

/** Limits are recomputed every ten seconds; the recomputations of four days are kept. */
const ADJUSTMENT_SECONDS = 10
const MOST_ADJUSTMENTS = 35_000

export const engineOptions = (variant: Variant, startUnixMs: UnixMs, endNs: Nanoseconds): RunOptions => ({
  ...withConstants(rulesOf(variant.algorithm, variant.version), variant),
  maxRequestsInFlight: variant.maxRequestsInFlight,
  maxMutatingRequestsInFlight: variant.maxMutatingRequestsInFlight,
  corrections: AS_UPSTREAM,
  startUnixMs,
  keepAdjustments: Math.min(MOST_ADJUSTMENTS, Math.ceil(nsToSeconds(endNs) / ADJUSTMENT_SECONDS) + 10),
})

const withConstants = ({ mode, profile }: ReturnType<typeof rulesOf>, variant: Variant) => {
  const { objectsPerSeat, bytesPerSeat, watchesPerSeat } = { ...UPSTREAM_COSTS, ...variant }
  const costs = { objectsPerSeat, bytesPerSeat, watchesPerSeat }
  const codel = codelOf(variant)
  const queuing = codel === undefined ? profile.queuing : { ...profile.queuing, codel }
  return { mode, profile: { ...profile, queuing, estimator: { ...profile.estimator, costs } } }
}

/** When its queues drop; `undefined` if they do not. */
export const codelOf = ({
  algorithm,
  codelTargetMs,
  codelIntervalMs,
}: Pick<Variant, 'algorithm' | 'codelTargetMs' | 'codelIntervalMs'>): CodelRules | undefined =>
  algorithm === 'codel'
    ? {
        targetNs: codelTargetMs === undefined ? CODEL.targetNs : msToNs(codelTargetMs),
        intervalNs: codelIntervalMs === undefined ? CODEL.intervalNs : msToNs(codelIntervalMs),
      }
    : undefined

/** Chance, the same on every machine, decides which requests of the list are sent. */
export const isSent = ({ requestFactor = 1 }: Variant, index: number): boolean =>
  requestFactor >= 1 || serverOf(String(index), OF_REQUESTS) < requestFactor * OF_REQUESTS
const OF_REQUESTS = 10_000

/** FNV-1a: selects the server of a user, the same on every machine. */
export function serverOf(user: string, servers: number): number {
  if (servers === 1) return 0
  let hash = 0x811c9dc5
  for (let i = 0; i < user.length; i++) hash = Math.imul(hash ^ user.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % servers
}
