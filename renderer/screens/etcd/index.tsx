import { useState } from 'react'
import type { EtcdState } from '../../../core/contract/etcd.ts'
import { toProblem } from '../../../core/contract/errors.ts'
import { Button, Segment } from '../../components/Button.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { EmptyState, ErrorState, LoadingPage, Note, NothingThen } from '../../components/States.tsx'
import { ask, useConnected } from '../../state/connection.ts'
import { PAST_IS_READ, usePastPart } from '../../state/past.ts'
import { useEtcdState } from '../../state/told.ts'
import { openScreen } from '../../state/route.ts'
import { say } from '../../state/shell.ts'
import { format } from '../../theme/format.ts'
import { AdvicePane } from './AdvicePane.tsx'
import { ClassCards } from './ClassCards.tsx'
import { type Edited, EditPane } from './EditPane.tsx'
import { FlowControlPane } from './FlowControlPane.tsx'
import { LoadPane } from './LoadPane.tsx'
import { MemberPane } from './MemberPane.tsx'
import { RulesPane } from './RulesPane.tsx'
import { EVIDENCE, etcdSentence } from './sentence.ts'
import { TestPane } from './TestPane.tsx'
import { LimitedPane, RatesPane, TopPane } from './TrafficPanes.tsx'
import styles from './etcd.module.css'

/** A proxy in front of an etcd: what passes, what is limited and why, and the rules that do it. */
export function EtcdScreen() {
  const connected = useConnected()
  const state = useEtcdState()
  const moment = usePastPart((past) => past.moment)
  const failing = connected?.servers.find(({ status }) => status === 'failing')?.failures.at(-1)?.problem
  if (connected?.etcd !== true) {
    return (
      <>
        <h1 className="sr-only">etcd</h1>
        <EmptyState
          title="The connected source is no etcd."
          actions={
            <Button primary onClick={() => openScreen('connection')}>
              Connect an etcd proxy
            </Button>
          }
        >
          <p>An etcd proxy shows its requests, rules and rejections here.</p>
        </EmptyState>
      </>
    )
  }
  if (moment !== undefined && state === undefined) {
    return (
      <>
        <h1 className="sr-only">etcd</h1>
        <NothingThen moment={moment} />
      </>
    )
  }
  if (failing !== undefined && moment === undefined && !connected.still) {
    return (
      <>
        <h1 className="sr-only">etcd</h1>
        <ErrorState title="The etcd proxy does not answer." problem={failing} />
      </>
    )
  }
  return state === undefined ? (
    <LoadingPage title="etcd" waitingFor="the state of the etcd proxy" />
  ) : (
    <Etcd state={state} recorded={recordedBecause(moment !== undefined, connected.still)} />
  )
}

/** Why what is shown is read from a recording; `undefined` while it is the present. */
function recordedBecause(past: boolean, recording: boolean): string | undefined {
  if (recording) return 'This is a recording, so there is no proxy whose rules you can change.'
  return past ? PAST_IS_READ : undefined
}

/** What stands beside the tables. */
type Aside =
  | { readonly kind: 'member' | 'test' | 'advice' }
  | { readonly kind: 'edit'; readonly edited: Edited['kind']; readonly name: string | undefined }

/** Why the rules are only read. */
const whyReadOnly = (revision: number | null): string =>
  revision === null
    ? 'The rules of this proxy come from files. Edit the files to change them.'
    : 'Editing is off. Connect the proxy again with editing on to change its rules.'

const MODES = [
  { value: 'enforce', label: 'Enforce' },
  { value: 'observe', label: 'Observe' },
] as const

function Etcd(props: { readonly state: EtcdState; readonly recorded: string | undefined }) {
  const { state, recorded } = props
  const [aside, setAside] = useState<Aside>({ kind: 'member' })
  const { classes, rules, mode, revision } = state
  const readOnly = recorded ?? (state.editable ? undefined : whyReadOnly(revision))
  const editable = readOnly === undefined
  // An instant that is gone to while they are open has nothing to answer them with.
  const shown: Aside = recorded !== undefined && aside.kind !== 'edit' ? { kind: 'member' } : aside
  const classNames = classes.map(({ name }) => name)
  const selected = (kind: Edited['kind']): string | undefined =>
    shown.kind === 'edit' && shown.edited === kind ? shown.name : undefined
  const toggle = (kind: Aside['kind'] & ('test' | 'advice')): void =>
    setAside(shown.kind === kind ? { kind: 'member' } : { kind })
  return (
    <div className={styles['screen']}>
      <NowLine
        title={etcdSentence(state)}
        evidence={EVIDENCE}
        actions={
          <>
            <Segment
              label="Mode"
              value={mode}
              options={MODES}
              disabled={recorded !== undefined}
              onChange={(next) => void changeMode(next)}
            />
            <Button disabled={recorded !== undefined} onClick={() => toggle('test')}>
              Test a request
            </Button>
            <Button disabled={recorded !== undefined} onClick={() => toggle('advice')}>
              Advice
            </Button>
            <Button disabled={!editable} onClick={() => setAside({ kind: 'edit', edited: 'class', name: undefined })}>
              New class
            </Button>
            <Button
              primary
              disabled={!editable || classes.length === 0}
              onClick={() => setAside({ kind: 'edit', edited: 'rule', name: undefined })}
            >
              New rule
            </Button>
          </>
        }
      />
      <div className={styles['body']}>
        <div className={styles['main']}>
          {classes.length > 0 && (
            <ClassCards
              all={classes}
              selected={selected('class')}
              onSelect={(name) => setAside({ kind: 'edit', edited: 'class', name })}
            />
          )}
          <RulesPane
            rules={rules}
            selected={selected('rule')}
            onSelect={({ name }) => setAside({ kind: 'edit', edited: 'rule', name })}
          />
          <div className={styles['halves']}>
            <LimitedPane limited={state.limited} mode={mode} />
            <TopPane top={state.top} tracker={state.tracker} />
          </div>
          <RatesPane rates={state.rates} />
        </div>
        <aside className={styles['aside']} aria-label="Details">
          {recorded !== undefined && (
            <Note kind="info">
              Recorded at {format.dateTime(state.at)}. Tests, advice and previews are not available here, because they
              need the proxy and its requests of the last ten minutes.
            </Note>
          )}
          {shown.kind === 'edit' && (
            <EditPane
              // Of what is recorded the form follows the instant.
              key={`${shown.edited} ${shown.name ?? ''} ${recorded === undefined ? '' : JSON.stringify(editedOf(shown.edited, shown.name, state).of?.document)}`}
              edited={editedOf(shown.edited, shown.name, state)}
              classNames={classNames}
              readOnly={readOnly}
              preview={recorded === undefined}
              onDone={(name) => setAside(name === undefined ? { kind: 'member' } : { ...shown, name })}
            />
          )}
          {shown.kind === 'test' && <TestPane rules={rules} />}
          {shown.kind === 'advice' && <AdvicePane classNames={classNames} readOnly={!editable} />}
          <LoadPane seconds={state.seconds} />
          <MemberPane {...state} />
          <FlowControlPane rates={state.rates} />
        </aside>
      </div>
    </div>
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
    say(toProblem(thrown).message)
  }
}
