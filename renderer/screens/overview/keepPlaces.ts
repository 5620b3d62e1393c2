import { rejectionKey, type RejectionRow } from '../../../core/verdict/levelRows.ts'

/**
 * The present rows in their previous places: a row without rejections goes to zero, and new ones come last, so that
 * nothing moves while it is read. Starts over once nothing is rejected.
 */
export function keepPlaces(places: readonly RejectionRow[], now: readonly RejectionRow[]): readonly RejectionRow[] {
  if (now.length === 0) return []
  const current = new Map(now.map((row) => [rejectionKey(row), row]))
  const kept = places.map((row) => current.get(rejectionKey(row)) ?? { ...row, count: 0, perSecond: 0 })
  const known = new Set(places.map(rejectionKey))
  return [...kept, ...now.filter((row) => !known.has(rejectionKey(row)))]
}
