import type { ShardingGoal } from '../../../../core/sharding/collision.ts'
import { MOST_QUEUES } from '../../../../core/config/shape.ts'
import { format } from '../../../theme/format.ts'
import { wholeNumber } from './shape.data.ts'

export const GOAL_FIELDS = ['elephants', 'target', 'maxQueues'] as const
export type GoalField = (typeof GOAL_FIELDS)[number]
export type GoalForm = Readonly<Record<GoalField, string>>

/** One percent, against as many elephants as the documentation’s table goes to, within its largest deck. */
export const USUAL_GOAL: GoalForm = { elephants: '16', target: '1', maxQueues: '1024' }

export const MOST_ELEPHANTS = 1_000_000
const LEAST_TARGET_PERCENT = 1e-13
const MOST_TARGET_PERCENT = 99.9

export interface ReadGoal {
  readonly goal: ShardingGoal | undefined
  readonly errors: Partial<Readonly<Record<GoalField, string>>>
}

/** The goal that a form describes, the target in percent; without one, a sentence for each field that is wrong. */
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
