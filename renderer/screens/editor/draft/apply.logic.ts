import { format } from '../../../theme/format.ts'
import type { JournalEntry, ObjectsState, ChangeVerdict } from '../../../../core/contract/objects.ts'
import { changesOf } from '../../../../core/draft/readEntry.ts'
import type { GuardFinding, ObjectRef } from '../../../../core/guard/finding.ts'
import { isJsonObject } from '../../../../core/config/jsonValues.ts'
import { unixMsOf } from '../../../../core/units.ts'
import type { DraftApplyState } from '../../../state/draftApply.ts'
import type { DraftBase } from '../../../state/draftBase.ts'
import type { UnderstoodDraft } from '../../../state/draft.logic.ts'

export type StepState = 'done' | 'warned' | 'blocked' | 'waiting' | 'running'

export interface Step {
  readonly id: 'valid' | 'impact' | 'rails' | 'dry-run'
  readonly label: string
  readonly state: StepState
  readonly detail: string
}

export interface ApplySteps {
  readonly steps: readonly Step[]
  /** Number of objects to send. */
  readonly count: number
  /** Why nothing can be applied now, in a sentence; absent when it can. */
  readonly why?: string
  readonly mayCheck: boolean
}

export interface StepFacts {
  readonly draft: UnderstoodDraft
  readonly state: ObjectsState | undefined
  readonly apply: DraftApplyState
  /** Absent while they are being computed. */
  readonly rails: readonly GuardFinding[] | undefined
  /** Formats an instant as a clock time for people. */
  readonly timeOf: (at: string) => string
}

export function applySteps({ draft, state, apply, rails, timeOf }: StepFacts): ApplySteps {
  const { entries, base } = draft
  if (entries.length === 0 || base === undefined) return { steps: [], count: 0, mayCheck: false, why: 'No changes.' }
  const steps = [
    validStep(draft),
    impactStep(draft, apply),
    railsStep(rails, draft),
    dryRunStep(draft, apply, state, timeOf),
  ]
  const count = changesOf(draft.reads, base.objects).length
  const reachable = hasServer(base.origin) && state?.state === 'current' && count > 0
  const why = obstacle(steps, state, base.origin, apply)
  return { steps, count, mayCheck: reachable, ...(why !== undefined && { why }) }
}

/** Whether there is a server that would validate and accept a draft. */
export const hasServer = (origin: DraftBase['origin'] | 'none'): boolean =>
  origin === 'cluster' || origin === 'simulation' || origin === 'proxy'

