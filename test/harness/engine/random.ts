/** A stream of chance from a seed (xorshift, 32 bits). */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed | 0 || 1
  }

  /** Uniform in 0 … below − 1. */
  below(limit: number): number {
    let x = this.state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.state = x
    return Math.floor(((x >>> 0) / 4_294_967_296) * limit)
  }

  chance(probability: number): boolean {
    return this.below(1_000_000) < probability * 1_000_000
  }

  pick<V>(from: readonly V[]): V {
    const value = from[this.below(from.length)]
    if (value === undefined) throw new Error('there is nothing to pick from')
    return value
  }

  /** Exponentially distributed, whole, at least 1. */
  exponential(mean: number): number {
    return Math.max(1, Math.round(-mean * Math.log((this.below(1_000_000) + 1) / 1_000_000)))
  }
}
