import type { ServerFacts } from '../engine/facts.ts'
import type { RunRequest } from '../run/run.ts'
import type { CapacityCurve } from '../simulate/workload.ts'
import type { Nanoseconds, UnixMs } from '../units.ts'

/** One request of a list of arrivals. Nanoseconds since the first instant of the list. */
export interface Arrival {
  readonly atNs: Nanoseconds
  readonly request: RunRequest
  /** The sender, for the results by client: a user name, or the name of a group of simulated clients. */
  readonly client: string
  /** Execution time when nothing slows it down; for a watch, until it is initialised. */
  readonly executionNs: Nanoseconds
  /** How long a watch continues after that. */
  readonly watchNs?: Nanoseconds | undefined
  /** When its client left, measured from its arrival; absent if it stayed. */
  readonly leavesAfterNs?: Nanoseconds | undefined
}

/** Requests in order of arrival, independent of a server's decisions (open loop): every variant gets the same ones. */
export interface Arrivals {
  readonly startUnixMs: UnixMs
  /** Beginning of the observed period: no request arrives before it. Nanoseconds since the start. */
  readonly fromNs: Nanoseconds
  /** End of the observed period, not before the last arrival. Nanoseconds since the start. */
  readonly endNs: Nanoseconds
  readonly list: readonly Arrival[]
  /** The facts that estimates depend on, if known. */
  readonly facts?: ServerFacts
  /**
   * For simulated requests: how the machine slows down. The simulated server also ends requests that have not ended
   * after 60 s. Recorded requests keep their recorded durations.
   */
  readonly capacity?: CapacityCurve
  /** Assumptions and missing data, in sentences. */
  readonly notes: readonly string[]
}
