import {
  phrase,
  type Amount,
  type Answer,
  type Cell,
  type Quantity,
  type Sentence,
  type Table,
} from '../answer/answer.ts'
import { waitBucket } from '../frame/quantile.ts'
import { gapsPhrase } from '../history/gaps.ts'
import { MS_PER_SECOND } from '../units.ts'
import {
  isRecorded,
  NUMBERS,
  type ComparedLevel,
  type Comparison,
  type Difference,
  type NumberName,
  type Recorded,
} from './compare.ts'
import type { Mark, Period, Periods } from './period.ts'
import type { OtherDifference } from './surroundings.ts'

const LABELS: Readonly<Record<NumberName, string>> = {
  executing: 'Executing seats, mean',
  limit: 'Current limit, mean',
  queued: 'Queued requests, mean',
  rejected: 'Rejected',
  dispatched: 'Dispatched',
  waitP99: 'Longest wait p99',
}

const isCount = (name: NumberName): boolean => name === 'rejected' || name === 'dispatched'

/** What a number is, and over which time. */
export const numberLabel = (name: NumberName, perSecond: boolean): string =>
  isCount(name) ? `${LABELS[name]}${perSecond ? ' per second' : ', sum'}` : LABELS[name]

function quantityOf(name: NumberName, perSecond: boolean): Quantity {
  if (isCount(name)) return perSecond ? 'rate' : 'fixed'
  return name === 'waitP99' ? 'quantile' : 'seatsAverage'
}

/**
 * Two periods of a server side by side: what they lie around, the largest change, what is missing, and every number.
 * `around` are the periods with what happened to the server, newest first.
 */
export const presentComparison = (
  comparison: Comparison,
  others: readonly OtherDifference[],
  around?: Around,
): Answer => ({
  title: titleOf(comparison),
  evidence: [
    ...(around === undefined ? [] : happened(around)),
    ...(hasBoth(comparison) ? largestChange(comparison) : []),
    ...(['a', 'b'] as const).map((side) => missing(side.toUpperCase(), comparison[side])),
  ].filter((sentence) => sentence.length > 0),
  tables: [totalsOf(comparison), levelsOf(comparison), othersOf(others)],
})

interface Around {
  readonly periods: Periods
  readonly marks: readonly Mark[]
}

const CHANGES: ReadonlySet<Mark['kind']> = new Set(['edit', 'object', 'reconfigured', 'version'])

/** The change between the periods, and those within one of them, whose numbers then mix both states. */
function happened({ periods: { a, b }, marks }: Around): readonly Sentence[] {
  const changes = marks.filter(({ kind }) => CHANGES.has(kind))
  const told = ({ text, at }: Mark): Sentence => [text, ' at ', { value: at, as: 'time' }]
  const pivot = changes.find(({ at }) => at >= a.to && at <= b.from)
  const within = (name: string, { from, to }: Period): readonly Sentence[] => {
    const change = changes.find(({ at }) => at > from && at < to)
    return change === undefined ? [] : [phrase`The objects changed within ${name}: ${told(change)}.`]
  }
  const left = pivot === undefined ? 0 : (b.from - pivot.at) / MS_PER_SECOND
  return [
    ...(pivot === undefined
      ? []
      : [
          left < 1
            ? phrase`Before and after: ${told(pivot)}.`
            : phrase`Before and after: ${told(pivot)}; the ${{ value: left, as: 'span' }} after it are left out.`,
        ]),
    ...within('A', a),
    ...within('B', b),
  ]
}

const hasBoth = ({ a, b }: Comparison): boolean => a.samples > 0 && b.samples > 0

function titleOf(comparison: Comparison): Sentence {
  if (!hasBoth(comparison)) return ['A comparison needs samples in both periods.']
  const { a, b } = comparison.totals.rejected
  if (a === undefined || b === undefined) return ['Rejections are unknown in one period or both.']
  const [inA, inB] = amounts('rejected', comparison.perSecond, { a, b })
  if (a === b) return a === 0 ? ['No requests were rejected in either period.'] : ['Rejections stayed at ', inB, '.']
  return [`Rejected requests ${b > a ? 'rose' : 'fell'} from `, inA, ' to ', inB, '.']
}

