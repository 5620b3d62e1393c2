/**
 * What tells servers apart, without what all their names share: `a`, `b` for `apiserver-a:6443`, `apiserver-b:6443`.
 * Names that would become empty stay whole.
 */
export function shortNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const whole = new Map(ids.map((id) => [id, id]))
  const [first] = ids
  if (first === undefined || ids.length < 2) return whole
  const same = (at: (id: string, n: number) => string | undefined, most: number) => {
    let n = 0
    while (n < most && ids.every((id) => at(id, n) === at(first, n))) n += 1
    return n
  }
  const shortest = Math.min(...ids.map((id) => id.length))
  const before = same((id, n) => id[n], shortest)
  const after = same((id, n) => id.at(-1 - n), shortest - before)
  const cut = ids.map((id) => id.slice(before, id.length - after))
  return cut.some((name) => name === '') ? whole : new Map(ids.map((id, i) => [id, cut[i] ?? id]))
}
