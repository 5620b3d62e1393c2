import type { ApfEngine } from '../../../core/engine/apfEngine.ts'
import type { PriorityLevel } from '../../../core/engine/priorityLevels.ts'
import type { Queue } from '../../../core/engine/queue.ts'
import type { Ticket } from '../../../core/engine/ticket.ts'

const same = (what: string, counted: number, kept: number): void => {
  if (counted !== kept) throw new Error(`${what}: ${counted} counted, ${kept} kept`)
}

/** Invariants of every level at any time. Throws if one is violated. */
export function checkLevels<T>(engine: ApfEngine<T>): void {
  for (const level of engine.levels()) checkLevel(level)
  for (const { allocation, ledger } of engine.adjustments()) {
    const limited = ledger.levels.filter(({ exempt }) => !exempt)
    const sum = (of: (entry: (typeof limited)[number]) => number): number =>
      limited.reduce((total, entry) => total + of(entry), 0)
    same('nominal seats', ledger.serverLimit + ledger.roundingSurplus, allocation.nominalSum)
    same('the pool', sum(({ lent }) => lent) + ledger.exemptNominal, ledger.pool)
    same('the pool', sum(({ borrowed }) => borrowed) + ledger.undistributed, ledger.pool)
    same('current limits', sum(({ current }) => current) + ledger.undistributed, allocation.nominalSum)
    for (const { name, exempt, nominal, current, lent, borrowed, used, idle } of ledger.levels) {
      if (!exempt) same(`the limit of ${name}`, nominal - lent + borrowed, current)
      same(`the seats of ${name}`, used + idle, current)
    }
  }
}

function checkLevel<T>({ plan, queueSet }: PriorityLevel<Ticket<T>>): void {
  let waiting = 0
  let executing = 0
  let seatsWaiting = 0
  let executingSeats = 0
  for (const queue of queueSet.queues) {
    checkQueue(plan.name, queue)
    waiting += queue.waiting.length
    seatsWaiting += queue.maxSeatsWaiting
  }
  const lists = [...queueSet.queues.map((queue) => queue.executing), queueSet.queueless]
  for (const ticket of lists.flatMap((list) => [...list])) {
    if (ticket.state !== 'executing') throw new Error(`${plan.name} executes a request that is ${ticket.state}`)
    executing += 1
    executingSeats += ticket.maxSeats
  }
  same(`requests waiting in ${plan.name}`, waiting, queueSet.waitingCount)
  same(`seats waiting in ${plan.name}`, seatsWaiting, queueSet.seatsWaiting)
  same(`requests executing in ${plan.name}`, executing, queueSet.executingCount)
  if (executingSeats > queueSet.seatsInUse) throw new Error(`${plan.name} has more seats executing than in use`)
}

function checkQueue<T>(level: string, queue: Queue<Ticket<T>>): void {
  let seats = 0
  let work = 0n
  for (const ticket of queue.waiting) {
    if (ticket.state !== 'waiting' || ticket.queue !== queue) throw new Error(`a request is lost in ${level}`)
    seats += ticket.maxSeats
    work += BigInt(queue.initialWork(ticket)) + BigInt(ticket.finalWork)
  }
  same(`width of a queue of ${level}`, seats, queue.maxSeatsWaiting)
  if (work !== queue.workWaiting.toBigInt()) throw new Error(`work of a queue of ${level}`)
}

/** Values that are not zero although nothing waits, executes or lingers. */
export function leftoversOf<T>(engine: ApfEngine<T>): readonly string[] {
  const left: string[] = []
  const zero = (what: string, value: number): void => {
    if (value !== 0) left.push(`${what}: ${value}`)
  }
  for (const { plan, quiescing, queueSet, demandIntegrator } of engine.levels()) {
    if (quiescing) left.push(`${plan.name} is still quiescing`)
    zero(`${plan.name} waiting`, queueSet.waitingCount)
    zero(`${plan.name} executing`, queueSet.executingCount)
    zero(`${plan.name} seats in use`, queueSet.seatsInUse)
    zero(`${plan.name} seats waiting`, queueSet.seatsWaiting)
    zero(`${plan.name} demand`, demandIntegrator.value)
    for (const queue of queueSet.queues) {
      const { waiting, executing, seatsInUse, maxSeatsWaiting, initialSeatsWaiting, workWaiting } = queue
      const sums = [waiting.length, executing.length, seatsInUse, maxSeatsWaiting, initialSeatsWaiting]
      for (const sum of [...sums, workWaiting.toSeconds()]) zero(`${plan.name} queue ${queue.index}`, sum)
    }
  }
  const snapshot = engine.snapshot()
  for (const { name, lanes } of snapshot.levels) {
    for (const lane of lanes) {
      const { waitingRequests, waitingSeats, executingRequests, executingSeats } = lane
      for (const gauge of [waitingRequests, waitingSeats, executingRequests, executingSeats]) {
        zero(`${name}, ${lane.schema}`, gauge)
      }
    }
  }
  return left
}
