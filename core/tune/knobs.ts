import { DEFAULT_SHARES, type LimitedSpec } from '../config/objects.ts'
import { isLegalShape } from '../config/shape.ts'
import type { SweepBase } from '../sweep/sweep.ts'
import type { Knob } from './tune.ts'

/** Shares and queue lengths are tried as multiples of their present values. */
const FACTORS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8] as const
const LENDABLE = [0, 10, 25, 50, 75, 90] as const
const BORROWING = [0, 25, 50, 100, 200, 400] as const
const QUEUES = [1, 4, 16, 32, 64, 128, 256, 512] as const
const HANDS = [1, 2, 4, 6, 8, 10, 12] as const
const MOST_SHARES = 10_000
const MOST_LENGTH = 5_000

/** The value of a field of a Limited level; `undefined` if it has none. */
export function presentValue(limited: LimitedSpec, field: string): number | undefined {
  const {
    nominalConcurrencyShares = DEFAULT_SHARES,
    lendablePercent = 0,
    borrowingLimitPercent,
    limitResponse,
  } = limited
  const { queues, handSize, queueLengthLimit } = limitResponse.queuing ?? {}
  const values: Readonly<Record<string, number | undefined>> = {
    nominalConcurrencyShares,
    lendablePercent,
    borrowingLimitPercent,
    queues,
    handSize,
    queueLengthLimit,
  }
  return values[field]
}

/** Everything that tuning may change in these levels, with the values to try. */
export function usualKnobs({ variant }: SweepBase, levels: ReadonlySet<string>): readonly Knob[] {
  return variant.objects.levels.flatMap(({ metadata: { name }, spec: { limited } }) => {
    if (limited === undefined || !levels.has(name)) return []
    const knob = (field: string, values: readonly number[]): Knob => knobOf(limited, { name, field, values })
    const { nominalConcurrencyShares: shares = DEFAULT_SHARES, limitResponse } = limited
    const { queuing } = limitResponse
    return [
      knob('nominalConcurrencyShares', multiples(Math.max(1, shares), MOST_SHARES)),
      knob('lendablePercent', LENDABLE),
      knob('borrowingLimitPercent', BORROWING),
      ...(queuing === undefined
        ? []
        : [
            knob(
              'queues',
              QUEUES.filter((queues) => isLegalShape({ queues, handSize: Math.min(queuing.handSize, queues) })),
            ),
            knob(
              'handSize',
              HANDS.filter((handSize) => isLegalShape({ queues: queuing.queues, handSize })),
            ),
            knob('queueLengthLimit', multiples(queuing.queueLengthLimit, MOST_LENGTH)),
          ]),
    ]
  })
}

const multiples = (value: number, most: number): readonly number[] => [
  ...new Set(FACTORS.map((factor) => Math.min(most, Math.max(1, Math.round(value * factor))))),
]

/** A knob with its present value among its values, ascending. */
export function knobOf(
  limited: LimitedSpec,
  { name, field, values }: { readonly name: string; readonly field: string; readonly values: readonly number[] },
): Knob {
  const present = presentValue(limited, field)
  const all = new Set([...values, ...(present === undefined ? [] : [present])])
  return {
    of: { kind: 'level', name },
    field,
    values: [...all].toSorted((a, b) => a - b),
    ...(present !== undefined && { present }),
  }
}
