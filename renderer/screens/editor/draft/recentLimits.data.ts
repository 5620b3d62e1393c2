import type { LimitsOverSteps, LimitSpan } from '../../../../core/impact/limitsOverSteps.ts'
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
      ? 'No recomputation of the limits was seen in the last 10 minutes.'
      : `From the demand of ${steps} recomputations. With other limits requests would have waited otherwise, so that the demand would have been another one.`
  return { rows: new Map(rows.map(({ name, ...spans }) => [name, spans])), sentence }
}

/** `73 – 120`. */
export const spanText = (span: LimitSpan | undefined): string | undefined =>
  span === undefined
    ? undefined
    : span.least === span.most
      ? format.seats(span.least)
      : `${format.seats(span.least)} – ${format.seats(span.most)}`
