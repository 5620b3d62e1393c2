import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import {
  changesToSend,
  type AppliedChange,
  type ApplyReport,
  type JournalEntry,
} from '../../../../core/contract/objects.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { DataTable, type DataColumn } from '../../../components/DataTable.tsx'
import { valueColumn } from '../../../components/dataColumns.ts'
import { NoCluster } from '../../../components/NoCluster.tsx'
import { ErrorState, LoadingPage, ProblemNote, Note } from '../../../components/States.tsx'
import { MiddleCut } from '../../../components/LevelChip.tsx'
import { NowLine } from '../../../components/NowLine.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { useObjects, objectsStore } from '../../../state/objects.ts'
import { openPage } from '../../../state/route.ts'
import { format } from '../../../theme/format.ts'
import { EditingSwitch, RetryNote } from '../draft/ApplyBar.tsx'
import { countOf, editedLevels } from '../draft/apply.logic.ts'
import { Question, QuestionDialog } from '../draft/ApplyDialog.tsx'
import { VerdictPane } from '../draft/VerdictPane.tsx'
import { useAppliedEffect } from '../effect/effects.ts'
import {
  adviceText,
  entryStateText,
  isInForce,
  journalSentence,
  namesText,
  recordsOf,
  stateText,
  turnText,
  whatText,
  turnSentence,
} from './journal.text.ts'
import aside from '../draft/aside.module.css'
import columns from '../draft/page.module.css'
import styles from './journal.module.css'
import { toProblem, type Problem } from '../../../../core/errors.ts'
import { ask, useConnected } from '../../../state/connection.ts'
import { Button } from '../../../components/Button.tsx'
import { scrollRegion } from '../../../components/classes.ts'
import { ObjectDiff } from '../draft/Diff.tsx'

const EffectPane = lazy(async () => ({ default: (await import('../effect/EffectPane.tsx')).EffectPane }))

/** All edits applied to the connected target, newest first; each entry can be undone and redone. */
export function JournalPage() {
  if (useConnected() !== undefined) return <JournalOfTarget />
  return (
    <NoCluster page="Journal">
      The journal shows what was applied to the connected cluster from this computer.
    </NoCluster>
  )
}

function JournalOfTarget() {
  const state = useObjects()
  const { entries, problem, reload } = useJournal(state?.targetKey)
  const [chosen, setChosen] = useState<string>()
  const [turned, setTurned] = useState<Turned>()
  if (problem !== undefined) {
    return (
      <ErrorState
        page="Journal"
        title="The journal cannot be read."
        problem={problem}
        actions={<Button onClick={reload}>Try again</Button>}
      />
    )
  }
  if (entries === undefined || state === undefined) return <LoadingPage title="Journal" waitingFor="the journal" />
  if (entries.length === 0) {
    return (
      <>
        <NowLine
          title={`No edits have been applied to ${state.target} from this computer.`}
          actions={<Button onClick={() => openPage('editor', 'draft')}>Open the draft</Button>}
        />
        <Pane title="What the journal records">
          <dl className={styles['records']}>
            {recordsOf(state.origin).map(([what, text]) => (
              <div key={what}>
                <dt className="faint">{what}</dt>
                <dd className="muted">{text}</dd>
              </div>
            ))}
          </dl>
        </Pane>
      </>
    )
  }
  const open = entries.find(({ id }) => id === chosen) ?? entries[0]
  const turn = (entry: JournalEntry, { way, force }: TurnRequest): void => {
    setTurned(undefined)
    ask(`journal.${way}`, { id: entry.id, force })
      .then(
        (report) => setTurned({ id: entry.id, way, report }),
        (thrown: unknown) => setTurned({ id: entry.id, way, problem: toProblem(thrown) }),
      )
      .finally(reload)
  }
  return (
    <div className={styles['page']}>
      <div className="across line-below">
        <NowLine
          title={journalSentence(entries, state.target)}
          evidence="Edits applied from this computer, newest first. Undo restores the objects as they were before an edit."
          actions={<EditingSwitch state={state} />}
        />
      </div>
      <section className={columns['list']} aria-label="Journal" data-pane="" tabIndex={-1}>
        <DataTable
          caption="Applied edits, newest first"
          columns={COLUMNS.filter(({ id }) => entries.some((entry) => isTold(id, entry)))}
          rows={entries}
          rowKey={({ id }) => id}
          selectedKey={open?.id}
          onOpen={({ id }) => setChosen(id)}
          csvName="journal"
        />
      </section>
      {open !== undefined && (
        <div className={columns['aside']}>
          <Entry
            key={open.id}
            entry={open}
            editing={state.editing.state === 'on'}
            turned={turned?.id === open.id ? turned : undefined}
            onTurn={turn}
          />
        </div>
      )}
    </div>
  )
}

