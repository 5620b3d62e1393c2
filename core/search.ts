/**
 * The first number in [`low`, `high`) for which `holds` is true, or `high`. `holds` must be true for all numbers after
 * it.
 */
export function lowerBound(low: number, high: number, holds: (n: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (holds(middle)) to = middle
    else from = middle + 1
  }
  return from
}
