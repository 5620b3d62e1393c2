import type { LiveRequest } from '../../../core/contract/live.ts'

/** What one queue of a level holds now, and how many requests came to it. */
export interface QueueTally {
  readonly requests: number
  readonly waiting: number
  readonly executing: number
  /** Seats that its executing requests hold. */
  readonly executingSeats: number
}

/** By queue; those to which nothing came are absent. */
export type LevelQueues = ReadonlyMap<number, QueueTally>
/** By level. */
export type QueueTallies = ReadonlyMap<string, LevelQueues>

type Counting = { -readonly [K in keyof QueueTally]: QueueTally[K] }
export type CountingQueues = Map<string, Map<number, Counting>>

function queueOf(queues: CountingQueues, level: string, index: number): Counting {
  let ofLevel = queues.get(level)
  if (ofLevel === undefined) queues.set(level, (ofLevel = new Map()))
  let queue = ofLevel.get(index)
  if (queue === undefined) ofLevel.set(index, (queue = { requests: 0, waiting: 0, executing: 0, executingSeats: 0 }))
  return queue
}

/** Adds a request to its queue, where it has one. */
export function countQueue(queues: CountingQueues, { level, queue, state, seats }: LiveRequest): void {
  if (queue === undefined) return
  const counting = queueOf(queues, level, queue)
  counting.requests += 1
  if (state === 'waiting') counting.waiting += 1
  if (state !== 'executing') return
  counting.executing += 1
  counting.executingSeats += seats.initial
}

/** Adds what other requests come to. */
export function addQueues(into: CountingQueues, tallies: QueueTallies): void {
  for (const [level, queues] of tallies)
    for (const [index, queue] of queues) {
      const known = queueOf(into, level, index)
      known.requests += queue.requests
      known.waiting += queue.waiting
      known.executing += queue.executing
      known.executingSeats += queue.executingSeats
    }
}
