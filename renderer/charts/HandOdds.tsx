import { memo } from 'react'
import { classes } from '../components/classes.ts'
import { format } from '../theme/format.ts'
import { depthOf, oddsAxis, tickLabel, type OddsLine } from './handOdds.data.ts'
import styles from './handOdds.module.css'
import { placeLabels, plotHeight, plotWidth, type Plot } from './timeAxis.data.ts'

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
      text: count === 1 ? '1 elephant' : `${format.fixed(count)} elephants`,
      bright: count === elephants,
      y: y(points.at(-1)?.covered ?? 1),
    })),
    ...(target === undefined ? [] : [{ text: `target ${format.probability(target)}`, bright: false, y: y(target) }]),
  ]
  return (
    <svg className={styles['chart']} width={width} height={height} aria-hidden="true" focusable="false">
      {axis.ticks.map((exponent) => (
        <g key={exponent}>
          <line className={styles['grid']} x1={plot.left} x2={right} y1={y(10 ** exponent)} y2={y(10 ** exponent)} />
          <text x={plot.left - 6} y={y(10 ** exponent) + 4} textAnchor="end">
            {tickLabel(exponent)}
          </text>
        </g>
      ))}
      {target !== undefined && (
        <line className={styles['target']} x1={plot.left} x2={right} y1={y(target)} y2={y(target)} />
      )}
      <line className={styles['present']} x1={x(handSize)} x2={x(handSize)} y1={plot.top} y2={bottom} />
      {lines.map((line) => {
        const bright = line.elephants === elephants
        return (
          <g key={line.elephants} className={classes(styles['line'], bright && styles['bright'])}>
            <path d={linePath(line.points.map((point) => [x(point.handSize), y(point.covered)]))} />
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
      {Array.from({ length: largest }, (_, i) => i + 1).map((hand) => (
        <text
          key={hand}
          className={hand === handSize ? styles['strong'] : undefined}
          x={x(hand)}
          y={bottom + 15}
          textAnchor="middle"
        >
          {hand}
        </text>
      ))}
      <text x={plot.left + plotWidth(plot) / 2} y={height - 4} textAnchor="middle">
        hand size
      </text>
    </svg>
  )
})

const linePath = (points: readonly (readonly [x: number, y: number])[]): string =>
  points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
