/**
 * Kubernetes minors (of major 1) that the catalogue of families was checked against; `preview` against a beta only,
 * which behaves like the newest.
 */
export const COVERED_MINORS = { oldest: 29, newest: 37, preview: 38 } as const
/** `v1.29 to v1.37`. */
export const COVERED_RANGE = `v1.${COVERED_MINORS.oldest} to v1.${COVERED_MINORS.newest}`

/** Whether the rules for a gitVersion's minor are known. */
export function isCovered(version: string): boolean {
  const parsed = parseKubernetesVersion(version)
  return parsed?.major === 1 && parsed.minor >= COVERED_MINORS.oldest && parsed.minor <= COVERED_MINORS.preview
}

/** The release whose rules apply to a version: the version itself if its rules are known, otherwise the nearest one. */
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
 * Parses `v1.36.3` and vendors' variants (`v1.33.5-gke.1162000`, `v1.32.9-eks-3025e55`, `1.31+`). `undefined` for
 * anything that does not start like a version.
 */
export function parseKubernetesVersion(text: string | undefined): KubernetesVersion | undefined {
  const found = /^v?(\d{1,3})\.(\d{1,3})(?!\d)/.exec(text?.trim() ?? '')
  if (found === null) return undefined
  return { major: Number(found[1]), minor: Number(found[2]) }
}

/**
 * Why a server's metrics may be misread, in one or two sentences: its version is unknown, or the catalogue of families
 * and rules does not cover it. `undefined` if it is covered.
 */
export function versionNote(version: string | undefined): string | undefined {
  if (version === undefined || parseKubernetesVersion(version) === undefined) {
    const why = version === undefined ? 'not shown' : `${version}, which cannot be read`
    return `The server's version is ${why}. Its metrics and limits are read by the rules of v1.${COVERED_MINORS.newest}, which may differ from its own.`
  }
  if (parseKubernetesVersion(version)?.minor === COVERED_MINORS.preview)
    return `${version} is supported as a preview: it was checked against a beta, whose flow control is that of v1.${COVERED_MINORS.newest}.`
  if (isCovered(version)) return undefined
  const rules = ruledBy(version)
  return rules === `v1.${COVERED_MINORS.oldest}`
    ? `${version} is older than the supported releases, ${COVERED_RANGE}. Metrics are read under their earlier names, and metrics that this release lacks are listed as missing. Limits and objects follow the rules of ${rules}, which may differ from the server's.`
    : `${version} is newer than the supported releases, ${COVERED_RANGE}. Metrics and limits are read by the rules of ${rules}: new or renamed families are not shown, and predictions may be wrong.`
}
