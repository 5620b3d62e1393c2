import { useMemo, useState, type ReactNode } from 'react'
import { sentenceText } from '../../../core/answer/answer.ts'
import type { WhatIfReport, WhatIfWish, VariantReport } from '../../../core/contract/whatif.ts'
import type { Series } from '../../../core/history/series.ts'
import { changedLevels, letterOf, presentCandidate, presentDecisions } from '../../../core/whatif/present.ts'
import type { ComparedPeriod } from '../../../core/compare/compare.ts'
import { LevelCharts, RejectionCharts } from '../../charts/PairedCharts.tsx'
import { AnswerGrid, AnswerTable, type AnswerCells } from '../../components/answer/Answer.tsx'
import { Check, Segment } from '../../components/Button.tsx'
import { scrollRegion } from '../../components/classes.ts'
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
  const names = candidates.map(({ result }, index) => `${letterOf(index + 1)} ${result.name}`)
  return (
    <div className="shrink-x scroll" {...scrollRegion('Results of the comparison')}>
      {changed && (
        <div className="stack gap-6 pad-x pad-y-8">
          <Note kind="warn">The requests or variants have changed since this run. Run the comparison again.</Note>
        </div>
      )}
      <Lanes
        baseline={baseline}
        candidate={shown.result}
        letter={letter}
        actions={
          <>
            {names.length > 1 && (
              <Segment
                label="Candidate"
                value={String(place - 1)}
                options={Object.fromEntries(names.entries())}
                onChange={(index) => onCandidate(Number(index))}
              />
            )}
            <CompareButton wish={wish} variant={place} first={shown.decisions?.first} />
            <RunButton wish={wish} variant={0}>
              Step through A
            </RunButton>
            <RunButton wish={wish} variant={place}>
              Step through {letter}
            </RunButton>
          </>
        }
      />
      <div className={styles['columns']}>
        <Pane title={sentenceText(decisions.title, format)}>
          <ol className="stack gap-6 pad-x pad-b-12 breaks prose">
            {decisions.evidence.map((sentence) => {
              const text = sentenceText(sentence, format)
              return <li key={text}>{text}</li>
            })}
          </ol>
        </Pane>
        {decisions.tables.map((one) => (
          <Pane key={one.title} title={one.title} note={one.note}>
            <AnswerTable table={one} />
          </Pane>
        ))}
      </div>
      <Pane title={table.title} note={table.note}>
        <AnswerGrid table={table} cells={CELLS} ordered density="compact" csvName="what-if" />
      </Pane>
      {notes.length > 0 && (
        <div className="stack gap-6 pad-x pad-y-8">
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

/** Rejections, and seats, limits and queued seats of each level over time: the baseline beside a candidate. */
function Lanes(props: {
  readonly baseline: VariantReport
  readonly candidate: VariantReport
  readonly letter: string
  readonly actions: ReactNode
}) {
  const { baseline, candidate, letter, actions } = props
  const [showsAll, setShowsAll] = useState(false)
  const [a, b] = useMemo(() => [wholeOf(baseline.series), wholeOf(candidate.series)], [baseline, candidate])
  const changed = useMemo(() => changedLevels(baseline, candidate), [baseline, candidate])
  const others = [a, b].flatMap((side) => side?.series.levels.map(({ name }) => name) ?? [])
  const levels = showsAll ? [...new Set([...changed, ...others.toSorted()])] : changed
  return (
    <Pane
      title="Levels"
      note={`left A ${baseline.name}, right ${letter} ${candidate.name}; servers added up`}
      actions={
        <>
          <Check label="Unchanged levels" checked={showsAll} onChange={setShowsAll} />
          {actions}
        </>
      }
    >
      {a === undefined || b === undefined ? (
        <p className="pad-x pad-b-12 muted">The max-in-flight filter has no priority levels, so there are no charts.</p>
      ) : (
        <>
          <RejectionCharts sides="variants" letter={letter} a={a} b={b} marks={NO_MARKS} />
          {levels.length === 0 && <p className="pad-x pad-b-12 muted">No level changes.</p>}
          {levels.map((level) => (
            <LevelCharts key={level} sides="variants" letter={letter} level={level} a={a} b={b} marks={NO_MARKS} />
          ))}
        </>
      )}
    </Pane>
  )
}

const NO_MARKS = [] as const

/** The whole run as a period. */
function wholeOf(series: Series | undefined): ComparedPeriod | undefined {
  const [from, to] = [series?.times[0], series?.times.at(-1)]
  return series === undefined || from === undefined || to === undefined ? undefined : { period: { from, to }, series }
}
