/** Computes each result once, and evicts the least recently used ones. */
export function remember<A extends readonly unknown[], T>(most: number, make: (...about: A) => T) {
  const made = new Map<string, T>()
  const get = (key: string, ...about: A): T => {
    const found = made.get(key) ?? make(...about)
    made.delete(key)
    made.set(key, found)
    for (const oldest of made.keys()) {
      if (made.size <= most) break
      made.delete(oldest)
    }
    return found
  }
  return Object.assign(get, { knows: (key: string): boolean => made.has(key) })
}
