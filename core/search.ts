/** The first number from `low` to before `high` of which `holds` is true, when it is for all that follow; else `high`. */
export function lowerBound(low: number, high: number, holds: (n: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (holds(middle)) to = middle
    else from = middle + 1
  }
  return from
}
