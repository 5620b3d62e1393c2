import { anyOf, quoted } from '../config/finding.ts'
import {
  DEFAULT_GROUPS,
  type GroupBy,
  type Limiter,
  type Overflow,
  type Qdisc,
  QDISCS,
  type QosClass,
} from './configuration.ts'
import type { Bounds, Judge } from './judge.ts'
import { COSTS } from './operations.ts'

/** A class as written: every member has its type, but nothing is validated yet. Absent members are absent. */
export interface WrittenClass {
  readonly name: string
  readonly qdisc: string
  readonly qps?: number
  readonly burst?: number
  readonly num?: number
  readonly limit?: number
  readonly windowMs?: number
  readonly action?: string
  readonly maxDelayMs?: number
  readonly maxWaiting?: number
  readonly cost?: string
  readonly groupBy?: string
  readonly maxGroups?: number
}

const MOST_WAITING = 1_000
const MOST_GROUPS = 100_000
const MOST_SEGMENTS = 16

/** The parameters of each discipline. */
const PARAMETERS: Readonly<Record<Qdisc, Readonly<Record<string, Bounds>>>> = {
  tbf: { qps: { least: 0, above: true }, burst: { least: 1 } },
  lbf: { qps: { least: 0, above: true } },
  maxinflight: { num: { least: 1, whole: true } },
  window: { limit: { least: 1 }, windowMs: { least: 100, whole: true } },
}
const ALL_PARAMETERS = ['qps', 'burst', 'num', 'limit', 'windowMs'] as const

/** Empty if the class has an error. */
export function checkClass(judge: Judge<WrittenClass>): readonly QosClass[] {
  const { value } = judge
  const limiter = checkLimiter(judge)
  const overflow = checkOverflow(judge)
  const cost = judge.choice('cost', value.cost, COSTS)
  if (cost === 'failedRequests' && limiter?.qdisc === 'maxinflight') {
    judge.reject(
      'cost',
      'FieldValueInvalid',
      'A maxinflight class cannot count failedRequests, which have ended: use tbf, lbf or window.',
    )
  }
  const groupBy = checkGroupBy(judge)
  const maxGroups = judge.number('maxGroups', value.maxGroups ?? DEFAULT_GROUPS, {
    least: 1,
    most: MOST_GROUPS,
    whole: true,
  })
  if (!judge.sound || !limiter || !overflow || !cost || !groupBy || maxGroups === undefined) return []
  return [{ name: value.name, limiter, overflow, cost, groupBy, maxGroups }]
}

function checkLimiter(judge: Judge<WrittenClass>): Limiter | undefined {
  const { value } = judge
  if (value.qdisc === '')
    return judge.reject('qdisc', 'FieldValueRequired', `qdisc is missing: write ${anyOf(QDISCS)}.`)
  const qdisc = judge.choice('qdisc', value.qdisc, QDISCS)
  if (qdisc === undefined) return undefined
  const parameters = PARAMETERS[qdisc]
  const given = new Map<string, number>()
  for (const name of ALL_PARAMETERS) {
    const bounds = parameters[name]
    if (bounds !== undefined) given.set(name, judge.number(name, value[name], bounds) ?? 0)
    else if (value[name] !== undefined)
      judge.reject(name, 'FieldValueForbidden', `${qdisc} has no ${name}: remove it, or choose another qdisc.`)
  }
  const of = (name: (typeof ALL_PARAMETERS)[number]): number => given.get(name) ?? 0
  switch (qdisc) {
    case 'tbf':
      return { qdisc, qps: of('qps'), burst: of('burst') }
    case 'lbf':
      return { qdisc, qps: of('qps') }
    case 'maxinflight':
      return { qdisc, num: of('num') }
    case 'window':
      return { qdisc, limit: of('limit'), windowMs: of('windowMs') }
  }
}

function checkOverflow(judge: Judge<WrittenClass>): Overflow | undefined {
  const { action: written, maxDelayMs, maxWaiting } = judge.value
  const action = judge.choice('action', written, ['reject', 'delay'])
  if (action === 'delay') {
    const delay = judge.number('maxDelayMs', maxDelayMs, { least: 0, above: true })
    const waiting = judge.number('maxWaiting', maxWaiting, { least: 1, most: MOST_WAITING, whole: true })
    return { action, maxDelayMs: delay ?? 0, maxWaiting: waiting ?? 0 }
  }
  for (const [name, value] of Object.entries({ maxDelayMs, maxWaiting })) {
    if (value !== undefined && value !== 0)
      judge.reject(
        name,
        'FieldValueForbidden',
        `${name} belongs to action: delay, and this class rejects: remove it, or set the action.`,
      )
  }
  return action && { action }
}

function checkGroupBy(judge: Judge<WrittenClass>): GroupBy | undefined {
  const { groupBy = 'none' } = judge.value
  const by = (['none', 'user', 'clientIP'] as const).find((word) => word === groupBy)
  if (by !== undefined) return { by }
  const segments = Number(/^prefix:(\d{1,2})$/.exec(groupBy)?.[1])
  if (segments >= 1 && segments <= MOST_SEGMENTS) return { by: 'prefix', segments }
  return judge.reject(
    'groupBy',
    'FieldValueNotSupported',
    `groupBy must be none, user, clientIP or prefix:N with N from 1 to ${MOST_SEGMENTS}, not ${quoted(groupBy)}.`,
  )
}
