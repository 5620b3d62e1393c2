import type { AllocationRegime } from '../engine/allocation.ts'
import { byCodeUnits } from '../text/order.ts'
import type { ReportedLevel } from './expected.ts'
import { demandOf } from './demand.ts'
import { type LimitsNow, limitsNow } from './limitsNow.ts'
import { type ImpactQuestion, sidesOf } from './seatImpact.ts'

/** Limits of one level over some recomputations, seats. */
export interface LimitSpan {
  readonly least: number
  readonly most: number
  readonly last: number
}

export interface LimitsOverSteps {
  /** Recomputations that could be computed: those that report the demand of every level. */
  readonly steps: number
  /** By name; of a level that one of the configurations lacks, that span is absent. */
  readonly rows: readonly { readonly name: string; readonly before?: LimitSpan; readonly after?: LimitSpan }[]
  /** How often each regime decided. */
  readonly regimes: { readonly before: RegimeCounts; readonly after: RegimeCounts }
}
export type RegimeCounts = Readonly<Partial<Record<AllocationRegime, number>>>

/**
 * The limits that both configurations would have had with the demand of past recomputations (contract procedure
 * `allocation.steps`), oldest first. Demand stays as it was: with other limits the requests would have waited otherwise.
 */
export function limitsOverSteps(
  question: Omit<ImpactQuestion, 'demand'>,
  steps: readonly { readonly levels: readonly ReportedLevel[] }[],
): LimitsOverSteps {
  const { before, after, profile } = sidesOf(question)
  const was = collector()
  const is = collector()
  let computed = 0
  for (const step of steps) {
    const demand = demandOf(step)
    if (demand === undefined) continue
    computed += 1
    was.add(limitsNow(before.levels, demand, profile.borrowing))
    is.add(limitsNow(after.levels, demand, profile.borrowing))
  }
  const names = [...new Set([...was.spans.keys(), ...is.spans.keys()])].toSorted(byCodeUnits)
  return {
    steps: computed,
    rows: names.map((name) => {
      const [spanBefore, spanAfter] = [was.spans.get(name), is.spans.get(name)]
      return { name, ...(spanBefore && { before: spanBefore }), ...(spanAfter && { after: spanAfter }) }
    }),
    regimes: { before: was.regimes, after: is.regimes },
  }
}

function collector() {
  const spans = new Map<string, LimitSpan>()
  const regimes: Partial<Record<AllocationRegime, number>> = {}
  const add = ({ allocation: { regime }, levels }: LimitsNow): void => {
    regimes[regime] = (regimes[regime] ?? 0) + 1
    for (const [name, { current }] of levels) {
      const { least = current, most = current } = spans.get(name) ?? {}
      spans.set(name, { least: Math.min(least, current), most: Math.max(most, current), last: current })
    }
  }
  return { spans, regimes, add }
}
