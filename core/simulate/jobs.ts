import type { Nanoseconds } from '../units.ts'

/** One request of a client that sends on demand. */
export interface Job {
  /** The request whose handler waits for it, by its client and when it was sent; absent if none waits. */
  readonly waiting?: { readonly client: number; readonly sentNs: Nanoseconds }
}

/** The jobs of one group, and its threads that have none: plain data. */
interface Desk {
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
  private desks: Map<string, Desk>

  constructor(groups: readonly string[]) {
    this.desks = new Map(groups.map((group) => [group, { idle: [], waiting: [], taken: 0 }]))
  }

  /** The client that does the job now; `undefined` when all are busy and the job has to wait. */
  add(group: string, job: Job): number | undefined {
    const desk = this.desk(group)
    const free = desk.idle.shift()
    if (free === undefined) desk.waiting.push(job)
    return free
  }

  /** The next job of a client that has none; `undefined` when it has to wait for one. */
  next(group: string, client: number): Job | undefined {
    const desk = this.desk(group)
    const job = desk.waiting[desk.taken]
    if (job === undefined) {
      desk.idle.push(client)
      return undefined
    }
    desk.taken += 1
    if (desk.taken >= TIDY_AT) {
      desk.waiting.splice(0, desk.taken)
      desk.taken = 0
    }
    return job
  }

  /** Jobs that wait for a client, by group. */
  backlog(): ReadonlyMap<string, number> {
    return new Map([...this.desks].map(([group, { waiting, taken }]) => [group, waiting.length - taken]))
  }

  checkpoint(): ReadonlyMap<string, Readonly<Desk>> {
    return copied(this.desks)
  }

  restore(desks: ReturnType<Jobs['checkpoint']>): void {
    this.desks = copied(desks)
  }

  private desk(group: string): Desk {
    const desk = this.desks.get(group)
    if (desk === undefined) throw new Error(`the clients of ${group} do not send on demand`)
    return desk
  }
}

const copied = (desks: ReadonlyMap<string, Readonly<Desk>>): Map<string, Desk> =>
  new Map(
    [...desks].map(([group, { idle, waiting, taken }]) => [
      group,
      { idle: [...idle], waiting: waiting.slice(taken), taken: 0 },
    ]),
  )
