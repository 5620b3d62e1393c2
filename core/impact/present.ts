import {
  amount,
  LEVEL_COLUMN,
  numberColumns,
  phrase,
  type Answer,
  type Cell,
  type Row,
  type Sentence,
  type Table,
} from '../answer/answer.ts'
import type { AllocationRegime } from '../engine/allocation.ts'
import { NOT_APPLICABLE } from '../text/format.ts'
import type { AllocationNow, LevelSeats } from './effectiveLevels.ts'
import {
  assumedIdleSentence,
  type ImpactRow,
  type LimitSpan,
  type LimitsOverSteps,
  type SeatImpact,
} from './seatImpact.ts'

const seats = amount('fixed')

/** Every level before and after an edit, in seats; with `recent`, its limits over past reallocations. */
export function presentImpact(impact: SeatImpact, recent?: LimitsOverSteps): Answer {
  const { serverLimit, newServerLimit = serverLimit, sums, refused } = impact
  const idle = assumedIdleSentence(impact)
  return {
    title: phrase`${{ from: seats(serverLimit), to: seats(newServerLimit) }} seats on one server; ${{ from: seats(sums.before.shares), to: seats(sums.after.shares) }} shares`,
    evidence: [
      ...(idle === undefined ? [] : [[`≈ ${idle}`]]),
      ...refused.map(({ name, why }) => [`The server ignores ${name}: ${why}.`]),
    ],
    tables: [tableOf(impact, recent)],
  }
}

const COLUMNS = ['Shares', 'Nominal', 'Change', 'Min', 'Max', 'Widest', 'Can wait'] as const

function tableOf(
  { rows, sums: { before, after }, allocation }: SeatImpact,
  recent: LimitsOverSteps | undefined,
): Table {
  const limits =
    recent !== undefined
      ? numberColumns('Limit, least – most')
      : allocation === undefined
        ? []
        : [...numberColumns('Limit now'), { id: 'limit-change', label: 'Change', align: 'right' as const }]
  const sum = (of: 'shares' | 'nominal' | 'lower'): Cell => ({ from: seats(before[of]), to: seats(after[of]) })
  const [was = 0, is = 0] = [allocation?.before.currentSum, allocation?.after.currentSum]
  return {
    title: 'Seats of each level before and after the edit',
    note: 'limits are those of one server',
    columns: [LEVEL_COLUMN, ...numberColumns(...COLUMNS), ...limits],
    rows: rows.map((row) => [...seatCells(row), ...(limits.length === 0 ? [] : limitCells(row, recent))]),
    sums: [
      'Sum',
      sum('shares'),
      sum('nominal'),
      change(before.nominal, after.nominal),
      sum('lower'),
      '',
      '',
      '',
      ...(limits.length === 0
        ? []
        : recent === undefined
          ? [{ from: seats(was), to: seats(is) }, change(was, is)]
          : ['']),
    ],
  }
}

function seatCells(row: ImpactRow): Row {
  const { name, before, after } = row
  const of = (pick: (seats: LevelSeats) => number | undefined): Cell =>
    shift(before === null ? undefined : pick(before), after === null ? undefined : pick(after))
  const type = (after ?? before)?.type
  return [
    row.change === 'added' || row.change === 'removed' ? `${name} (${row.change})` : name,
    of(({ shares }) => shares),
    of(({ nominal }) => nominal),
    change(before?.nominal, after?.nominal),
    of(({ lower }) => lower),
    of(({ upper }) => upper),
    type === 'Exempt' || type === 'Reject' ? NOT_APPLICABLE : of(({ maxSeatsPerRequest }) => maxSeatsPerRequest),
    of(({ queues }) => queues?.total),
  ]
}

/** A level that is new has no value before, one that is removed none after. */
const shift = (before: number | undefined, after: number | undefined): Cell =>
  before === undefined ? seats(after) : { from: seats(before), to: after === undefined ? 'gone' : seats(after) }

const change = (before = 0, after = 0): Cell => ({ value: after - before, as: 'fixed', signed: true })

function limitCells(row: ImpactRow, recent: LimitsOverSteps | undefined): Row {
  const { before, after, limitBefore, limitAfter, assumedIdle } = row
  const exempt = (after ?? before)?.type === 'Exempt'
  const about = assumedIdle ? '≈ ' : ''
  if (recent !== undefined) {
    const span = recent.rows.find(({ name }) => name === row.name)
    return [exempt ? 'none' : phrase`${about}${spanOf(span?.before)} → ${spanOf(span?.after)}`]
  }
  const now = shift(limitBefore?.current, limitAfter?.current)
  return exempt ? ['none', ''] : [phrase`${about}${now}`, change(limitBefore?.current, limitAfter?.current)]
}

/** `73 – 120`. */
const spanOf = (span: LimitSpan | undefined): Sentence =>
  span === undefined || span.least === span.most
    ? [seats(span?.most)]
    : phrase`${seats(span.least)} – ${seats(span.most)}`

/** The case of the borrowing rules that decides. */
const REGIMES: Readonly<Record<AllocationRegime, string>> = {
  min: 'exempt leaves no more than the lower limits',
  between: 'exempt leaves less than the floors',
  solver: 'p times the target of each level, within its bounds',
  kept: 'the limits stay',
}

export const allocationSentence = ({
  before,
  after,
}: {
  readonly before: AllocationNow
  readonly after: AllocationNow
}): Sentence => {
  const p = { from: amount('fairFraction')(before.fairFraction), to: amount('fairFraction')(after.fairFraction) }
  return phrase`limits now: p ${p}, ${{ from: REGIMES[before.regime], to: REGIMES[after.regime] }}`
}
