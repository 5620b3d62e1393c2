import { useEffect, useState, type ReactNode } from 'react'
import { changesOf } from '../../../../core/draft/readEntry.ts'
import { unixMsOf } from '../../../../core/units.ts'
import type { ObjectsState } from '../../../../core/contract/objects.ts'
import { applyDraft, draftApplyStore, runDry } from '../../../state/draftApply.ts'
import type { UnderstoodDraft } from '../../../state/draft.logic.ts'
import { ask, useConnected, showsRequests } from '../../../state/connection.ts'
import { openPage, openScreen } from '../../../state/route.ts'
import { runDraftBeside } from '../../../state/draftRun.ts'
import { format } from '../../../theme/format.ts'
import { classes } from '../../../components/classes.ts'
import { Icon, type IconName } from '../../../components/Icon.tsx'
import { Note } from '../../../components/States.tsx'
import { useNow } from '../../../components/hooks.ts'
import { useObjects } from '../../../state/objects.ts'
import { say, sayFailure } from '../../../state/shell.ts'
import { Button, Copy } from '../../../components/Button.tsx'
import { ApplyDialog } from './ApplyDialog.tsx'
import { SaveMenu } from './SaveMenu.tsx'
import { applySteps, hasServer, type Step, type StepState, retryText, countOf } from './apply.logic.ts'
import type { Guard, Impact } from './forecast.ts'
import styles from './page.module.css'

/** The progress of the draft towards the server, and the buttons for the next step. */
export function ApplyBar(props: {
  readonly draft: UnderstoodDraft
  readonly impact: Impact
  readonly guard: Guard | undefined
  readonly state: ObjectsState | undefined
  /** Whether the confirmation is open, and whether it forces fields of other managers. */
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
  // An event in between closes the confirmation, which never reopens by itself.
  useEffect(() => {
    if (asking !== 'no' && why !== undefined) onAsking('no')
  }, [asking, why, onAsking])
  return (
    <StepBar steps={steps} note={<RetryNote />}>
      {steps.length === 0 && <p className="shrink-x leading-140 muted">{standingSentence(state, draft)}</p>}
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
        <Button
          asks="objects.check"
          aria-keyshortcuts="Control+Enter"
          disabled={apply.applying}
          onClick={() => void runDry()}
        >
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
        onApply={(label, keep) => void applyDraft({ target, label, force, keep })}
        {...{ target, changes, impact, force }}
      />
    </StepBar>
  )
}

/** The state while there are no changes. */
function standingSentence(state: ObjectsState | undefined, { base }: UnderstoodDraft): string {
  if (base?.origin === 'built-in') return 'No changes yet. A draft can be saved as YAML.'
  if (state?.editing.state === 'impossible') return state.editing.why
  if (state?.editing.state === 'off') return 'Read-only. Nothing changes on the server until a draft is applied.'
  return `Editing of ${state?.target ?? ''} is on. No changes yet.`
}

/** Runs the draft against live requests, where the source shows them. */
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
      sayFailure(thrown)
      setBusy(false)
    }
  }
  return (
    <Button asks="live.candidate" disabled={busy} onClick={() => void start()}>
      Run beside live traffic
    </Button>
  )
}

const LOOK: Readonly<Record<StepState, readonly [glyph: IconName, word: string]>> = {
  done: ['check', 'done'],
  warned: ['warn', 'done, with warnings'],
  blocked: ['cross', 'blocked'],
  waiting: ['disc', 'pending'],
  running: ['more', 'in progress'],
}

/** The steps to apply the draft, and the actions available now. */
function StepBar(props: {
  readonly steps: readonly Step[]
  /** Above the bar, close to the button that was pressed. */
  readonly note: ReactNode
  readonly children: ReactNode
}) {
  const { steps, note, children } = props
  const current = steps.find(({ state }) => state === 'blocked' || state === 'waiting' || state === 'running')
  return (
    <section className={styles['bar']} aria-label="From draft to server" data-pane="" tabIndex={-1}>
      {note}
      {steps.length > 0 && (
        <ol className={`${styles['steps']} row gap-10 shrink-x`}>
          {steps.map((step) => (
            <li
              key={step.id}
              aria-current={step === current ? 'step' : undefined}
              className={classes(`${styles['step']} row gap-6 shrink-x nowrap`, styles[step.state])}
            >
              <Icon name={LOOK[step.state][0]} size={13} />
              <span className="sr-only">{LOOK[step.state][1]}: </span>
              <span className="medium">{step.label}</span>
              {step.detail !== '' && <span className="ellipsis faint">{step.detail}</span>}
            </li>
          ))}
        </ol>
      )}
      <div className="row gap-8 rigid push">{children}</div>
    </section>
  )
}

/** Counts down to the next attempt of a request that the server's flow control rejected; a button cancels it. */
export function RetryNote() {
  const waiting = useObjects()?.waiting
  const now = useNow(waiting !== undefined)
  if (waiting === undefined) return null
  return (
    <div className={styles['retry']}>
      <Note kind="warn">
        <p role="timer">{retryText(waiting, now)}</p>
        <Button small asks="objects.giveUp" onClick={() => void ask('objects.giveUp', {})}>
          Give up
        </Button>
      </Note>
    </div>
  )
}

/**
 * Switches editing on or off, and names the target. Where the user may not write, it offers the role that would allow
 * it.
 */
export function EditingSwitch({ state }: { readonly state: ObjectsState }) {
  const [busy, setBusy] = useState(false)
  const { editing, target } = state
  const role = editing.state === 'impossible' ? editing.role : undefined
  // Without a role, no permission would help.
  if (editing.state === 'impossible' && role === undefined) return null
  const on = editing.state === 'on'
  const turn = (): void => {
    setBusy(true)
    ask('editing.switch', { on: !on })
      .then(
        (after) => say(after.state === 'impossible' ? after.why : `Editing of ${target} is ${after.state}.`),
        sayFailure,
      )
      .finally(() => setBusy(false))
  }
  return (
    <>
      {role !== undefined && <Copy text={role} label="Copy role and binding" />}
      <Button asks="editing.switch" disabled={busy} onClick={turn}>
        {on ? 'Switch editing off' : role === undefined ? `Switch editing on for ${target}` : 'Check again'}
      </Button>
    </>
  )
}
