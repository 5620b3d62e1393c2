import type { z } from 'zod'
import type { PriorityLevelConfiguration } from '../config/objects.ts'
import { int, oneOf, optionalInt, record, text } from './question.ts'

/** A level in the short form of questions: nothing is defaulted. */
export const level = record({
  name: text,
  type: oneOf('Exempt', 'Queue', 'Reject'),
  nominalConcurrencyShares: int,
  lendablePercent: optionalInt,
  borrowingLimitPercent: optionalInt,
  queues: int,
  handSize: int,
  queueLengthLimit: int,
})

/** The API object that it stands for. */
export function levelObject(question: z.output<typeof level>): PriorityLevelConfiguration {
  const { name, type, nominalConcurrencyShares, lendablePercent, borrowingLimitPercent } = question
  const shared = { nominalConcurrencyShares, ...(lendablePercent === undefined ? {} : { lendablePercent }) }
  if (type === 'Exempt') return { metadata: { name }, spec: { type: 'Exempt', exempt: shared } }
  const { queues, handSize, queueLengthLimit } = question
  return {
    metadata: { name },
    spec: {
      type: 'Limited',
      limited: {
        ...shared,
        ...(borrowingLimitPercent === undefined ? {} : { borrowingLimitPercent }),
        limitResponse:
          type === 'Queue' ? { type: 'Queue', queuing: { queues, handSize, queueLengthLimit } } : { type: 'Reject' },
      },
    },
  }
}
