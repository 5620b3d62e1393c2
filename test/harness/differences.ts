/** Two numbers that differ by less than this part of the greater one are equal except for the rounding of sums. */
const ROUNDING = 1e-9

const entriesOf = (value: object): ReadonlyMap<unknown, unknown> =>
  value instanceof Map ? new Map<unknown, unknown>(value) : new Map(Object.entries(value))

/**
 * Where two states differ by more than rounding, as `path: one, other`; none where they are the same.
 *
 * Reading an instant splits the time-weighted sums there, which rounds the last digits differently. Digits cannot be
 * truncated before comparing: two almost equal numbers may be on both sides of a cut.
 */
export function differences(one: unknown, other: unknown, path = ''): string[] {
  if (Object.is(one, other)) return []
  if (typeof one === 'number' && typeof other === 'number') {
    const apart = Math.abs(one - other)
    return apart <= ROUNDING * Math.max(1, Math.abs(one), Math.abs(other)) ? [] : [`${path}: ${one}, ${other}`]
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return [`${path}: ${String(one)}, ${String(other)}`]
  const [ones, others] = [entriesOf(one), entriesOf(other)]
  return Array.from(new Set([...ones.keys(), ...others.keys()])).flatMap((key) =>
    differences(ones.get(key), others.get(key), `${path}/${String(key)}`),
  )
}
