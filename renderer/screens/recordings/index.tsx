import { useCallback, useEffect, useState, type ReactNode } from 'react'
import { type Problem, toProblem } from '../../../core/errors.ts'
import type { RecordingEntry, RecordingStrip } from '../../../core/contract/recording.ts'
import { Button, Buttons } from '../../components/Button.tsx'
import { Drawing } from '../../charts/plot.tsx'
import { paneInputClass } from '../../components/classes.ts'
import { numberColumn, type DataColumn } from '../../components/dataColumns.ts'
import { DataTable } from '../../components/DataTable.tsx'
import { TextField } from '../../components/Field.tsx'
import { openAsSource } from '../../components/files.ts'
import { FilesButton } from '../../components/FilesButton.tsx'
import { Icon } from '../../components/Icon.tsx'
import { Menu } from '../../components/Menu.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { Pane } from '../../components/Pane.tsx'
import { ErrorState, LoadingPage, ProblemNote } from '../../components/States.tsx'
import { client } from '../../state/client.ts'
import { connectSource, useConnected } from '../../state/connection.ts'
import { useRecorder } from '../../state/sourceState.ts'
import { openMade, openScreen } from '../../state/route.ts'
import { useRefusal } from '../../state/limits.ts'
import { useSettings } from '../../state/settings.ts'
import { sayFailure } from '../../state/shell.ts'
import { timeStore } from '../../state/time.ts'
import { holdsWords } from '../../../core/text/text.ts'
import { UNKNOWN } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import { SharePane } from './SharePane.tsx'
import { recordingSentence } from './recordings.data.ts'
import styles from './recordings.module.css'

/** Interval for re-reading the list: recordings of this machine grow. */
const LOOK_MS = 5_000
/** A recording that is still written gets a new strip this often. */
const STRIP_MS = 60_000
/** Shown before and after an incident. */
const AROUND_MS = 300_000

/** A recording with its name here and what happened in it, once that was read. */
interface RecordingRow extends RecordingEntry {
  readonly name: string
  readonly strip: RecordingStrip | undefined
}

/** Those whose name, source or way of reading contains every word of a query. */
function foundRecordings(rows: readonly RecordingRow[], query: string): readonly RecordingRow[] {
  const holds = holdsWords(query)
  return rows.filter(({ name, source, id }) => holds(`${name} ${source?.name ?? ''} ${source?.via ?? ''} ${id}`))
}

/** The recordings of the flight recorder; each opens as a source. */
export function RecordingsScreen() {
  const { entries, problem, change } = useRecordings()
  const strips = useStrips(entries)
  const [{ recordingNames }] = useSettings()
  const [asked, setAsked] = useState<{ readonly id: string; readonly what: 'remove' | 'share' | 'rename' }>()
  const [query, setQuery] = useState('')
  if (entries === undefined) {
    return problem === undefined ? (
      <LoadingPage title="Recordings" waitingFor="the list of recordings" />
    ) : (
      <ErrorState page="Recordings" title="The recordings cannot be listed." problem={problem} />
    )
  }
  const close = (): void => setAsked(undefined)
  const rows = entries.map((entry): RecordingRow => {
    const { id, source } = entry
    return { ...entry, name: recordingNames[id] ?? source?.name ?? id, strip: strips[id] }
  })
  const actions = ({ id, ...row }: RecordingRow): ReactNode => (
    <Actions
      row={{ id, ...row }}
      leaving={asked?.id === id && asked.what === 'remove'}
      onAsk={(what) => setAsked(what && { id, what })}
      onRemove={() => {
        close()
        void change(client().call('recordings.remove', { id }))
      }}
    />
  )
  const problems = entries.flatMap((entry) => entry.problems)
  const about = rows.find(({ id }) => id === asked?.id)
  return (
    <div className="column shrink-y">
      <Summary entries={entries} />
      {problem !== undefined && <ProblemNote problem={problem} />}
      {problems.map((one) => (
        <ProblemNote key={one.message} problem={one} />
      ))}
      <Pane
        title="Recordings"
        note="on this machine, for this user only; the oldest hour goes first"
        actions={
          <input
            type="search"
            className={paneInputClass}
            aria-label="Search recordings"
            placeholder="Name or source"
            value={query}
            onChange={({ target }) => setQuery(target.value)}
          />
        }
      >
        <DataTable
          caption="Recordings"
          columns={columnsWith(actions)}
          rows={foundRecordings(rows, query)}
          rowKey={({ id }) => id}
          csvName="recordings"
          empty={
            entries.length === 0
              ? 'Nothing has been recorded yet. Connect a source; the Connection screen shows whether recording is on.'
              : `No recording contains “${query}”.`
          }
        />
      </Pane>
      {about !== undefined && asked?.what === 'share' && (
        <SharePane key={about.id} entry={about} lastAlert={about.strip?.lastAlert} onClose={close} />
      )}
      {about !== undefined && asked?.what === 'rename' && <RenamePane key={about.id} row={about} onClose={close} />}
    </div>
  )
}

