import type { ObjectsState } from '../../../../core/contract/objects.ts'
import { changesOf } from '../../../../core/draft/readEntry.ts'
import type { GuardFinding } from '../../../../core/guard/finding.ts'
import type { DraftApplyState } from '../../../state/draftApply.ts'
import type { DraftBase } from '../../../state/draftBase.ts'
import type { UnderstoodDraft } from '../../../state/draft.logic.ts'
import { countText, problemsOf } from './problems.data.ts'
import { needsTakeover } from './verdict.text.ts'

export type StepState = 'done' | 'warned' | 'blocked' | 'waiting' | 'running'

/** One step on the way to apply. */
export interface Step {
  readonly id: 'valid' | 'impact' | 'rails' | 'dry-run'
  readonly label: string
  readonly state: StepState
  readonly detail: string
}

export interface ApplySteps {
  readonly steps: readonly Step[]
  /** Objects that would be sent. */
  readonly count: number
  /** Why nothing can be applied now, in a sentence; absent when it can. */
  readonly why?: string
  readonly mayCheck: boolean
}

export interface StepFacts {
  readonly draft: UnderstoodDraft
  readonly state: ObjectsState | undefined
  readonly apply: DraftApplyState
  /** Absent while they are being looked at. */
  readonly rails: readonly GuardFinding[] | undefined
  /** Clock time of an instant, for people. */
  readonly timeOf: (at: string) => string
}

/** How far the draft is on its way. */
export function applySteps({ draft, state, apply, rails, timeOf }: StepFacts): ApplySteps {
  const { entries, base } = draft
  if (entries.length === 0 || base === undefined) return { steps: [], count: 0, mayCheck: false, why: 'No changes.' }
  const steps = [validStep(draft), impactStep(draft, apply), railsStep(rails, draft), dryRunStep(draft, apply, timeOf)]
  const count = changesOf(draft.reads, base.objects).length
  const reachable = hasServer(base.origin) && state?.state === 'current' && count > 0
  const why = obstacle(steps, state, base.origin, apply)
  return { steps, count, mayCheck: reachable, ...(why !== undefined && { why }) }
}

/** Whether there is somebody who would judge and take a draft. */
export const hasServer = (origin: DraftBase['origin'] | 'none'): boolean =>
  origin === 'cluster' || origin === 'simulation' || origin === 'proxy'

function validStep(draft: UnderstoodDraft): Step {
  const problems = problemsOf(draft, undefined)
  const moved = draft.reads.filter(({ footing }) => footing.kind !== 'firm').length
  const step = { id: 'valid', label: 'Valid' } as const
  if (problems.some(({ severity }) => severity === 'error'))
    return { ...step, state: 'blocked', detail: countText(problems) }
  if (moved > 0) return { ...step, state: 'blocked', detail: moved === 1 ? '1 conflict' : `${moved} conflicts` }
  return problems.length > 0
    ? { ...step, state: 'warned', detail: countText(problems) }
    : { ...step, state: 'done', detail: '' }
}

function impactStep({ entries }: UnderstoodDraft, { seen }: DraftApplyState): Step {
  const step = { id: 'impact', label: 'Impact opened' } as const
  return seen === entries ? { ...step, state: 'done', detail: '' } : { ...step, state: 'waiting', detail: 'pending' }
}

function railsStep(rails: readonly GuardFinding[] | undefined, { proposal }: UnderstoodDraft): Step {
  const step = { id: 'rails', label: 'Guard rails' } as const
  if ((proposal?.stale.length ?? 0) > 0) return { ...step, state: 'waiting', detail: 'not checked' }
  if (rails === undefined) return { ...step, state: 'running', detail: '' }
  const count = (severity: GuardFinding['severity']): number => rails.filter((one) => one.severity === severity).length
  const [blocks, warns] = [count('blocks'), count('warns')]
  if (blocks > 0) return { ...step, state: 'blocked', detail: `${blocks} blocking` }
  if (warns > 0)
    return {
      ...step,
      state: 'warned',
      detail: countText(Array.from({ length: warns }, () => ({ severity: 'warning' }))),
    }
  return { ...step, state: 'done', detail: '' }
}

function dryRunStep({ entries }: UnderstoodDraft, { dryRun }: DraftApplyState, timeOf: StepFacts['timeOf']): Step {
  const step = { id: 'dry-run', label: 'Dry run' } as const
  if (dryRun === undefined) return { ...step, state: 'waiting', detail: '' }
  if (dryRun.of !== entries) return { ...step, state: 'waiting', detail: 'of an earlier draft' }
  const { outcome } = dryRun
  if (outcome.state === 'running') return { ...step, state: 'running', detail: 'waiting for the server' }
  if (outcome.state === 'failed') return { ...step, state: 'warned', detail: 'failed' }
  const { verdicts, at } = outcome.report
  if (needsTakeover(verdicts)) return { ...step, state: 'warned', detail: 'fields of other managers' }
  // Nothing was judged: applying asks again.
  if (verdicts.some(({ outcome: each }) => each === 'throttled'))
    return { ...step, state: 'warned', detail: 'rejected with 429' }
  const bad = verdicts.filter((verdict) => verdict.outcome !== 'accepted' && verdict.outcome !== 'unchanged')
  return bad.length === 0
    ? { ...step, state: 'done', detail: `accepted ${timeOf(at)}` }
    : { ...step, state: 'blocked', detail: `${bad.length} of ${verdicts.length} not accepted` }
}

function obstacle(
  steps: readonly Step[],
  state: ObjectsState | undefined,
  origin: DraftBase['origin'],
  apply: DraftApplyState,
): string | undefined {
  const of = (id: Step['id']): StepState | undefined => steps.find((step) => step.id === id)?.state
  if (origin === 'built-in') return 'No server is connected. Save the draft instead.'
  if (state?.editing.state === 'impossible') return state.editing.why
  if (state?.state !== 'current') return 'The server does not respond, so its objects may have changed.'
  if (of('valid') === 'blocked') return 'Mend the errors and settle the conflicts first.'
  if (of('impact') !== 'done') return 'Look at the seat impact of this draft first.'
  if (of('rails') === 'running') return 'The guard rails are being checked.'
  if (of('rails') === 'blocked') return 'A guard rail is in the way.'
  if (of('dry-run') === 'blocked') return 'The server would not accept the draft.'
  if (apply.applying) return 'The draft is being applied.'
  return state.editing.state === 'off' ? 'Editing is off.' : undefined
}
