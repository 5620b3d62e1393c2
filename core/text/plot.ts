/**
 * Arithmetic of plots: the position of an instant or an amount in a drawing of known size. Pure, so that the drawing,
 * the crosshair over it and the tests agree on every pixel.
 */

/** A drawing and the margins around its plot area, CSS pixels. */
export interface Plot {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Margins of the Seats chart; the right one holds the direct labels. */
export const seatPlot = (width: number, height: number): Plot => ({
  width,
  height,
  left: 46,
  right: 112,
  top: 8,
  bottom: 20,
})

/** Unix milliseconds at both edges of the plot area. */
export interface TimeDomain {
  readonly from: number
  readonly to: number
}

export const plotWidth = (plot: Plot): number => Math.max(0, plot.width - plot.left - plot.right)
export const plotHeight = (plot: Plot): number => Math.max(0, plot.height - plot.top - plot.bottom)

/** Pixel of an instant; instants outside the domain lie outside the plot area. */
export function xOfTime(plot: Plot, domain: TimeDomain, at: number): number {
  const span = domain.to - domain.from
  return plot.left + (span > 0 ? (at - domain.from) / span : 1) * plotWidth(plot)
}

/** Instant at a pixel, clamped to the domain. */
export function timeOfX(plot: Plot, domain: TimeDomain, x: number): number {
  const width = plotWidth(plot)
  const share = width > 0 ? (x - plot.left) / width : 1
  return domain.from + Math.min(1, Math.max(0, share)) * (domain.to - domain.from)
}

/** Pixel of an amount on an axis from 0 (bottom) to `max` (top). */
export function yOfValue(plot: Plot, max: number, value: number): number {
  return linear(max, plot.top + plotHeight(plot), plot.top)(value)
}

/** Pixels of amounts on an axis from 0 at `start` to `max` at `end`. */
export const linear =
  (max: number, start: number, end: number) =>
  (value: number): number =>
    start + (max > 0 ? value / max : 0) * (end - start)

/** Half the width of a character of an axis label, CSS pixels. */
const HALF_CHARACTER = 3.4

/**
 * Whether a label centred at a pixel fits into the drawing; one that does not would be cut, or shifted from its tick.
 */
export const fits = ({ width }: Plot, x: number, label: string): boolean =>
  x - label.length * HALF_CHARACTER >= 0 && x + label.length * HALF_CHARACTER <= width

export interface LabelWish {
  /** Preferred pixel of the label. */
  readonly y: number
}

/**
 * Moves labels apart so that neighbours are at least `gap` pixels apart, keeps their order, and keeps them between
 * `top` and `bottom` when there is room for all.
 */
export function placeLabels<T extends LabelWish>(
  wishes: readonly T[],
  gap: number,
  top: number,
  bottom: number,
): readonly (T & { readonly at: number })[] {
  const sorted = wishes.toSorted((a, b) => a.y - b.y)
  const at: number[] = []
  for (const wish of sorted) at.push(Math.max(wish.y, (at.at(-1) ?? Number.NEGATIVE_INFINITY) + gap, top))
  let limit = bottom
  for (let i = at.length - 1; i >= 0; i--) {
    const present = at[i] ?? 0
    if (present <= limit) break
    at[i] = limit
    limit -= gap
  }
  return sorted.map((wish, i) => ({ ...wish, at: at[i] ?? wish.y }))
}

/**
 * SVG path data of series. A point without a value breaks the path: a gap is a gap, never a line across it. Coordinates
 * are pixels with one decimal.
 */

/** A sample in pixels; `undefined` where there is none. */
export interface PathPoint {
  readonly x: number
  readonly y: number | undefined
}

/** How the path connects two samples. */
type PathShape = 'line' | 'step'

/** Pixels with one decimal: more decimals make no visible difference. */
export const tenth = (value: number): number => Math.round(value * 10) / 10

const px = (value: number): string => String(tenth(value))

/** Stretches of consecutive points that all have a value. */
function runs<T extends PathPoint>(points: readonly T[]): readonly (readonly (T & { readonly y: number })[])[] {
  const found: (T & { readonly y: number })[][] = []
  let open: (T & { readonly y: number })[] | undefined
  for (const point of points) {
    if (point.y === undefined) {
      open = undefined
      continue
    }
    if (open === undefined) {
      open = []
      found.push(open)
    }
    open.push({ ...point, y: point.y })
  }
  return found
}

type Stretch = readonly { readonly x: number; readonly y: number }[]

/** The path along a stretch, without its first move. A step holds each value until the next sample. */
function along(run: Stretch, shape: PathShape): string {
  let path = ''
  let before = run[0]?.y
  for (const [i, { x, y }] of run.entries()) {
    if (i === 0) continue
    if (shape === 'line') path += `L${px(x)} ${px(y)}`
    else if (y !== before) path += `H${px(x)}V${px(y)}`
    else if (i === run.length - 1) path += `H${px(x)}`
    before = y
  }
  return path
}

/** A line through the points; a stretch of a single sample is a short dash, so that it is visible. */
export function linePath(points: readonly PathPoint[], shape: PathShape = 'line'): string {
  return runs(points)
    .map((run) => {
      const [first] = run
      if (first === undefined) return ''
      return `M${px(first.x)} ${px(first.y)}${run.length === 1 ? 'h1' : along(run, shape)}`
    })
    .join('')
}

/** One sample of an area between two edges. */
interface BandPoint extends PathPoint {
  /** The lower edge in pixels, below `y` on the screen. */
  readonly base: number
}

/** The area between both edges of the points. */
export function areaPath(points: readonly BandPoint[], shape: PathShape = 'line'): string {
  return runs(points)
    .map((run) => {
      const [first, last] = [run[0], run.at(-1)]
      if (first === undefined || last === undefined) return ''
      if (run.length === 1) return `M${px(first.x)} ${px(first.base)}V${px(first.y)}h1V${px(first.base)}Z`
      const way = `M${px(first.x)} ${px(first.y)}${along(run, shape)}L${px(last.x)} ${px(last.base)}`
      return `${way}${home(run, shape)}Z`
    })
    .join('')
}

/** The path back along the lower edge. A step changes its value first and then runs to the earlier sample. */
function home(run: readonly (BandPoint & { readonly y: number })[], shape: PathShape): string {
  const [first] = run
  if (first !== undefined && run.every(({ base }) => base === first.base)) return `H${px(first.x)}`
  const back = run.map(({ x, base }) => ({ x, y: base })).toReversed()
  if (shape === 'line') return along(back, 'line')
  return back.slice(1).reduce((path, { x, y }) => `${path}V${px(y)}H${px(x)}`, '')
}