type Turned = { readonly id: string; readonly way: TurnRequest['way'] } & (
  { readonly report: ApplyReport } | { readonly problem: Problem }
)

const cut = (text: string): ReactNode => (
  <span className={styles['cut']}>
    <MiddleCut text={text} />
  </span>
)

const COLUMNS: readonly DataColumn<JournalEntry>[] = [
  { id: 'at', header: 'Time', value: ({ at }) => at, cell: ({ at }) => format.dateTime(unixMsOf(at)) },
  { id: 'changes', header: 'Objects', value: namesText, cell: (entry) => cut(namesText(entry)) },
  { id: 'what', header: 'Change', value: whatText, cell: (entry) => <span className="wraps">{whatText(entry)}</span> },
  valueColumn('label', 'Label', ({ label }) => label, { cell: ({ label }) => cut(label) }),
  { id: 'user', header: 'User', value: ({ user }) => user, cell: ({ user = '' }) => cut(user) },
  valueColumn('state', 'Outcome', entryStateText, {
    cell: (entry) => <span className={isInForce(entry) ? undefined : 'wraps warn'}>{entryStateText(entry)}</span>,
  }),
]

/** Whether a column says of an entry what the others do not: its user, and a label that somebody wrote. */
function isTold(column: string, { user, label, changes: [first] }: JournalEntry): boolean {
  if (column === 'user') return Boolean(user)
  return column !== 'label' || !(first === undefined || label.includes(`${first.kind} ${first.name}`))
}

function Entry(props: {
  readonly entry: JournalEntry
  readonly editing: boolean
  readonly turned: Turned | undefined
  readonly onTurn: (entry: JournalEntry, asked: TurnRequest) => void
}) {
  const { entry, editing, turned, onTurn } = props
  const { changes, label, at, target } = entry
  const known = useAppliedEffect(entry.id)
  const [asked, setAsked] = useState<TurnRequest>()
  const question = (way: TurnRequest['way'], force = false): void =>
    setAsked({ way, changes: changesToSend(entry, way), force })
  const ways = (['undo', 'redo'] as const).filter((way) => changesToSend(entry, way).length > 0)
  return (
    <>
      <Pane title={label === '' ? countOf(changes) : label} note={format.dateTime(unixMsOf(at))}>
        <div className="flex gap-8 pad-x pad-b-12">
          {ways.map((way) => (
            <Button
              key={way}
              disabled={!editing}
              title={editing ? `on ${target}` : 'Switch editing on first.'}
              onClick={() => question(way)}
            >
              {turnText(way, changesToSend(entry, way))}
            </Button>
          ))}
        </div>
        {!editing && (
          <p className="pad-x pad-b-12 prose faint">Read-only: switch editing on to undo or redo changes.</p>
        )}
        <RetryNote />
        {turned !== undefined && 'problem' in turned && (
          <div className="pad-x pad-b-10">
            <ProblemNote problem={turned.problem} alert />
          </div>
        )}
      </Pane>
      {turned !== undefined && 'report' in turned && (
        <div role="status">
          <VerdictPane
            title="Server response"
            note={format.time(unixMsOf(turned.report.at))}
            verdicts={turned.report.verdicts}
            applied
            onOpen={({ kind, name }) => openPage('editor', 'draft', `${kind}/${name}`)}
            onForce={() => question(turned.way, true)}
          />
        </div>
      )}
      {known !== undefined && (
        <Suspense>
          <EffectPane {...known} edited={editedLevels(entry)} />
        </Suspense>
      )}
      <div className={aside['diff']} {...scrollRegion('Changes')}>
        {changes.map((change) => {
          const advice = adviceText(change)
          const what = change.from === null ? 'created' : change.to === null ? 'deleted' : ''
          return (
            <ObjectDiff
              key={`${change.kind}/${change.name}`}
              {...change}
              what={
                <>
                  {what}
                  <span className={styles['fate']}>{stateText(change)}</span>
                </>
              }
            >
              {advice !== undefined && <Note kind="warn">{advice}</Note>}
            </ObjectDiff>
          )
        })}
      </div>
      <TurnDialog
        asked={asked}
        target={target}
        onClose={() => setAsked(undefined)}
        onConfirm={(confirmed) => onTurn(entry, confirmed)}
      />
    </>
  )
}

