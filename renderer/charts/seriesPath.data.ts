/**
 * SVG path data of series. A point without a value breaks the path: a gap is a gap, never a line across it. Coordinates
 * are pixels with one decimal.
 */

/** A sample in pixels; `undefined` where there is none. */
export interface PathPoint {
  readonly x: number
  readonly y: number | undefined
}

/** How the path gets from one sample to the next. */
export type PathShape = 'line' | 'step'

const px = (value: number): string => String(Math.round(value * 10) / 10)

/** Stretches of neighbouring points that all have a value. */
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

/** The way along a stretch, without its first move. A step holds each value until the next sample. */
function along(run: readonly { readonly x: number; readonly y: number }[], shape: PathShape): string {
  let path = ''
  for (const [i, point] of run.entries()) {
    if (i === 0) continue
    path += shape === 'step' ? `H${px(point.x)}V${px(point.y)}` : `L${px(point.x)} ${px(point.y)}`
  }
  return path
}

/** A line through the points; a stretch of a single sample is a short dash, so that it is seen. */
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
export interface BandPoint extends PathPoint {
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
      const back = run.map(({ x, base }) => ({ x, y: base })).toReversed()
      const home = shape === 'step' ? stepsBack(back) : along(back, 'line')
      return `M${px(first.x)} ${px(first.y)}${along(run, shape)}L${px(last.x)} ${px(last.base)}${home}Z`
    })
    .join('')
}

/** Backwards a step changes its value first and then runs to the earlier sample. */
function stepsBack(run: readonly { readonly x: number; readonly y: number }[]): string {
  let path = ''
  for (const [i, point] of run.entries()) if (i > 0) path += `V${px(point.y)}H${px(point.x)}`
  return path
}
