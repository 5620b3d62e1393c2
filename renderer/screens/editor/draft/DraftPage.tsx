import type { ObjectsState } from '../../../../core/contract/objects.ts'
import { ProblemNote, EmptyState, ErrorState, ForbiddenState, Loading } from '../../../components/States.tsx'
import { Button } from '../../../components/Button.tsx'
import { insistOnBuiltIn } from '../../../state/draftBase.ts'
import { draftStore, useDraft, useDraftReady } from '../../../state/draft.ts'
import { useObjects } from '../../../state/objects.ts'
import { openScreen } from '../../../state/route.ts'
import { DraftEditor } from './DraftEditor.tsx'
import { useImpact } from './useImpact.ts'

/** The draft, or why there is none to show. */
export function DraftPage() {
  const state = useObjects()
  const draft = useDraft()
  const ready = useDraftReady()
  const impact = useImpact()
  const notKept = draftStore((store) => store.notKept)
  if (draft.base !== undefined && draft.proposal !== undefined && impact !== undefined && ready) {
    return (
      <>
        {notKept !== undefined && <ProblemNote problem={notKept} />}
        <DraftEditor draft={draft} impact={impact} />
      </>
    )
  }
  return (
    <>
      <h1 className="sr-only">Draft</h1>
      <NoDraft state={draft.base === undefined ? state : undefined} />
    </>
  )
}

/** What is missing, and what can be done without it. */
function NoDraft({ state }: { readonly state: ObjectsState | undefined }) {
  if (state?.state === 'unavailable') {
    const { problem, target } = state
    const upon = <Button onClick={insistOnBuiltIn}>Draft on the built-in objects</Button>
    if (problem?.code === 'forbidden') {
      return (
        <ForbiddenState
          title={`You may not read the flow-control objects of ${target}.`}
          role={state.editing.state === 'impossible' ? state.editing.role : undefined}
          actions={upon}
        >
          <p>{problem.message}</p>
          <p>Everything else works. A draft on the built-in objects can be saved as YAML.</p>
        </ForbiddenState>
      )
    }
    if (problem === undefined) {
      return (
        <EmptyState
          title={`${target} has no flow-control objects that could be edited.`}
          actions={
            <>
              {upon}
              <Button onClick={() => openScreen('connection')}>Connect another source</Button>
            </>
          }
        />
      )
    }
    return <ErrorState title={`The objects of ${target} cannot be read.`} problem={problem} actions={upon} />
  }
  return <Loading waitingFor="the flow-control objects" />
}
