import { useMemo } from 'react'
import type { Threshold } from '../../core/contract/advice.ts'
import { useSeries } from '../state/series.ts'
import { useTimePart } from '../state/time.ts'
import { useSize } from './plot.tsx'
import { seatPlot } from '../../core/text/plot.ts'
import { SeatChart } from './SeatChart.tsx'
import { seatChartData } from './seatChart.data.ts'

const HEIGHT = 110

/** Seats, limits and demand of a level over the shown range, beside a sentence about it. */
export function LevelHistory(props: {
  readonly server: string
  readonly level: string
  readonly threshold?: Threshold | undefined
}) {
  const { server, level, threshold } = props
  const [box, { width }] = useSize()
  const series = useSeries()
  const from = useTimePart((time) => time.from)
  const to = useTimePart((time) => time.to)
  const options = useMemo(() => ({ exempt: false, exist: undefined, threshold }), [threshold])
  const data = useMemo(
    () => (series?.server === server ? seatChartData(series, level, options) : undefined),
    [series, server, level, options],
  )
  return (
    <div ref={box} style={{ height: HEIGHT }}>
      {data !== undefined && width > 0 && (
        <SeatChart
          level={level}
          data={data}
          options={options}
          domain={{ from, to }}
          plot={seatPlot(width, HEIGHT)}
          marks={NO_MARKS}
        />
      )}
    </div>
  )
}

const NO_MARKS = [] as const
