import { useCallback, useEffect, useState, type ReactNode } from 'react'
import { toProblem, type Problem } from '../../../core/contract/errors.ts'
import type { RecordingEntry } from '../../../core/contract/recording.ts'
import { Button } from '../../components/Button.tsx'
import { numberColumn, type DataColumn } from '../../components/dataColumns.ts'
import { DataTable } from '../../components/DataTable.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { Pane } from '../../components/Pane.tsx'
import { ErrorState, LoadingPage, ProblemNote } from '../../components/States.tsx'
import { client } from '../../state/client.ts'
import { connectSource, useConnected } from '../../state/connection.ts'
import { useRecorder } from '../../state/told.ts'
import { openScreen } from '../../state/route.ts'
import { sayFailure } from '../../state/shell.ts'
import { UNKNOWN } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import { SharePane } from './SharePane.tsx'
import { recordingSentence } from './recordings.data.ts'
import styles from './recordings.module.css'

/** Interval for re-reading the list: recordings of this machine grow. */
const LOOK_MS = 5_000

/** The recordings of the flight recorder; each opens as a source. */
export function RecordingsScreen() {
  const { entries, problem, change } = useRecordings()
  const [leaving, setLeaving] = useState<string>()
  const [shared, setShared] = useState<string>()
  if (entries === undefined) {
    return problem === undefined ? (
      <LoadingPage title="Recordings" waitingFor="the list of recordings" />
    ) : (
      <ErrorState page="Recordings" title="The recordings cannot be listed." problem={problem} />
    )
  }
  const remove = (id: string): void => {
    setLeaving(undefined)
    void change(client().call('recordings.remove', { id }))
  }
  const actions = (entry: RecordingEntry): ReactNode => (
    <Actions
      entry={entry}
      leaving={leaving === entry.id}
      onLeave={(wanted) => setLeaving(wanted ? entry.id : undefined)}
      onRemove={() => remove(entry.id)}
      onShare={() => setShared(entry.id)}
    />
  )
  const problems = entries.flatMap((entry) => entry.problems)
  const sharing = entries.find(({ id }) => id === shared)
  return (
    <div className={styles['screen']}>
      <Summary entries={entries} />
      {problem !== undefined && <ProblemNote problem={problem} />}
      {problems.map((one) => (
        <ProblemNote key={one.message} problem={one} />
      ))}
      <Pane title="Recordings" note="on this machine, for this user only; the oldest hour goes first">
        <DataTable
          caption="Recordings"
          columns={columnsWith(actions)}
          rows={entries}
          rowKey={({ id }) => id}
          csvName="recordings"
          empty="Nothing has been recorded yet. Connect a source; the Connection screen shows whether recording is on."
        />
      </Pane>
      {sharing !== undefined && <SharePane key={sharing.id} entry={sharing} onClose={() => setShared(undefined)} />}
    </div>
  )
}

const spanOf = ({ first, last }: RecordingEntry): number | undefined =>
  first === undefined || last === undefined ? undefined : (last - first) / 1_000

const COLUMNS: readonly DataColumn<RecordingEntry>[] = [
  { id: 'source', header: 'Source', value: ({ source }) => source?.name ?? UNKNOWN },
  { id: 'via', header: 'Read by', value: ({ source }) => source?.via ?? UNKNOWN },
  {
    id: 'from',
    header: 'From',
    value: ({ first }) => first,
    cell: ({ first }) => <span className="mono">{format.dateTime(first)}</span>,
  },
  numberColumn('length', 'Length', spanOf, { text: format.span }),
  numberColumn('size', 'Size', ({ bytes }) => bytes, { text: format.bytes }),
  {
    id: 'state',
    header: 'State',
    value: ({ running, problems }) => (running ? 'recording' : problems.length > 0 ? 'damaged in part' : 'complete'),
  },
]

const columnsWith = (actions: (entry: RecordingEntry) => ReactNode): readonly DataColumn<RecordingEntry>[] => [
  ...COLUMNS,
  { id: 'actions', header: 'Actions', hiddenHeader: true, align: 'right', cell: actions },
]

interface ActionsProps {
  readonly entry: RecordingEntry
  /** Whether the question before deletion is open. */
  readonly leaving: boolean
  readonly onLeave: (wanted: boolean) => void
  readonly onRemove: () => void
  readonly onShare: () => void
}

function Actions({ entry, leaving, onLeave, onRemove, onShare }: ActionsProps) {
  if (leaving) {
    return (
      <span className={styles['actions']}>
        <Button small onClick={onRemove}>
          Remove for good
        </Button>
        <Button small onClick={() => onLeave(false)}>
          Keep
        </Button>
      </span>
    )
  }
  return (
    <span className={styles['actions']}>
      <Button small asks="sources.connect" disabled={entry.first === undefined} onClick={() => void open(entry)}>
        Open
      </Button>
      <Button small disabled={entry.first === undefined} onClick={onShare}>
        Share…
      </Button>
      <Button small asks="recordings.remove" disabled={entry.running} onClick={() => onLeave(true)}>
        Remove…
      </Button>
    </span>
  )
}

/** Opens a recording in place of the shown source, at its end. */
async function open({ id }: RecordingEntry): Promise<void> {
  try {
    const { etcd } = await connectSource({ kind: 'recording', ids: [id] })
    openScreen(etcd === true ? 'etcd' : 'overview')
  } catch (thrown) {
    sayFailure(thrown)
  }
}

function Summary({ entries }: { readonly entries: readonly RecordingEntry[] }) {
  const connection = useConnected()
  const state = useRecorder(connection?.id)
  const { title, evidence } = recordingSentence(entries, connection?.source.name, state)
  return (
    <NowLine
      title={title}
      evidence={evidence}
      actions={<Button onClick={() => openScreen('connection')}>Recorder settings</Button>}
    />
  )
}

function useRecordings() {
  const [entries, setEntries] = useState<readonly RecordingEntry[]>()
  const [problem, setProblem] = useState<Problem>()
  const change = useCallback(async (asked: Promise<readonly RecordingEntry[]>): Promise<void> => {
    try {
      setEntries(await asked)
      setProblem(undefined)
    } catch (thrown) {
      setProblem(toProblem(thrown))
    }
  }, [])
  useEffect(() => {
    const look = (): void => void change(client().call('recordings.list', null))
    look()
    const timer = setInterval(look, LOOK_MS)
    return () => clearInterval(timer)
  }, [change])
  return { entries, problem, change }
}
