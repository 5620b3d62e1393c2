import { lazy, memo, Suspense, useMemo, useState } from 'react'
import type { ObjectRef } from '../../../../core/guard/finding.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { SeatsField, typedSeats } from '../../../components/SourceControls.tsx'
import { ProblemNote } from '../../../components/States.tsx'
import {
  dismissApplied,
  draftApplyStore,
  markSeen,
  type Applied,
  type DraftApplyState,
} from '../../../state/draftApply.ts'
import type { UnderstoodDraft } from '../../../state/draft.logic.ts'
import { useConnected } from '../../../state/connection.ts'
import { format } from '../../../theme/format.ts'
import { useAppliedEffect } from '../effect/effects.ts'
import { effectiveLevelName } from './draftObject.ts'
import { DiffPane } from './Diff.tsx'
import { EffectsPane, VerdictPane } from './VerdictPane.tsx'
import { GuardPane } from './GuardPane.tsx'
import { ImpactPane } from './ImpactPane.tsx'
import type { Moves } from './moves.data.ts'
import { MovesPane } from './Around.tsx'
import { type DraftProblem, editedLevels, needsTakeover } from './apply.logic.ts'
import { afterRestart, type Guard, type Impact } from './forecast.ts'
import styles from './page.module.css'

const EffectPane = lazy(async () => ({ default: (await import('../effect/EffectPane.tsx')).EffectPane }))
const ForecastPane = lazy(async () => ({ default: (await import('./ForecastPane.tsx')).ForecastPane }))

/** The effects of the draft, and the server's response to it. */
export const Aside = memo(function Aside(props: {
  readonly draft: UnderstoodDraft
  readonly impact: Impact
  readonly guard: Guard | undefined
  readonly moves: Moves | undefined
  readonly selected: ObjectRef | undefined
  readonly mayEdit: boolean
  readonly onOpen: (problem: Pick<DraftProblem, 'kind' | 'name' | 'field'>) => void
  readonly onForce: () => void
}) {
  const { draft, impact: present, guard, moves, selected, mayEdit, onOpen, onForce } = props
  const [typed, setTyped] = useState('')
  const newLimit = typedSeats(typed)
  const impact = useMemo(
    () => (newLimit === undefined ? present : afterRestart(present, newLimit)),
    [present, newLimit],
  )
  const level = selected && effectiveLevelName(impact.after, selected)
  return (
    <div className={styles['aside']}>
      <Said entries={draft.entries} onOpen={onOpen} onForce={onForce} />
      <ImpactPane
        impact={impact}
        selected={level}
        stale={(draft.proposal?.stale.length ?? 0) > 0}
        onSeen={() => draft.entries.length > 0 && markSeen(draft.entries)}
      />
      <Suspense>
        {/* Switching editing on repeats the fit. */}
        <ForecastPane
          key={String(mayEdit)}
          impact={impact}
          selected={level}
          isDrafted={draft.entries.length > 0}
          flags={
            <SeatsField
              label="seats after a restart"
              title="Sum of --max-requests-inflight and --max-mutating-requests-inflight after a restart; empty as now."
              placeholder={String(impact.limit.seats)}
              value={typed}
              onChange={setTyped}
            />
          }
        />
      </Suspense>
      <div className={styles['two']}>
        <div>
          <GuardPane rails={guard?.rails ?? []} stale={guard?.stale ?? false} mayEdit={mayEdit} />
          {moves !== undefined && draft.entries.length > 0 && <MovesPane moves={moves} />}
        </div>
        <div>
          <DiffPane reads={draft.reads} />
        </div>
      </div>
    </div>
  )
})

/** The effect of an application: the present numbers until enough was measured. */
function AppliedEffect({ applied }: { readonly applied: Applied }) {
  const known = useAppliedEffect(applied.report.entry?.id)
  return (
    <>
      {known?.effect.measured === undefined && <EffectsPane applied={applied} />}
      {known !== undefined && (
        <Suspense>
          <EffectPane {...known} edited={editedLevels(applied.report.entry)} />
        </Suspense>
      )}
    </>
  )
}

const NOTHING_APPLIED: Pick<DraftApplyState, 'applied' | 'problem'> = {}

/** The last report of an application, and the last dry run of this exact draft. */
function Said(props: {
  readonly entries: UnderstoodDraft['entries']
  readonly onOpen: (problem: Pick<DraftProblem, 'kind' | 'name' | 'field'>) => void
  readonly onForce: () => void
}) {
  const { entries, onOpen, onForce } = props
  const connection = useConnected()?.id
  const { of, dryRun, ...last } = draftApplyStore()
  const { applied, problem } = of === connection ? last : NOTHING_APPLIED
  const answer = dryRun?.of === entries ? dryRun.outcome : undefined
  return (
    <>
      {problem !== undefined && (
        <div className="pad-x pad-y-10">
          <ProblemNote problem={problem} alert />
        </div>
      )}
      {applied !== undefined && (
        <div className="line-below" role="status">
          <VerdictPane
            note={`to ${applied.target}, ${format.time(unixMsOf(applied.report.at))}`}
            verdicts={applied.report.verdicts}
            applied
            onOpen={onOpen}
            onForce={onForce}
            onDismiss={dismissApplied}
          />
          <AppliedEffect applied={applied} />
        </div>
      )}
      {answer?.state === 'failed' && (
        <div className="pad-x pad-y-10">
          <ProblemNote problem={answer.problem} alert />
        </div>
      )}
      {answer?.state === 'answered' && (
        <div className="line-below" role="status">
          <VerdictPane
            title="Dry run"
            note={`server response, ${format.time(unixMsOf(answer.report.at))}`}
            verdicts={answer.report.verdicts}
            applied={false}
            onOpen={onOpen}
            onForce={needsTakeover(answer.report.verdicts) ? onForce : undefined}
          />
        </div>
      )}
    </>
  )
}
