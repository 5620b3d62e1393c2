/** A record with exactly these keys. */
export function recordOf<K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V>
export function recordOf(keys: readonly string[], value: (key: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, value(key)]))
}
