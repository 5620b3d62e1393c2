import { memo, useMemo, type KeyboardEvent, type PointerEvent } from 'react'
import { classes } from '../components/classes.ts'
import styles from './seats.module.css'

export interface RoundHistoryProps {
  /** Oldest first. */
  readonly marks: readonly RoundMark[]
  /** Number of the shown round. */
  readonly shown: number
  /** The shown round in words. */
  readonly text: string
  readonly width: number
  readonly onShow: (number: number) => void
}

const HEIGHT = 24
const BARS = 18

/** The fair fraction of the last rounds as a slider that chooses one of them. */
export const RoundHistory = memo(function RoundHistory({ marks, shown, text, width, onShow }: RoundHistoryProps) {
  const bars = useMemo(() => roundBars(marks, width, BARS), [marks, width])
  const at = marks.findIndex(({ number }) => number === shown)

  const onKeyDown = (event: KeyboardEvent): void => {
    const target = TARGETS[event.key]?.(at, marks.length)
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    event.preventDefault()
    event.stopPropagation()
    const mark = marks[Math.max(0, Math.min(marks.length - 1, target))]
    if (mark !== undefined) onShow(mark.number)
  }
  const choose = (event: PointerEvent<SVGSVGElement>): void => {
    const bar = roundAt(bars, event.clientX - event.currentTarget.getBoundingClientRect().left)
    if (bar !== undefined && bar.number !== shown) onShow(bar.number)
  }
  return (
    <svg
      className={styles['strip']}
      width={width}
      height={HEIGHT}
      role="slider"
      tabIndex={0}
      aria-label="Reallocation shown, by its fair fraction"
      aria-valuemin={marks[0]?.number ?? 0}
      aria-valuemax={marks.at(-1)?.number ?? 0}
      aria-valuenow={shown}
      aria-valuetext={text}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        choose(event)
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) choose(event)
      }}
    >
      {bars.map(({ number, p, differs, x, width: wide, y, height }) => (
        <g key={number}>
          <rect
            className={classes(
              styles['roundBar'],
              p === 0 && styles['constrained'],
              number === shown && styles['shown'],
            )}
            x={x}
            y={y}
            width={wide}
            height={height}
          />
          {differs && <rect className={styles['differs']} x={x} y={BARS + 2} width={Math.max(wide, 2)} height={3} />}
          {number === shown && <path className="fill-text" d={`M${x + wide / 2} ${BARS + 2}l3 4h-6z`} />}
        </g>
      ))}
      <line className={styles['base']} x1={0} x2={width} y1={BARS + 0.5} y2={BARS + 0.5} />
    </svg>
  )
})

const PAGE = 6
/** The round that a key selects, from a position among `count` rounds. */
const TARGETS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at) => at - PAGE,
  PageUp: (at) => at + PAGE,
  Home: () => 0,
  End: (_at, count) => count - 1,
}

/** One recomputation in the strip. */
export interface RoundMark {
  readonly number: number
  /** The fair fraction; 0 in the cases that have none, `undefined` when it is not known. */
  readonly p: number | undefined
  /** Whether the reported limits differ from the expected ones. */
  readonly differs: boolean
}

/** Pixels from the top left of the strip. */
interface RoundBar extends RoundMark {
  readonly x: number
  readonly width: number
  readonly y: number
  readonly height: number
}

/** A strip covers at least ten minutes. */
const LEAST_ROUNDS = 60
const LEAST_HEIGHT = 2

/** One bar a round, the newest at the right edge, as high as its fair fraction. */
export function roundBars(marks: readonly RoundMark[], width: number, height: number): readonly RoundBar[] {
  const slot = width / Math.max(LEAST_ROUNDS, marks.length)
  const top = Math.max(0, ...marks.map(({ p = 0 }) => p))
  return marks.map((mark, i) => {
    const tall = Math.max(LEAST_HEIGHT, top > 0 ? ((mark.p ?? 0) / top) * height : 0)
    return {
      ...mark,
      x: width - (marks.length - i) * slot,
      width: Math.max(0.5, slot > 2.5 ? slot - 1 : slot),
      y: height - tall,
      height: tall,
    }
  })
}

/** The round under a pixel, or the closest one. */
export function roundAt(bars: readonly RoundBar[], x: number): RoundBar | undefined {
  return bars.findLast((bar) => bar.x <= x) ?? bars[0]
}
