import { COVERED_MINORS } from '../metrics/catalogue.ts'
import { parseKubernetesVersion } from '../metrics/familyNames.ts'
import type { Reason } from './finding.ts'

/** What servers of one Kubernetes version judge differently from others (specification 1.5, 1.6). */
export interface ValidationRules {
  /** Minor of Kubernetes 1. */
  readonly minor: number
  /** Versions of the group that are served, newest first. */
  readonly apiVersions: readonly string[]
  /** What a level is told whose type, or whose limit response's type, is empty. */
  readonly emptyType: Reason
  /** Whether a Limited level may have 0 shares: in 1.29 only with a feature gate that is off by default. */
  readonly zeroShares: boolean
}

/** First and last minor that serve each version of the group. */
const SERVED: readonly (readonly [version: string, first: number, last: number])[] = [
  ['v1', 29, Infinity],
  ['v1beta3', 26, 31],
  ['v1beta2', 23, 28],
  ['v1beta1', 20, 25],
]

const ZERO_SHARES_SINCE = 30
const EMPTY_TYPE_REQUIRED_SINCE = 36

/**
 * The rules of a server's gitVersion (`v1.36.3`, `1.36`). One that cannot be read is taken for the newest that is known.
 */
export function validationRules(version: string): ValidationRules {
  const minor = minorOf(version)
  return {
    minor,
    apiVersions: SERVED.flatMap(([name, first, last]) => (minor >= first && minor <= last ? [name] : [])),
    emptyType: minor >= EMPTY_TYPE_REQUIRED_SINCE ? 'FieldValueRequired' : 'FieldValueNotSupported',
    zeroShares: minor >= ZERO_SHARES_SINCE,
  }
}

/** Minor of Kubernetes 1 that a gitVersion names; the newest known one of one that cannot be read. */
export function minorOf(version: string): number {
  const parsed = parseKubernetesVersion(version)
  if (parsed === undefined || parsed.major > 1) return COVERED_MINORS.newest
  return parsed.major < 1 ? 0 : parsed.minor
}

/** In which releases a version of the group is or was served: `1.26 to 1.31`; `undefined` of one that is not known. */
export function servedIn(apiVersion: string): string | undefined {
  const found = SERVED.find(([name]) => name === apiVersion)
  if (found === undefined) return undefined
  const [, first, last] = found
  return last === Infinity ? `since 1.${first}` : `from 1.${first} to 1.${last}`
}
