import { memo, useMemo } from 'react'
import { isExempt } from '../../../core/frame/frame.ts'
import type { Mark, Period } from '../../../core/compare/period.ts'
import type { Series } from '../../../core/history/series.ts'
import type { ChartTable } from '../../components/csv.ts'
import { ChartFrame } from '../../components/ChartFrame.tsx'
import { eventMarks, type EventMark } from '../../charts/EventMarks.tsx'
import { SeatChart, seatPlot } from '../../charts/SeatChart.tsx'
import { seatChartData, seatRows, type SeatChartData } from '../../charts/seatChart.data.ts'
import { useSize } from '../../charts/plot.tsx'
import styles from './compare.module.css'

/** Charts beside each other; more levels are in the table. */
export const MOST_CHARTS = 4
const HEIGHT = 150

interface Shown {
  readonly period: Period
  readonly series: Series
}

/** Seats of one level in both periods, on one scale. */
export const LevelCharts = memo(function LevelCharts(props: {
  readonly level: string
  readonly a: Shown
  readonly b: Shown
  readonly marks: readonly Mark[]
}) {
  const { level, a, b, marks } = props
  const drawn = useMemo(() => eventMarks(marks), [marks])
  const options = useMemo(() => ({ exempt: isExempt({ name: level }), exist: undefined }), [level])
  const [dataA, dataB] = useMemo(() => {
    const both = [a, b].map(({ series }) => seatChartData(series, level, options))
    const axes = both.flatMap((data) => (data === undefined ? [] : [data.axis]))
    const axis = axes.toSorted((x, y) => y.max - x.max)[0]
    return both.map((data) => (data === undefined || axis === undefined ? undefined : { ...data, axis }))
  }, [a, b, level, options])
  return (
    <ChartFrame
      title={level}
      unit="seats"
      note="both periods on one scale"
      table={() => tableOf(level, a, b)}
      fileName={`compare-${level}`}
      subject={level}
    >
      <div className={styles['pair']}>
        <Half side="A" level={level} shown={a} data={dataA} options={options} marks={drawn} />
        <Half side="B" level={level} shown={b} data={dataB} options={options} marks={drawn} />
      </div>
    </ChartFrame>
  )
})

interface HalfProps {
  readonly side: 'A' | 'B'
  readonly level: string
  readonly shown: Shown
  readonly data: SeatChartData | undefined
  readonly options: Parameters<typeof seatChartData>[2]
  readonly marks: readonly EventMark[]
}

function Half({ side, level, shown, data, options, marks }: HalfProps) {
  const [box, { width }] = useSize()
  const plot = useMemo(() => seatPlot(width, HEIGHT), [width])
  return (
    <div ref={box} className={styles['half']} style={{ height: HEIGHT }}>
      {data === undefined ? (
        <p className={styles['absent']}>
          {shown.series.times.length === 0 ? `Nothing is recorded in ${side}.` : `${level} does not exist in ${side}.`}
        </p>
      ) : (
        width > 0 && (
          <SeatChart level={level} data={data} options={options} domain={shown.period} plot={plot} marks={marks} />
        )
      )}
    </div>
  )
}

const tableOf = (level: string, a: Shown, b: Shown): ChartTable => ({
  columns: ['Time', 'Period', 'Executing', 'Queued', 'Current limit', 'Nominal'],
  times: true,
  rows: [
    ...seatRows(a.series, level).map((row) => [row.t, 'A', row.executing, row.queued, row.current, row.nominal]),
    ...seatRows(b.series, level).map((row) => [row.t, 'B', row.executing, row.queued, row.current, row.nominal]),
  ],
})
