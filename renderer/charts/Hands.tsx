import { memo } from 'react'
import type { Candidate } from '../../core/sharding/collision.ts'
import { format } from '../theme/format.ts'
import { classes } from '../components/classes.ts'
import { placeLabels, plotHeight, plotWidth, type Plot, linePath } from '../../core/text/plot.ts'
import { Drawing, ValueGrid, AxisLabels } from './plot.tsx'
import styles from './hands.module.css'

export interface HandOddsProps {
  readonly lines: readonly OddsLine[]
  /** The number of elephants whose line is bright. */
  readonly elephants: number
  readonly handSize: number
  readonly target: number | undefined
  readonly width: number
  readonly height: number
}

/** The chance that a hand is covered against its size, on a logarithmic scale: one line for each number of elephants. */
export const HandOdds = memo(function HandOdds(props: HandOddsProps) {
  const { lines, elephants, handSize, target, width, height } = props
  const axis = oddsAxis(lines, target)
  const largest = lines[0]?.points.length ?? 1
  const plot: Plot = { width, height, left: 52, right: 98, top: 10, bottom: 34 }
  const [bottom, right] = [height - plot.bottom, width - plot.right]
  const x = (hand: number): number => plot.left + (largest === 1 ? 0.5 : (hand - 1) / (largest - 1)) * plotWidth(plot)
  const y = (odds: number): number => plot.top + depthOf(axis, odds) * plotHeight(plot)
  const names = [
    ...lines.map(({ elephants: count, points }) => ({
      text: format.counted(count, 'elephant'),
      bright: count === elephants,
      y: y(points.at(-1)?.covered ?? 1),
    })),
    ...(target === undefined ? [] : [{ text: `target ${format.probability(target)}`, bright: false, y: y(target) }]),
  ]
  return (
    <Drawing width={width} height={height}>
      <ValueGrid
        plot={plot}
        marks={axis.ticks.map((exponent) => ({ at: y(10 ** exponent), text: tickLabel(exponent) }))}
      />
      {target !== undefined && (
        <line className={styles['target']} x1={plot.left} x2={right} y1={y(target)} y2={y(target)} />
      )}
      <line className="stroke-strong" x1={x(handSize)} x2={x(handSize)} y1={plot.top} y2={bottom} />
      {lines.map((line) => {
        const bright = line.elephants === elephants
        return (
          <g key={line.elephants} className={classes(styles['line'], bright && styles['bright'])}>
            <path d={linePath(line.points.map((point) => ({ x: x(point.handSize), y: y(point.covered) })))} />
            {line.points.map((point) => (
              <circle
                key={point.handSize}
                cx={x(point.handSize)}
                cy={y(point.covered)}
                r={point.handSize === handSize ? 4 : bright ? 2.6 : 2}
              />
            ))}
          </g>
        )
      })}
      {placeLabels(names, 14, plot.top + 4, bottom).map(({ text, bright, at }) => (
        <text key={text} className={bright ? styles['strong'] : undefined} x={right + 10} y={at + 4}>
          {text}
        </text>
      ))}
      <AxisLabels
        y={bottom + 15}
        marks={Array.from({ length: largest }, (_, i) => i + 1).map((hand) => ({
          at: x(hand),
          text: hand,
          strong: hand === handSize,
        }))}
      />
      <text x={plot.left + plotWidth(plot) / 2} y={height - 4} textAnchor="middle">
        hand size
      </text>
    </Drawing>
  )
})

/** Chances of one number of elephants, by hand size. */
interface OddsLine {
  readonly elephants: number
  readonly points: readonly Candidate[]
}

/** A logarithmic axis of chances, from certainty at the top down to a power of ten. */
interface OddsAxis {
  /** Exponent at the bottom, −1 at most. */
  readonly lowest: number
  /** Exponents that are labelled, 0 first. */
  readonly ticks: readonly number[]
}

/** No valid shape has a smaller chance, against one elephant or more. */
const LOWEST = -18
const MOST_TICKS = 6

