/**
 * The borrowing solver: one factor p, such that the allocations p·target, each clamped between its bounds, sum to what
 * is there to allocate (specification 6.5).
 */
export interface SolverItem {
  readonly lower: number
  readonly upper: number
  readonly target: number
}
export type Solution =
  | { readonly ok: true; readonly allocations: readonly number[]; readonly fairFrac: number }
  | { readonly ok: false; readonly problem: string }

/** Targets below this count as this. */
const LEAST_TARGET = 0.001
const EPSILON = 1e-7
/** Largest single-precision number: where minima of ratios start. */
const LARGEST_FLOAT32 = 3.4028234663852886e38

interface Ratios {
  readonly targets: Float64Array
  readonly low: Float64Array
  readonly high: Float64Array
  readonly lowMin: number
  readonly lowMax: number
  readonly highMin: number
  readonly highMax: number
}

const refuse = (problem: string): Solution => ({ ok: false, problem })

/** Items are visited in the given order; for a given order upstream's result is reproduced (see the specification). */
export function solve(required: number, items: readonly SolverItem[]): Solution {
  if (required < 0) return refuse('there cannot be less than nothing to allocate')
  let lowerSum = 0
  let upperSum = 0
  let targetSum = 0
  for (const { lower, upper, target } of items) {
    if (lower < 0) return refuse('a lower bound is negative')
    if (target < lower) return refuse('a target is below its lower bound')
    if (upper < lower) return refuse('an upper bound is below its lower bound')
    lowerSum += lower
    upperSum += upper
    targetSum += Math.max(target, LEAST_TARGET)
  }
  if (lowerSum - required > EPSILON) return refuse('the lower bounds sum to more than there is')
  if (required - upperSum > EPSILON) return refuse('the upper bounds sum to less than there is')
  if (required === 0) return { ok: true, allocations: items.map(() => 0), fairFrac: 0 }

  const ratios = ratiosOf(items)
  if (lowerSum - required > -EPSILON) {
    return { ok: true, allocations: items.map(({ lower }) => lower), fairFrac: ratios.lowMin }
  }
  if (required - upperSum > -EPSILON) {
    return { ok: true, allocations: items.map(({ upper }) => upper), fairFrac: ratios.highMax }
  }
  const even = required / targetSum
  if (ratios.lowMax <= even && even <= ratios.highMin) {
    return { ok: true, allocations: Array.from(ratios.targets, (target) => target * even), fairFrac: even }
  }
  const fairFrac = sweep(required, lowerSum, ratios)
  if (fairFrac === undefined) return refuse('no factor meets what is required')
  const allocations = items.map(({ lower, upper }, i) =>
    Math.max(lower, Math.min(upper, fairFrac * (ratios.targets[i] ?? 0))),
  )
  return { ok: true, allocations, fairFrac }
}

function ratiosOf(items: readonly SolverItem[]): Ratios {
  const targets = new Float64Array(items.length)
  const low = new Float64Array(items.length)
  const high = new Float64Array(items.length)
  let [lowMin, lowMax, highMin, highMax] = [LARGEST_FLOAT32, 0, LARGEST_FLOAT32, 0]
  for (const [i, { lower, upper, target }] of items.entries()) {
    const counted = Math.max(target, LEAST_TARGET)
    const lowRatio = lower / counted
    const highRatio = upper / counted
    targets[i] = counted
    low[i] = lowRatio
    high[i] = highRatio
    lowMin = Math.min(lowMin, lowRatio)
    lowMax = Math.max(lowMax, lowRatio)
    highMin = Math.min(highMin, highRatio)
    highMax = Math.max(highMax, highRatio)
  }
  return { targets, low, high, lowMin, lowMax, highMin, highMax }
}

/**
 * Raises p from the least lower ratio, from breakpoint to breakpoint. Between two of them the sum grows in proportion
 * to the targets of the items that are at neither bound.
 */
function sweep(required: number, lowerSum: number, { targets, low, high, lowMin }: Ratios): number | undefined {
  // Two breakpoints an item, in the order lo_0, hi_0, lo_1, hi_1 …; the sort is stable.
  const breakpoints = Float64Array.from(
    { length: 2 * targets.length },
    (_, i) => ((i & 1) === 0 ? low : high)[i >> 1] ?? 0,
  )
  const order = Uint32Array.from(breakpoints, (_, i) => i).toSorted((a, b) => {
    const difference = (breakpoints[a] ?? 0) - (breakpoints[b] ?? 0)
    return difference === 0 ? a - b : difference
  })
  let p = lowMin
  let sum = lowerSum
  let slope = 0
  let sensitive = 0
  let next = 0
  /** The breakpoint that was passed last and whose change is not applied yet. */
  let pending = -1
  while (sum < required) {
    let breakpoint: number
    do {
      if (pending >= 0) {
        const enters = (pending & 1) === 0
        const target = targets[pending >> 1] ?? 0
        slope += enters ? target : -target
        sensitive += enters ? 1 : -1
      }
      if (next >= order.length) return undefined
      pending = order[next] ?? -1
      next += 1
      breakpoint = breakpoints[pending] ?? 0
    } while (breakpoint <= p)
    if (sensitive === 0) {
      p = breakpoint
      continue
    }
    const candidate = p + (required - sum) / slope
    if (candidate <= breakpoint) return candidate
    sum += (breakpoint - p) * slope
    p = breakpoint
  }
  return p
}
