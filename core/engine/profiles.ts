import { COVERED_MINORS } from '../metrics/catalogue.ts'
import { parseKubernetesVersion } from '../metrics/version.ts'
import type { BorrowingRule } from './allocation.ts'
import type { EstimatorProfile } from './workEstimator.ts'

/** How a server of some version behaves, as data. */
export interface VersionProfile {
  /** Minor of Kubernetes 1 whose behaviour this is. */
  readonly minor: number
  readonly estimator: Omit<EstimatorProfile, 'consistentReadsFromCache'>
  readonly borrowing: BorrowingRule
  /** Upper bounds of `work_estimated_seats` (specification 8.1). */
  readonly estimatedSeatsBounds: readonly number[]
}

const NEWEST_MINOR = COVERED_MINORS.newest
/** gitVersion that an engine behaves like when nobody says. */
export const NEWEST_VERSION = `v1.${NEWEST_MINOR}.2`

/**
 * The profile of a gitVersion such as `v1.36.3`; the newest one for a version that cannot be read or is newer than the
 * specification, the oldest rules for one that is older.
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
    estimator: { sizeBasedLists: since34, watchList: since34, legacyWatchesCost: minor >= 35 },
    borrowing: minor <= 30 ? 'exempt-in-solver' : 'three-regimes',
    estimatedSeatsBounds: since34 ? [1, 2, 4, 8, 16, 32, 64, 100] : [1, 2, 4, 10],
  }
}
