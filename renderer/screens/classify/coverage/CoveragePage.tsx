import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { MOST_FLOWS, type CoverageRow } from '../../../../core/classify/coverage.ts'
import { Note, LoadingPage } from '../../../components/States.tsx'
import { NowLine } from '../../../components/NowLine.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Segment } from '../../../components/Button.tsx'
import { Term } from '../../../components/Term.tsx'
import { useCalm } from '../../../components/hooks.ts'
import { askedOf, usePastPart } from '../../../state/past.ts'
import { useDump } from '../../../state/dumps.ts'
import { useViewPart } from '../../../state/view.ts'
import { format } from '../../../theme/format.ts'
import { ConfigurationNote, NoDumps } from '../shared/Notes.tsx'
import { useConfigurations, type Configurations } from '../shared/configurations.ts'
import { coverageAt, coverageStore, hearDump } from '../shared/coverageStore.ts'
import styles from '../shared/classify.module.css'
import { catchAllSentence, coverageSentence, dispatchedRates, flowTable, isIdle } from './coverage.data.ts'
import { rowsOf } from '../../../../core/guard/covered.ts'
import { FlowTable, SchemaTable } from './CoverageTables.tsx'

/** Which flows each schema gets, and which schemas get none. */
export function CoveragePage() {
  const configurations = useConfigurations()
  if (configurations === undefined) return <LoadingPage title="Coverage" waitingFor="the flow schemas and levels" />
  return <Covered configurations={configurations} />
}

const CALM_MS = 1_000

function Covered({ configurations }: { readonly configurations: Configurations }) {
  const { current, draft } = configurations
  const server = useViewPart((view) => view.server?.id)
  const mode = useViewPart((view) => view.mode)
  const derived = useCalm(
    useViewPart((view) => view.derived),
    CALM_MS,
  )
  const frame = useViewPart((view) => view.frame)
  const isPast = usePastPart(askedOf) !== undefined
  const dump = useDump(server)
  useEffect(() => {
    if (dump !== undefined && !isPast) hearDump(dump)
  }, [dump, isPast])
  const then = useMemo(
    () => (mode === 'past' ? coverageAt(frame?.servers ?? [], dump) : undefined),
    [mode, frame, dump],
  )
  const present = useDeferredValue(
    useCalm(
      coverageStore((store) => store.coverage),
      CALM_MS,
    ),
  )
  const coverage = then ?? present
  const toRows = useMemo(() => rowsOf(current.objects), [current.objects])
  const rows = useMemo(() => toRows(coverage), [toRows, coverage])
  const rates = useMemo(() => dispatchedRates(derived), [derived])
  const [only, setOnly] = useState<'all' | 'idle'>('all')
  const [chosen, setChosen] = useState<string>()
  const shown = useMemo(() => (only === 'all' ? rows : rows.filter(isIdle)), [rows, only])
  const flows = useMemo(
    () => flowTable(coverage, chosen, current.objects, draft),
    [coverage, chosen, current.objects, draft],
  )
  const catchAll = catchAllSentence(rows, then !== undefined)
  const watched = coverage.since !== coverage.at
  const choose = ({ schema }: CoverageRow): void => setChosen((old) => (old === schema ? undefined : schema))
  return (
    <div className={styles['page']}>
      <NowLine
        title={
          coverage.since !== undefined
            ? coverageSentence(rows)
            : then === undefined
              ? 'Nothing is counted yet.'
              : 'No sample was recorded at this instant.'
        }
        stale={mode === 'stale'}
        evidence={
          coverage.since === undefined ? (
            then === undefined && 'Counting starts with the first sample of a source.'
          ) : (
            <>
              Metrics count every request by schema, but do not identify the sender.{' '}
              {watched
                ? `The console counts since ${format.time(coverage.since)} ${format.zone()}, the servers since their start.`
                : 'The servers count since their start.'}{' '}
              <Term id="debug-dump">Dumps</Term> identify flows, but contain only requests that wait or execute at that
              moment. {format.counted(coverage.dumps, 'dump was', 'dumps were')} read; short requests are missed.
            </>
          )
        }
      />
      <div className="stack gap-6 pad-x pad-y-8 line-below gone-when-empty">
        {current.note !== undefined && <ConfigurationNote note={current.note} />}
        {mode === 'none' && <Note kind="info">Connect a source to see which schemas get requests.</Note>}
        {catchAll !== undefined && <Note kind="warn">{catchAll}</Note>}
      </div>
      <div>
        <Pane
          title="Flow schemas"
          className={styles['pane']}
          actions={
            <Segment
              label="Which schemas"
              value={only}
              options={{ all: 'All', idle: 'Without requests' }}
              onChange={setOnly}
            />
          }
        >
          <SchemaTable rows={shown} rates={rates} watched={watched} selected={chosen} onChoose={choose} />
        </Pane>
        <Pane
          title={chosen === undefined ? 'Flows seen' : `Flows seen in ${chosen}`}
          className={styles['pane']}
          note={server === undefined ? undefined : `in the dumps of ${server}`}
        >
          {coverage.dumps === 0 && dump?.requests === undefined ? (
            <div className="pad-x pad-b-12">
              <NoDumps server={server} dump={dump} what="flows" />
            </div>
          ) : (
            <FlowTable rows={flows} at={coverage.at} withDraft={draft !== undefined} chosen={chosen} />
          )}
          {coverage.left > 0 && (
            <p className="pad-x pad-t-4 pad-b-8 faint">
              {`${format.fixed(coverage.left)} requests of other flows are not shown; the limit is ${format.fixed(MOST_FLOWS)} flows.`}
            </p>
          )}
        </Pane>
      </div>
    </div>
  )
}
