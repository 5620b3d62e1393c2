import type {
  DecisionDifferences,
  Outcomes,
  WhatIfReport,
  WhatIfWish,
  VariantReport,
} from '../../../core/contract/whatif.ts'
import { Segment } from '../../components/Button.tsx'
import { scrollRegion } from '../../components/classes.ts'
import { inGivenOrder, numberColumn, type DataColumn } from '../../components/dataColumns.ts'
import { DataTable } from '../../components/DataTable.tsx'
import { LevelName } from '../../components/LevelChip.tsx'
import { CompareButton, RunButton } from './RunButton.tsx'
import { Pane } from '../../components/Pane.tsx'
import { PlainTable } from '../../components/PlainTable.tsx'
import { Note } from '../../components/States.tsx'
import { format } from '../../theme/format.ts'
import { letterOf } from './form.logic.ts'
import { difference, levelRows, rejectedIn, waitIn, type LevelRow, mostChanged } from './report.data.ts'
import styles from './whatif.module.css'
import { useMemo, useState } from 'react'
import type { Series } from '../../../core/history/series.ts'
import type { Shown } from '../../charts/Pair.tsx'
import { LevelCharts, RejectionCharts } from '../../charts/PairedCharts.tsx'
import { SelectField } from '../../components/Field.tsx'

/** The results of a comparison: one candidate against the baseline at a time. */
export function ResultPanes(props: {
  readonly report: WhatIfReport
  /** What was compared. */
  readonly wish: WhatIfWish
  /** The form has changed since. */
  readonly changed: boolean
  readonly candidate: number
  readonly onCandidate: (candidate: number) => void
}) {
  const { report, wish, changed, candidate, onCandidate } = props
  const { baseline, candidates, notes } = report
  const shown = candidates[candidate] ?? candidates[0]
  if (shown === undefined) return null
  const place = candidates.indexOf(shown) + 1
  const letter = letterOf(place)
  const names = candidates.map(({ result }, index) => ({
    value: String(index),
    label: `${letterOf(index + 1)} ${result.name}`,
  }))
  return (
    <div className={styles['results']} {...scrollRegion('Results of the comparison')}>
      {changed && (
        <div className={styles['notes']}>
          <Note kind="warn">The requests or variants have changed since this run. Run the comparison again.</Note>
        </div>
      )}
      <Pane
        title="Difference by level"
        note={`A ${baseline.name}, ${letter} ${shown.result.name}`}
        actions={
          <>
            {names.length > 1 && (
              <Segment
                label="Candidate"
                value={String(place - 1)}
                options={names}
                onChange={(index) => onCandidate(Number(index))}
              />
            )}
            <RunButton wish={wish} variant={0}>
              Step through A
            </RunButton>
            <RunButton wish={wish} variant={place}>
              Step through {letter}
            </RunButton>
            <CompareButton wish={wish} variant={place} seconds={shown.decisions?.first?.seconds} />
          </>
        }
      >
        <DataTable
          caption="Difference by level"
          columns={levelColumns(letter)}
          rows={levelRows(baseline, shown.result)}
          rowKey={({ level = '' }) => level}
          density="compact"
          csvName="what-if"
        />
      </Pane>
      <TimePane baseline={baseline} candidate={shown.result} letter={letter} />
      <div className={styles['columns']}>
        <Pane title="First different decision">
          <FirstDecision decisions={shown.decisions} />
          {shown.decisions?.first !== undefined && (
            <p className={styles['prose']}>
              <RunButton wish={wish} variant={place} seconds={shown.decisions.first.seconds}>
                Go to the first decision that differs
              </RunButton>
            </p>
          )}
        </Pane>
        <Pane title="Different decisions" unit="requests">
          {shown.decisions === undefined ? (
            <p className={styles['prose']}>Only open-loop runs compare single decisions.</p>
          ) : (
            <PlainTable
              caption="Different decisions"
              columns={DECISION_COLUMNS}
              rows={decisionRows(shown.decisions, letter)}
              rowKey={({ what }) => what}
            />
          )}
        </Pane>
      </div>
      {notes.length > 0 && (
        <div className={styles['notes']}>
          {notes.map((note) => (
            <Note key={note} kind="info">
              {note}
            </Note>
          ))}
        </div>
      )}
    </div>
  )
}

