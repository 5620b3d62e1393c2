import { useMemo, useState } from 'react'
import { sentenceText } from '../../../core/answer/answer.ts'
import type { WhatIfReport, WhatIfWish, VariantReport } from '../../../core/contract/whatif.ts'
import type { Series } from '../../../core/history/series.ts'
import { letterOf, mostChanged, presentCandidate, presentDecisions } from '../../../core/whatif/present.ts'
import type { ComparedPeriod } from '../../../core/compare/compare.ts'
import { LevelCharts, RejectionCharts } from '../../charts/PairedCharts.tsx'
import { AnswerGrid, AnswerTable, type AnswerCells } from '../../components/answer/Answer.tsx'
import { Segment } from '../../components/Button.tsx'
import { scrollRegion } from '../../components/classes.ts'
import { SelectField } from '../../components/Field.tsx'
import { LevelName } from '../../components/LevelChip.tsx'
import { Pane } from '../../components/Pane.tsx'
import { Note } from '../../components/States.tsx'
import { format } from '../../theme/format.ts'
import { CompareButton, RunButton } from './RunButton.tsx'
import styles from './whatif.module.css'

const CELLS: AnswerCells = { level: (text) => (text === 'All levels' ? <b>{text}</b> : <LevelName name={text} />) }

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
  const [table] = presentCandidate(report, shown).tables
  const decisions = presentDecisions(shown.decisions, letter)
  if (table === undefined) return null
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
        title={table.title}
        note={table.note}
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
        <AnswerGrid table={table} cells={CELLS} ordered density="compact" csvName="what-if" />
      </Pane>
      <TimePane baseline={baseline} candidate={shown.result} letter={letter} />
      <div className={styles['columns']}>
        <Pane title={sentenceText(decisions.title, format)}>
          <ol className={styles['explanation']}>
            {decisions.evidence.map((sentence) => {
              const text = sentenceText(sentence, format)
              return <li key={text}>{text}</li>
            })}
          </ol>
          {shown.decisions?.first !== undefined && (
            <p className={styles['prose']}>
              <RunButton wish={wish} variant={place} seconds={shown.decisions.first.seconds}>
                Go to the first decision that differs
              </RunButton>
            </p>
          )}
        </Pane>
        {decisions.tables.map((one) => (
          <Pane key={one.title} title={one.title} note={one.note}>
            <AnswerTable table={one} />
          </Pane>
        ))}
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
function shownOf(series: Series | undefined, level: string | undefined): ComparedPeriod | undefined {
  const [from, to] = [series?.times[0], series?.times.at(-1)]
  if (series === undefined || from === undefined || to === undefined) return undefined
  return { period: { from, to }, series: { ...series, levels: series.levels.filter(({ name }) => name === level) } }
}
