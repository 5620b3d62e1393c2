import { z } from 'zod'
import { isLegalDealer } from '../config/shape.ts'
import {
  instant,
  int,
  list,
  optionalInt64,
  optionalUint64,
  record,
  row,
  signedCount,
  text,
  uint64,
} from './question.ts'

const configFields = { queues: int, handSize: int, queueLengthLimit: int, limit: int }

/** A queue set that queues must be able to deal hands. */
const isPossible = ({ queues, handSize }: { readonly queues: number; readonly handSize: number }): boolean =>
  queues < 1 || isLegalDealer(queues, handSize)
const IMPOSSIBLE = 'must have a handSize that can be dealt from its queues'

const arrival = row({
  at: instant,
  hash: uint64,
  initialSeats: int,
  finalSeats: int,
  additionalLatency: signedCount,
  /** From dispatch to finish. */
  exec: instant,
  /** When the wait ends; never if absent. */
  cancelAt: optionalInt64,
})

/** One queue set, what arrives and what changes. Times are nanoseconds from its creation. */
export const queueSetQuestion = record({
  id: text,
  config: z.preprocess((config) => config ?? {}, record(configFields).refine(isPossible, IMPOSSIBLE)),
  initialR: optionalUint64,
  samples: list(instant),
  arrivals: list(arrival),
  reconfigs: list(record({ at: instant, ...configFields }).refine(isPossible, IMPOSSIBLE)),
})
export type QueueSetQuestion = z.output<typeof queueSetQuestion>
export type Arrival = z.output<typeof arrival>
