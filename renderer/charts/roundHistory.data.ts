/** One recomputation in the strip. */
export interface RoundMark {
  readonly number: number
  /** The fair fraction; 0 in the cases that have none, `undefined` when it is not known. */
  readonly p: number | undefined
  /** Whether the reported limits are not the expected ones. */
  readonly differs: boolean
}

/** Pixels from the top left of the strip. */
export interface RoundBar extends RoundMark {
  readonly x: number
  readonly width: number
  readonly y: number
  readonly height: number
}

/** A strip is never emptier than ten minutes. */
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

/** The round under a pixel, or the nearest one. */
export function roundAt(bars: readonly RoundBar[], x: number): RoundBar | undefined {
  return bars.findLast((bar) => bar.x <= x) ?? bars[0]
}
