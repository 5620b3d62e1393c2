/** The part of a server's gitVersion that decides which metric families it has. */
export interface KubernetesVersion {
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
