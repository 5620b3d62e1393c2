import { REJECT_REASONS, type LevelFrame, type RejectReason } from '../../../core/frame/frame.ts'
import { allRejected, dispatchRate, recentRejected } from '../../../core/frame/recent.ts'
import type { DerivedLevel, QuantileRange } from '../../../core/frame/derived.ts'
import { REASON_TEXT, type ReasonText } from '../../components/rejectReasons.ts'

export interface RejectionRow extends ReasonText {
  readonly reason: RejectReason
  /** Requests since the server started. */
  readonly total: number | undefined
  /** Requests per second over the window of the present, about 10 s. */
  readonly rate: number | undefined
}

/** One row per reason that this level can have; reasons without an event read 0 and stay explained. */
export function rejectionRows(level: LevelFrame, derived: DerivedLevel | undefined): readonly RejectionRow[] {
  return REJECT_REASONS.map((reason) => ({
    reason,
    total: level.rejected?.[reason],
    rate: recentRejected(derived?.recent)?.[reason],
    ...REASON_TEXT[reason],
  }))
}

/** Rejections of all reasons per second over the window of the present; `undefined` until that is known. */
export function rejectedNow(derived: Pick<DerivedLevel, 'recent'> | undefined): number | undefined {
  const rates = recentRejected(derived?.recent)
  return rates && allRejected(rates)
}

/** Rejections of all reasons since the server started. */
export const rejectedTotal = ({ rejected }: Pick<LevelFrame, 'rejected'>): number | undefined =>
  rejected && allRejected(rejected)

export interface SchemaRow {
  readonly name: string
  readonly dispatchedRate: number | undefined
  readonly rejectedRate: number | undefined
  readonly executing: number | undefined
  readonly executingSeats: number | undefined
  readonly queued: number | undefined
  readonly queuedSeats: number | undefined
  /** Seconds. */
  readonly waitP50: number | undefined
  readonly waitP99: number | undefined
  readonly waitP50Range: QuantileRange | undefined
  readonly waitP99Range: QuantileRange | undefined
  readonly executionP99: number | undefined
  /** Mean seats per classified request since the server started. */
  readonly meanSeats: number | undefined
}

/** What each flow schema of the level sends; busiest first. */
export function schemaRows(level: LevelFrame, derived: DerivedLevel | undefined): readonly SchemaRow[] {
  const rows = level.schemas.map((schema): SchemaRow => {
    const rates = derived?.schemas.find((entry) => entry.name === schema.name)
    const width = schema.estimatedSeats
    return {
      name: schema.name,
      dispatchedRate: dispatchRate(rates?.recent),
      rejectedRate: rejectedNow(rates),
      executing: schema.requests.executing,
      executingSeats: schema.seats.executing,
      queued: schema.requests.queued,
      queuedSeats: schema.seats.queued,
      waitP50: rates?.waitP50,
      waitP99: rates?.waitP99,
      waitP50Range: rates?.waitP50Range,
      waitP99Range: rates?.waitP99Range,
      executionP99: rates?.executionP99,
      meanSeats: width !== undefined && width.count > 0 ? width.sum / width.count : undefined,
    }
  })
  return rows.toSorted((a, b) => (b.dispatchedRate ?? -1) - (a.dispatchedRate ?? -1) || a.name.localeCompare(b.name))
}
