import type { DealerShape } from '../../core/config/shape.ts'

/** A non-negative ratio of whole numbers. */
export interface Ratio {
  readonly numerator: bigint
  readonly denominator: bigint
}

/**
 * The chance that elephants hold every queue of a mouse’s hand, as a ratio: by inclusion and exclusion over the queues
 * that no elephant holds. Its numbers have about 60 bits for each elephant.
 */
export function exactCoveredOdds({ queues, handSize }: DealerShape, elephants: number): Ratio {
  const times = BigInt(elephants)
  let numerator = 0n
  for (let clean = 0; clean <= handSize; clean++) {
    const ways = choose(handSize, clean) * choose(queues - clean, handSize) ** times
    numerator += clean % 2 === 0 ? ways : -ways
  }
  return { numerator, denominator: choose(queues, handSize) ** times }
}

/** Bits of a quotient that are kept: more than a double has, with one for what is left over. */
const KEPT_BITS = 66

/** The double that is nearest to a ratio of at most 1. */
export function nearestDouble({ numerator, denominator }: Ratio): number {
  if (numerator === 0n) return 0
  const shift = KEPT_BITS + bitsOf(denominator) - bitsOf(numerator)
  const quotient = (numerator << BigInt(shift)) / denominator
  // The last bit represents the truncated remainder, so that rounding to a double does not treat it as a tie.
  return Number(quotient | 1n) * 2 ** -shift
}

const bitsOf = (value: bigint): number => value.toString(2).length

function choose(of: number, some: number): bigint {
  if (some > of) return 0n
  let ways = 1n
  for (let i = 1; i <= some; i++) ways = (ways * BigInt(of - some + i)) / BigInt(i)
  return ways
}
