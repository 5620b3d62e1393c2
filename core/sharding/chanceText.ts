/** A chance with so many digits at most; below one in ten thousand as a power of ten: `0.0221182`, `1.84379e-10`. */
export function chanceText(odds: number, digits: number): string {
  const rounded = Number(odds.toPrecision(digits))
  return rounded > 0 && rounded < 1e-4 ? rounded.toExponential() : String(rounded)
}

/** As many digits as the documentation's own arithmetic has right. */
export const DOCUMENTED_DIGITS = 15