function FirstDecision({ decisions }: { readonly decisions: DecisionDifferences | undefined }) {
  if (decisions === undefined) {
    return <p className={styles['prose']}>The clients sent different requests to each variant, so none is compared.</p>
  }
  if (decisions.first === undefined) return <p className={styles['prose']}>No decision differs.</p>
  return (
    <ol className={styles['explanation']}>
      {decisions.first.explanation.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ol>
  )
}

interface DecisionRow {
  readonly what: string
  readonly count: number
}

const DECISION_COLUMNS: readonly DataColumn<DecisionRow>[] = [
  { id: 'what', header: 'Difference', rowHeader: true, cell: ({ what }) => what },
  numberColumn('count', 'Requests', ({ count }) => count),
]

const decisionRows = (
  { placed, rejected, letRun, longer, shorter }: DecisionDifferences,
  letter: string,
): readonly DecisionRow[] => [
  { what: 'another flow schema or level', count: placed },
  { what: `rejected by ${letter} only`, count: rejected },
  { what: 'rejected by A only', count: letRun },
  { what: `dispatched later by ${letter}`, count: longer },
  { what: `dispatched earlier by ${letter}`, count: shorter },
]

/** `tone` colours a value that becomes noticeably worse or better. */
function toneOf(change: number | undefined, least: number): string | undefined {
  if (change === undefined || Math.abs(change) < least) return undefined
  return styles[change > 0 ? 'worse' : 'better']
}

const WIDTH = 72

function levelColumns(letter: string): readonly DataColumn<LevelRow>[] {
  const side = (
    id: string,
    header: string,
    title: string,
    value: (row: LevelRow) => number | undefined,
    text: (value: number | undefined) => string,
  ): DataColumn<LevelRow> =>
    numberColumn(id, header, value, { title, text, width: header.length > 8 ? WIDTH + 8 : WIDTH })
  const pair = (
    name: string,
    title: string,
    of: (outcomes: Outcomes | undefined) => number | undefined,
    text: (value: number | undefined) => string,
  ): readonly DataColumn<LevelRow>[] => [
    side(`${name} a`, `${name} A`, `${title}, A`, ({ a }) => of(a), text),
    side(`${name} b`, `${name} ${letter}`, `${title}, ${letter}`, ({ b }) => of(b), text),
  ]
  const waits = (quantile: 'p50' | 'p90' | 'p99') =>
    pair(quantile, `Wait ${quantile} of dispatched requests`, (outcomes) => waitIn(outcomes, quantile), format.ms)
  const rejectedMore = ({ a, b }: LevelRow) => difference(rejectedIn(a), rejectedIn(b))
  const waitsMore = ({ a, b }: LevelRow) => difference(waitIn(a, 'p99'), waitIn(b, 'p99'))
  return inGivenOrder<LevelRow>([
    {
      id: 'level',
      header: 'Level',
      value: ({ level }) => level ?? 'all levels',
      cell: ({ level }) => (level === undefined ? <b>All levels</b> : <LevelName name={level} />),
    },
    ...pair('Rejected', 'Rejected requests', rejectedIn, format.fixed),
    {
      ...side('rejected change', 'Change', `Rejected requests, ${letter} minus A`, rejectedMore, (value) =>
        format.change(value),
      ),
      look: (row) => toneOf(rejectedMore(row), 1),
    },
    ...waits('p50'),
    ...waits('p90'),
    ...waits('p99'),
    {
      ...side('p99 change', 'Change', `Wait p99, ${letter} minus A`, waitsMore, signedMs),
      look: (row) => toneOf(waitsMore(row), 1),
    },
    side('limit a', 'Limit A', 'Current limit in seats, mean, A', ({ limitA }) => limitA, format.seatsAverage),
    side(
      'limit b',
      `Limit ${letter}`,
      `Current limit in seats, mean, ${letter}`,
      ({ limitB }) => limitB,
      format.seatsAverage,
    ),
  ])
}

const signedMs = (value: number | undefined): string =>
  value !== undefined && value > 0 ? `+${format.ms(value)}` : format.ms(value)

/** Seats, limits, queued seats and rejections of one level over time, the baseline beside a candidate. */
function TimePane(props: {
  readonly baseline: VariantReport
  readonly candidate: VariantReport
  readonly letter: string
}) {
  const { baseline, candidate, letter } = props
  const [chosen, setChosen] = useState<string>()
  const names = useMemo(
    () => [...new Set([baseline, candidate].flatMap(({ levels }) => levels.map(({ level }) => level)))].toSorted(),
    [baseline, candidate],
  )
  const level = chosen !== undefined && names.includes(chosen) ? chosen : mostChanged(baseline, candidate)
  const [a, b] = useMemo(
    () => [shownOf(baseline.series, level), shownOf(candidate.series, level)],
    [baseline, candidate, level],
  )
  return (
    <Pane title="Over time" note={`left A ${baseline.name}, right ${letter} ${candidate.name}; servers added up`}>
      {a === undefined || b === undefined || level === undefined ? (
        <p className={styles['prose']}>The max-in-flight filter has no priority levels, so there are no charts.</p>
      ) : (
        <>
          <div className={styles['requests']}>
            <SelectField label="Level" value={level} options={names.map((name) => [name, name])} onChange={setChosen} />
          </div>
          <LevelCharts sides="variants" letter={letter} level={level} a={a} b={b} marks={NO_MARKS} />
          <RejectionCharts sides="variants" letter={letter} level={level} a={a} b={b} marks={NO_MARKS} />
        </>
      )}
    </Pane>
  )
}

const NO_MARKS = [] as const

/** The numbers of one level over the whole run. */
function shownOf(series: Series | undefined, level: string | undefined): Shown | undefined {
  const [from, to] = [series?.times[0], series?.times.at(-1)]
  if (series === undefined || from === undefined || to === undefined) return undefined
  return { period: { from, to }, series: { ...series, levels: series.levels.filter(({ name }) => name === level) } }
}