const spanOf = ({ first, last }: RecordingEntry): number | undefined =>
  first === undefined || last === undefined ? undefined : (last - first) / 1_000

const COLUMNS: readonly DataColumn<RecordingRow>[] = [
  {
    id: 'source',
    header: 'Name',
    value: ({ name }) => name,
    cell: ({ name, source }) => <span title={source?.via ?? UNKNOWN}>{name}</span>,
  },
  {
    id: 'strip',
    header: 'Queued, rejected',
    sortable: false,
    cell: ({ strip, name, first, last }) => <Strip strip={strip} name={name} from={first ?? 0} to={last ?? 0} />,
  },
  {
    id: 'from',
    header: 'From',
    value: ({ first }) => first,
    cell: ({ first }) => <span className="mono">{format.dateTime(first)}</span>,
  },
  numberColumn('length', 'Length', spanOf, { text: format.span }),
  numberColumn('coverage', 'Coverage', ({ strip }) => strip?.coverage, { text: format.percent }),
  numberColumn('size', 'Size', ({ bytes }) => bytes, { text: format.bytes }),
  {
    id: 'state',
    header: 'State',
    value: ({ running, problems }) => (running ? 'recording' : problems.length > 0 ? 'damaged in part' : 'complete'),
  },
]

const columnsWith = (actions: (row: RecordingRow) => ReactNode): readonly DataColumn<RecordingRow>[] => [
  ...COLUMNS,
  { id: 'actions', header: 'Actions', hiddenHeader: true, align: 'right', cell: actions },
]

const [STRIP_WIDTH, STRIP_HEIGHT] = [150, 18]

/** Queued and rejected requests over the time of a recording, each on its own scale. */
function Strip(props: {
  readonly strip: RecordingStrip | undefined
  readonly name: string
  readonly from: number
  readonly to: number
}) {
  const { strip, name, from, to } = props
  if (strip === undefined) return null
  const bars = strip.bars
  const sum = bars.reduce((count, { rejected }) => count + rejected, 0)
  const most = bars.reduce((count, { queued }) => Math.max(count, queued), 0)
  const x = (at: number): number => ((at - from) / Math.max(1, to - from)) * STRIP_WIDTH
  const path = (value: (bar: RecordingStrip['bars'][number]) => number): string => {
    const highest = bars.reduce((height, bar) => Math.max(height, value(bar)), 1)
    return bars
      .filter((bar) => value(bar) > 0)
      .map((bar) => {
        const height = Math.max(2, (STRIP_HEIGHT * value(bar)) / highest)
        return `M${x(bar.from)} ${STRIP_HEIGHT}v${-height}h${Math.max(1, x(bar.to) - x(bar.from))}v${height}z`
      })
      .join('')
  }
  return (
    <Drawing
      className={styles['strip']}
      width={STRIP_WIDTH}
      height={STRIP_HEIGHT}
      label={`${name}: ${format.counted(sum, 'request')} rejected, at most ${format.fixed(most)} queued`}
    >
      <path className={styles['queued']} d={path(({ queued }) => queued)} />
      <path className={styles['rejected']} d={path(({ rejected }) => rejected)} />
    </Drawing>
  )
}

interface ActionsProps {
  readonly row: RecordingRow
  /** Whether the question before deletion is open. */
  readonly leaving: boolean
  readonly onAsk: (what: 'remove' | 'share' | 'rename' | undefined) => void
  readonly onRemove: () => void
}

