/** The first of the numbers from `low` to before `high` from which on `holds` is true; `high` if there is none. */
export function lowerBound(low: number, high: number, holds: (n: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (holds(middle)) to = middle
    else from = middle + 1
  }
  return from
}
