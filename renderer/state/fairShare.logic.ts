/**
 * Max-min fair division of `limit` seats: who wants less than an equal part gets what it wants, and what it leaves is
 * divided among the others. Answers in the order of `demands`; nobody gets more than its demand.
 */
export function maxMinShares(demands: readonly number[], limit: number): readonly number[] {
  const shares = demands.map(() => 0)
  const ascending = demands.map((demand, index) => ({ demand, index })).toSorted((a, b) => a.demand - b.demand)
  let left = limit
  ascending.forEach(({ demand, index }, position) => {
    const share = Math.min(demand, left / (ascending.length - position))
    shares[index] = share
    left -= share
  })
  return shares
}
