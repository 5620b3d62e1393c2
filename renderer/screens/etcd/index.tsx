import { useState } from 'react'
import type { EtcdState } from '../../../core/contract/etcd.ts'
import { toProblem } from '../../../core/contract/errors.ts'
import { Button, Segment } from '../../components/Button.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { EmptyState, ErrorState, LoadingPage } from '../../components/States.tsx'
import { ask, useConnected } from '../../state/connection.ts'
import { useEtcdState } from '../../state/told.ts'
import { openScreen } from '../../state/route.ts'
import { say } from '../../state/shell.ts'
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
  const failing = connected?.servers.find(({ status }) => status === 'failing')?.failures.at(-1)?.problem
  if (connected?.source.kind !== 'etcd') {
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
  if (failing !== undefined) {
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
    <Etcd state={state} />
  )
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

function Etcd({ state }: { readonly state: EtcdState }) {
  const [aside, setAside] = useState<Aside>({ kind: 'member' })
  const { classes, rules, mode, revision, editable } = state
  const readOnly = editable ? undefined : whyReadOnly(revision)
  const classNames = classes.map(({ name }) => name)
  const selected = (kind: Edited['kind']): string | undefined =>
    aside.kind === 'edit' && aside.edited === kind ? aside.name : undefined
  const toggle = (kind: Aside['kind'] & ('test' | 'advice')): void =>
    setAside(aside.kind === kind ? { kind: 'member' } : { kind })
  return (
    <div className={styles['screen']}>
      <NowLine
        title={etcdSentence(state)}
        evidence={EVIDENCE}
        actions={
          <>
            <Segment label="Mode" value={mode} options={MODES} onChange={(next) => void changeMode(next)} />
            <Button onClick={() => toggle('test')}>Test a request</Button>
            <Button onClick={() => toggle('advice')}>Advice</Button>
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
          {aside.kind === 'edit' && (
            <EditPane
              key={`${aside.edited} ${aside.name ?? ''}`}
              edited={editedOf(aside.edited, aside.name, state)}
              classNames={classNames}
              readOnly={readOnly}
              onDone={(name) => setAside(name === undefined ? { kind: 'member' } : { ...aside, name })}
            />
          )}
          {aside.kind === 'test' && <TestPane rules={rules} />}
          {aside.kind === 'advice' && <AdvicePane classNames={classNames} readOnly={!editable} />}
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
