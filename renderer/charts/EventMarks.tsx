import { memo } from 'react'
import { MARK_WORDS, type Mark } from '../../core/compare/period.ts'
import { format } from '../theme/format.ts'
import { plotHeight, type Plot, type TimeDomain, xOfTime } from './plot.data.ts'
import styles from './seats.module.css'

/** An instant that explains what the curve does after it. */
export interface EventMark {
  /** Unix milliseconds. */
  readonly at: number
  /** One word next to the line. */
  readonly word: string
  /** The whole sentence. */
  readonly text: string
}

export const eventMarks = (marks: readonly Mark[]): readonly EventMark[] =>
  marks.map(({ at, kind, text }) => ({ at, word: MARK_WORDS[kind], text }))

/** Position of a mark in pixels, and the words that fit next to it. */
export interface PlacedMark {
  readonly x: number
  readonly label: string | undefined
  readonly marks: readonly EventMark[]
}

/** Lines closer than this are merged. */
const TOGETHER_PX = 6
/** Between a line and its words, and at most a character of them. */
const [INDENT_PX, CHARACTER_PX] = [6, 6.4]

/** The marks inside the domain from left to right; overlapping marks are merged. Words do not cross the line at `other`. */
export function placeMarks(
  marks: readonly EventMark[],
  domain: TimeDomain,
  plot: Plot,
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
    const label = first === undefined ? '' : `${format.time(first.at)} ${first.word}${more}`
    const isRoomy = next - x >= 2 * INDENT_PX + label.length * CHARACTER_PX
    return { x, marks: together, label: isRoomy ? label : undefined }
  })
}

/** The line of the first rejection, and its words on the side where they cross no mark. */
export interface PlacedFirst {
  readonly x: number
  readonly words: { readonly x: number; readonly anchor: 'start' | 'end'; readonly text: string } | undefined
}

const xWithin = (at: number, domain: TimeDomain, plot: Plot): number =>
  xOfTime(plot, domain, Math.min(domain.to, Math.max(domain.from, at)))

/** The wider side is better than the other one, and words with the time are better than without. */
export function placeFirst(at: number, marks: readonly PlacedMark[], domain: TimeDomain, plot: Plot): PlacedFirst {
  const x = xWithin(at, domain, plot)
  const [left, right] = [plot.left, plot.width - plot.right]
  const sides = x - left > right - x ? (['end', 'start'] as const) : (['start', 'end'] as const)
  const placed = [`${format.time(at)} first rejection`, 'first rejection'].flatMap((text) =>
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

/** A line with its time for each mark, below the row of the first rejection, whose line is dotted. */
export const EventMarks = memo(function EventMarks(props: {
  readonly marks: readonly EventMark[]
  readonly domain: TimeDomain
  readonly plot: Plot
  /** Baseline of the words below the top of the plot, pixels. */
  readonly textY?: number
  /** Unix milliseconds. */
  readonly firstRejection?: number | undefined
}) {
  const { marks, domain, plot, textY = 25, firstRejection } = props
  const { top } = plot
  const other = firstRejection === undefined ? undefined : xWithin(firstRejection, domain, plot)
  const placed = placeMarks(marks, domain, plot, other)
  const first = firstRejection === undefined ? undefined : placeFirst(firstRejection, placed, domain, plot)
  return (
    <g aria-hidden="true">
      {first !== undefined && (
        <path className={styles['event']} d={`M${first.x} ${top}v${plotHeight(plot)}`}>
          <title>{`${format.time(firstRejection)} first rejection`}</title>
        </path>
      )}
      {first?.words !== undefined && (
        <text className={styles['eventText']} x={first.words.x} y={top + 11} textAnchor={first.words.anchor}>
          {first.words.text}
        </text>
      )}
      {placed.map(({ x, label }) => (
        <g key={x}>
          <path className={styles['mark']} d={`M${x} ${top}v${plotHeight(plot)}`} />
          <path className="fill-text-2" d={`M${x - 4} ${top}h8l-4 6z`} />
          {label !== undefined && (
            <text className={styles['eventText']} x={x + INDENT_PX} y={top + textY}>
              {label}
            </text>
          )}
        </g>
      ))}
    </g>
  )
})
