/** Kubernetes minors (of major 1) that the catalogue of families was checked against. */
export const COVERED_MINORS = { oldest: 29, newest: 37 } as const
/** `v1.29 to v1.37`. */
export const COVERED_RANGE = `v1.${COVERED_MINORS.oldest} to v1.${COVERED_MINORS.newest}`

/** Whether the rules of a gitVersion's minor are known. */
export function isCovered(version: string): boolean {
  const parsed = parseKubernetesVersion(version)
  return parsed?.major === 1 && parsed.minor >= COVERED_MINORS.oldest && parsed.minor <= COVERED_MINORS.newest
}

/** The release whose rules are applied to a version: the version itself where they are known, else the nearest one. */
export function ruledBy(version: string): string {
  if (isCovered(version)) return version
  const { major = COVERED_MINORS.newest, minor = COVERED_MINORS.newest } = parseKubernetesVersion(version) ?? {}
  const isOlder = major < 1 || (major === 1 && minor < COVERED_MINORS.oldest)
  return `v1.${isOlder ? COVERED_MINORS.oldest : COVERED_MINORS.newest}`
}

/** The part of a server's gitVersion that decides how it behaves and which metric families it has. */
interface KubernetesVersion {
  readonly major: number
  readonly minor: number
}

/**
 * Reads `v1.36.3` and what vendors make of it (`v1.33.5-gke.1162000`, `v1.32.9-eks-3025e55`, `1.31+`). `undefined` for
 * anything that does not start like a version.
 */
export function parseKubernetesVersion(text: string | undefined): KubernetesVersion | undefined {
  const found = /^v?(\d{1,3})\.(\d{1,3})(?!\d)/.exec(text?.trim() ?? '')
  if (found === null) return undefined
  return { major: Number(found[1]), minor: Number(found[2]) }
}
