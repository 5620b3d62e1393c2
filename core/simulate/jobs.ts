import type { Nanoseconds } from '../units.ts'

/** One request of a client that sends on demand. */
export interface Job {
  /** The request whose handler waits for it, by its client and when it was sent; absent if none waits. */
  readonly waiting?: { readonly client: number; readonly sentNs: Nanoseconds }
}

/** The jobs of one group, and its threads that have none: plain data. */
interface Queue {
  /** Numbers of clients. */
  readonly idle: number[]
  readonly waiting: Job[]
  /** How many of the waiting jobs were taken. */
  taken: number
}

/** Taken jobs are removed in batches of this size. */
const TIDY_AT = 1_024

/** The jobs of clients that send on demand, by group, first come first served. */
export class Jobs {
  private queues: Map<string, Queue>

  constructor(groups: readonly string[]) {
    this.queues = new Map(groups.map((group) => [group, { idle: [], waiting: [], taken: 0 }]))
  }

  /** The client that does the job now; `undefined` when all are busy and the job has to wait. */
  add(group: string, job: Job): number | undefined {
    const queue = this.queue(group)
    const free = queue.idle.shift()
    if (free === undefined) queue.waiting.push(job)
    return free
  }

  /** The next job of a client that has none; `undefined` when it has to wait for one. */
  next(group: string, client: number): Job | undefined {
    const queue = this.queue(group)
    const job = queue.waiting[queue.taken]
    if (job === undefined) {
      queue.idle.push(client)
      return undefined
    }
    queue.taken += 1
    if (queue.taken >= TIDY_AT) {
      queue.waiting.splice(0, queue.taken)
      queue.taken = 0
    }
    return job
  }

  /** Jobs that wait for a client, by group. */
  backlog(): ReadonlyMap<string, number> {
    return new Map([...this.queues].map(([group, { waiting, taken }]) => [group, waiting.length - taken]))
  }

  checkpoint(): ReadonlyMap<string, Readonly<Queue>> {
    return copied(this.queues)
  }

  restore(queues: ReturnType<Jobs['checkpoint']>): void {
    this.queues = copied(queues)
  }

  private queue(group: string): Queue {
    const queue = this.queues.get(group)
    if (queue === undefined) throw new Error(`the clients of ${group} do not send on demand`)
    return queue
  }
}

const copied = (queues: ReadonlyMap<string, Readonly<Queue>>): Map<string, Queue> =>
  new Map(
    [...queues].map(([group, { idle, waiting, taken }]) => [
      group,
      { idle: [...idle], waiting: waiting.slice(taken), taken: 0 },
    ]),
  )
