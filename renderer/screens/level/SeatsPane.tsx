import { memo, useCallback, useMemo, type ReactNode } from 'react'
import type { Series } from '../../../core/history/series.ts'
import type { ChartTable } from '../../components/csv.ts'
import { ChartFrame } from '../../components/ChartFrame.tsx'
import { Loading } from '../../components/States.tsx'
import { AtCursor, Crosshair, cursorWords } from '../../charts/Crosshair.tsx'
import { SeatChart } from '../../charts/SeatChart.tsx'
import { marksNear, type EventMark } from '../../../core/text/marks.ts'
import { seatChartData, seatRows } from '../../charts/seatChart.data.ts'
import { seatPlot, type TimeDomain } from '../../../core/text/plot.ts'
import { useSize } from '../../charts/plot.tsx'
import { format } from '../../theme/format.ts'
import { levelColor } from '../../state/levels.ts'
import styles from './panes.module.css'

export interface SeatsPaneProps {
  readonly series: Series | undefined
  readonly level: string
  readonly exempt: boolean
  readonly exist: number | undefined
  readonly domain: TimeDomain
  /** Seconds between samples, for the note. */
  readonly everySeconds: number | undefined
  readonly height: number
  readonly marks: readonly EventMark[]
}

/** Limits, executing seats and demand of the level over the shown range. */
export const SeatsPane = memo(function SeatsPane(props: SeatsPaneProps) {
  const { series, level, exempt, exist, domain, everySeconds, height, marks } = props
  const [box, { width }] = useSize()
  const options = useMemo(() => ({ exempt, exist }), [exempt, exist])
  const data = useMemo(
    () => (series === undefined ? undefined : seatChartData(series, level, options)),
    [series, level, options],
  )
  const plot = useMemo(() => seatPlot(width, height), [width, height])
  const table = useCallback(() => seatTable(series, level), [series, level])
  return (
    <ChartFrame
      title="Seats"
      unit="seats"
      note={
        <SeatsReading series={series} level={level} plot={plot} domain={domain} marks={marks}>
          <SeatsNote level={level} exempt={exempt} everySeconds={everySeconds} reducedTo={data?.reducedTo} />
        </SeatsReading>
      }
      table={table}
      fileName={`seats-${level}`}
      subject={level}
      promql={{ measures: exempt ? ['executing'] : LINES, level }}
    >
      <div ref={box} className={styles['chart']} style={{ height }}>
        {series === undefined || data === undefined ? (
          <Loading waitingFor="the history of this range" />
        ) : (
          width > 0 && (
            <>
              <SeatChart
                level={level}
                data={data}
                options={options}
                domain={domain}
                plot={plot}
                marks={marks}
                series={series}
              />
              <SeatsCursor series={series} level={level} plot={plot} domain={domain} marks={marks} label="Seats" />
            </>
          )
        )}
      </div>
    </ChartFrame>
  )
})

const LINES = ['executing', 'queuedSeats', 'demand', 'limit', 'nominal', 'min', 'max'] as const

interface SeatsCursorProps {
  readonly series: Series | undefined
  readonly level: string
  readonly plot: ReturnType<typeof seatPlot>
  readonly domain: TimeDomain
  readonly marks: readonly EventMark[]
}

/** The level at an instant in words, and what happened near it. */
function useSeatsWords({ series, level, plot, domain, marks }: SeatsCursorProps): (at: number) => string {
  return useCallback(
    (at: number) =>
      [
        series === undefined ? '' : cursorWords(series, at, level),
        ...marksNear(marks, at, domain, plot).map((mark) => `${format.time(mark.at)} ${mark.text}`),
      ].join('; '),
    [series, level, marks, domain, plot],
  )
}

/** These words in place of a chart's legend while the cursor is in its range. */
export function SeatsReading({ children, ...props }: SeatsCursorProps & { readonly children: ReactNode }) {
  const words = useSeatsWords(props)
  return (
    <AtCursor domain={props.domain} say={(at) => `${format.time(at)}  ${words(at)}`}>
      {children}
    </AtCursor>
  )
}

/** The cursor layer of a chart of this level. */
export const SeatsCursor = memo(function SeatsCursor(props: SeatsCursorProps & { readonly label: string }) {
  const { series, plot, domain, label } = props
  const spoken = useSeatsWords(props)
  return <Crosshair plot={plot} domain={domain} times={series?.times ?? []} label={label} spoken={spoken} />
})

function SeatsNote(props: {
  level: string
  exempt: boolean
  everySeconds: number | undefined
  reducedTo: number | undefined
}) {
  const { level, exempt, everySeconds, reducedTo } = props
  const color = levelColor(level)
  return (
    <span className={styles['legend']}>
      <Swatch of="executing">
        <rect width="18" height="10" fill={color} opacity="0.75" />
      </Swatch>
      {!exempt && (
        <>
          <Swatch of="queued">
            <rect width="18" height="10" fill="url(#apf-stipple)" />
          </Swatch>
          <Swatch of="current limit">
            <path d="M0 7H8V3H18" fill="none" stroke="var(--limit-line)" strokeWidth="1.75" />
          </Swatch>
          <Swatch of="nominal">
            <path d="M0 5H18" stroke="var(--nominal-line)" strokeDasharray="6 3" strokeWidth="1.25" />
          </Swatch>
          <Swatch of="min to max">
            <rect width="18" height="10" fill="var(--band)" />
          </Swatch>
        </>
      )}
      <span className={styles['origin']}>
        {reducedTo === undefined
          ? everySeconds !== undefined && `sampled every ${format.seconds(everySeconds)}`
          : `largest per ${format.span(reducedTo)}`}
      </span>
    </span>
  )
}

const Swatch = ({ of, children }: { readonly of: string; readonly children: ReactNode }) => (
  <span>
    <svg width="18" height="10" aria-hidden="true">
      {children}
    </svg>
    {of}
  </span>
)

const COLUMNS = ['Time', 'Executing', 'Queued', 'Demand', 'Current limit', 'Nominal', 'Min', 'Max']

const seatTable = (series: Series | undefined, level: string): ChartTable => ({
  columns: COLUMNS,
  times: true,
  rows: (series === undefined ? [] : seatRows(series, level)).map((row) => [
    row.t,
    row.executing,
    row.queued,
    row.demand,
    row.current,
    row.nominal,
    row.lower,
    row.upper,
  ]),
})
