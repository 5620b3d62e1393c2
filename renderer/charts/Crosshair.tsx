import { memo, useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'
import { create } from 'zustand'
import type { Series } from '../../core/history/series.ts'
import { gapAround } from '../../core/history/gapsWithin.ts'
import { cursorOf, timeStore } from '../state/time.ts'
import { format } from '../theme/format.ts'
import { gapsText } from '../theme/gapWords.ts'
import { CursorLine } from './plot.tsx'
import styles from './plot.module.css'
import { useWheel } from './wheel.ts'
import { dragRange, nearestIndex, stepCursor } from './crosshair.data.ts'
import { seatsAt } from './seatChart.data.ts'
import { type Plot, type TimeDomain, plotHeight, timeOfX, xOfTime } from '../../core/text/plot.ts'

export interface CrosshairProps {
  readonly plot: Plot
  readonly domain: TimeDomain
  /** Instants of the samples, ascending: the cursor snaps to one of them. */
  readonly times: readonly number[]
  /** The chart's name, for the cursor's accessible name. */
  readonly label: string
  /** What the chart shows at an instant, in one line. */
  readonly spoken: (at: number) => string
  /**
   * Milliseconds by which the shared cursor is later than the one of this chart, where two periods are compared; ranges
   * cannot be selected there.
   */
  readonly shift?: number
}

/** Pixels of movement before a press counts as a drag. */
const DRAG_FROM = 4
const ROUND_MS = 10_000

/**
 * The layer over a chart that carries the shared cursor. Only it renders while the pointer moves; the drawing below
 * stays as it is.
 */
export const Crosshair = memo(function Crosshair(props: CrosshairProps) {
  const { plot, domain, times, label, spoken, shift } = props
  const pressed = useRef<number | undefined>(undefined)
  const cursor = timeStore((time) => shifted(cursorOf(time), -(shift ?? 0)))
  const range = rangeStore((state) => (shift === undefined ? state.range : undefined))
  const inside = cursor !== undefined && cursor >= domain.from && cursor <= domain.to

  const layer = useRef<HTMLDivElement>(null)
  const instantAt = (clientX: number): number =>
    timeOfX(plot, domain, clientX - (layer.current?.getBoundingClientRect().left ?? 0)) + (shift ?? 0)
  useWheel({ box: layer, instantAt })

  const xOf = (event: PointerEvent): number => event.clientX - event.currentTarget.getBoundingClientRect().left
  const leastMs = (): number => ((domain.to - domain.from) / Math.max(1, plot.width)) * DRAG_FROM

  const onPointerMove = (event: PointerEvent): void => {
    const at = timeOfX(plot, domain, xOf(event))
    timeStore.getState().setCursor(shifted(times[nearestIndex(times, at)] ?? at, shift))
    if (pressed.current === undefined) return
    const dragged = dragRange(pressed.current, at, leastMs())
    if (dragged !== undefined) selectRange(dragged)
  }
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0 || shift !== undefined) return
    event.currentTarget.setPointerCapture(event.pointerId)
    pressed.current = timeOfX(plot, domain, xOf(event))
    clearRange()
  }
  const onPointerLeave = (): void => {
    if (pressed.current !== undefined) return
    timeStore.getState().setCursor()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!handleKey(event, times, cursor, shift)) return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      ref={layer}
      className={styles['layer']}
      role="slider"
      tabIndex={0}
      aria-label={`Cursor in ${label}`}
      aria-valuemin={domain.from}
      aria-valuemax={domain.to}
      aria-valuenow={inside ? cursor : domain.to}
      aria-valuetext={inside ? `${format.time(cursor)}, ${spoken(cursor)}` : 'no cursor'}
      aria-orientation="horizontal"
      onPointerMove={onPointerMove}
      onPointerDown={onPointerDown}
      onPointerUp={() => (pressed.current = undefined)}
      onPointerCancel={() => (pressed.current = undefined)}
      onPointerLeave={onPointerLeave}
      onKeyDown={onKeyDown}
    >
      {range !== undefined && <RangeBox plot={plot} domain={domain} from={range.from} to={range.to} />}
      <CursorLine plot={plot} domain={domain} cursor={cursor} />
    </div>
  )
})

function shifted<T extends number | undefined>(at: T, ms = 0): number | T {
  return at === undefined ? at : at + ms
}

/** Whether the key was one of the cursor's. */
function handleKey(
  event: KeyboardEvent,
  times: readonly number[],
  cursor: number | undefined,
  shift?: number,
): boolean {
  const setCursor = (at?: number): void => timeStore.getState().setCursor(shifted(at, shift))
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

function RangeBox(props: { plot: Plot; domain: TimeDomain; from: number; to: number }) {
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

interface SelectedRange {
  readonly range?: TimeDomain
  /** The drag paused live data, so clearing the range resumes it. */
  readonly pausedHere: boolean
}

/** The dragged range, shared by all charts of a screen. */
export const rangeStore = create<SelectedRange>(() => ({ pausedHere: false }))

/** Shows a range while it is dragged; live data pauses, buffering continues. */
export function selectRange(range: TimeDomain): void {
  const { paused, pause } = timeStore.getState()
  const pausedHere = rangeStore.getState().pausedHere || !paused
  if (!paused) pause()
  rangeStore.setState({ range, pausedHere })
}

/** Clears the range, and resumes when the drag had paused. */
export function clearRange(): void {
  const { range, pausedHere } = rangeStore.getState()
  if (range === undefined) return
  rangeStore.setState({ pausedHere: false }, true)
  if (pausedHere) timeStore.getState().resume()
}

/** Makes the range the time range of all screens. */
export function zoomToRange(): void {
  const { range } = rangeStore.getState()
  if (range === undefined) return
  timeStore.getState().zoom(range.from, range.to)
  clearRange()
}

/** What charts say instead of their legend while the pointer or a key has the cursor in their range. */
export function AtCursor(props: {
  readonly domain: TimeDomain
  readonly say: (at: number) => string
  readonly children: ReactNode
}) {
  const { domain, say, children } = props
  const cursor = timeStore((time) => time.cursor)
  if (cursor === undefined || cursor < domain.from || cursor > domain.to) return children
  const text = say(cursor)
  return (
    <span className="block ellipsis pre figures ink" title={text}>
      {text}
    </span>
  )
}

/** The chosen level at one instant in words. */
export function cursorWords(series: Series, at: number, level: string): string {
  const gap = gapAround(series, at)
  if (gap !== undefined) return gapsText([gap])
  const { executing, current, queued = 0 } = seatsAt(series, level, at) ?? {}
  if (executing === undefined) return 'no sample'
  const limit = current === undefined || level === 'exempt' ? '' : ` of ${format.seats(current)}`
  return `${level}: ${format.seats(executing)}${limit} seats executing${queued === 0 ? '' : `, ${format.seats(queued)} queued`}`
}
