import { AUTOUPDATE_ANNOTATION } from '../config/objects.ts'
import { guardRails } from '../guard/guardRails.ts'
import type { GuardFinding } from '../guard/finding.ts'
import { withObjects } from '../sweep/fields.ts'
import { runBase, withValues } from '../sweep/points.ts'
import type { SweepBase } from '../sweep/sweep.ts'
import type { VariantResult } from '../whatif/results.ts'
import { crossedBy } from './guardRail.ts'
import { missedBy } from './missed.ts'
import type { Choice, Judged, Knob, Score, TunePlan } from './tune.ts'

/** Each changed setting costs at least one; a new warning of the guard rails costs as much as two. */
const WARNING = 2
const PERCENT_STEP = 25

/** The base with a choice, or a sentence with the reason why it is invalid. */
export function withChoice(base: SweepBase, knobs: readonly Knob[], choice: Choice): SweepBase | string {
  const chosen = knobs.flatMap((knob, index) => {
    const value = choice[index]
    return value === undefined ? [] : [{ knob, value }]
  })
  const changed = withValues(
    base,
    chosen.map(({ knob }) => knob),
    chosen.map(({ value }) => value),
  )
  return typeof changed === 'string' ? changed : kept(changed, new Set(chosen.map(({ knob }) => knob.of.name)))
}

/** Excludes these levels from the API server's maintenance, which restores a built-in spec within a minute. */
function kept(base: SweepBase, changed: ReadonlySet<string>): SweepBase {
  const { objects } = base.variant
  const levels = objects.levels.map((level) => {
    const { metadata } = level
    if (!changed.has(metadata.name) || metadata.annotations?.[AUTOUPDATE_ANNOTATION] !== 'true') return level
    return {
      ...level,
      metadata: { ...metadata, annotations: { ...metadata.annotations, [AUTOUPDATE_ANNOTATION]: 'false' } },
    }
  })
  return withObjects(base, { ...objects, levels })
}

/** Findings about an edit of the base. */
export function findingsOf(before: SweepBase, after: SweepBase): readonly GuardFinding[] {
  const { version, maxRequestsInFlight, maxMutatingRequestsInFlight } = before.variant
  const serverLimit = maxRequestsInFlight + maxMutatingRequestsInFlight
  return guardRails({
    before: before.variant.objects,
    after: after.variant.objects,
    context: { version, serverLimit, origin: 'files' },
  })
}

function changeOf(knobs: readonly Knob[], choice: Choice): number {
  return knobs.reduce((sum, { field, present }, index) => {
    const value = choice[index]
    if (value === undefined) return sum
    if (present === undefined) return sum + 2
    const far = field.endsWith('Percent')
      ? Math.abs(value - present) / PERCENT_STEP
      : Math.abs(Math.log2((value + 1) / (present + 1)))
    return sum + 1 + far
  }, 0)
}

/** Results of the base, for comparison with choices. */
export interface Before {
  readonly base: SweepBase
  readonly result: VariantResult
}

/** Judges a choice by running it. `undefined` if it is invalid, or if the guard rails block it. */
export function judge(plan: TunePlan, before: Before, choice: Choice): Judged | undefined {
  const changed = withChoice(before.base, plan.knobs, choice)
  if (typeof changed === 'string') return undefined
  const findings = findingsOf(before.base, changed)
  if (findings.some(({ severity }) => severity === 'blocks')) return undefined
  const isChange = choice.some((value) => value !== undefined)
  const result = isChange ? runBase(changed) : before.result
  if (result === undefined) return undefined
  const warnings = findings.filter(({ severity }) => severity === 'warns').length
  return { choice, score: scoreOf(plan, before.result, result, changeOf(plan.knobs, choice) + WARNING * warnings) }
}

function scoreOf(plan: TunePlan, before: VariantResult, after: VariantResult, change: number): Score {
  const goals = plan.goals.reduce((sum, goal) => sum + missedBy(goal, after), 0)
  const crossed = plan.guardRails.reduce((sum, rail) => sum + crossedBy(rail, before, after), 0)
  return { guardRails: crossed, goals, change }
}