/** An axis that fits all points and the target; zero, which only rounding could produce, lies at the bottom. */
export function oddsAxis(lines: readonly OddsLine[], target: number | undefined): OddsAxis {
  const values = [...lines.flatMap(({ points }) => points.map(({ covered }) => covered)), target ?? 1]
  const least = values.reduce((a, b) => (b > 0 && b < a ? b : a), 1)
  const lowest = Math.max(LOWEST, Math.min(-1, Math.floor(Math.log10(least))))
  const step = Math.ceil(-lowest / MOST_TICKS)
  const ticks = Array.from({ length: Math.floor(-lowest / step) + 1 }, (_, i) => (i === 0 ? 0 : -i * step))
  return { lowest, ticks }
}

/** Part of the height, from the top, at which a chance lies. */
export const depthOf = ({ lowest }: OddsAxis, odds: number): number =>
  odds <= 0 ? 1 : Math.min(1, Math.max(0, Math.log10(odds) / lowest))

/** `100 %`, `0.1 %`, and powers of ten below that. */
export const tickLabel = (exponent: number): string =>
  exponent >= -3 ? format.percent(10 ** exponent, Math.max(0, -2 - exponent)) : `1e−${-exponent}`

interface HandStrip {
  readonly key: string
  readonly name: string
  /** Queues, in the order of the deal. */
  readonly hand: readonly number[]
}

interface HandStripsProps {
  readonly strips: readonly HandStrip[]
  readonly queues: number
  /** Number of flows that have each queue, by queue. */
  readonly holders: ReadonlyMap<number, number>
  /** The selected flow, whose queues are labelled. */
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
  readonly width: number
}

const ROW = 19
const NAME_PX = 176
/** Narrower queues are not separated by gaps. */
const GAP_FROM_PX = 4
/** Characters of a name that fit. */
const LONGEST = 26

/** Which queues flows are dealt: one row per flow, one place per queue; queues that several flows have are outlined. */
export const HandStrips = memo(function HandStrips(props: HandStripsProps) {
  const { strips, queues, holders, chosen, onChoose, width } = props
  const room = Math.max(40, width - NAME_PX - 16)
  const step = room / queues
  const thick = Math.max(2, step >= GAP_FROM_PX ? step - 1 : step)
  const x = (queue: number): number => NAME_PX + queue * step
  const bottom = strips.length * ROW
  const named = strips.find(({ key }) => key === chosen)?.hand.toSorted((a, b) => a - b) ?? []
  return (
    <Drawing width={width} height={bottom + 32}>
      {strips.map(({ key, name, hand }, row) => (
        <g
          key={key}
          className={classes(styles['strip'], key === chosen && styles['chosen'])}
          onClick={() => onChoose(key)}
        >
          <rect className={styles['row']} x={0} y={row * ROW} width={width} height={ROW} />
          <text x={16} y={row * ROW + 13}>
            {name.length <= LONGEST ? name : `…${name.slice(1 - LONGEST)}`}
          </text>
          <rect className="fill-raised" x={NAME_PX} y={row * ROW + 4} width={room} height={ROW - 8} />
          {hand.map((queue) => (
            <rect
              key={queue}
              className={classes('fill-level', (holders.get(queue) ?? 0) > 1 && 'stroke-text stroke-1-5')}
              x={x(queue)}
              y={row * ROW + 3}
              width={thick}
              height={ROW - 6}
            />
          ))}
        </g>
      ))}
      {spaced(named, x).map(({ queue, at }) => (
        <text key={queue} className={styles['number']} x={at} y={bottom + 13} textAnchor="middle">
          {queue}
        </text>
      ))}
      <text x={NAME_PX} y={bottom + 28}>
        queue 0
      </text>
      <text x={NAME_PX + room} y={bottom + 28} textAnchor="end">
        {queues - 1}
      </text>
    </Drawing>
  )
})

const NUMBER_PX = 22

/** Numbers below the queues that they label, moved to the right where they would touch. */
function spaced(
  queues: readonly number[],
  x: (queue: number) => number,
): readonly { readonly queue: number; readonly at: number }[] {
  let end = Number.NEGATIVE_INFINITY
  return queues.map((queue) => {
    const at = Math.max(x(queue) + 3, end + NUMBER_PX)
    end = at
    return { queue, at }
  })
}
