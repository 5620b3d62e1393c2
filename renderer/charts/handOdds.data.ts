import type { Candidate } from '../../core/sharding/collision.ts'

/** Chances of one number of elephants, by hand size. */
export interface OddsLine {
  readonly elephants: number
  readonly points: readonly Candidate[]
}

/** A logarithmic axis of chances, from certainty at the top down to a power of ten. */
export interface OddsAxis {
  /** Exponent at the bottom, −1 at most. */
  readonly lowest: number
  /** Exponents that are labelled, 0 first. */
  readonly ticks: readonly number[]
}

/** No legal shape has a smaller chance against one elephant, or more. */
const LOWEST = -18
const MOST_TICKS = 6

/** An axis that holds all points and the target; zero, which only rounding could give, lies at the bottom. */
export function oddsAxis(lines: readonly OddsLine[], target: number | undefined): OddsAxis {
  const values = [...lines.flatMap(({ points }) => points.map(({ covered }) => covered)), target ?? 1]
  const least = values.reduce((a, b) => (b > 0 && b < a ? b : a), 1)
  const lowest = Math.max(LOWEST, Math.min(-1, Math.floor(Math.log10(least))))
  const step = Math.ceil(-lowest / MOST_TICKS)
  const ticks = Array.from({ length: Math.floor(-lowest / step) + 1 }, (_, i) => (i === 0 ? 0 : -i * step))
  return { lowest, ticks }
}

/** Part of the height, from the top, at which a chance lies. */
export const depthOf = ({ lowest }: OddsAxis, odds: number): number =>
  odds <= 0 ? 1 : Math.min(1, Math.max(0, Math.log10(odds) / lowest))

/** `100 %`, `0.1 %`, and powers of ten below that. */
export const tickLabel = (exponent: number): string =>
  exponent >= -3 ? `${Number((100 * 10 ** exponent).toPrecision(1))} %` : `1e−${-exponent}`