interface Journal {
  /** Newest first; `undefined` until they have been read. */
  readonly entries?: readonly JournalEntry[]
  readonly problem?: Problem
}

const readJournal = (): Promise<Journal> =>
  ask('journal.read', {}).then(
    (entries) => ({ entries }),
    (thrown: unknown) => ({ problem: toProblem(thrown) }),
  )

/**
 * The edits applied to a target; read again whenever its objects change, because these determine the state of each
 * edit.
 */
function useJournal(targetKey: string | undefined): Journal & { readonly reload: () => void } {
  const [held, setHeld] = useState<Journal & { readonly of: string | undefined }>()
  const order = useRef({ asked: 0, shown: 0 })
  const reload = useCallback(async (): Promise<void> => {
    const own = ++order.current.asked
    const read = await readJournal()
    // A later read has completed already.
    if (own < order.current.shown) return
    order.current.shown = own
    setHeld({ ...read, of: targetKey })
  }, [targetKey])
  useEffect(() => {
    void reload()
    return objectsStore.subscribe(({ state }, before) => {
      if (state?.objects !== before.state?.objects) void reload()
    })
  }, [reload])
  return { ...(held?.of === targetKey && held), reload: () => void reload() }
}

interface TurnRequest {
  readonly way: 'undo' | 'redo'
  readonly changes: readonly AppliedChange[]
  /** Forces fields of other managers. */
  readonly force: boolean
}

/** Asks for confirmation before an entry is undone or redone, and shows the resulting change. */
function TurnDialog(props: {
  readonly asked: TurnRequest | undefined
  readonly target: string
  readonly onClose: () => void
  readonly onConfirm: (asked: TurnRequest) => void
}) {
  const { asked, target, onClose, onConfirm } = props
  return (
    <QuestionDialog open={asked !== undefined} onClose={onClose}>
      {asked !== undefined && (
        <Question
          verb={`${turnText(asked.way, asked.changes)} on ${target}`}
          onConfirm={() => onConfirm(asked)}
          onClose={onClose}
        >
          {asked.force && <Note kind="warn">Forces fields that other managers own.</Note>}
          <div className={styles['turns']} {...scrollRegion('What changes')}>
            {asked.changes.map((change) => {
              const { kind, name, from, to } = change
              return (
                <ObjectDiff
                  key={`${kind}/${name}`}
                  {...{ kind, name }}
                  what={turnSentence(change, asked.way)}
                  from={asked.way === 'undo' ? to : from}
                  to={asked.way === 'undo' ? from : to}
                />
              )
            })}
          </div>
        </Question>
      )}
    </QuestionDialog>
  )
}
