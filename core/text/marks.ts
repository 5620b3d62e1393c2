import { type Plot, type TimeDomain, xOfTime } from './plot.ts'

/** An instant that explains what the curve does after it. */
export interface EventMark {
  /** Unix milliseconds. */
  readonly at: number
  /** One word next to the line. */
  readonly word: string
  /** The whole sentence. */
  readonly text: string
}

/** Where marks are placed, and how their times are written. */
export interface MarkPlace {
  readonly domain: TimeDomain
  readonly plot: Plot
  readonly time: (at: number) => string
}

/** Position of a mark in pixels, and the words that fit next to it. */
export interface PlacedMark {
  readonly x: number
  readonly label: string | undefined
  readonly marks: readonly EventMark[]
}

/** Lines closer than this are merged. */
const TOGETHER_PX = 6
/** Between a line and its words. */
export const INDENT_PX = 6
/** A character of them, at most. */
const CHARACTER_PX = 6.4

/** The marks inside the domain from left to right; overlapping marks are merged. Words do not cross the line at `other`. */
export function placeMarks(
  marks: readonly EventMark[],
  { domain, plot, time }: MarkPlace,
  other = Infinity,
): readonly PlacedMark[] {
  const groups: { x: number; marks: EventMark[] }[] = []
  for (const mark of marks.toSorted((a, b) => a.at - b.at)) {
    if (mark.at < domain.from || mark.at > domain.to) continue
    const x = xOfTime(plot, domain, mark.at)
    const last = groups.at(-1)
    if (last !== undefined && x - last.x < TOGETHER_PX) last.marks.push(mark)
    else groups.push({ x, marks: [mark] })
  }
  const right = plot.width - plot.right
  return groups.map(({ x, marks: together }, place) => {
    const next = Math.min(groups[place + 1]?.x ?? right, other < x + INDENT_PX ? Infinity : other)
    const [first] = together
    const more = together.length > 1 ? ` +${together.length - 1}` : ''
    const label = first === undefined ? '' : `${time(first.at)} ${first.word}${more}`
    const isRoomy = next - x >= 2 * INDENT_PX + label.length * CHARACTER_PX
    return { x, marks: together, label: isRoomy ? label : undefined }
  })
}

/** The line of the first rejection, and its words on the side where they cross no mark. */
export interface PlacedFirst {
  readonly x: number
  readonly words: { readonly x: number; readonly anchor: 'start' | 'end'; readonly text: string } | undefined
}

/** Where an instant is drawn: at the edge if it is outside. */
export const xWithin = (at: number, { domain, plot }: Pick<MarkPlace, 'domain' | 'plot'>): number =>
  xOfTime(plot, domain, Math.min(domain.to, Math.max(domain.from, at)))

/** The wider side is better than the other one, and words with the time are better than without. */
export function placeFirst(at: number, marks: readonly PlacedMark[], place: MarkPlace): PlacedFirst {
  const { plot, time } = place
  const x = xWithin(at, place)
  const [left, right] = [plot.left, plot.width - plot.right]
  const sides = x - left > right - x ? (['end', 'start'] as const) : (['start', 'end'] as const)
  const placed = [`${time(at)} first rejection`, 'first rejection'].flatMap((text) =>
    sides.flatMap((anchor) => {
      const sign = anchor === 'start' ? 1 : -1
      const away = marks.map((mark) => sign * (mark.x - x)).filter((distance) => distance >= 0)
      // A mark that the line lies on keeps its triangle.
      const start = INDENT_PX + Math.max(0, ...away.filter((distance) => distance < TOGETHER_PX))
      const end = start + text.length * CHARACTER_PX
      const isRoomy =
        end <= (sign === 1 ? right - x : x - left) &&
        away.every((distance) => distance < TOGETHER_PX || distance >= end + INDENT_PX)
      return isRoomy ? [{ x: x + sign * start, anchor, text }] : []
    }),
  )
  return { x, words: placed[0] }
}

/** The marks near an instant of the cursor, which moves from sample to sample. */
export const marksNear = (
  marks: readonly EventMark[],
  at: number,
  domain: TimeDomain,
  plot: Plot,
): readonly EventMark[] =>
  marks.filter((mark) => Math.abs(xOfTime(plot, domain, mark.at) - xOfTime(plot, domain, at)) < TOGETHER_PX)