function largestChange({ levels: [most], perSecond }: Comparison): readonly Sentence[] {
  if (most === undefined) return []
  const { name, in: where, numbers } = most
  if (where !== 'both') return [[`${name} has no samples in ${where === 'a' ? 'B' : 'A'}.`]]
  const changed = (['rejected', 'queued', 'executing'] as const).find((number) => (numbers[number].change ?? 0) !== 0)
  if (changed === undefined) return []
  const what = { rejected: 'rejected requests', queued: 'queued requests', executing: 'executing seats' }[changed]
  const [inA, inB] = amounts(changed, perSecond, numbers[changed])
  return [[`Largest change: ${name}, ${what} from `, inA, ' to ', inB, '.']]
}

/** The missing parts of a period; empty if nothing is missing. */
export function missing(name: string, { gaps, share }: Recorded): Sentence {
  if (share === 0) return [`Nothing is recorded in ${name}.`]
  const left = gapsPhrase(gaps, 'dateTime')
  if (left.length === 0) return []
  return isRecorded(share)
    ? [`${name} has `, ...left, '.']
    : [{ value: 1 - share, as: 'percent' }, ` of ${name} is not recorded: `, ...left, '.']
}

const SIDES = [
  { id: 'a', label: 'A', align: 'right' },
  { id: 'b', label: 'B', align: 'right' },
  { id: 'change', label: 'Change', align: 'right' },
  { id: 'share', label: '%', align: 'right' },
] as const

const totalsOf = ({ totals, perSecond }: Comparison): Table => ({
  title: 'Key numbers',
  note: 'B against A, all levels',
  columns: [{ id: 'number', label: 'Number' }, ...SIDES],
  rows: NUMBERS.map((name) => numberRow(name, perSecond, totals[name])),
})

const levelsOf = ({ levels, perSecond }: Comparison): Table => ({
  title: 'Levels',
  note: 'those that changed most first',
  columns: [{ id: 'level', label: 'Level' }, { id: 'number', label: 'Number' }, ...SIDES],
  rows: levels.flatMap(({ name, numbers }: ComparedLevel) =>
    NUMBERS.filter((number) => numbers[number].a !== undefined || numbers[number].b !== undefined).map(
      (number, index) => [index === 0 ? name : '', ...numberRow(number, perSecond, numbers[number])],
    ),
  ),
})

const OTHERS: Readonly<Record<OtherDifference['what'], string>> = {
  configuration: 'Configuration',
  version: 'Server version',
  process: 'Server process',
  seats: 'Seats, nominal',
}

const othersOf = (others: readonly OtherDifference[]): Table => ({
  title: 'Other differences',
  note: 'at the end of each period',
  columns: [
    { id: 'what', label: 'What else' },
    { id: 'state', label: 'State' },
    { id: 'text', label: 'Value' },
  ],
  rows: others.map(({ what, state, text }) => [OTHERS[what], state, text]),
})

function amounts(name: NumberName, perSecond: boolean, { a, b }: Difference): readonly [Amount, Amount] {
  const as = quantityOf(name, perSecond)
  const written = (value: number | undefined): Amount =>
    as === 'quantile' && value !== undefined ? { value, as, range: waitBucket(value) } : { value, as }
  return [written(a), written(b)]
}

function numberRow(name: NumberName, perSecond: boolean, difference: Difference): readonly Cell[] {
  const { change, share } = difference
  return [
    numberLabel(name, perSecond),
    ...amounts(name, perSecond, difference),
    // Between two buckets no difference is known.
    name === 'waitP99' ? '' : { value: change, as: quantityOf(name, perSecond), signed: true },
    name === 'waitP99' || share === undefined || change === 0 ? '' : { value: share, as: 'percent', signed: true },
  ]
}
