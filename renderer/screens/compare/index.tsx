import { useState } from 'react'
import { firstPeriods, type Mark, type Periods } from '../../../core/compare/period.ts'
import { presentComparison } from '../../../core/compare/present.ts'
import type { Connected } from '../../../core/contract/source.ts'
import { AnswerLine, AnswerTable, type AnswerCells } from '../../components/answer/Answer.tsx'
import { Pane } from '../../components/Pane.tsx'
import { NoCluster } from '../../components/NoCluster.tsx'
import type { AskedRun } from '../../components/useRun.ts'
import { WaitingPage } from '../../components/Waiting.tsx'
import { ErrorState, Loading, NoSampleYet } from '../../components/States.tsx'
import { useConnected } from '../../state/connection.ts'
import { timeStore } from '../../state/time.ts'
import { useViewPart } from '../../state/view.ts'
import { LevelCharts, RejectionCharts } from '../../charts/PairedCharts.tsx'
import { PeriodBar } from './PeriodBar.tsx'
import { useComparison, useMarks, type Compared } from './useComparison.ts'
import styles from './compare.module.css'

/** Charts of levels side by side; the table contains more levels. */
const MOST_CHARTS = 4

/** Two periods of the shown server side by side: before and after a change, today and yesterday. */
export function CompareScreen() {
  const connection = useConnected()
  // The range begins with the first sample, and so do the first compared periods.
  const isEmpty = useViewPart((view) => view.server === undefined)
  if (connection === undefined)
    return <NoCluster page="Compare">Compare shows the differences between two periods of a server.</NoCluster>
  if (isEmpty) {
    return (
      <>
        <h1 className="sr-only">Compare</h1>
        <NoSampleYet />
      </>
    )
  }
  return <ComparePeriods connection={connection} />
}

/** Length of the initial periods. */
const FIRST_MS = 300_000

function ComparePeriods({ connection }: { readonly connection: Connected }) {
  const marks = useMarks(connection.id)
  return marks === undefined ? (
    <>
      <h1 className="sr-only">Compare</h1>
      <Loading waitingFor="the journal" />
    </>
  ) : (
    <BetweenPeriods connection={connection} marks={marks} />
  )
}

function BetweenPeriods({ connection, marks }: { readonly connection: Connected; readonly marks: readonly Mark[] }) {
  const server = useViewPart((view) => view.server?.id)
  const [periods, setPeriods] = useState<Periods>(() => firstPeriods(timeStore.getState(), marks, FIRST_MS))
  const run = useComparison(connection, server, periods)
  return (
    <div className={`${styles['screen']} column shrink-y tall children-rigid`}>
      <Summary compared={run.found} marks={marks} />
      <PeriodBar source={connection.source.name} marks={marks} periods={periods} onChange={setPeriods} />
      <Body run={run} marks={marks} />
    </div>
  )
}

function Summary({ compared, marks }: { readonly compared: Compared | undefined; readonly marks: readonly Mark[] }) {
  if (compared === undefined) return <h1 className="sr-only">Compare</h1>
  const { a, b, comparison, others } = compared
  const periods = { a: a.period, b: b.period }
  return <AnswerLine answer={presentComparison(comparison, others, { periods, marks })} />
}

function Body({ run, marks }: { readonly run: AskedRun<Compared>; readonly marks: readonly Mark[] }) {
  if (run.found !== undefined) return <Sides {...run.found} marks={marks} />
  if (run.problem !== undefined) return <ErrorState title="The periods cannot be read." problem={run.problem} />
  return <WaitingPage what="comparison" run={run} />
}

function Sides(props: Compared & { readonly marks: readonly Mark[] }) {
  const { a, b, comparison, others, marks } = props
  const shown = comparison.levels.slice(0, MOST_CHARTS)
  return (
    <div className={styles['columns']}>
      <div className={`${styles['charts']} shrink-x line-right`}>
        <p className={styles['heads']} aria-hidden="true">
          <span>
            <b>A</b> {comparison.a.samples} samples
          </span>
          <span>
            <b>B</b> {comparison.b.samples} samples
          </span>
        </p>
        <RejectionCharts sides="periods" a={a} b={b} marks={marks} />
        {shown.map(({ name }) => (
          <LevelCharts key={name} sides="periods" level={name} a={a} b={b} marks={marks} />
        ))}
        {comparison.levels.length > MOST_CHARTS && (
          <p className="pad-x pad-y-6 faint">
            The {MOST_CHARTS} levels that changed most. The table lists all {comparison.levels.length}.
          </p>
        )}
      </div>
      <div className="shrink-x">
        {presentComparison(comparison, others).tables.map((table) => (
          <Pane key={table.title} title={table.title} note={table.note}>
            <AnswerTable table={table} cells={CELLS} />
          </Pane>
        ))}
      </div>
    </div>
  )
}

const CELLS: AnswerCells = {
  change: (text) => <b>{text}</b>,
  state: (text) => <span className={text === 'differs' ? 'warn' : undefined}>{text}</span>,
}
