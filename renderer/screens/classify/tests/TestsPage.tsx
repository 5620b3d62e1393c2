import { useMemo, useRef, useState } from 'react'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import { Button, Segment } from '../../../components/Button.tsx'
import { download } from '../../../components/csv.ts'
import { inputClass } from '../../../components/Field.tsx'
import { Icon } from '../../../components/Icon.tsx'
import { Menu } from '../../../components/Menu.tsx'
import type { MenuEntry } from '../../../components/floating.tsx'
import { Note, EmptyState, ErrorState, LoadingPage, ProblemNote } from '../../../components/States.tsx'
import { NowLine } from '../../../components/NowLine.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { isPaneKey } from '../../../components/keys.ts'
import { useDump } from '../../../state/dumps.ts'
import type { RequestTest } from '../../../../core/contract/objects.ts'
import { MOST_REQUEST_TESTS } from '../../../../core/bounds.ts'
import { useRequestTests, changeRequestTests } from '../../../state/requestTests.ts'
import { openPage } from '../../../state/route.ts'
import { useViewPart } from '../../../state/view.ts'
import { ConfigurationNote } from '../shared/Notes.tsx'
import { sampleOfDump } from '../../../../core/classify/requestText.ts'
import { useConfigurations, type Configurations } from '../shared/configurations.ts'
import { TestDetail, TestTable, type Table } from './TestTable.tsx'
import {
  draftTableSentence,
  expectingWhatIs,
  filteredTests,
  observedTests,
  readTests,
  systemTests,
  tableSentence,
  testsText,
  withNew,
  type ObservedRequest,
  type Shown,
  testRows,
} from './table.logic.ts'
import styles from '../shared/classify.module.css'
import { runRequestTests } from '../../../../core/classify/configuration.ts'

/** Saved requests that must continue to match what they matched. */
export function TestsPage() {
  const configurations = useConfigurations()
  const { state, problem } = useRequestTests()
  if (state === 'failed' && problem !== undefined) {
    return <ErrorState page="Tests" title="The saved requests cannot be read." problem={problem} />
  }
  if (configurations === undefined) return <LoadingPage title="Tests" waitingFor="the flow schemas and levels" />
  if (state === 'reading') return <LoadingPage title="Tests" waitingFor="the saved requests" />
  return <Tests configurations={configurations} />
}

const newId = (): string => crypto.randomUUID()

