import type { ForecastLevel, ForecastReport, Quantity } from '../../../../core/contract/forecast.ts'
import { EXEMPT } from '../../../../core/config/objects.ts'
import type { DataColumn } from '../../../components/dataColumns.ts'
import { LevelChip } from '../../../components/LevelChip.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { PlainTable } from '../../../components/PlainTable.tsx'
import { scrollRegion } from '../../../components/classes.ts'
import { ProblemNote } from '../../../components/States.tsx'
import { useSettings } from '../../../state/settings.ts'
import { fixed, format } from '../../../theme/format.ts'
import { levelOrder } from '../../../theme/levelSlots.ts'
import type { Impact } from './forecast.ts'
import styles from './forecast.module.css'
import { useForecast } from './forecastRun.ts'

/** Waits, rejections and seats of each level under the draft, as far as a twin of the server shows them. */
export function ForecastPane({ impact, selected }: { readonly impact: Impact; readonly selected: string | undefined }) {
  const { report, part, problem } = useForecast(impact)
  return (
    <Pane title="Forecast" unit="90 % interval" note={<span role="status">{noteOf(report, part)}</span>}>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {report !== undefined && <Report report={report} selected={selected} />}
    </Pane>
  )
}

const noteOf = (report: ForecastReport | undefined, part: number | undefined): string => {
  if (part !== undefined) return `computing, ${fixed(part * 100)} %`
  if (report === undefined) return ''
  const fitting = report.fit.filter(({ fits }) => fits).length
  return `${fitting} of ${report.fit.length} levels with requests fit the twin`
}

function Report({ report, selected }: { readonly report: ForecastReport; readonly selected: string | undefined }) {
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
      </div>
    </>
  )
}

const column = (quantity: Quantity, header: string, text: (value: number) => string): DataColumn<ForecastLevel> => ({
  id: quantity,
  header,
  align: 'right',
  cell: (row) => <Forecasted row={row} quantity={quantity} text={text} />,
})

const seats = (value: number): string => fixed(value, value < 10 ? 1 : 0)

const COLUMNS: readonly DataColumn<ForecastLevel>[] = [
  {
    id: 'level',
    header: 'Priority level',
    term: 'priority-level',
    rowHeader: true,
    cell: ({ level }) => (
      <span className={styles['level']}>
        <LevelChip name={level} decorative />
        {level}
      </span>
    ),
  },
  column('waitP50', 'Wait p50', format.seconds),
  column('waitP99', 'Wait p99', format.seconds),
  column('rejectedPerSecond', 'Rejected /s', seats),
  column('seats', 'Seats', seats),
]

/** The value now, the forecast, and the interval below. */
function Forecasted(props: {
  readonly row: ForecastLevel
  readonly quantity: Quantity
  readonly text: (value: number) => string
}) {
  const { row, quantity, text } = props
  const now = row.now?.[quantity]
  const band = row.bands[quantity]
  const was = now === undefined ? '–' : text(now)
  if (band === undefined) return <span className={styles['only']}>{was}</span>
  return (
    <>
      <span className={styles['was']}>{was} → </span>
      <b>{text(band.point)}</b>
      <span className={styles['band']}>{`${text(band.low)} – ${text(band.high)}`}</span>
    </>
  )
}
