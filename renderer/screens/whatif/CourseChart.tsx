import { useMemo } from 'react'
import type { ValueAxis } from '../../../core/text/axis.ts'
import { areaPath, linePath, plotWidth, xOfTime, yOfValue, type Plot } from '../../charts/plot.data.ts'
import { AxisLabels, Drawing, useSize, ValueGrid } from '../../charts/plot.tsx'
import { format } from '../../theme/format.ts'
import type { CoursePoint } from './scenarios.data.ts'
import styles from './scenarios.module.css'

const HEIGHT = 104

/** Requests of one variant that ended, per second: those that failed stand on those that were served. */
export function CourseChart(props: {
  readonly points: readonly CoursePoint[]
  /** The same for every variant. */
  readonly axis: ValueAxis
  readonly seconds: number
  /** Nothing before it is counted. */
  readonly statisticsFrom: number
  readonly label: string
}) {
  const { points, axis, seconds, statisticsFrom, label } = props
  const [box, { width }] = useSize()
  const plot = useMemo(() => ({ width, height: HEIGHT, left: 40, right: 8, top: 8, bottom: 18 }), [width])
  return (
    <div ref={box} className="shrink-x" style={{ height: HEIGHT }}>
      {width > 0 && (
        <Drawing width={width} height={HEIGHT} label={label}>
          <ValueGrid
            plot={plot}
            marks={axis.ticks.map((value) => ({ at: y(plot, axis, value), text: format.fixed(value) }))}
          />
          <Areas points={points} plot={plot} axis={axis} seconds={seconds} />
          {statisticsFrom > 0 && (
            <line
              className={styles['counted']}
              x1={x(plot, seconds, statisticsFrom)}
              x2={x(plot, seconds, statisticsFrom)}
              y1={plot.top}
              y2={HEIGHT - plot.bottom}
            />
          )}
          <AxisLabels
            y={HEIGHT - 4}
            marks={[
              { at: plot.left, text: '0', anchor: 'start' },
              { at: plot.left + plotWidth(plot), text: format.span(seconds), anchor: 'end' },
            ]}
          />
        </Drawing>
      )}
    </div>
  )
}

const y = (plot: Plot, axis: ValueAxis, value: number): number => Math.round(yOfValue(plot, axis.max, value)) + 0.5
const x = (plot: Plot, seconds: number, at: number): number =>
  Math.round(xOfTime(plot, { from: 0, to: seconds }, at)) + 0.5

function Areas(props: {
  readonly points: readonly CoursePoint[]
  readonly plot: Plot
  readonly axis: ValueAxis
  readonly seconds: number
}) {
  const { points, plot, axis, seconds } = props
  const drawn = points.map((point) => ({
    x: xOfTime(plot, { from: 0, to: seconds }, point.seconds),
    served: yOfValue(plot, axis.max, point.served),
    ended: yOfValue(plot, axis.max, point.ended),
  }))
  const base = plot.height - plot.bottom
  return (
    <>
      <path className={styles['served']} d={areaPath(drawn.map((one) => ({ x: one.x, y: one.served, base })))} />
      <path
        className="fill-rejected"
        d={areaPath(drawn.map((one) => ({ x: one.x, y: one.ended, base: one.served })))}
      />
      <path className="fill-none stroke-text-2" d={linePath(drawn.map((one) => ({ x: one.x, y: one.served })))} />
    </>
  )
}
