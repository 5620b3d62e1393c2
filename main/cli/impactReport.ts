import type { Confirmation } from '../../core/guard/confirmations.ts'
import type { GuardFinding, GuardSeverity } from '../../core/guard/finding.ts'
import type { AllocationRegime } from '../../core/engine/allocation.ts'
import type { LevelSeats } from '../../core/impact/effectiveLevels.ts'
import type { LimitNow } from '../../core/impact/limitsNow.ts'
import { assumedIdleSentence, type ImpactRow, type SeatImpact } from '../../core/impact/seatImpact.ts'
import type { ImpactInput } from './impactInput.ts'
import { textTable } from './textTable.ts'

export interface ServerImpact {
  readonly id: string
  readonly impact: SeatImpact
}

/** `nominal-limits`: the most seats with which the configuration has the nominal limits that the server reports. */
export type LimitFrom = 'option' | 'server' | 'nominal-limits' | 'default'

export interface ImpactAnswer extends Pick<ImpactInput, 'name' | 'version' | 'errors'> {
  /** Where the server limit comes from. */
  readonly limitFrom: LimitFrom
  /** For that limit; of live servers the first. */
  readonly impact: SeatImpact
  readonly perServer: readonly ServerImpact[]
  readonly findings: readonly GuardFinding[]
  readonly confirmations: readonly Confirmation[]
}

/** The JSON of docs/impact.md. Members are added over time, never taken away. */
export function impactJson({
  name,
  version,
  limitFrom,
  impact,
  perServer,
  findings,
  confirmations,
  errors,
}: ImpactAnswer): unknown {
  const { serverLimit, sums, refused } = impact
  return {
    serverLimit,
    serverLimitFrom: limitFrom,
    configuration: { name, version },
    ...tableJson(impact),
    sums,
    refused,
    guardRails: findings,
    confirmations,
    errors: errors.map(({ file, line, column, kind, name: object, field, reason, message }) => ({
      file,
      line,
      column,
      kind,
      name: object,
      field,
      reason,
      message,
    })),
    ...(perServer.length > 0 && {
      servers: perServer.map(({ id, impact: own }) => ({ id, serverLimit: own.serverLimit, ...tableJson(own) })),
    }),
  }
}

const tableJson = ({ rows, allocation }: SeatImpact) => ({
  levels: rows.map(({ name, change, before, after, limitBefore, limitAfter, assumedIdle }) => ({
    name,
    change,
    ...(assumedIdle && { assumedIdle }),
    before: seatsJson(before, limitBefore),
    after: seatsJson(after, limitAfter),
  })),
  ...(allocation && { allocation }),
})

function seatsJson(seats: LevelSeats | null, limit: LimitNow | undefined) {
  if (seats === null) return null
  const { type, shares, nominal, lower, upper, maxSeatsPerRequest, widestRequest, queues } = seats
  return {
    type,
    shares,
    nominal,
    lower,
    upper,
    maxSeatsPerRequest,
    widestRequest,
    queueCapacity: queues ?? null,
    ...(limit && { limitNow: limit.current }),
  }
}

const MARKS: Readonly<Record<GuardSeverity, string>> = { blocks: '✗', warns: '!', expected: 'i', passes: '✓' }
const HEAD = ['level', 'shares', 'nominal', 'lower', 'upper', 'widest request', 'can wait', 'limit now']

const LIMIT_FROM: Readonly<Record<LimitFrom, string>> = {
  option: 'as given',
  server: 'as the server reports',
  'nominal-limits': 'as its nominal limits suggest',
  default: 'by default; --server-limit sets another',
}

export function impactText({
  impact,
  perServer,
  findings,
  confirmations,
  name,
  limitFrom,
}: ImpactAnswer): readonly string[] {
  return [
    `Edit of ${name}, on a server of ${impact.serverLimit} seats (${LIMIT_FROM[limitFrom]})`,
    '',
    ...tableText(impact),
    ...perServer.slice(1).flatMap(({ id, impact: own }) => ['', `${id}: ${own.serverLimit} seats`, ...tableText(own)]),
    '',
    'Guard rails',
    ...findings.flatMap(findingText),
    ...(confirmations.length === 0
      ? []
      : [
          '',
          'Needs its name typed',
          ...confirmations.map((one) => `  ${one.kind} ${one.name}: ${one.reasons.join(' ')}`),
        ]),
  ]
}

function tableText(impact: SeatImpact): readonly string[] {
  const { rows, sums, allocation } = impact
  const of = (row: ImpactRow, pick: (seats: LevelSeats) => number | undefined): string =>
    arrow(row.before && pick(row.before), row.after && pick(row.after))
  const body = rows.map((row) => [
    row.change === 'added' || row.change === 'removed' ? `${row.name} (${row.change})` : row.name,
    of(row, ({ shares }) => shares),
    of(row, ({ nominal }) => nominal),
    of(row, ({ lower }) => lower),
    of(row, ({ upper }) => upper),
    of(row, ({ maxSeatsPerRequest }) => (maxSeatsPerRequest === 0 ? undefined : maxSeatsPerRequest)),
    of(row, ({ queues }) => queues?.total),
    `${row.assumedIdle ? '≈ ' : ''}${arrow(row.limitBefore?.current ?? null, row.limitAfter?.current ?? null)}`,
  ])
  const { before, after } = sums
  const sum = [
    'sum',
    arrow(before.shares, after.shares),
    arrow(before.nominal, after.nominal),
    arrow(before.lower, after.lower),
    '',
    '',
    '',
    arrow(allocation?.before.currentSum ?? null, allocation?.after.currentSum ?? null),
  ]
  const columns = allocation === undefined ? HEAD.length - 1 : HEAD.length
  const cells = [HEAD, ...body, sum].map((row) => row.slice(0, columns))
  const table = textTable(cells, ['left', ...Array<'right'>(columns - 1).fill('right')])
  const idle = assumedIdleSentence(impact)
  return allocation === undefined
    ? table
    : [
        ...table,
        ...(idle === undefined ? [] : [`≈ ${idle}`]),
        `limits now: p ${arrow(round(allocation.before.fairFraction), round(allocation.after.fairFraction))}, ${regimes(allocation)}`,
      ]
}

/** Which case of the borrowing rules decides. */
const REGIMES: Readonly<Record<AllocationRegime, string>> = {
  min: 'exempt leaves no more than the lower limits',
  between: 'exempt leaves less than the floors',
  solver: 'p times the target of each level, within its bounds',
  kept: 'the limits stay',
}
const regimes = ({ before, after }: NonNullable<SeatImpact['allocation']>): string =>
  before.regime === after.regime ? REGIMES[after.regime] : `${REGIMES[before.regime]} → ${REGIMES[after.regime]}`

const round = (value: number): number => Number(value.toPrecision(4))

/** `98 → 95`, one number where both are the same, `–` where there is none. */
function arrow(before: number | null | undefined, after: number | null | undefined): string {
  const [was, is] = [before, after].map((value) => (value === null || value === undefined ? '–' : String(value)))
  return was === is ? (is ?? '') : `${was ?? ''} → ${is ?? ''}`
}

function findingText({ severity, message, remedy }: GuardFinding): readonly string[] {
  return [`  ${MARKS[severity]} ${message}`, ...(remedy && severity !== 'passes' ? [`      ${remedy.sentence}`] : [])]
}
