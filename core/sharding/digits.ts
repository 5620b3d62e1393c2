/** n · (n − 1) · … with k factors: in how many orders k of n cards can be dealt. Exact. */
export function fallingFactorial(n: number, k: number): bigint {
  let product = 1n
  for (let i = 0; i < k; i++) product *= BigInt(n - i)
  return product
}

/** How many sets k of n cards are. Exact. */
export const setsOf = (n: number, k: number): bigint => fallingFactorial(n, k) / fallingFactorial(k, k)

/**
 * The hash in mixed radix, V = Σ A[i] · ff(queues, i): A[i], below queues − i, is the position of the i-th queue of the
 * hand among the remaining ones. The rest of the hash, times ff(queues, handSize), is not used (specification 3.2).
 */
export function digitsOf(hash: bigint, queues: number, handSize: number): readonly number[] {
  let rest = hash
  return Array.from({ length: handSize }, (_, i) => {
    const radix = BigInt(queues - i)
    const digit = Number(rest % radix)
    rest /= radix
    return digit
  })
}
