import { COVERED_MINORS, parseKubernetesVersion } from '../metrics/versions.ts'
import { FAIR_ALGORITHMS, type QueuingRules, UPSTREAM_QUEUING } from './algorithms.ts'
import type { BorrowingRule } from './allocation.ts'
import type { PlannedBorrowing } from './plannedAllocation.ts'
import type { EstimatorProfile } from './workEstimator.ts'

export type EngineMode = 'priority-and-fairness' | 'max-in-flight'

/** How a server of some version behaves, as data. */
export interface VersionProfile {
  /** Minor version of Kubernetes 1 with this behaviour. */
  readonly minor: number
  readonly estimator: EstimatorProfile
  readonly borrowing: BorrowingRule
  /** Upper bounds of `work_estimated_seats` (specification 8.1). */
  readonly estimatedSeatsBounds: readonly number[]
  readonly queuing: QueuingRules
  /** Replaces the version's borrowing by one that upstream never had. */
  readonly planned?: PlannedBorrowing
  /** Whether requests are estimated; otherwise each takes one seat. */
  readonly width: boolean
}

const NEWEST_MINOR = COVERED_MINORS.newest
/** The default gitVersion of an engine. */
export const NEWEST_VERSION = `v1.${NEWEST_MINOR}.2`

/**
 * The profile of a gitVersion such as `v1.36.3`; the newest one for a version that cannot be parsed or is newer than
 * the specification, the oldest rules for one that is older.
 */
export function profileFor(version: string | undefined): VersionProfile {
  const parsed = parseKubernetesVersion(version)
  return profileOfMinor(parsed === undefined || parsed.major > 1 ? NEWEST_MINOR : parsed.minor)
}

function profileOfMinor(given: number): VersionProfile {
  const minor = Math.min(given, NEWEST_MINOR)
  // Both gates came on by default with 1.34, and with them the larger buckets (specification 5.1, 8.1).
  const since34 = minor >= 34
  return {
    minor,
    estimator: {
      sizeBasedLists: since34,
      watchList: since34,
      legacyWatchesCost: minor >= 35,
      // The gate ConsistentListFromCache came on by default with 1.31, and any etcd since then reports its progress.
      consistentReadsFromCache: minor >= 31,
    },
    borrowing: minor <= 30 ? 'exempt-in-solver' : 'three-regimes',
    estimatedSeatsBounds: since34 ? [1, 2, 4, 8, 16, 32, 64, 100] : [1, 2, 4, 10],
    queuing: UPSTREAM_QUEUING,
    width: true,
  }
}

/**
 * Apparent defects of upstream, (D) in section 11 of the specification, by the correction. Off means upstream's
 * behaviour.
 */
export interface Corrections {
  /** T12: a request that becomes narrower at dispatch leaves nothing of its old width among the waiting seats. */
  readonly clampDrift: boolean
  /** T29: a release whose queue has already left removes no other queue. */
  readonly staleRemoval: boolean
  /** T48: the solver distributes the seats that Exempt leaves, not the whole sum of nominal limits. */
  readonly exemptInSolver: boolean
  /** T63: the time-weighted demand ratio is relative to the nominal limit, as in its description. */
  readonly demandRatioBase: boolean
  /** T64: the wait of a request that timed out is counted under `execute="false"`. */
  readonly timedOutWaits: boolean
  /** T65: the target reported for Exempt is its own. */
  readonly exemptTarget: boolean
}

/**
 * As upstream, except for T29, which loses requests and crashes a real server: it is guarded and reported as an event.
 * Uncorrected, it makes the engine throw where a server would crash.
 */
export const AS_UPSTREAM: Corrections = {
  clampDrift: false,
  staleRemoval: true,
  exemptInSolver: false,
  demandRatioBase: false,
  timedOutWaits: false,
  exemptTarget: false,
}

/** Priority and Fairness of upstream or of other designs. */
const FAIR_ALGORITHM_NAMES = [
  'upstream',
  'kep-draft',
  'alpha-1.18',
  'kep-width-0',
  'kep-width-3ms',
  'kep-width-60s',
  'kep-work',
  'kep-no-linger',
  'kep-borrow',
  'kep-exempt',
  'head-drop',
  'codel',
  'drr',
  'maxmin',
] as const satisfies readonly (keyof typeof FAIR_ALGORITHMS)[]
/** All algorithms of an engine: these, or the older filter. */
export const ALGORITHMS = [...FAIR_ALGORITHM_NAMES, 'max-in-flight'] as const
export type Algorithm = (typeof ALGORITHMS)[number]

/** What people call each of them. */
export const ALGORITHM_NAMES: Readonly<Record<Algorithm, string>> = {
  upstream: 'Fair queuing of the version',
  'max-in-flight': 'Max-in-flight (before 1.18)',
  'alpha-1.18': 'Kubernetes 1.18 alpha',
  'kep-draft': 'KEP-1040, first draft',
  'kep-width-0': 'KEP-1040, widths uncharged',
  'kep-width-3ms': 'KEP-1040, widths at 3 ms',
  'kep-width-60s': 'KEP-1040, widths at 60 s',
  'kep-work': 'KEP-1040, constant guess of work',
  'kep-no-linger': 'KEP-1040, extra latency not guessed',
  'kep-borrow': 'KEP-1040, first borrowing',
  'kep-exempt': 'KEP-1040, exempt borrows first',
  'head-drop': 'Drop the oldest',
  codel: 'CoDel',
  drr: 'Deficit round robin',
  maxmin: 'Max-min fairness',
}

export const ALGORITHM_OPTIONS = ALGORITHMS.map((id) => [id, ALGORITHM_NAMES[id]] as const)

/** The options of an engine for an algorithm on a server of a version. */
export function rulesOf(
  algorithm: Algorithm,
  version: string | undefined,
): { readonly mode: EngineMode; readonly profile: VersionProfile } {
  const profile = profileFor(version)
  if (algorithm === 'max-in-flight') return { mode: algorithm, profile }
  return { mode: 'priority-and-fairness', profile: { ...profile, ...FAIR_ALGORITHMS[algorithm] } }
}
