import { memo } from 'react'
import { MARK_WORDS, type Mark } from '../../core/compare/period.ts'
import { format } from '../theme/format.ts'
import { INDENT_PX, placeFirst, placeMarks, xWithin, type EventMark } from '../../core/text/marks.ts'
import { plotHeight, type Plot, type TimeDomain } from '../../core/text/plot.ts'
import styles from './seats.module.css'

export const eventMarks = (marks: readonly Mark[]): readonly EventMark[] =>
  marks.map(({ at, kind, text }) => ({ at, word: MARK_WORDS[kind], text }))

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
  const place = { domain, plot, time: format.time }
  const other = firstRejection === undefined ? undefined : xWithin(firstRejection, place)
  const placed = placeMarks(marks, place, other)
  const first = firstRejection === undefined ? undefined : placeFirst(firstRejection, placed, place)
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
