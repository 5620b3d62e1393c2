import {
  memo,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type ReactNode,
  type RefObject,
  type SVGProps,
} from 'react'
import { classes } from '../components/classes.ts'
import { levelColor, levelToken } from '../state/levels.ts'
import { format } from '../theme/format.ts'
import { BUILT_IN_ORDER, SLOT_TOKENS } from '../../core/text/levelSlots.ts'
import { type ClockFace, timeTicks, type ValueAxis } from '../../core/text/axis.ts'
import { fits, plotHeight, plotWidth, type Plot, type TimeDomain, xOfTime, yOfValue } from '../../core/text/plot.ts'
import styles from './plot.module.css'

/** A drawing; an image with a name where its numbers are not next to it. */
export function Drawing(
  props: SVGProps<SVGSVGElement> & {
    readonly width: number
    readonly height: number
    readonly label?: string | undefined
    /** The values are not current: it loses its hue. */
    readonly stale?: boolean
  },
) {
  const { label, stale = false, className, children, ...rest } = props
  const meaning = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label }
  return (
    <svg
      className={classes(styles['drawing'], stale && styles['stale'], className)}
      focusable="false"
      {...meaning}
      {...rest}
    >
      {children}
    </svg>
  )
}

/** Position of something on an axis in pixels, and its label. */
export interface AxisMark {
  readonly at: number
  readonly text: ReactNode
  readonly strong?: boolean
  readonly anchor?: 'start' | 'middle' | 'end'
}

/** Lines across a plot with their amounts on the left. */
export function ValueGrid({ plot, marks }: { readonly plot: Plot; readonly marks: readonly AxisMark[] }) {
  return marks.map(({ at, text }) => (
    <g key={at}>
      <line className="stroke-grid" x1={plot.left} x2={plot.width - plot.right} y1={at} y2={at} />
      <text x={plot.left - 6} y={at + 4} textAnchor="end">
        {text}
      </text>
    </g>
  ))
}

/** Words below a plot; `y` is their baseline. */
export function AxisLabels({ y, marks }: { readonly y: number; readonly marks: readonly AxisMark[] }) {
  return marks.map(({ at, text, strong = false, anchor = 'middle' }) => (
    <text key={at} className={strong ? styles['strong'] : undefined} x={at} y={y} textAnchor={anchor}>
      {text}
    </text>
  ))
}

/** The clock format from the settings. */
function clockFace(at: number): ClockFace {
  return {
    time: (instant) => format.time(instant),
    offsetMs: format.zone() === 'UTC' ? 0 : -new Date(at).getTimezoneOffset() * 60_000,
  }
}

interface PlotAxesProps {
  readonly plot: Plot
  readonly domain: TimeDomain
  readonly axis: ValueAxis
}

/** Grid lines, amounts on the left and clock times below; part of an `<svg>` of the plot's size. */
export const PlotAxes = memo(function PlotAxes({ plot, domain, axis }: PlotAxesProps) {
  const marks = axis.ticks.map((value) => ({
    at: Math.round(yOfValue(plot, axis.max, value)) + 0.5,
    text: format.fixed(value),
  }))
  return (
    <g aria-hidden="true">
      <ValueGrid plot={plot} marks={marks} />
      <TimeTicks plot={plot} domain={domain} />
    </g>
  )
})

/** Clock times below a plot. */
export function TimeTicks({ plot, domain }: { readonly plot: Plot; readonly domain: TimeDomain }) {
  const y = plot.height - plot.bottom
  const ticks = timeTicks(domain, plotWidth(plot), clockFace(domain.to)).map(({ at, label }) => ({
    at: xOfTime(plot, domain, at),
    text: label,
  }))
  return (
    <>
      {ticks.map(({ at }) => {
        const mark = Math.round(at) + 0.5
        return <line key={at} className="stroke-text-3" x1={mark} x2={mark} y1={y} y2={y + 4} />
      })}
      <AxisLabels y={y + 14} marks={ticks.filter(({ at, text }) => fits(plot, at, text))} />
    </>
  )
}

/** The shared cursor over a drawing; nothing while it lies outside the domain. */
export function CursorLine(props: {
  readonly plot: Plot
  readonly domain: TimeDomain
  readonly cursor: number | undefined
}) {
  const { plot, domain, cursor } = props
  if (cursor === undefined || cursor < domain.from || cursor > domain.to) return null
  const x = xOfTime(plot, domain, cursor)
  return (
    <div
      className={styles['cursor']}
      style={{ transform: `translateX(${x}px)`, top: plot.top, height: plotHeight(plot) }}
    />
  )
}

