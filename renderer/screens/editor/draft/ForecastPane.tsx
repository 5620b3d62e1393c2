import { useEffect, useState, type ReactNode } from 'react'
import { sentenceText } from '../../../../core/answer/answer.ts'
import { FIT_PART } from '../../../../core/bounds.ts'
import { EXEMPT } from '../../../../core/config/objects.ts'
import { ObjectSetSchema } from '../../../../core/config/schema.ts'
import type { Score } from '../../../../core/contract/effect.ts'
import type { ForecastReport, ForecastWish } from '../../../../core/contract/forecast.ts'
import type { Problem } from '../../../../core/errors.ts'
import { presentForecast, QUANTITY_LABELS, scoreText } from '../../../../core/twin/present.ts'
import { Pane } from '../../../components/Pane.tsx'
import { ProblemNote, Sentences } from '../../../components/States.tsx'
import { AnswerTable } from '../../../components/answer/Answer.tsx'
import { client } from '../../../state/client.ts'
import { useConnected } from '../../../state/connection.ts'
import { shownForecastStore } from '../../../state/draftApply.ts'
import { refusalOf, useRefusal } from '../../../state/limits.ts'
import { useSettings } from '../../../state/settings.ts'
import { useViewPart } from '../../../state/view.ts'
import { format } from '../../../theme/format.ts'
import { levelOrder } from '../../../../core/text/levelSlots.ts'
import { BandBar, largestInBands } from '../effect/BandBar.tsx'
import styles from '../effect/effect.module.css'
import { useEffectsState } from '../effect/effects.ts'
import type { Impact } from './forecast.ts'

/** Waits, rejections and seats of each level under the draft, as far as a twin of the server shows them. */
export function ForecastPane({
  isDrafted,
  selected,
  ...of
}: ForecastProps & { readonly selected: string | undefined; readonly isDrafted: boolean }) {
  return isDrafted || of.impact.newLimit !== undefined ? <Forecast {...of} selected={selected} /> : <EarlyFit {...of} />
}

interface ForecastProps {
  readonly impact: Impact
  /** The field for other flags. */
  readonly flags: ReactNode
}

function Forecast(props: ForecastProps & { readonly selected: string | undefined }) {
  const { impact, selected, flags } = props
  const { report, part, problem } = useForecast(impact)
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

interface ForecastRun {
  /** The last report; it belongs to an earlier draft while `part` is set. */
  readonly report?: ForecastReport
  /** Fraction done, 0 to 1, while a forecast is being computed. */
  readonly part?: number
  readonly problem?: Problem
}

/** Delay after the last keystroke. */
const PAUSE_MS = 300

type Forecastable = Pick<Impact, 'before' | 'after' | 'version' | 'newLimit'> & {
  readonly limit: Pick<Impact['limit'], 'seats'>
}

const wishOf = (
  of: ForecastWish['of'],
  { before, after, limit: { seats }, newLimit, version }: Forecastable,
): ForecastWish => ({
  of,
  before: ObjectSetSchema.parse(before),
  after: ObjectSetSchema.parse(after),
  serverLimit: seats,
  ...(newLimit !== undefined && { newServerLimit: newLimit }),
  version,
})

/** Fits the twin while there is no draft yet; the main side keeps the fit for the first forecast. */
function useEarlyFit({ before, limit: { seats }, version }: Forecastable): void {
  const connection = useConnected()?.id
  const server = useViewPart((view) => view.server?.id)
  useEffect(() => {
    if (connection === undefined || server === undefined || refusalOf('forecast') !== undefined) return undefined
    const wish = wishOf({ connection, server }, { before, after: before, limit: { seats }, version })
    // The runs come after the fit, and their results are not used.
    let stop: (() => void) | undefined
    stop = client().subscribe('forecast', wish, (event) => {
      if (event.kind !== 'progress' || event.part > FIT_PART) stop?.()
    })
    return stop
  }, [connection, server, before, seats, version])
}

/** Forecasts the draft on the shown server; the next change of the draft ends the previous run. */
function useForecast({ before, after, limit: { seats }, newLimit, version }: Forecastable): ForecastRun {
  const connection = useConnected()?.id
  const server = useViewPart((view) => view.server?.id)
  const [run, setRun] = useState<ForecastRun>({})
  const why = useRefusal('forecast')
  useEffect(() => {
    if (connection === undefined || server === undefined || why !== undefined) return undefined
    let stop: (() => void) | undefined
    const end = (last: Pick<ForecastRun, 'report' | 'problem'>): void => {
      stop?.()
      setRun(last)
      // What is applied is the draft, without a restart.
      if (last.report !== undefined && newLimit === undefined)
        shownForecastStore.setState({ shown: { after, report: last.report } }, true)
    }
    const start = (): void => {
      setRun(({ report }) => ({ ...(report && { report }), part: 0 }))
      stop = client().subscribe(
        'forecast',
        wishOf({ connection, server }, { before, after, limit: { seats }, newLimit, version }),
        (event) => {
          if (event.kind === 'progress') setRun(({ report }) => ({ ...(report && { report }), part: event.part }))
          else end(event.kind === 'done' ? { report: event.report } : { problem: event.problem })
        },
        (problem) => end({ problem }),
      )
    }
    const timer = setTimeout(start, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop?.()
      shownForecastStore.setState({}, true)
    }
  }, [connection, server, before, after, seats, newLimit, version, why])
  return why === undefined ? run : { problem: { code: 'forbidden', message: why } }
}
