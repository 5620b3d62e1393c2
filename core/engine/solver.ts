/**
 * The borrowing solver: one factor p, such that the allocations p·target, each clamped between its bounds, sum to the
 * total to allocate (specification 6.5).
 */
export interface SolverItem {
  readonly lower: number
  readonly upper: number
  readonly target: number
}
export type Solution =
  | { readonly ok: true; readonly allocations: readonly number[]; readonly fairFrac: number }
  | { readonly ok: false; readonly problem: string }

/** Targets below this are raised to it. */
const LEAST_TARGET = 0.001
const EPSILON = 1e-7
/** Largest single-precision number: the initial value of minima of ratios. */
const LARGEST_FLOAT32 = 3.4028234663852886e38

/** Buffers for one problem, reused between calls: allocating them costs more than solving a small problem. */
interface Workspace {
  /** Targets after raising. */
  readonly targets: Float64Array
  /**
   * Values of p at which an item begins to follow it (even index) and stops (odd index): two for each item, lower and
   * upper bound divided by its target.
   */
  readonly breakpoints: Float64Array
  readonly order: Int32Array
  readonly scratch: Int32Array
}

const workspaceFor = (items: number): Workspace => ({
  targets: new Float64Array(items),
  breakpoints: new Float64Array(2 * items),
  order: new Int32Array(2 * items),
  scratch: new Int32Array(2 * items),
})
let workspace = workspaceFor(16)

const refuse = (problem: string): Solution => ({ ok: false, problem })

/** Items are visited in the given order; for a given order upstream's result is reproduced (see the specification). */
export function solve(required: number, items: readonly SolverItem[]): Solution {
  if (required < 0) return refuse('the total to allocate is negative')
  const count = items.length
  if (workspace.targets.length < count) workspace = workspaceFor(2 * count)
  const { targets, breakpoints } = workspace
  let [lowerSum, upperSum, targetSum] = [0, 0, 0]
  let [lowMin, lowMax, highMin, highMax] = [LARGEST_FLOAT32, 0, LARGEST_FLOAT32, 0]
  for (let i = 0; i < count; i++) {
    const item = items[i]
    if (item === undefined) break
    const { lower, upper, target } = item
    if (lower < 0) return refuse('a lower bound is negative')
    if (target < lower) return refuse('a target is below its lower bound')
    if (upper < lower) return refuse('an upper bound is below its lower bound')
    const counted = target > LEAST_TARGET ? target : LEAST_TARGET
    const low = lower / counted
    const high = upper / counted
    targets[i] = counted
    breakpoints[2 * i] = low
    breakpoints[2 * i + 1] = high
    lowerSum += lower
    upperSum += upper
    targetSum += counted
    if (low < lowMin) lowMin = low
    if (low > lowMax) lowMax = low
    if (high < highMin) highMin = high
    if (high > highMax) highMax = high
  }
  if (lowerSum - required > EPSILON) return refuse('the lower bounds sum to more than the total')
  if (required - upperSum > EPSILON) return refuse('the upper bounds sum to less than the total')
  if (required === 0) return { ok: true, allocations: items.map(() => 0), fairFrac: 0 }
  if (lowerSum - required > -EPSILON) {
    return { ok: true, allocations: items.map(({ lower }) => lower), fairFrac: lowMin }
  }
  if (required - upperSum > -EPSILON) {
    return { ok: true, allocations: items.map(({ upper }) => upper), fairFrac: highMax }
  }
  const even = required / targetSum
  if (lowMax <= even && even <= highMin) {
    return { ok: true, allocations: items.map((_, i) => (targets[i] ?? 0) * even), fairFrac: even }
  }
  const fairFrac = sweep(required, lowerSum, lowMin, count)
  if (fairFrac === undefined) return refuse('no factor yields the total')
  const allocations = items.map(({ lower, upper }, i) => {
    const share = fairFrac * (targets[i] ?? 0)
    return share < lower ? lower : share > upper ? upper : share
  })
  return { ok: true, allocations, fairFrac }
}

/**
 * Raises p from the least lower ratio, from breakpoint to breakpoint. Between two of them the sum grows in proportion
 * to the targets of the items that p moves.
 */
function sweep(required: number, lowerSum: number, lowMin: number, count: number): number | undefined {
  const { targets, breakpoints, order, scratch } = workspace
  const ends = 2 * count
  sortIndexes(breakpoints, order, scratch, ends)
  let p = lowMin
  let sum = lowerSum
  let slope = 0
  let sensitive = 0
  let next = 0
  /** The last breakpoint passed, whose change is not applied yet. */
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
      if (next >= ends) return undefined
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

/** Below this, insertion is faster than merging. */
const RUN = 12

/**
 * Puts the indexes 0 … count − 1 into `order`, so that their keys ascend and equal keys keep their order. The length of
 * `scratch` is `count`, too.
 */
function sortIndexes(keys: Float64Array, order: Int32Array, scratch: Int32Array, count: number): void {
  for (let start = 0; start < count; start += RUN) insertionSort(keys, order, start, Math.min(start + RUN, count))
  let from = order
  let to = scratch
  for (let width = RUN; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      merge(keys, from, to, start, Math.min(start + width, count), Math.min(start + 2 * width, count))
    }
    ;[from, to] = [to, from]
  }
  if (from !== order) for (let i = 0; i < count; i++) order[i] = from[i] ?? 0
}

function insertionSort(keys: Float64Array, order: Int32Array, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    const key = keys[i] ?? 0
    let place = i
    while (place > start && (keys[order[place - 1] ?? 0] ?? 0) > key) {
      order[place] = order[place - 1] ?? 0
      place -= 1
    }
    order[place] = i
  }
}

function merge(keys: Float64Array, from: Int32Array, to: Int32Array, start: number, middle: number, end: number): void {
  let left = start
  let right = middle
  for (let place = start; place < end; place++) {
    const takeLeft = right >= end || (left < middle && (keys[from[left] ?? 0] ?? 0) <= (keys[from[right] ?? 0] ?? 0))
    to[place] = (takeLeft ? from[left] : from[right]) ?? 0
    if (takeLeft) left += 1
    else right += 1
  }
}
