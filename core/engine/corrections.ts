/**
 * What looks like a defect of upstream, (D) in section 11 of the specification, by what would correct it. Off means as
 * upstream does it.
 */
export interface Corrections {
  /** T12: a request that dispatching makes narrower leaves nothing of its old width behind among the waiting seats. */
  readonly clampDrift: boolean
  /** T29: a release whose queue has left already removes no other queue. */
  readonly staleRemoval: boolean
  /** T48: the solver distributes what Exempt leaves, not the whole sum of nominal limits. */
  readonly exemptInSolver: boolean
  /** T63: the time-weighted demand ratio is relative to the nominal limit, as its description says. */
  readonly demandRatioBase: boolean
  /** T64: the wait of a request that timed out is counted under `execute="false"`. */
  readonly timedOutWaits: boolean
  /** T65: the target reported for Exempt is its own. */
  readonly exemptTarget: boolean
}

/**
 * As upstream, except for T29, which loses requests and kills a real server: it is guarded and reported as an event.
 * Uncorrected, it makes the engine throw where a server would die.
 */
export const AS_UPSTREAM: Corrections = {
  clampDrift: false,
  staleRemoval: true,
  exemptInSolver: false,
  demandRatioBase: false,
  timedOutWaits: false,
  exemptTarget: false,
}
