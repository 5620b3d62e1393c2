import type { ServerFacts } from '../engine/apfEngine.ts'
import type { RunRequest } from '../run/run.ts'
import type { CapacityCurve } from '../simulate/workload.ts'
import type { Nanoseconds, UnixMs } from '../units.ts'

/** One request of a list of arrivals. Nanoseconds since the first instant of the list. */
export interface Arrival {
  readonly atNs: Nanoseconds
  readonly request: RunRequest
  /** Who sends it, for the results by client: a user name, or the name of a group of simulated clients. */
  readonly client: string
  /** How long it executes when nothing slows it down; of a watch, until it is initialised. */
  readonly executionNs: Nanoseconds
  /** How long a watch goes on after that. */
  readonly watchNs?: Nanoseconds | undefined
  /** When its client went away, measured from its arrival; absent where it stayed. */
  readonly leavesAfterNs?: Nanoseconds | undefined
}

/**
 * Requests as they came, in the order of their arrival. They come whatever a server decides (open loop), so that every
 * variant is given the same ones.
 */
export interface Arrivals {
  readonly startUnixMs: UnixMs
  /** Beginning of the observed period: requests do not come before it. Nanoseconds since the start. */
  readonly fromNs: Nanoseconds
  /** End of the observed period, not before the last arrival. Nanoseconds since the start. */
  readonly endNs: Nanoseconds
  readonly list: readonly Arrival[]
  /** What estimates depend on, where it is known. */
  readonly facts?: ServerFacts
  /**
   * Of simulated requests: how the machine slows down. The simulated server also ends what has not ended after 60 s. Recorded
   * requests take as long as they took.
   */
  readonly capacity?: CapacityCurve
  /** What is assumed or missing, in sentences. */
  readonly notes: readonly string[]
}
