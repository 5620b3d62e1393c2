import type { PriorityLevelConfiguration, Queuing, FlowSchema } from '../../../../core/config/objects.ts'
import { MOST_QUEUES, shapeProblem } from '../../../../core/config/shape.ts'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import type { FlowName } from '../../../../core/sharding/overlap.ts'
import type { ShardingGoal } from '../../../../core/sharding/collision.ts'
import { dumpOfLevel, flowRows } from '../../../state/flows.logic.ts'
import { format } from '../../../theme/format.ts'

/** A level whose requests wait in queues. */
export interface QueueingLevel {
  /** Identifies the level in the address of the page: its name, after `draft/` when the shape is the draft's. */
  readonly key: string
  readonly name: string
  readonly queuing: Queuing
  readonly drafted: boolean
}

/** The levels that have queues, in the given order. */
export const queueingLevels = (
  levels: readonly PriorityLevelConfiguration[],
  drafted = false,
): readonly QueueingLevel[] =>
  levels.flatMap(({ metadata: { name }, spec }) => {
    const queuing = spec.limited?.limitResponse.queuing
    return queuing === undefined ? [] : [{ key: drafted ? `draft/${name}` : name, name, queuing, drafted }]
  })

/** The present levels, and those to which a draft gives another shape. */
export function levelChoices(
  levels: readonly PriorityLevelConfiguration[],
  draft: readonly PriorityLevelConfiguration[],
): readonly QueueingLevel[] {
  const now = queueingLevels(levels)
  const changed = queueingLevels(draft, true).filter(({ name, queuing }) => {
    const before = now.find((one) => one.name === name)
    return before === undefined || SHAPE_FIELDS.some((field) => before.queuing[field] !== queuing[field])
  })
  return [...now, ...changed]
}

export const SHAPE_FIELDS = ['queues', 'handSize', 'queueLengthLimit'] as const
export type ShapeField = (typeof SHAPE_FIELDS)[number]
export type ShapeForm = Readonly<Record<ShapeField, string>>

export const formOf = ({ queues, handSize, queueLengthLimit }: Queuing): ShapeForm => ({
  queues: String(queues),
  handSize: String(handSize),
  queueLengthLimit: String(queueLengthLimit),
})

/** A whole number within bounds, as a person types it; `undefined` for anything else. */
export function wholeNumber(text: string, least: number, most: number): number | undefined {
  const number = Number(text)
  return text.trim() !== '' && Number.isInteger(number) && number >= least && number <= most ? number : undefined
}

export const MOST_LENGTH = 2 ** 31 - 1

export type ReadShape =
  | { readonly ok: true; readonly queuing: Queuing }
  | {
      readonly ok: false
      readonly errors: Partial<Readonly<Record<ShapeField, string>>>
      /** Why no server deals from the shape, if so. */
      readonly problem?: string
    }

/** The shape that a form describes, or an error message for each invalid field. */
export function readShape(form: ShapeForm): ReadShape {
  const queues = wholeNumber(form.queues, 1, MOST_QUEUES)
  const handSize = wholeNumber(form.handSize, 1, MOST_QUEUES)
  const queueLengthLimit = wholeNumber(form.queueLengthLimit, 1, MOST_LENGTH)
  if (queues === undefined || handSize === undefined || queueLengthLimit === undefined) {
    const errors: Partial<Record<ShapeField, string>> = {}
    if (queues === undefined) errors.queues = `A whole number from 1 to ${format.fixed(MOST_QUEUES)}.`
    if (handSize === undefined) errors.handSize = 'A whole number of at least 1.'
    if (queueLengthLimit === undefined) errors.queueLengthLimit = 'A whole number of at least 1.'
    return { ok: false, errors }
  }
  const problem = shapeProblem({ queues, handSize })
  if (problem !== undefined) return { ok: false, errors: { handSize: 'Invalid shape.' }, problem }
  return { ok: true, queuing: { queues, handSize, queueLengthLimit } }
}

/** Flows that are drawn; the table contains the others. */
export const FLOWS_DRAWN = 8
/** Flows that are taken from a dump: their pairs must stay readable. */
const MOST_FLOWS = 50

export const keyOf = ({ schema, distinguisher }: FlowName): string => `${schema}\n${distinguisher}`

/** The flows of a level in a dump, busiest first; `undefined` when the dump shows no requests. */
export function flowsOfDump(dump: DumpFrame | undefined, level: string): readonly FlowName[] | undefined {
  const requests = dump === undefined ? undefined : dumpOfLevel(dump, level).requests
  if (requests === undefined || requests.length === 0) return undefined
  return flowRows(requests, 0)
    .slice(0, MOST_FLOWS)
    .map(({ schema, flow }) => ({ schema, distinguisher: flow }))
}

/** Names of the schemas that send requests to a level, in matching order. */
export const schemasOf = (schemas: readonly FlowSchema[], level: string | undefined): readonly string[] =>
  schemas
    .filter(({ spec }) => spec.priorityLevelConfiguration.name === level)
    .toSorted((a, b) => a.spec.matchingPrecedence - b.spec.matchingPrecedence)
    .map(({ metadata }) => metadata.name)

export const withFlow = (flows: readonly FlowName[], added: FlowName): readonly FlowName[] =>
  flows.some((flow) => keyOf(flow) === keyOf(added)) ? flows : [added, ...flows]

export const GOAL_FIELDS = ['elephants', 'target', 'maxQueues'] as const
export type GoalField = (typeof GOAL_FIELDS)[number]
export type GoalForm = Readonly<Record<GoalField, string>>

/** One percent, against the largest number of elephants in the documentation’s table, within its largest deck. */
export const USUAL_GOAL: GoalForm = { elephants: '16', target: '1', maxQueues: '1024' }

const MOST_ELEPHANTS = 1_000_000
const LEAST_TARGET_PERCENT = 1e-13
const MOST_TARGET_PERCENT = 99.9

export interface ReadGoal {
  readonly goal: ShardingGoal | undefined
  readonly errors: Partial<Readonly<Record<GoalField, string>>>
}

/** The goal that a form describes, the target in percent; without one, an error message for each invalid field. */
export function readGoal(form: GoalForm): ReadGoal {
  const elephants = wholeNumber(form.elephants, 1, MOST_ELEPHANTS)
  const maxQueues = wholeNumber(form.maxQueues, 1, MOST_QUEUES)
  const percent = form.target.trim() === '' ? Number.NaN : Number(form.target)
  const target = percent >= LEAST_TARGET_PERCENT && percent <= MOST_TARGET_PERCENT ? percent / 100 : undefined
  if (elephants !== undefined && target !== undefined && maxQueues !== undefined) {
    return { goal: { elephants, target, maxQueues }, errors: {} }
  }
  const errors: Partial<Record<GoalField, string>> = {}
  if (elephants === undefined) errors.elephants = `A whole number from 1 to ${format.fixed(MOST_ELEPHANTS)}.`
  if (target === undefined) errors.target = `A percentage above 0, ${MOST_TARGET_PERCENT} at most.`
  if (maxQueues === undefined) errors.maxQueues = `A whole number from 1 to ${format.fixed(MOST_QUEUES)}.`
  return { goal: undefined, errors }
}
