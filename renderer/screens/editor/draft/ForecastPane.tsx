import { sentenceText } from '../../../../core/answer/answer.ts'
import type { Score } from '../../../../core/contract/effect.ts'
import type { ForecastReport } from '../../../../core/contract/forecast.ts'
import { presentForecast, QUANTITY_LABELS, scoreText } from '../../../../core/twin/present.ts'
import { useState, type ReactNode } from 'react'
import { EXEMPT } from '../../../../core/config/objects.ts'
import { AnswerTable } from '../../../components/answer/Answer.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { SeatsField, typedSeats } from '../../../components/SourceControls.tsx'
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
export function ForecastPane(props: {
  readonly impact: Impact
  readonly selected: string | undefined
  readonly isDrafted: boolean
}) {
  const { impact, selected, isDrafted } = props
  const [typed, setTyped] = useState('')
  const newLimit = typedSeats(typed)
  const flags = (
    <SeatsField
      label="seats after a restart"
      title="Sum of --max-requests-inflight and --max-mutating-requests-inflight after a restart; empty as now."
      placeholder={String(impact.limit.seats)}
      value={typed}
      onChange={setTyped}
    />
  )
  return isDrafted || newLimit !== undefined ? (
    <Forecast impact={impact} newLimit={newLimit} selected={selected} flags={flags} />
  ) : (
    <EarlyFit impact={impact} flags={flags} />
  )
}

interface ForecastProps {
  readonly impact: Impact
  /** The field for other flags. */
  readonly flags: ReactNode
}

function Forecast(
  props: ForecastProps & { readonly newLimit: number | undefined; readonly selected: string | undefined },
) {
  const { impact, newLimit, selected, flags } = props
  const { report, part, problem } = useForecast({ ...impact, newLimit })
  const score = useEffectsState()?.score
  return (
    <Pane
      title="Forecast"
      unit="90 % interval"
      note={<span role="status">{noteOf(report, part)}</span>}
      actions={flags}
    >
      {problem !== undefined && <ProblemNote problem={problem} />}
      {report !== undefined && <Report report={report} selected={selected} score={score ?? undefined} />}
    </Pane>
  )
}

/** Prepares the first forecast. */
function EarlyFit({ impact, flags }: ForecastProps) {
  useEarlyFit(impact)
  return (
    <Pane title="Forecast" note="of a draft, or of other flags" actions={flags}>
      {null}
    </Pane>
  )
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
