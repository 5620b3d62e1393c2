import { effectiveLevelName } from './around.logic.ts'
import type { ObjectRef } from '../../../../core/guard/finding.ts'
import { readOf, type UnderstoodDraft } from '../../../state/draft.logic.ts'
import { DraftHandsPane } from './DraftHandsPane.tsx'
import type { Moves } from './moves.data.ts'
import { OrderPane } from './OrderPane.tsx'
import type { Impact } from './useImpact.ts'

/** What is known around an object: its place in the matching order, the hands of the flows of its level. */
export function Around(props: {
  readonly of: ObjectRef
  readonly draft: UnderstoodDraft
  readonly impact: Impact
  readonly moves: Moves | undefined
}) {
  const { of, draft, impact, moves } = props
  const name = readOf(draft, of)?.name ?? of.name
  const level = effectiveLevelName(impact.after, { kind: of.kind, name })
  const queues = impact.impact.rows.find((row) => row.name === level)?.after?.queues
  return (
    <>
      {of.kind === 'FlowSchema' && <OrderPane objects={impact.after} name={name} moves={moves} />}
      {level !== undefined && queues !== undefined && (
        <DraftHandsPane level={level} shape={queues} flows={moves?.flows.get(level) ?? []} />
      )}
    </>
  )
}