function Actions({ row, leaving, onAsk, onRemove }: ActionsProps) {
  const { first, running, strip, name } = row
  const removal = useRefusal('recordings.remove')
  if (leaving) {
    return (
      <span className="inline-flex at-end gap-6">
        <Button small onClick={onRemove}>
          Remove for good
        </Button>
        <Button small onClick={() => onAsk(undefined)}>
          Keep
        </Button>
      </span>
    )
  }
  const incident = strip?.incident
  return (
    <span className="inline-flex at-end gap-6">
      <Button small asks="sources.connect" disabled={first === undefined} onClick={() => void open(row)}>
        Open
      </Button>
      <Button
        small
        asks="sources.connect"
        disabled={incident === undefined}
        title={incident === undefined ? 'Nothing was queued or rejected.' : `Opens at ${format.dateTime(incident)}.`}
        onClick={() => void open(row, incident)}
      >
        Open at incident
      </Button>
      <Button small disabled={first === undefined} onClick={() => onAsk('share')}>
        Share…
      </Button>
      <Menu
        entries={[
          { label: 'Rename…', onSelect: () => onAsk('rename') },
          ...(running || removal !== undefined ? [] : [{ label: 'Remove…', onSelect: () => onAsk('remove') }]),
        ]}
      >
        <Button small aria-label={`More for ${name}`}>
          <Icon name="more" size={13} />
        </Button>
      </Menu>
    </span>
  )
}

function RenamePane({ row, onClose }: { readonly row: RecordingRow; readonly onClose: () => void }) {
  const { id, name, source } = row
  const [{ recordingNames }, change] = useSettings()
  const [typed, setTyped] = useState(name)
  const save = (): void => {
    const { [id]: _old, ...others } = recordingNames
    const own = typed.trim()
    change({ recordingNames: own === '' || own === source?.name ? others : { ...others, [id]: own } })
    onClose()
  }
  return (
    <Pane title={`Rename ${name}`}>
      <form
        className="stack gap-8 pad-x pad-t-4 pad-b-12"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <TextField kind="text" label="Name" maxLength={200} value={typed} onChange={setTyped} />
        <Buttons>
          <Button primary type="submit">
            Rename
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Buttons>
      </form>
    </Pane>
  )
}

/** Opens a recording in place of the shown source: at its last sample, or in the minutes around an instant of it. */
async function open({ id, first = 0, last = first }: RecordingEntry, at?: number): Promise<void> {
  try {
    await openMade(async () => {
      const made = await connectSource({ kind: 'recording', ids: [id] })
      if (at !== undefined) {
        const { zoom, goTo } = timeStore.getState()
        zoom(Math.max(first, at - AROUND_MS), Math.min(last, at + AROUND_MS))
        goTo(at)
      }
      return made
    })
  } catch (thrown) {
    sayFailure(thrown)
  }
}

/** What happened in each recording, one after the other; those that are still written are read anew as they grow. */
function useStrips(entries: readonly RecordingEntry[] | undefined): Readonly<Record<string, RecordingStrip>> {
  const [strips, setStrips] = useState<Readonly<Record<string, RecordingStrip>>>({})
  const key = (entries ?? []).map(({ id, last = 0 }) => `${id} ${Math.floor(last / STRIP_MS)}`).join('\n')
  useEffect(() => {
    let ended = false
    const read = async (): Promise<void> => {
      for (const line of key.split('\n').filter((one) => one !== '')) {
        const [id = ''] = line.split(' ')
        // The list itself names what cannot be read.
        const strip = await client()
          .call('recordings.strip', { id })
          .catch(() => undefined)
        if (ended) return
        if (strip !== undefined) setStrips((known) => ({ ...known, [id]: strip }))
      }
    }
    void read()
    return () => {
      ended = true
    }
  }, [key])
  return strips
}

function Summary({ entries }: { readonly entries: readonly RecordingEntry[] }) {
  const connection = useConnected()
  const state = useRecorder(connection?.id)
  const { title, evidence } = recordingSentence(entries, connection?.source.name, state)
  return (
    <NowLine
      title={title}
      evidence={evidence}
      actions={
        <>
          <FilesButton
            asks="sources.connect"
            label="Recording to open"
            onFiles={(files) => void openAsSource(async () => files)}
          >
            Open file
          </FilesButton>
          <Button onClick={() => openScreen('connection')}>Recorder settings</Button>
        </>
      }
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
