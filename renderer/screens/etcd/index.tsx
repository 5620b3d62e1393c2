import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { EtcdState } from '../../../core/contract/etcd.ts'
import type { Problem } from '../../../core/errors.ts'
import { Button, Segment } from '../../components/Button.tsx'
import { classes as classNamesOf } from '../../components/classes.ts'
import { NARROW, useMedia } from '../../components/hooks.ts'
import { NowLine } from '../../components/NowLine.tsx'
import { EmptyState, ErrorState, LoadingPage, Note, NothingThen } from '../../components/States.tsx'
import { ask, useConnected } from '../../state/connection.ts'
import type { UnixMs } from '../../../core/units.ts'
import { PAST_IS_READ, usePastPart } from '../../state/past.ts'
import { useEtcdState } from '../../state/sourceState.ts'
import { forgetObject, openPlace, openScreen, useRoute } from '../../state/route.ts'
import { say, sayFailure } from '../../state/shell.ts'
import { format } from '../../theme/format.ts'
import { AdvicePane } from './AdvicePane.tsx'
import { ClassCards } from './ClassCards.tsx'
import { type Edited, EditPane } from './EditPane.tsx'
import { FlowControlPane } from './FlowControlPane.tsx'
import { MemberPane } from './MemberPane.tsx'
import { RulesPane } from './RulesPane.tsx'
import { sentenceText } from '../../../core/answer/answer.ts'
import { bypassSentence, presentEtcd } from '../../../core/qos/present.ts'
import { MonitorPane } from './MonitorPane.tsx'
import { TestPane } from './TestPane.tsx'
import { LimitedPane, LoadPane, RatesPane, TopPane } from './TrafficPanes.tsx'
import styles from './etcd.module.css'

/** A proxy in front of an etcd: what passes, what is limited and why, and the rules. */
export function EtcdScreen() {
  const connected = useConnected()
  const state = useEtcdState()
  const moment = usePastPart((past) => past.moment)
  const failing = connected?.servers.find(({ status }) => status === 'failing')?.failures.at(-1)?.problem
  if (connected?.etcd !== true) {
    return (
      <EmptyState
        page="etcd"
        title="The connected source is not etcd."
        actions={
          <Button primary onClick={() => openScreen('connection')}>
            Connect an etcd proxy
          </Button>
        }
      >
        <p>An etcd proxy shows its requests, rules and rejections here.</p>
      </EmptyState>
    )
  }
  if (moment !== undefined && state === undefined) {
    return <NothingThen page="etcd" moment={moment} />
  }
  const lost = moment === undefined && !connected.still ? failing : undefined
  if (state === undefined) {
    if (lost === undefined) return <LoadingPage title="etcd" waitingFor="the state of the etcd proxy" />
    return <ErrorState page="etcd" title="The etcd proxy does not answer." problem={lost} />
  }
  return <Etcd state={state} standing={standingOf(state.at, moment !== undefined, connected.still, lost)} />
}

/** For a state that does not advance: why nothing can be changed or tested, and the note for the reader. */
interface Standing {
  readonly because: string
  readonly note: ReactNode
}

/** `undefined` while the present is shown. */
function standingOf(at: UnixMs, past: boolean, recording: boolean, lost: Problem | undefined): Standing | undefined {
  if (lost !== undefined) {
    return {
      because: 'The etcd proxy does not answer, so nothing can be changed.',
      note: (
        <Note kind="bad" alert>
          {lost.message} The numbers below are those of {format.dateTime(at)}. The console tries again.
        </Note>
      ),
    }
  }
  if (!past && !recording) return undefined
  return {
    because: recording ? 'This is a recording, so there is no proxy whose rules you can change.' : PAST_IS_READ,
    note: (
      <Note kind="info">
        Recorded at {format.dateTime(at)}. Tests, advice and previews are not available here, because they need the
        proxy and its requests of the last ten minutes.
      </Note>
    ),
  }
}

/** Content of the column next to the tables. */
type Aside =
  | { readonly kind: 'member' | 'advice' | 'monitor' }
  | { readonly kind: 'edit'; readonly edited: Edited['kind']; readonly name: string | undefined }

const whyReadOnly = (revision: number | null): string =>
  revision === null
    ? 'The rules of this proxy come from files. Edit the files to change them.'
    : 'Editing is off. Connect the proxy again with editing on to change its rules.'

const MODES = { enforce: 'Enforce', observe: 'Observe' }

