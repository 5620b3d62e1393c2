import type { DemandByLevel } from '../../core/impact/effectiveLevels.ts'
import type { SeatImpact } from '../../core/impact/seatImpact.ts'
import { labelValues, total, type Sample } from './independent.ts'

/** By level: nominal, lower and upper limit, in seats. */
export type Limits = Readonly<Record<string, readonly (number | undefined)[]>>

export const limitsOf = ({ rows }: SeatImpact, side: 'before' | 'after'): Limits =>
  Object.fromEntries(rows.map((row) => [row.name, [row[side]?.nominal, row[side]?.lower, row[side]?.upper]]))

export const reportedLimits = (samples: readonly Sample[]): Limits =>
  Object.fromEntries(
    labelValues(samples, 'priority_level').map((name) => [
      name,
      ['nominal_limit_seats', 'lower_limit_seats', 'upper_limit_seats'].map((family) =>
        total(samples, family, { priority_level: name }),
      ),
    ]),
  )

export const demandIn = (samples: readonly Sample[]): DemandByLevel =>
  new Map(
    labelValues(samples, 'priority_level').map((name) => {
      const of = (family: string): number => total(samples, family, { priority_level: name }) ?? NaN
      return [name, { highWatermark: of('demand_seats_high_watermark'), smoothed: of('demand_seats_smoothed') }]
    }),
  )

/** Current limits of a page that are more than one seat from those computed from the demand of the same page. */
export const strayLimits = (samples: readonly Sample[], { rows }: SeatImpact): readonly string[] =>
  rows.flatMap(({ name, limitAfter }) => {
    const reported = total(samples, 'current_limit_seats', { priority_level: name })
    const off = Math.abs((limitAfter?.current ?? NaN) - (reported ?? NaN))
    return off <= 1 ? [] : [`${name}: ${limitAfter?.current ?? '?'} computed, ${reported ?? '?'} reported`]
  })
