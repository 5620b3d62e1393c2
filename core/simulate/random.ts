/** Uniform in [0, 1). */
export type Random = () => number

const TO_DOUBLE = 2 ** -53

/** Spreads a 32-bit state; the way in which generators are given their first words. */
function splitMix(state: number): () => number {
  let x = state | 0
  return () => {
    x = (x + 0x9e3779b9) | 0
    let z = x ^ (x >>> 16)
    z = Math.imul(z, 0x21f0aaad)
    z ^= z >>> 15
    z = Math.imul(z, 0x735a2d97)
    return z ^ (z >>> 15)
  }
}

const rotateLeft = (x: number, by: number): number => (x << by) | (x >>> (32 - by))

/** xoshiro128**: the same seed gives the same numbers on every machine. */
export function seededRandom(seed: number): Random {
  const word = splitMix(seed)
  let [a, b, c, d] = [word(), word(), word(), word()]
  const next = (): number => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9)
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotateLeft(d, 11)
    return result
  }
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) * TO_DOUBLE
}

/**
 * A generator of its own for everything that has a name, so that one more client changes nothing of what the others do.
 */
export function namedRandom(seed: number, name: string): Random {
  let hash = seed | 0
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  return seededRandom(hash)
}