/** Reads colours and fonts from the tokens that apply to an element: `token('--text-3')`. */
export type TokenReader = (name: string) => string

export type Draw = (context: CanvasRenderingContext2D, size: Size, token: TokenReader) => void

/** Calls back whenever the applied theme changes. Returns the function that ends it. */
function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const scheme = window.matchMedia('(prefers-color-scheme: light)')
  scheme.addEventListener('change', changed)
  return () => {
    observer.disconnect()
    scheme.removeEventListener('change', changed)
  }
}

/**
 * A canvas that is drawn once per change of `draw`, size or theme, in device pixels. `draw` works in CSS pixels on a
 * cleared canvas.
 */
export function useCanvas(size: Size, draw: Draw): RefObject<HTMLCanvasElement | null> {
  const ref = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const canvas = ref.current
    const context = canvas?.getContext('2d') ?? null
    if (canvas === null || context === null || size.width === 0 || size.height === 0) return undefined
    const paint = (): void => {
      const ratio = window.devicePixelRatio || 1
      const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)]
      if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width
        canvas.height = height
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0)
      context.clearRect(0, 0, size.width, size.height)
      const style = getComputedStyle(canvas)
      draw(context, size, (name) => style.getPropertyValue(name).trim())
    }
    paint()
    return onThemeChange(paint)
  }, [size, draw])
  return ref
}

export interface Size {
  readonly width: number
  readonly height: number
}

/**
 * Size of an element in whole CSS pixels: pass the first item as `ref`. Follows the element when it is mounted again,
 * and keeps the last size while it is unmounted.
 */
export function useSize(): [(element: HTMLElement | null) => void, Size] {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useLayoutEffect(() => {
    if (element === null) return undefined
    const measure = (): void => {
      const next = { width: Math.floor(element.clientWidth), height: Math.floor(element.clientHeight) }
      setSize((old) => (old.width === next.width && old.height === next.height ? old : next))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return [setElement, size]
}

declare module 'react' {
  interface CSSProperties {
    /** Colour of the level that a drawing is about; style sheets derive all its patterns from it. */
    '--level'?: string
  }
}

/** The colour of a level for everything inside; grey while values are not current. */
export const levelStyle = (name: string, stale = false): CSSProperties => ({
  '--level': stale ? 'var(--text-3)' : levelColor(name),
})

/** For elements that represent several levels at once. */
export const NO_LEVEL_STYLE: CSSProperties = { '--level': 'var(--text-3)' }

/** Tokens of every possible level colour. */
const TOKENS = [
  ...BUILT_IN_ORDER.map((name) => `--lv-${name}`),
  ...Array.from({ length: SLOT_TOKENS }, (_, index) => `--lv-x${index + 1}`),
]

type PatternKind = 'hatch' | 'stipple'

/**
 * The fill of a meaning: `hatch` is executing on borrowed seats, in the colour of the level; `stipple` is queued, amber
 * for every level (design: patterns). Free seats are the level colour at 22 %, lent ones a dotted outline.
 */
export function patternOf(kind: 'hatch', level: string): string
export function patternOf(kind: 'stipple'): string
export function patternOf(kind: PatternKind, level?: string): string {
  return level === undefined ? 'url(#apf-stipple)' : `url(#${hatchId(levelToken(level))})`
}

/** Opacity of free seats inside the limit. */
const FREE_OPACITY = 0.22

const hatchId = (token: string): string => `apf-hatch${token.slice(1)}`

/** Definitions that drawings anywhere on the page reference; mounted once by the app. */
export function Patterns() {
  return (
    <svg width="0" height="0" className="absolute" aria-hidden="true" focusable="false">
      <defs>
        {TOKENS.map((token) => (
          <pattern
            key={token}
            id={hatchId(token)}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="5" height="5" style={{ fill: `var(${token})` }} fillOpacity={FREE_OPACITY} />
            <rect width="2.6" height="5" style={{ fill: `var(${token})` }} />
          </pattern>
        ))}
        <pattern id="apf-stipple" width="4" height="4" patternUnits="userSpaceOnUse">
          <rect className="fill-queued" width="1.5" height="1.5" />
          <rect className="fill-queued" x="2" y="2" width="1.5" height="1.5" />
        </pattern>
      </defs>
    </svg>
  )
}
