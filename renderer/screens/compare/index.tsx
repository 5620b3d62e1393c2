import { useState } from 'react'
import { firstPeriods, type Mark, type Periods } from '../../../core/compare/period.ts'
import type { ComparedLevel } from '../../../core/compare/compare.ts'
import type { Connected } from '../../../core/contract/source.ts'
import type { DataColumn } from '../../components/dataColumns.ts'
import { DataTable } from '../../components/DataTable.tsx'
import { LevelName } from '../../components/LevelChip.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { Pane } from '../../components/Pane.tsx'
import { PlainTable } from '../../components/PlainTable.tsx'
import { ErrorState, Loading, NoCluster, NoSampleYet } from '../../components/States.tsx'
import { scrollRegion } from '../../components/classes.ts'
import { useConnected } from '../../state/connection.ts'
import { timeStore } from '../../state/time.ts'
import { useViewPart } from '../../state/view.ts'
import { UNKNOWN } from '../../../core/text/format.ts'
import { LevelCharts, RejectionCharts } from '../../charts/PairedCharts.tsx'
import { numberLook } from '../../components/comparedNumbers.ts'
import { compareSentence, keyRows, type KeyRow } from './compare.data.ts'
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
  const server = useViewPart((view) => view.server?.id)
  const marks = useMarks(connection.id)
  const [periods, setPeriods] = useState<Periods>(() => firstPeriods(timeStore.getState(), marks, FIRST_MS))
  const compared = useComparison(connection, server, periods)
  return (
    <div className={styles['screen']}>
      <Summary compared={compared} />
      <PeriodBar source={connection.source.name} marks={marks} periods={periods} onChange={setPeriods} />
      <Body compared={compared} marks={marks} />
    </div>
  )
}

function Summary({ compared }: { readonly compared: Compared }) {
  if (compared.state !== 'done') return <h1 className="sr-only">Compare</h1>
  const { title, evidence } = compareSentence(compared.comparison, { a: 'A', b: 'B' })
  return <NowLine title={title} {...(evidence !== '' && { evidence })} />
}

function Body({ compared, marks }: { readonly compared: Compared; readonly marks: readonly Mark[] }) {
  switch (compared.state) {
    case 'loading':
      return <Loading waitingFor="both periods" />
    case 'failed':
      return <ErrorState title="The periods cannot be read." problem={compared.problem} />
    case 'done':
      return <Sides {...compared} marks={marks} />
  }
}

function Sides(props: Extract<Compared, { state: 'done' }> & { readonly marks: readonly Mark[] }) {
  const { a, b, comparison, others, marks } = props
  const shown = comparison.levels.slice(0, MOST_CHARTS)
  return (
    <div className={styles['columns']}>
      <div className={styles['charts']}>
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
          <p className={styles['more']}>
            The {MOST_CHARTS} levels that changed most. The table lists all {comparison.levels.length}.
          </p>
        )}
      </div>
      <div className={styles['numbers']}>
        <Pane title="Difference" note="B against A, all levels">
          <PlainTable
            caption="Difference of key numbers"
            columns={KEY_COLUMNS}
            rows={keyRows(comparison)}
            rowKey={({ name }) => name}
          />
        </Pane>
        <Pane title="Other differences" note="at the end of each period">
          <dl className={styles['others']}>
            {others.map(({ what, state, text }) => (
              <div key={what}>
                <dt>{OTHER_WORDS[what]}</dt>
                <dd className={state === 'differs' ? styles['differs'] : undefined}>{text}</dd>
              </div>
            ))}
          </dl>
        </Pane>
        <Pane title="Levels" note="those that changed most first">
          <div className={styles['levels']} {...scrollRegion('Levels in both periods')}>
            <DataTable
              caption="Levels in both periods"
              columns={levelColumns(comparison.perSecond)}
              rows={comparison.levels}
              rowKey={({ name }) => name}
              density="compact"
              csvName="compare"
            />
          </div>
        </Pane>
      </div>
    </div>
  )
}

const OTHER_WORDS = {
  configuration: 'Configuration',
  version: 'Server version',
  process: 'Server process',
  seats: 'Seats, nominal',
} as const

const KEY_COLUMNS: readonly DataColumn<KeyRow>[] = [
  { id: 'label', header: 'Key number', value: ({ label }) => label, rowHeader: true },
  { id: 'a', header: 'A', align: 'right', value: ({ a }) => a },
  { id: 'b', header: 'B', align: 'right', value: ({ b }) => b },
  {
    id: 'change',
    header: 'Change',
    align: 'right',
    value: ({ change }) => change,
    cell: ({ change }) => <b>{change}</b>,
  },
  { id: 'share', header: '%', align: 'right', value: ({ share }) => share },
]

function levelColumns(perSecond: boolean): readonly DataColumn<ComparedLevel>[] {
  const pair = (name: 'rejected' | 'queued' | 'executing' | 'limit', header: string): DataColumn<ComparedLevel>[] => {
    const { text } = numberLook(name, perSecond)
    return (['a', 'b'] as const).map((side) => ({
      id: `${name} ${side}`,
      header: `${header} ${side.toUpperCase()}`,
      title: numberLook(name, perSecond).label,
      align: 'right',
      width: name === 'executing' ? 92 : 78,
      value: ({ numbers }) => numbers[name][side],
      cell: ({ numbers, in: where }) =>
        where !== 'both' && where !== side ? (
          <span title={`does not exist in ${side.toUpperCase()}`}>{UNKNOWN}</span>
        ) : (
          text(numbers[name][side])
        ),
    }))
  }
  return [
    { id: 'name', header: 'Level', value: ({ name }) => name, cell: ({ name }) => <LevelName name={name} /> },
    ...pair('rejected', 'Rejected'),
    ...pair('queued', 'Queued'),
    ...pair('executing', 'Executing'),
    ...pair('limit', 'Limit'),
  ]
}