function Etcd({ state, standing }: { readonly state: EtcdState; readonly standing: Standing | undefined }) {
  const [aside, setOther] = useState<Aside>({ kind: 'member' })
  const { object } = useRoute()
  const { classes, rules, mode, revision } = state
  const past = state.bypass && bypassSentence(state.bypass)
  const readOnly = standing?.because ?? (state.editable ? undefined : whyReadOnly(revision))
  const editable = readOnly === undefined
  // A recorded instant has no data for test and advice.
  const other: Aside = standing !== undefined && aside.kind !== 'edit' ? { kind: 'member' } : aside
  const classNames = classes.map(({ name }) => name)
  // A class has an address, which its entry in the sidebar links to.
  const shown: Aside =
    object !== undefined && classNames.includes(object) ? { kind: 'edit', edited: 'class', name: object } : other
  const narrow = useMedia(NARROW)
  const [opened, setOpened] = useState(false)
  const setAside = (next: Aside): void => {
    forgetObject()
    setOther(next)
    setOpened(true)
  }
  const closeDrawer = (): void => {
    setAside({ kind: 'member' })
    setOpened(false)
  }
  const selected = (kind: Edited['kind']): string | undefined =>
    shown.kind === 'edit' && shown.edited === kind ? shown.name : undefined
  const toggle = (kind: Aside['kind'] & ('advice' | 'monitor')): void =>
    setAside(shown.kind === kind ? { kind: 'member' } : { kind })
  return (
    <div className="column shrink-y tall header-rigid">
      <NowLine
        title={sentenceText(presentEtcd(state).title, format)}
        evidence="Rules act and count at this proxy alone. Watches are never limited. The first run of an expensive request passes: its cost is not known yet."
        actions={
          <>
            <Segment
              label="Mode"
              value={mode}
              options={MODES}
              disabled={standing !== undefined}
              onChange={(next) => void changeMode(next)}
            />
            {narrow && <Button onClick={() => setOpened(true)}>Details</Button>}
            <Button disabled={standing !== undefined} onClick={() => toggle('monitor')}>
              Monitor
            </Button>
            <Button disabled={standing !== undefined} onClick={() => toggle('advice')}>
              Advice
            </Button>
          </>
        }
      />
      {state.storage === null && (
        <div className="rigid pad-x pad-y-8 line-below">
          <Note kind="warn">
            The member does not answer. Conditions on the storage quota are not met until it does.
          </Note>
        </div>
      )}
      {past !== undefined && (
        <div className="rigid pad-x pad-y-8 line-below">
          <Note kind="warn">{sentenceText(past, format)}</Note>
        </div>
      )}
      {standing !== undefined && <div className="rigid pad-x pad-y-8 line-below">{standing.note}</div>}
      <div className={styles['body']}>
        <div className={styles['main']}>
          {classes.length > 0 && (
            <ClassCards
              all={classes}
              mode={mode}
              selected={selected('class')}
              onSelect={(name) => openPlace({ screen: 'etcd', object: name })}
            />
          )}
          <RulesPane
            rules={rules}
            mode={mode}
            selected={selected('rule')}
            onSelect={({ name }) => setAside({ kind: 'edit', edited: 'rule', name })}
            onExport={() => void import('./exportRules.ts').then(({ exportRules }) => exportRules(state))}
            onNew={editable ? (edited) => setAside({ kind: 'edit', edited, name: undefined }) : undefined}
            hasClasses={classes.length > 0}
          />
          <div className={`${styles['halves']} stack halves`}>
            <LimitedPane limited={state.limited} mode={mode} />
            <TopPane top={state.top} />
          </div>
          <RatesPane {...state} />
        </div>
        {(!narrow || opened || shown !== other) && (
          <Details onClose={narrow ? closeDrawer : undefined}>
            {shown.kind === 'edit' && (
              <EditPane
                // For recorded data the form follows the instant.
                key={`${shown.edited} ${shown.name ?? ''} ${standing === undefined ? '' : JSON.stringify(editedOf(shown.edited, shown.name, state).of?.document)}`}
                edited={editedOf(shown.edited, shown.name, state)}
                classNames={classNames}
                readOnly={readOnly}
                preview={standing === undefined}
                onDone={(name) => setAside(name === undefined ? { kind: 'member' } : { ...shown, name })}
              />
            )}
            {shown.kind === 'advice' && <AdvicePane readOnly={!editable} />}
            {shown.kind === 'monitor' && <MonitorPane rules={rules} />}
            <LoadPane seconds={state.seconds} mode={mode} />
            <MemberPane {...state} />
            {shown.kind === 'member' && standing === undefined && <TestPane rules={rules} />}
            <FlowControlPane rates={state.rates} />
          </Details>
        )}
      </div>
    </div>
  )
}

/** The column next to the tables; with `onClose` a drawer over them, which has the focus while it is open. */
function Details({ onClose, children }: { readonly onClose: (() => void) | undefined; readonly children: ReactNode }) {
  const pane = useRef<HTMLElement>(null)
  const covers = onClose !== undefined
  useEffect(() => {
    if (!covers) return undefined
    const before = document.activeElement
    pane.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [covers])
  useEffect(() => {
    const { current } = pane
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') onClose?.()
    }
    current?.addEventListener('keydown', onKey)
    return () => current?.removeEventListener('keydown', onKey)
  }, [onClose])
  return (
    <aside
      ref={pane}
      tabIndex={-1}
      className={classNamesOf(styles['aside'], covers && styles['over'])}
      aria-label="Details"
    >
      {covers && (
        <p className="pad-x pad-t-4 pad-b-8 breaks normal prose muted">
          <Button small onClick={onClose}>
            Close
          </Button>
        </p>
      )}
      {children}
    </aside>
  )
}

const editedOf = (kind: Edited['kind'], name: string | undefined, { classes, rules }: EtcdState): Edited =>
  kind === 'class'
    ? { kind, of: classes.find((one) => one.name === name) }
    : { kind, of: rules.find((one) => one.name === name) }

async function changeMode(mode: EtcdState['mode']): Promise<void> {
  try {
    await ask('etcd.change', { change: { action: 'mode', mode } })
    say(mode === 'enforce' ? 'Requests are limited.' : 'Every request passes; decisions are only computed.')
  } catch (thrown) {
    sayFailure(thrown)
  }
}
