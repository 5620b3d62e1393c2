import { useEffect, useState } from 'react'
import { toProblem } from '../../../../core/contract/errors.ts'
import type { ObjectsState } from '../../../../core/contract/objects.ts'
import { changesOf } from '../../../../core/draft/readEntry.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { say } from '../../../state/shell.ts'
import { Button } from '../../../components/Button.tsx'
import { Icon } from '../../../components/Icon.tsx'
import { applyDraft, draftApplyStore, runDry } from '../../../state/draftApply.ts'
import type { UnderstoodDraft } from '../../../state/draft.logic.ts'
import { useConnected } from '../../../state/connection.ts'
import { showsRequests } from '../../../state/live.ts'
import { openPage, openScreen } from '../../../state/route.ts'
import { runDraftBeside } from '../../../state/shadowDraft.ts'
import { format } from '../../../theme/format.ts'
import { ApplyDialog, countOf } from './ApplyDialog.tsx'
import { EditingSwitch } from './EditingSwitch.tsx'
import { RetryNote } from './RetryNote.tsx'
import { SaveMenu } from './SaveMenu.tsx'
import { applySteps, hasServer } from './steps.logic.ts'
import { StepBar } from './StepBar.tsx'
import type { Guard } from './useGuard.ts'
import type { Impact } from './useImpact.ts'
import styles from './page.module.css'

/** How far the draft is on its way to the server, and the buttons that take it there. */
export function ApplyBar(props: {
  readonly draft: UnderstoodDraft
  readonly impact: Impact
  readonly guard: Guard | undefined
  readonly state: ObjectsState | undefined
  /** Whether it is asked before applying, and whether fields of others are taken over. */
  readonly asking: 'no' | 'apply' | 'force'
  readonly onAsking: (asking: 'no' | 'apply' | 'force') => void
}) {
  const { draft, impact, guard, state, asking, onAsking } = props
  const apply = draftApplyStore()
  const rails = guard?.of === draft.entries ? guard.rails : undefined
  const timeOf = (at: string): string => format.time(unixMsOf(at))
  const { steps, count, why, mayCheck } = applySteps({ draft, state, apply, rails, timeOf })
  const target = state?.target ?? ''
  const changes = draft.base === undefined ? [] : changesOf(draft.reads, draft.base.objects)
  const on = state?.editing.state === 'on'
  const force = asking === 'force'
  // What comes in between ends the question: it is never asked again by itself.
  useEffect(() => {
    if (asking !== 'no' && why !== undefined) onAsking('no')
  }, [asking, why, onAsking])
  return (
    <StepBar steps={steps} note={<RetryNote />}>
      {steps.length === 0 && <p className={styles['say']}>{standingSentence(state, draft)}</p>}
      {steps.length > 0 &&
        why !== undefined &&
        state?.editing.state !== 'off' &&
        steps.every(({ state: step }) => step !== 'blocked') && <p className={styles['why']}>{why}</p>}
      <Button onClick={() => openPage('editor', 'journal')}>
        <Icon name="undo" size={13} /> Journal
      </Button>
      {steps.length > 0 && <SaveMenu reads={draft.reads} />}
      {steps.length > 0 && <RunBeside />}
      {mayCheck && (
        <Button aria-keyshortcuts="Control+Enter" disabled={apply.applying} onClick={() => void runDry()}>
          Dry run
        </Button>
      )}
      {state !== undefined && (!on || steps.length === 0) && <EditingSwitch state={state} />}
      {steps.length > 0 && on && hasServer(state.origin) && (
        <Button
          primary
          aria-keyshortcuts="Control+Shift+Enter"
          disabled={why !== undefined || count === 0}
          title={why}
          onClick={() => onAsking('apply')}
        >
          {apply.applying ? 'Applying…' : `Apply ${countOf(draft.entries)} to ${target}`}
        </Button>
      )}
      <ApplyDialog
        open={asking !== 'no' && why === undefined && count > 0}
        onOpen={(open) => !open && onAsking('no')}
        rails={rails ?? []}
        onApply={(label) => void applyDraft({ target, label, force })}
        {...{ target, changes, impact, force }}
      />
    </StepBar>
  )
}

/** What is so while nothing is changed. */
function standingSentence(state: ObjectsState | undefined, { base }: UnderstoodDraft): string {
  if (base?.origin === 'built-in') return 'No changes yet. A draft can be saved as YAML.'
  if (state?.editing.state === 'impossible') return state.editing.why
  if (state?.editing.state === 'off') return 'Read-only. Nothing changes on the server until a draft is applied.'
  return `Editing of ${state?.target ?? ''} is on. No changes yet.`
}

/** The draft on the requests that come now, where the source shows them. */
function RunBeside() {
  const connected = useConnected()
  const [busy, setBusy] = useState(false)
  if (connected === undefined || !showsRequests(connected)) return null
  const start = async (): Promise<void> => {
    setBusy(true)
    try {
      await runDraftBeside()
      openScreen('live')
    } catch (thrown) {
      say(toProblem(thrown).message)
      setBusy(false)
    }
  }
  return (
    <Button disabled={busy} onClick={() => void start()}>
      Run beside live traffic
    </Button>
  )
}
