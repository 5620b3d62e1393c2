import type { Amount, Answer, Sentence } from '../answer/answer.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { isExempt, movedSeats } from '../frame/reading.ts'
import { plural } from '../text/format.ts'
import { listed } from '../text/text.ts'
import {
  expectedAllocation,
  type ExpectedAllocation,
  type ExpectedLevel,
  type NeededGauge,
} from '../impact/expected.ts'

const seats = (value: number | undefined): Amount => ({ value, as: 'fixed' })
const inSeats = (value: number | undefined): Sentence => [seats(value), plural(value, ' seat', ' seats')]
/** Shares and targets are no whole seats. */
const share = (value: number | undefined): Amount => ({ value, as: 'seatsAverage' })

const GAUGES: Readonly<Record<NeededGauge, string>> = {
  nominal: 'nominal limits',
  lower: 'minima',
  upper: 'maxima',
  highWatermark: 'high watermarks of demand',
  smoothed: 'smoothed demand',
}

/**
 * Why the current limit of a level is what it is, from one page of its server; `undefined` if the page does not contain
 * the level.
 */
export function explainLimit(frame: ServerFrame, name: string): Answer | undefined {
  const level = frame.levels.find((one) => one.name === name)
  if (level === undefined) return undefined
  const { current, nominal } = level.limits
  const place = `${name} of ${frame.id}`
  if (isExempt(level)) {
    return {
      title: [`${place} has no limit: it takes the seats that it uses, `, seats(level.seats.executing), ' now.'],
      evidence: [
        [
          'Its high watermark of ',
          ...inSeats(level.demand.highWatermark),
          ' is taken from what all other levels share.',
        ],
      ],
      tables: [],
    }
  }
  const title: Sentence = [
    `${place} has `,
    ...(current === undefined ? ['an unknown limit'] : ['a limit of ', ...inSeats(current)]),
    ...(nominal === undefined ? [] : [', and a nominal limit of ', seats(nominal)]),
    '.',
  ]
  const expected = expectedAllocation(frame)
  const row = expected.kind === 'known' ? expected.levels.find((one) => one.name === name) : undefined
  if (expected.kind === 'unknown' || row === undefined || current === undefined) {
    const missing = expected.kind === 'unknown' ? expected.missing.map((gauge) => GAUGES[gauge]) : []
    const lacks = listed([...(current === undefined ? ['its current limit'] : []), ...missing])
    return {
      title,
      evidence: [[`Why it has this limit is unknown: the page does not show ${lacks}.`]],
      tables: [],
    }
  }
  return {
    title,
    evidence: [
      decided(row, expected),
      ...moved(frame, row),
      ['Demand is that of the adjustment period before: the server recomputes all limits every 10 s.'],
      ...(row.agrees === false
        ? [['The page may mix two recomputations: computed from it, the limit is ', ...inSeats(row.expected), '.']]
        : []),
    ],
    tables: [
      {
        title: 'Seats',
        note: 'as reported and computed',
        columns: [
          { id: 'what', label: 'What' },
          { id: 'seats', label: 'Seats', align: 'right' },
        ],
        rows: [
          ['Nominal limit', seats(row.nominal)],
          ['Minimum, after lending all it may', seats(row.min)],
          ['Maximum, after borrowing all it may', seats(row.max)],
          ['High watermark of demand', seats(level.demand.highWatermark)],
          ['Smoothed demand', share(level.demand.smoothed)],
          ['Floor of this recomputation', seats(row.floor)],
          ['Fair fraction of the target', share(row.share)],
          ['Limit, computed', seats(row.expected)],
          ['Limit, reported', seats(row.reported)],
        ],
      },
    ],
  }
}

function decided({ verdict, share: part, target, floor, max }: ExpectedLevel, all: ExpectedAllocation): Sentence {
  const fair: Sentence = [
    'The fair fraction ',
    { value: all.fairFraction, as: 'percent' },
    ' of its target of ',
    share(target),
    ' seats',
  ]
  switch (verdict) {
    case 'at-p':
      return [...fair, ' is its limit, as for every level that no bound holds.']
    case 'raised-to-floor':
      return [...fair, ' is ', share(part), ' seats, less than its floor of ', seats(floor), ': it keeps its floor.']
    case 'capped':
      return [
        ...fair,
        ' is ',
        share(part),
        ' seats, more than its maximum of ',
        seats(max),
        ': its borrowing limit holds it there.',
      ]
    case 'takes-what-it-uses':
      return ['It is exempt: nothing limits it, and what it used is taken from the seats of all others.']
    case 'at-min':
      return [
        'Exempt requests leave ',
        ...inSeats(all.remaining),
        ', no more than the minima of all levels: each keeps its minimum.',
      ]
    case 'interpolated':
      return [
        'Exempt requests leave ',
        ...inSeats(all.remaining),
        ', less than the floors of all levels: each limit lies between minimum and floor.',
      ]
    case 'kept':
      return ['The reported bounds contradict each other, so the server keeps the limits that it had.']
  }
}

function moved(frame: ServerFrame, { nominal, reported }: ExpectedLevel): readonly Sentence[] {
  const seatsMoved = movedSeats(frame, { nominal, current: reported }) ?? 0
  if (seatsMoved === 0) return []
  return seatsMoved > 0
    ? [['It borrows ', ...inSeats(seatsMoved), ' from levels that do not need theirs.']]
    : [['It lends ', ...inSeats(-seatsMoved), ', and gets that back at the next recomputation after it needs it.']]
}
