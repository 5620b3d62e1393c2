const MASK = (1n << 64n) - 1n

/** The hash function of the oracle's benchmarks, so that both programs get the same flows. */
export function splitmix(seed: number): bigint {
  let z = (BigInt(seed) + 0x9e3779b97f4a7c15n) & MASK
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK
  return z ^ (z >> 31n)
}
