import { memo } from 'react'
import { classes } from '../components/classes.ts'
import styles from './handStrips.module.css'

export interface HandStrip {
  readonly key: string
  readonly name: string
  /** Queues, in the order of the deal. */
  readonly hand: readonly number[]
}

export interface HandStripsProps {
  readonly strips: readonly HandStrip[]
  readonly queues: number
  /** Flows that have each queue, by queue. */
  readonly holders: ReadonlyMap<number, number>
  /** The flow that is looked at, whose queues are named. */
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
  readonly width: number
}

const ROW = 19
const NAME_PX = 176
/** Narrower queues are not told apart by gaps. */
const GAP_FROM_PX = 4
/** Characters of a name that fit. */
const LONGEST = 26

/** Which queues flows are dealt: one line a flow, one place a queue; those that several flows have are outlined. */
export const HandStrips = memo(function HandStrips(props: HandStripsProps) {
  const { strips, queues, holders, chosen, onChoose, width } = props
  const room = Math.max(40, width - NAME_PX - 16)
  const step = room / queues
  const thick = Math.max(2, step >= GAP_FROM_PX ? step - 1 : step)
  const x = (queue: number): number => NAME_PX + queue * step
  const bottom = strips.length * ROW
  const named = strips.find(({ key }) => key === chosen)?.hand.toSorted((a, b) => a - b) ?? []
  return (
    <svg className={styles['chart']} width={width} height={bottom + 32} aria-hidden="true" focusable="false">
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
          <rect className={styles['deck']} x={NAME_PX} y={row * ROW + 4} width={room} height={ROW - 8} />
          {hand.map((queue) => (
            <rect
              key={queue}
              className={classes(styles['card'], (holders.get(queue) ?? 0) > 1 && styles['shared'])}
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
    </svg>
  )
})

const NUMBER_PX = 22

/** Numbers below the queues that they name, pushed to the right where they would touch. */
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