function Tests({ configurations }: { readonly configurations: Configurations }) {
  const { current, draft, draftStale } = configurations
  const table = useTable(configurations)
  const { rows, change, last } = table
  const { problem } = useRequestTests()
  const [shown, setShown] = useState<Shown>('all')
  const [filter, setFilter] = useState('')
  const [selected, setSelected] = useState<string>()
  const [said, setSaid] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const server = useViewPart((view) => view.server?.id)
  const dump = useDump(server)
  const filtered = useMemo(() => filteredTests(rows, shown, filter), [rows, shown, filter])
  const chosen = rows.find(({ test }) => test.id === selected)

  const addSystem = (): void => {
    setSaid(undefined)
    change('Added the essential requests of a cluster.', (tests) => withNew(tests, systemTests(current.objects, newId)))
  }
  const addObserved = (): void => {
    const { tests, unclear } = observedTests(observedOf(dump), current.objects, newId)
    setSaid(
      unclear === 0
        ? undefined
        : `${unclear} kinds of requests are left out. Dumps contain no groups, and with those of the user name these requests would go elsewhere.`,
    )
    change('Added requests of the newest dump.', (before) => withNew(before, tests))
  }
  const load = async (file: File): Promise<void> => {
    const read = readTests(await file.text(), newId)
    setSaid(read.ok ? undefined : read.problem)
    if (read.ok) change(`Added the rows of ${file.name}.`, (tests) => withNew(tests, read.tests))
  }
  const add: readonly MenuEntry[] = [
    { label: 'One request …', onSelect: () => openPage('classify', 'request') },
    ...(dump?.requests === undefined ? [] : [{ label: 'Requests of the newest dump', onSelect: addObserved }]),
    { label: 'Essential requests of a cluster', onSelect: addSystem },
    { label: 'A JSON file …', onSelect: () => input.current?.click() },
  ]
  const draftSays = draftTableSentence(rows)
  return (
    <div className={styles['page']}>
      <NowLine
        title={tableSentence(rows)}
        evidence={
          <>
            {draftSays !== undefined && <span className="info">{`${draftSays} `}</span>}
            Every row is checked against the {current.origin === 'built-in' ? 'built-in' : 'current'} objects
            {draft === undefined ? '' : ' and the draft'} whenever they change, and by the guard rails of the Editor.
          </>
        }
        actions={
          <>
            <Menu entries={add}>
              <Button asks="requests.change" primary={rows.length === 0}>
                <Icon name="plus" size={13} /> Add
              </Button>
            </Menu>
            {rows.length > 0 && (
              <>
                <Button
                  asks="requests.change"
                  onClick={() =>
                    change('Every row now expects what it matches.', (tests) => expectingWhatIs(tests, current.objects))
                  }
                >
                  Expect all present matches
                </Button>
                <Button
                  onClick={() =>
                    download(
                      'apf-requests.json',
                      new Blob([testsText(rows.map(({ test }) => test))], { type: 'application/json' }),
                    )
                  }
                >
                  <Icon name="download" size={13} /> JSON
                </Button>
              </>
            )}
          </>
        }
      />
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label="File with a table of requests"
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file !== undefined) void load(file)
          target.value = ''
        }}
      />
      <div className="stack gap-6 pad-x pad-y-8 line-below gone-when-empty">
        {current.note !== undefined && <ConfigurationNote note={current.note} />}
        {draftStale && <Note kind="warn">The draft has errors. The tests use the last valid values.</Note>}
        {problem !== undefined && <ProblemNote problem={problem} />}
        {said !== undefined && <Note kind="warn">{said}</Note>}
        {rows.length >= MOST_REQUEST_TESTS && (
          <Note kind="warn">{`The table is full: it holds at most ${MOST_REQUEST_TESTS} requests.`}</Note>
        )}
        {last !== undefined && (
          <p className="row gap-10 muted" role="status">
            {last.what}
            <Button small asks="requests.change" onClick={last.undo}>
              <Icon name="undo" size={13} /> Undo
            </Button>
          </p>
        )}
      </div>
      {rows.length === 0 ? (
        <EmptyState
          title="Save requests that must continue to match the same schema."
          actions={
            <>
              <Button onClick={() => openPage('classify', 'request')}>Build one request</Button>
              {dump?.requests !== undefined && (
                <Button asks="requests.change" onClick={addObserved}>
                  Add requests of the dump
                </Button>
              )}
              <Button asks="requests.change" onClick={addSystem}>
                Add essential requests
              </Button>
              <Button asks="requests.change" onClick={() => input.current?.click()}>
                Import JSON
              </Button>
            </>
          }
        >
          A saved table shows which requests an edit would send to another schema. In CI, apf classify --test checks the
          same file.
        </EmptyState>
      ) : (
        <div className={styles['columns']}>
          <Pane
            title="Saved requests"
            className={styles['main']}
            onKeyDown={(event) => {
              if (!isPaneKey(event, 'f')) return
              event.preventDefault()
              event.stopPropagation()
              search.current?.focus()
            }}
            actions={
              <>
                <input
                  ref={search}
                  type="search"
                  className={inputClass}
                  value={filter}
                  placeholder="label, user, path, schema"
                  aria-label="Filter the saved requests"
                  aria-keyshortcuts="f"
                  spellCheck={false}
                  onChange={({ target }) => setFilter(target.value)}
                />
                <Segment<Shown>
                  label="Which rows"
                  value={shown}
                  options={{
                    all: 'All',
                    failing: 'Failing',
                    ...(draft !== undefined && { moved: 'Moved by the draft' }),
                  }}
                  onChange={setShown}
                />
              </>
            }
          >
            <TestTable
              rows={filtered}
              hidden={rows.length - filtered.length}
              withDraft={draft !== undefined}
              selected={chosen?.test.id}
              onSelect={setSelected}
            />
          </Pane>
          {chosen && <TestDetail row={chosen} current={current.objects} draft={draft} change={change} />}
        </div>
      )}
    </div>
  )
}

/** Requests of a dump and where the server sent them. */
function observedOf(dump: DumpFrame | undefined): readonly ObservedRequest[] {
  return (dump?.requests ?? []).flatMap((row): ObservedRequest[] => {
    const request = sampleOfDump(row)
    return request === undefined ? [] : [{ request, flowSchema: row.schema, priorityLevel: row.level }]
  })
}

/** The saved requests, run against the present and the proposed configuration at every change of either. */
function useTable({ current, draft }: Pick<Configurations, 'current' | 'draft'>): Table {
  const { tests } = useRequestTests()
  const now = useMemo(() => runRequestTests(current.objects, tests), [current.objects, tests])
  const proposed = useMemo(() => draft && runRequestTests(draft, tests), [draft, tests])
  const rows = useMemo(() => testRows(now, proposed), [now, proposed])
  const [done, setDone] = useState<{ readonly what: string; readonly before: readonly RequestTest[] }>()
  return {
    rows,
    change: (what, change) => {
      setDone({ what, before: tests })
      changeRequestTests(change)
    },
    last: done && {
      what: done.what,
      undo: () => {
        changeRequestTests(() => done.before)
        setDone(undefined)
      },
    },
  }
}
