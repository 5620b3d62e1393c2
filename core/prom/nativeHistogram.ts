import { CATALOGUE } from '../metrics/catalogue.ts'
import type { NativeHistogram, PromSeries } from './answer.ts'

/** Cumulative counts as in classic histograms: `counts` has one more item than `bounds`, for +Inf. */
export interface Classic {
  readonly bounds: readonly number[]
  readonly counts: readonly number[]
}

/** Bounds from 2^−10 (1 ms) to 2^11 (2048): the range of seconds, seats, requests and ratios in flow control. */
const LOWEST = -10
const HIGHEST = 11
/** Finer buckets are read at every second power of √2; quantiles are interpolated between these. */
const FINEST_PER_POWER = 2

/**
 * Converts a native histogram to a classic one. The buckets of an exponential histogram lie on powers of 2^(2^−schema),
 * so cumulative counts are exact at the powers chosen here. These are the same for every sample of a schema, so two
 * samples can be subtracted. Histograms with custom bounds (schema −53) are exact at their bounds.
 */
export function classicOf({ count, buckets }: NativeHistogram): Classic {
  const ordered = buckets.toSorted((a, b) => a.right - b.right)
  const bounds = boundsOf(ordered)
  const counts: number[] = []
  let next = 0
  let below = 0
  for (const bound of bounds) {
    for (; (ordered[next]?.right ?? Number.POSITIVE_INFINITY) <= bound * EXACT; next++)
      below += ordered[next]?.count ?? 0
    counts.push(below)
  }
  return { bounds, counts: [...counts, count] }
}

/** Powers of roots are not exact in a double. */
const EXACT = 1 + 1e-9

function boundsOf(buckets: readonly NativeHistogram['buckets'][number][]): number[] {
  const positive = buckets.filter(({ left, right }) => left > 0 && Number.isFinite(right))
  const perPower = positive.map(({ left, right }) => 1 / Math.log2(right / left))
  const [first] = perPower
  if (first === undefined) return exponential(1)
  const exponentialToo = positive.every(({ right }, index) => {
    const each = perPower[index] ?? Number.NaN
    // 2^schema buckets in each power of two, and each ends at a power of the root.
    return (
      isNear(each, first) && isNear(Math.log2(first), Math.round(Math.log2(first))) && isWhole(Math.log2(right) * first)
    )
  })
  if (exponentialToo) return exponential(Math.min(FINEST_PER_POWER, 2 ** Math.round(Math.log2(first))))
  const own = buckets.flatMap(({ left, right }) => [left, right]).filter((bound) => Number.isFinite(bound))
  return [...new Set(own)].toSorted((a, b) => a - b)
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b))
const isWhole = (n: number): boolean => isNear(n, Math.round(n))

/** The bounds with this number of steps in each power of two, or one step for several. */
function exponential(perPower: number): number[] {
  const from = Math.ceil(LOWEST * perPower)
  const to = Math.floor(HIGHEST * perPower)
  return Array.from({ length: to - from + 1 }, (_, step) => 2 ** ((from + step) / perPower))
}

/** Families that have native histograms and no classic ones. */
export function nativeFamilies(series: readonly PromSeries[]): readonly string[] {
  const names = new Set(series.map(({ labels }) => labels['__name__'] ?? ''))
  return [...names].filter((name) => CATALOGUE.get(name)?.type === 'histogram' && !names.has(`${name}_bucket`))
}
