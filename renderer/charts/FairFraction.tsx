import { memo, useId, type ReactNode } from 'react'
import { classes } from '../components/classes.ts'
import { format } from '../theme/format.ts'
import { levelCode } from '../state/levels.ts'
import {
  floorNote,
  type FloorsData,
  type FractionBand,
  type FractionData,
  type ShareBarsData,
} from './fairFraction.data.ts'
import { type ValueAxis } from '../../core/text/axis.ts'
import {
  areaPath,
  linePath,
  linear,
  placeLabels,
  plotWidth,
  yOfValue,
  type Plot,
  plotHeight,
} from '../../core/text/plot.ts'
import { AxisLabels, Drawing, levelStyle, NO_LEVEL_STYLE, ValueGrid } from './plot.tsx'
import styles from './fairFraction.module.css'

interface SharesProps<T> {
  readonly data: T
  readonly width: number
  readonly height: number
  readonly stale?: boolean
}

/** A band lower than this has no room for its code. */
const LABEL_PX = 11

/** How the fair fraction is found: the shares of all levels rise with p until they sum to the available seats. */
export const FairFraction = memo(function FairFraction(props: SharesProps<FractionData>) {
  const { data, width, height, stale = false } = props
  const clip = useId()
  const { bands, p, total, pAxis, axis } = data
  const plot: Plot = { width, height, left: 44, right: 56, top: 18, bottom: 20 }
  const bottom = height - plot.bottom
  const right = width - plot.right
  const x = linear(pAxis.max, plot.left, plot.left + plotWidth(plot))
  const y = (value: number): number => yOfValue(plot, axis.max, value)
  const labels = placeLabels(
    bands.flatMap((band) => {
      const end = band.points.at(-1)
      if (end === undefined) return []
      const [low, high] = [y(Math.min(end.low, axis.max)), y(Math.min(end.high, axis.max))]
      return low - high < LABEL_PX ? [] : [{ band, y: (low + high) / 2 }]
    }),
    13,
    plot.top + 6,
    bottom - 4,
  )
  return (
    <Drawing width={width} height={height} stale={stale}>
      <clipPath id={clip}>
        <rect x={plot.left} y={plot.top} width={plotWidth(plot)} height={plotHeight(plot)} />
      </clipPath>
      <ValueGrid plot={plot} marks={axis.ticks.map((tick) => ({ at: y(tick), text: format.seats(tick) }))} />
      <g clipPath={`url(#${clip})`}>
        {bands.map((band) => {
          const points = band.points.map(({ p: at, low, high }) => ({ x: x(at), y: y(high), base: y(low) }))
          return (
            <g key={band.names.join(' ')} style={bandStyle(band)}>
              <path className={styles['band']} d={areaPath(points)} />
              <path className="fill-none stroke-canvas" d={linePath(points)} />
            </g>
          )
        })}
      </g>
      <line className="stroke-limit stroke-1-5" x1={plot.left} x2={right} y1={y(total)} y2={y(total)} />
      <line className="stroke-limit stroke-1-5" x1={x(p)} x2={x(p)} y1={plot.top - 8} y2={bottom} />
      <text className={classes(styles['strong'], styles['over'])} x={plot.left + 6} y={y(total) - 6}>
        {format.seats(total)} seats to divide
      </text>
      <text className={styles['strong']} x={x(p) - 6} y={plot.top - 7} textAnchor="end">
        p = {format.fairFraction(p)}
      </text>
      <circle className={styles['crossing']} cx={x(p)} cy={y(total)} r={5} />
      {labels.map(({ band, at }) => (
        <text key={band.names.join(' ')} className={styles['code']} style={bandStyle(band)} x={right + 6} y={at + 4}>
          {bandLabel(band)}
        </text>
      ))}
      <AxisLabels y={height - 4} marks={pAxis.ticks.map((tick) => ({ at: x(tick), text: tick }))} />
    </Drawing>
  )
})

const bandLabel = ({ names }: FractionBand): string =>
  names.length === 1 ? levelCode(names[0] ?? '') : `${names.length} more`

