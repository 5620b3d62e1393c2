import type { Score } from '../../../../core/contract/effect.ts'
import type { ForecastLevel, ForecastReport, Quantity } from '../../../../core/contract/forecast.ts'
import { scoreText } from '../../../../core/twin/judge.ts'
import { EXEMPT } from '../../../../core/config/objects.ts'
import type { DataColumn } from '../../../components/dataColumns.ts'
import { Pane } from '../../../components/Pane.tsx'
import { PlainTable } from '../../../components/PlainTable.tsx'
import { scrollRegion } from '../../../components/classes.ts'
import { ProblemNote } from '../../../components/States.tsx'
import { useSettings } from '../../../state/settings.ts'
import { UNKNOWN } from '../../../../core/text/format.ts'
import { format } from '../../../theme/format.ts'
import { levelOrder } from '../../../theme/levelSlots.ts'
import type { Impact } from './forecast.ts'
import { useEffectsState } from '../effect/effects.ts'
import { bandText, levelColumn, QUANTITY_LOOKS, SmallLine } from '../effect/quantities.tsx'
import styles from '../effect/quantities.module.css'
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
  if (part !== undefined) return `computing, ${format.fixed(part * 100)} %`
  if (report === undefined) return ''
  const fitting = report.fit.filter(({ fits }) => fits).length
  return `the twin fits ${fitting} of ${report.fit.length} levels with requests`
}

function Report(props: {
  readonly report: ForecastReport
  readonly selected: string | undefined
  /** Score of earlier forecasts here; absent where none was measured. */
  readonly score: Score | undefined
}) {
  const { report, selected, score } = props
  const [{ levelSlots }] = useSettings()
  const order = levelOrder(levelSlots)
  const rows = report.levels.filter(({ level }) => level !== EXEMPT).toSorted((a, b) => order(a.level, b.level))
  const remarks = rows.filter(({ note, now }) => note !== undefined && now?.arrivalsPerSecond !== 0)
  return (
    <>
      <div className={styles['scroll']} {...scrollRegion('Forecast by level')}>
        <PlainTable
          caption="Waits, rejections and seats of each level now and under the draft"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ level }) => level}
          selectedKey={selected}
        />
      </div>
      <div className={styles['notes']}>
        {[...Map.groupBy(remarks, ({ note }) => note)].map(([note = '', of]) => (
          <p key={note}>{`${of.map(({ level }) => level).join(', ')}: ${note}`}</p>
        ))}
        {report.notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
        {score !== undefined && <p>{`Earlier forecasts here: ${scoreText(score)}.`}</p>}
      </div>
    </>
  )
}

const SHOWN = ['waitP50', 'waitP99', 'rejectedPerSecond', 'seats'] as const

const COLUMNS: readonly DataColumn<ForecastLevel>[] = [
  levelColumn(({ level }) => level),
  ...SHOWN.map((quantity): DataColumn<ForecastLevel> => ({
    id: quantity,
    header: QUANTITY_LOOKS[quantity].label,
    align: 'right',
    cell: (row) => <Forecasted row={row} quantity={quantity} />,
  })),
]

/** The present value, the forecast, and the interval below. */
function Forecasted({ row, quantity }: { readonly row: ForecastLevel; readonly quantity: Quantity }) {
  const { text } = QUANTITY_LOOKS[quantity]
  const now = row.now?.[quantity]
  const band = row.bands[quantity]
  const was = now === undefined ? UNKNOWN : text(now)
  if (band === undefined) return <span className={styles['was']}>{was}</span>
  return (
    <>
      <span className={styles['was']}>{was} → </span>
      <b>{text(band.point)}</b>
      <SmallLine>{bandText(band, quantity)}</SmallLine>
    </>
  )
}
