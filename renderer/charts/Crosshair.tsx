import { memo, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'
import { timeStore } from '../state/time.ts'
import { format } from '../theme/format.ts'
import styles from './Crosshair.module.css'
import { dragRange, nearestIndex, stepCursor } from './crosshair.data.ts'
import { clearRange, rangeStore, selectRange, zoomToRange } from './crosshair.state.ts'
import { type Plot, type TimeDomain, plotHeight, timeOfX, xOfTime } from './timeAxis.data.ts'

export interface CrosshairProps {
  readonly plot: Plot
  readonly domain: TimeDomain
  /** Instants of the samples, ascending: the cursor rests on one of them. */
  readonly times: readonly number[]
  /** The chart's name, for the cursor's accessible name. */
  readonly label: string
  /** What is said of an instant: the tooltip under the pointer or focus. */
  readonly tooltip: (at: number) => ReactNode
  /** The same in one line of text. */
  readonly spoken: (at: number) => string
}

/** Pixels of movement before a press becomes a drag. */
const DRAG_FROM = 4
const ROUND_MS = 10_000

/**
 * The layer over a chart that carries the shared cursor. Only it renders while the pointer moves; the drawing below
 * stays as it is.
 */
export const Crosshair = memo(function Crosshair(props: CrosshairProps) {
  const { plot, domain, times, label, tooltip, spoken } = props
  const [active, setActive] = useState(false)
  const pressed = useRef<number | undefined>(undefined)
  const cursor = timeStore((state) => state.cursor)
  const range = rangeStore((state) => state.range)
  const inside = cursor !== undefined && cursor >= domain.from && cursor <= domain.to

  const xOf = (event: PointerEvent): number => event.clientX - event.currentTarget.getBoundingClientRect().left
  const leastMs = (): number => ((domain.to - domain.from) / Math.max(1, plot.width)) * DRAG_FROM

  const onPointerMove = (event: PointerEvent): void => {
    const at = timeOfX(plot, domain, xOf(event))
    timeStore.getState().setCursor(times[nearestIndex(times, at)] ?? at)
    if (pressed.current === undefined) return
    const dragged = dragRange(pressed.current, at, leastMs())
    if (dragged !== undefined) selectRange(dragged)
  }
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    pressed.current = timeOfX(plot, domain, xOf(event))
    clearRange()
  }
  const onPointerLeave = (): void => {
    if (pressed.current !== undefined) return
    setActive(false)
    timeStore.getState().setCursor()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!handleKey(event, times, cursor)) return
    event.preventDefault()
    event.stopPropagation()
  }

  const x = inside ? xOfTime(plot, domain, cursor) : 0
  const onRight = x < plot.width / 2
  return (
    <div
      className={styles['layer']}
      role="slider"
      tabIndex={0}
      aria-label={`Cursor in ${label}`}
      aria-valuemin={domain.from}
      aria-valuemax={domain.to}
      aria-valuenow={inside ? cursor : domain.to}
      aria-valuetext={inside ? `${format.time(cursor)}, ${spoken(cursor)}` : 'no cursor'}
      aria-orientation="horizontal"
      onPointerEnter={() => setActive(true)}
      onPointerMove={onPointerMove}
      onPointerDown={onPointerDown}
      onPointerUp={() => (pressed.current = undefined)}
      onPointerCancel={() => (pressed.current = undefined)}
      onPointerLeave={onPointerLeave}
      onFocus={() => setActive(true)}
      onBlur={() => setActive(false)}
      onKeyDown={onKeyDown}
    >
      {range !== undefined && <SelectedRange plot={plot} domain={domain} from={range.from} to={range.to} />}
      {inside && (
        <div
          className={styles['line']}
          style={{ transform: `translateX(${x}px)`, top: plot.top, height: plotHeight(plot) }}
        />
      )}
      {inside && active && (
        <div
          className={styles['tooltip']}
          style={onRight ? { left: x + 12 } : { right: plot.width - x + 12 }}
          aria-hidden="true"
        >
          {tooltip(cursor)}
        </div>
      )}
    </div>
  )
})

/** Whether the key meant something to the cursor. */
function handleKey(event: KeyboardEvent, times: readonly number[], cursor: number | undefined): boolean {
  const { setCursor } = timeStore.getState()
  const usual = (times.at(-1) ?? 0) - (times.at(-2) ?? 0)
  const steps = event.shiftKey && usual > 0 ? Math.max(1, Math.round(ROUND_MS / usual)) : 1
  switch (event.key) {
    case 'ArrowLeft':
      setCursor(stepCursor(times, cursor, -steps))
      return true
    case 'ArrowRight':
      setCursor(stepCursor(times, cursor, steps))
      return true
    case 'Home':
      setCursor(times[0])
      return true
    case 'End':
      setCursor(times.at(-1))
      return true
    case 'Enter':
      if (rangeStore.getState().range === undefined) return false
      zoomToRange()
      return true
    case 'Escape':
      if (cursor === undefined && rangeStore.getState().range === undefined) return false
      setCursor()
      clearRange()
      return true
    default:
      return false
  }
}

function SelectedRange(props: { plot: Plot; domain: TimeDomain; from: number; to: number }) {
  const { plot, domain, from, to } = props
  if (to < domain.from || from > domain.to) return null
  const left = xOfTime(plot, domain, Math.max(from, domain.from))
  const right = xOfTime(plot, domain, Math.min(to, domain.to))
  return (
    <div
      className={styles['range']}
      style={{ left, width: Math.max(1, right - left), top: plot.top, height: plotHeight(plot) }}
    />
  )
}