const bandStyle = ({ names }: FractionBand) => (names.length === 1 ? levelStyle(names[0] ?? '') : NO_LEVEL_STYLE)

/** For levels whose floors do not all fit: min solid, the part up to the floor pale, the limit as a post on it. */
export const FairFractionFloors = memo(function FairFractionFloors(props: SharesProps<FloorsData>) {
  const { rows, axis } = props.data
  const bars = rows.map((row) => ({
    name: row.name,
    solid: row.min,
    pale: row.floor,
    post: row.limit,
    end: Math.max(row.floor, row.limit),
    note: floorNote(row),
  }))
  return <LevelBars {...props} bars={bars} axis={axis} tickText={format.seats} />
})

/** Limit ÷ target of every level on one scale: solid up to p, pale beyond it. */
export const ShareBars = memo(function ShareBars(props: SharesProps<ShareBarsData>) {
  const { bars, p, axis } = props.data
  const shown = bars.map(({ name, ratio = 0, decided, note }) => {
    const strong = decided === 'p'
    // A limit is a whole number, so that its ratio is never exactly p.
    const solid = p === undefined || strong ? ratio : Math.min(ratio, p)
    return { name, solid, pale: ratio, end: Math.max(ratio, p ?? 0), note, strong }
  })
  return <LevelBars {...props} bars={shown} axis={axis} rule={p} tickText={format.percent} />
})

/** One bar a level, in amounts of the axis. */
interface LevelBar {
  readonly name: string
  readonly solid: number
  readonly pale: number
  readonly post?: number
  /** The note starts after it. */
  readonly end: number
  readonly note: string
  readonly strong?: boolean
}

const NAME_PX = 128
/** A note must fit next to the longest bar. */
const NOTE_PX = 118
const AXIS_PX = 20
const LONGEST_NAME = 17

/** Minimum height that keeps the names of all rows apart. */
export const rowsHeight = (rows: number): number => AXIS_PX + rows * 18

/** Names on the left, bars on one scale, a note to the right of each. */
function LevelBars(props: {
  readonly bars: readonly LevelBar[]
  readonly axis: ValueAxis
  readonly rule?: number | undefined
  readonly tickText: (value: number) => ReactNode
  readonly width: number
  readonly height: number
  readonly stale?: boolean
}) {
  const { bars, axis, rule, tickText, width, height, stale = false } = props
  const bottom = height - AXIS_PX
  const rowHeight = bottom / Math.max(1, bars.length)
  const thick = Math.min(10, rowHeight * 0.6)
  const scale = linear(axis.max, NAME_PX, Math.max(NAME_PX + 40, width - NOTE_PX))
  const x = (value: number): number => scale(Math.min(value, axis.max))
  return (
    <Drawing width={width} height={height} stale={stale}>
      {axis.ticks.map((tick) => (
        <line key={tick} className="stroke-grid" x1={x(tick)} x2={x(tick)} y1={0} y2={bottom} />
      ))}
      <AxisLabels y={height - 4} marks={axis.ticks.map((tick) => ({ at: x(tick), text: tickText(tick) }))} />
      {bars.map(({ name, solid, pale, post, end, note, strong = false }, i) => {
        const middle = (i + 0.5) * rowHeight
        const bar = { y: middle - thick / 2, height: thick }
        return (
          <g key={name} style={levelStyle(name)}>
            <text className={styles['name']} x={16} y={middle + 4}>
              {name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`}
            </text>
            <rect className="fill-level" x={NAME_PX} width={x(solid) - NAME_PX} {...bar} />
            {pale > solid && <rect className={styles['beyond']} x={x(solid)} width={x(pale) - x(solid)} {...bar} />}
            {post !== undefined && (
              <rect className={styles['post']} x={x(post) - 1} y={bar.y - 3} width={2} height={thick + 6} />
            )}
            <text className={strong ? styles['strong'] : undefined} x={x(end) + 8} y={middle + 4}>
              {note}
            </text>
          </g>
        )
      })}
      {rule !== undefined && <line className="stroke-limit stroke-1-5" x1={x(rule)} x2={x(rule)} y1={0} y2={bottom} />}
    </Drawing>
  )
}
