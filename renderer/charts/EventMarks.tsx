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

/** The marks inside the domain from left to right; overlapping marks are merged. */
export function placeMarks(marks: readonly EventMark[], domain: TimeDomain, plot: Plot): readonly PlacedMark[] {
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
    const next = groups[place + 1]?.x ?? right
    const [first] = together
    const more = together.length > 1 ? ` +${together.length - 1}` : ''
    const label = first === undefined ? '' : `${format.time(first.at)} ${first.word}${more}`
    const isRoomy = next - x >= 2 * INDENT_PX + label.length * CHARACTER_PX
    return { x, marks: together, label: isRoomy ? label : undefined }
  })
}

/** The marks near an instant of the cursor, which moves from sample to sample. */
export const marksNear = (
  marks: readonly EventMark[],
  at: number,
  domain: TimeDomain,
  plot: Plot,
): readonly EventMark[] =>
  marks.filter((mark) => Math.abs(xOfTime(plot, domain, mark.at) - xOfTime(plot, domain, at)) < TOGETHER_PX)

/** A line with its time for each mark, below the row of the first rejection. */
export const EventMarks = memo(function EventMarks(props: {
  readonly marks: readonly EventMark[]
  readonly domain: TimeDomain
  readonly plot: Plot
  /** Baseline of the words below the top of the plot, pixels. */
  readonly textY?: number
}) {
  const { marks, domain, plot, textY = 25 } = props
  const { top } = plot
  return (
    <g aria-hidden="true">
      {placeMarks(marks, domain, plot).map(({ x, label }) => (
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
