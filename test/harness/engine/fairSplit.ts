/** Max-min fair split of `limit` among demands. */
export function fairSplit(limit: number, demands: readonly number[]): readonly number[] {
  const shares = demands.map(() => 0)
  let rest = limit
  const open = demands.map((_, i) => i).toSorted((a, b) => (demands[a] ?? 0) - (demands[b] ?? 0))
  for (let i = open.shift(); i !== undefined; i = open.shift()) {
    shares[i] = Math.min(demands[i] ?? 0, rest / (open.length + 1))
    rest -= shares[i] ?? 0
  }
  return shares
}
