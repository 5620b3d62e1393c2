import type { LimitsOverSteps, LimitSpan } from '../../../../core/impact/seatImpact.ts'
import { format } from '../../../theme/format.ts'

/** Limits that both configurations would have had lately. */
export interface RecentLimits {
  readonly rows: ReadonlyMap<string, { readonly before?: LimitSpan; readonly after?: LimitSpan }>
  /** What they were computed from. */
  readonly sentence: string
}

export function recentLimits({ steps, rows }: LimitsOverSteps): RecentLimits {
  const sentence =
    steps === 0
      ? 'No reallocation was seen in the last 10 minutes.'
      : `From the demand of ${steps} reallocations. Under other limits requests would have waited differently, so demand would have differed too.`
  return { rows: new Map(rows.map(({ name, ...spans }) => [name, spans])), sentence }
}

/** `73 – 120`. */
export const spanText = (span: LimitSpan | undefined): string | undefined =>
  span === undefined
    ? undefined
    : span.least === span.most
      ? format.seats(span.least)
      : `${format.seats(span.least)} – ${format.seats(span.most)}`
