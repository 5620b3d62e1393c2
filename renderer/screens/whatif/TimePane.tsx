import { useMemo, useState } from 'react'
import type { VariantReport } from '../../../core/contract/whatif.ts'
import type { Series } from '../../../core/history/series.ts'
import type { Shown } from '../../charts/Pair.tsx'
import { LevelCharts, RejectionCharts } from '../../charts/PairedCharts.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Pane } from '../../components/Pane.tsx'
import { mostChanged } from './report.data.ts'
import styles from './whatif.module.css'

/** Seats, limits, queued seats and rejections of one level over time, the baseline beside a candidate. */
export function TimePane(props: {
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

/** The numbers of one level, over all of the run. */
function shownOf(series: Series | undefined, level: string | undefined): Shown | undefined {
  const [from, to] = [series?.times[0], series?.times.at(-1)]
  if (series === undefined || from === undefined || to === undefined) return undefined
  return { period: { from, to }, series: { ...series, levels: series.levels.filter(({ name }) => name === level) } }
}
