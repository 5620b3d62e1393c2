import type { DerivedServer } from '../../../core/frame/derived.ts'
import { REJECT_REASONS, type RejectReason } from '../../../core/frame/frame.ts'

/** Requests rejected of one flow schema for one reason within the window. */
export interface RejectionRow {
  readonly server: string
  readonly level: string
  readonly schema: string
  readonly reason: RejectReason
  readonly count: number
  readonly perSecond: number
}

export interface RecentRejections {
  /** Length of the window of the present: about ten seconds, less after the start. */
  readonly seconds: number
  /** By level, flow schema and reason: an order by counts would change with every sample. */
  readonly rows: readonly RejectionRow[]
}

/** What one server rejected within the window; absent until two samples with known counters exist. */
export function recentRejections(derived: DerivedServer | undefined): RecentRejections | undefined {
  if (derived === undefined) return undefined
  const seconds = derived.levels.find(({ recent }) => recent?.rejected !== undefined)?.recent?.seconds
  if (seconds === undefined) return undefined
  const rows = derived.levels.flatMap((level) =>
    level.schemas.flatMap((schema) =>
      REJECT_REASONS.flatMap((reason): readonly RejectionRow[] => {
        const count = schema.recent?.rejected?.[reason] ?? 0
        if (count <= 0) return []
        const row = { level: level.name, schema: schema.name, reason, count, perSecond: count / seconds }
        return [{ server: derived.id, ...row }]
      }),
    ),
  )
  return { seconds, rows: rows.toSorted(compare) }
}

const compare = (a: RejectionRow, b: RejectionRow) => (rejectionKey(a) < rejectionKey(b) ? -1 : 1)

/**
 * The rows of now at the places where they were: one that rejects nothing any more goes to zero, and new ones come last, so
 * that nothing moves while somebody reads. Starts afresh once nothing is rejected.
 */
export function keepPlaces(places: readonly RejectionRow[], now: readonly RejectionRow[]): readonly RejectionRow[] {
  if (now.length === 0) return []
  const current = new Map(now.map((row) => [rejectionKey(row), row]))
  const kept = places.map((row) => current.get(rejectionKey(row)) ?? { ...row, count: 0, perSecond: 0 })
  const known = new Set(places.map(rejectionKey))
  return [...kept, ...now.filter((row) => !known.has(rejectionKey(row)))]
}

export const rejectionKey = ({ server, level, schema, reason }: RejectionRow): string =>
  `${server}/${level}/${schema}/${reason}`