function validStep(draft: UnderstoodDraft): Step {
  const problems = problemsOf(draft, undefined)
  const moved = draft.reads.filter(({ footing }) => footing.kind !== 'firm').length
  const step = { id: 'valid', label: 'Valid' } as const
  if (problems.some(({ severity }) => severity === 'error'))
    return { ...step, state: 'blocked', detail: countText(problems) }
  if (moved > 0) return { ...step, state: 'blocked', detail: format.counted(moved, 'conflict') }
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

function dryRunStep(
  { entries, reads }: UnderstoodDraft,
  { dryRun }: DraftApplyState,
  state: ObjectsState | undefined,
  timeOf: StepFacts['timeOf'],
): Step {
  const step = { id: 'dry-run', label: 'Dry run' } as const
  if (dryRun === undefined) return { ...step, state: 'waiting', detail: '' }
  if (dryRun.of !== entries) return { ...step, state: 'waiting', detail: 'of an earlier draft' }
  if (reads.some(({ footing }) => footing.kind !== 'firm'))
    return { ...step, state: 'waiting', detail: 'of earlier objects' }
  if (state?.state !== 'current' || state.editing.state === 'impossible')
    return { ...step, state: 'waiting', detail: 'no longer current' }
  const { outcome } = dryRun
  if (outcome.state === 'running') return { ...step, state: 'running', detail: 'waiting for the server' }
  if (outcome.state === 'failed') return { ...step, state: 'warned', detail: 'failed' }
  const { verdicts, at } = outcome.report
  if (needsTakeover(verdicts)) return { ...step, state: 'warned', detail: 'fields of other managers' }
  // There is no verdict yet: applying sends the request again.
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
  if (of('valid') === 'blocked') return 'Fix the errors and resolve the conflicts first.'
  if (of('impact') !== 'done') return 'Check the seat impact of this draft first.'
  if (of('rails') === 'running') return 'The guard rails are being checked.'
  if (of('rails') === 'blocked') return 'A guard rail blocks the draft.'
  if (of('dry-run') === 'blocked') return 'The server would not accept the draft.'
  if (apply.applying) return 'The draft is being applied.'
  return state.editing.state === 'off' ? 'Editing is off.' : undefined
}

/** One problem of the draft, and where to fix it. */
export interface DraftProblem extends ObjectRef {
  readonly shown: string
  readonly field: string
  readonly severity: 'error' | 'warning'
  readonly message: string
}

/** All findings of the draft; those of `first` come first if it is given, errors before warnings. */
export function problemsOf({ reads }: UnderstoodDraft, first: ObjectRef | undefined): readonly DraftProblem[] {
  const rank = ({ kind, name, severity }: DraftProblem): number =>
    (severity === 'error' ? 0 : 2) + (kind === first?.kind && name === first.name ? 0 : 1)
  return reads
    .flatMap(({ entry: { kind, name }, name: shown, findings }) =>
      findings.map(({ field, severity, message }): DraftProblem => ({ kind, name, shown, field, severity, message })),
    )
    .toSorted((a, b) => rank(a) - rank(b))
}

/** `1 error, 2 warnings`. */
export function countText(problems: readonly { readonly severity: 'error' | 'warning' }[]): string {
  const count = (severity: 'error' | 'warning'): number => problems.filter((one) => one.severity === severity).length
  const [errors, warnings] = [count('error'), count('warning')]
  return [
    ...(errors > 0 ? [format.counted(errors, 'error')] : []),
    ...(warnings > 0 ? [format.counted(warnings, 'warning')] : []),
  ].join(', ')
}

/** The actual or expected result of one change. `applied`: not a dry run. */
export function outcomeText({ outcome, theirs, conflicts, problem }: ChangeVerdict, applied: boolean): string {
  switch (outcome) {
    case 'accepted':
      return applied ? 'is applied.' : 'would be accepted.'
    case 'unchanged':
      return applied ? 'was already in this state.' : 'is already in this state.'
    case 'conflict':
      if (conflicts.length > 0) return 'has fields with another field manager; it was not changed.'
      return theirs === undefined
        ? 'differs from the version that the draft is based on; it was not changed.'
        : 'was changed by someone else in the meantime; your change was not applied.'
    case 'rejected':
      return applied ? 'was rejected by the server and not changed.' : 'would be rejected by the server.'
    case 'forbidden':
      return 'cannot be changed with these credentials.'
    case 'throttled':
      return 'was not changed: the server rejected the request with 429. Apply it again when the server is less busy.'
    case 'failed':
      // The problem shown with it states whether the change may have been applied.
      return applied ? 'was not confirmed by the server.' : 'received no response.'
    case 'skipped':
      return problem === undefined ? 'was not sent, because the server did not accept an earlier one.' : 'was not sent.'
  }
}

/** Whether fields of other managers are the only obstacle: they can be forced. */
export function needsTakeover(verdicts: readonly ChangeVerdict[]): boolean {
  const bad = verdicts.filter(({ outcome }) => outcome !== 'accepted' && outcome !== 'unchanged')
  return bad.length > 0 && bad.every(({ conflicts }) => conflicts.length > 0)
}

/** The result of an application as a whole: `Applied`, `Partly applied`, `Not applied`. */
export function appliedTitle(verdicts: readonly ChangeVerdict[]): string {
  const done = verdicts.filter(({ outcome }) => outcome === 'accepted' || outcome === 'unchanged').length
  if (done === verdicts.length) return 'Applied'
  return done > 0 ? 'Partly applied' : 'Not applied'
}

/** Does not mention other objects: if there are several, earlier ones may have been applied. */
export function retryText({ until, attempt, most }: NonNullable<ObjectsState['waiting']>, now: number): string {
  const seconds = Math.max(0, Math.ceil((unixMsOf(until) - now) / 1_000))
  return `The server rejected the request with 429 and did not carry it out. Next attempt in ${seconds} s (${attempt} of ${most}).`
}

/** Levels that an entry changes or deletes, or that its schemas reference, each once. */
export function editedLevels(entry: Pick<JournalEntry, 'changes'> | undefined): readonly string[] {
  const names = (entry?.changes ?? []).flatMap(({ kind, name, to }) => {
    if (kind === 'PriorityLevelConfiguration') return [name]
    if (to === null) return []
    const { spec } = to
    const of = isJsonObject(spec) ? spec['priorityLevelConfiguration'] : undefined
    const level = isJsonObject(of) ? of['name'] : undefined
    return typeof level === 'string' ? [level] : []
  })
  return [...new Set(names)]
}

export const countOf = (changes: readonly unknown[]): string => format.counted(changes.length, 'object')
