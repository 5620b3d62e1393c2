import { sentenceText } from '../../../../core/answer/answer.ts'
import type { Score } from '../../../../core/contract/effect.ts'
import type { ForecastReport } from '../../../../core/contract/forecast.ts'
import { presentForecast, QUANTITY_LABELS, scoreText } from '../../../../core/twin/present.ts'
import { EXEMPT } from '../../../../core/config/objects.ts'
import { AnswerTable } from '../../../components/answer/Answer.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { ProblemNote, Sentences } from '../../../components/States.tsx'
import { useSettings } from '../../../state/settings.ts'
import { format } from '../../../theme/format.ts'
import { levelOrder } from '../../../theme/levelSlots.ts'
import type { Impact } from './forecast.ts'
import { useEffectsState } from '../effect/effects.ts'
import { BandBar, largestInBands } from '../effect/BandBar.tsx'
import styles from '../effect/effect.module.css'
import { useEarlyFit, useForecast } from './forecastRun.ts'

/** Waits, rejections and seats of each level under the draft, as far as a twin of the server shows them. */
export function ForecastPane({ impact, selected }: { readonly impact: Impact; readonly selected: string | undefined }) {
  const { report, part, problem } = useForecast(impact)
  const score = useEffectsState()?.score
  return (
    <Pane title="Forecast" unit="90 % interval" note={<span role="status">{noteOf(report, part)}</span>}>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {report !== undefined && <Report report={report} selected={selected} score={score ?? undefined} />}
    </Pane>
  )
}

/** Prepares the first forecast; renders nothing. */
export function EarlyFit({ impact }: { readonly impact: Impact }) {
  useEarlyFit(impact)
  return null
}

const noteOf = (report: ForecastReport | undefined, part: number | undefined): string => {
  if (part !== undefined) return `computing, ${format.percent(part)}`
  return report === undefined ? '' : sentenceText(presentForecast(report).title, format)
}

const SHOWN = ['waitP50', 'waitP99', 'rejectedPerSecond', 'seats'] as const

function Report(props: {
  readonly report: ForecastReport
  readonly selected: string | undefined
  /** Score of earlier forecasts here; absent where none was measured. */
  readonly score: Score | undefined
}) {
  const { report, selected, score } = props
  const [{ levelSlots }] = useSettings()
  const order = levelOrder(levelSlots)
  const levels = report.levels
    .filter(({ level }) => level !== EXEMPT)
    .toSorted((a, b) => Number(b.level === selected) - Number(a.level === selected) || order(a.level, b.level))
  const { evidence, tables } = presentForecast({ ...report, levels }, SHOWN)
  const band = (column: string, row: number) => {
    const quantity = SHOWN.find((one) => QUANTITY_LABELS[one] === column)
    return quantity && <BandBar level={levels[row]} quantity={quantity} largest={largestInBands(levels, quantity)} />
  }
  const notes = evidence.map((sentence) => sentenceText(sentence, format))
  return (
    <>
      {tables.slice(0, 1).map((table) => (
        <AnswerTable
          key={table.title}
          table={table}
          selected={levels.findIndex(({ level }) => level === selected)}
          stacked
          scrolls
          below={band}
        />
      ))}
      <Sentences
        of={score === undefined ? notes : [...notes, `Earlier forecasts here: ${scoreText(score)}.`]}
        className={styles['notes']}
      />
    </>
  )
}
