import { UPSTREAM_QUEUING, type QueuingRules } from '../engine/algorithms.ts'
import { Clock } from '../engine/clock.ts'
import { SeatRequest } from '../engine/queue.ts'
import { QueueSet, UNHEARD } from '../engine/queueSet.ts'
import { secondsToNs, type Nanoseconds, type Seats } from '../units.ts'

/** A request of the proposal's virtual world: number j of queue i. Its length is its execution time in the real world. */
export interface FluidRequest {
  readonly queue: number
  readonly arriveNs: Nanoseconds
  readonly width: Seats
  readonly lengthNs: Nanoseconds
}

/** The virtual world from this instant to the next one, in the terms of KEP-1040. */
export interface FluidInstant {
  readonly atNs: Nanoseconds
  /** ρ of each queue: widths of the requests that have arrived and not finished there. */
  readonly wanted: readonly Seats[]
  /** NEQ: queues with such requests. */
  readonly nonEmpty: number
  /** μ_equal: seats that each of them is allocated. */
  readonly share: Seats
  /** NOS of each queue: the width of the one request that it executes. */
  readonly occupied: readonly Seats[]
  /** R: what a queue that was never empty has been allocated, in seat-nanoseconds. */
  readonly progress: number
  /** Work that each queue has been served, in seat-nanoseconds. */
  readonly served: readonly number[]
}

/** When the request executes in the virtual world. */
export interface FluidExecution {
  readonly dispatchNs: Nanoseconds
  readonly finishNs: Nanoseconds
}

interface FluidQueue {
  /** Requests by their index, the executing one first. */
  readonly jobs: number[]
  /** R at which the first one was dispatched and will finish. */
  fromR: number
  toR: number
  wanted: Seats
  served: number
}

/**
 * The ideal that fair queuing for server requests approximates (KEP-1040, “intended behavior”): every queue that is not
 * empty gets an equal part of the seats and executes its requests one after another, with their real lengths known
 * in advance. `requests` are in the order of their arrival.
 */
export function fluidIdeal(
  requests: readonly FluidRequest[],
  seats: Seats,
): { readonly executions: readonly FluidExecution[]; readonly instants: readonly FluidInstant[] } {
  const queues = queuesOf(requests).map((): FluidQueue => ({ jobs: [], fromR: 0, toR: 0, wanted: 0, served: 0 }))
  const executions = requests.map(() => ({ dispatchNs: Number.NaN, finishNs: Number.POSITIVE_INFINITY }))
  const instants: FluidInstant[] = []
  let [nowNs, R, arrived] = [0, 0, 0]
  const begin = (queue: FluidQueue): void => {
    const [job = -1] = queue.jobs
    const request = requests[job]
    const execution = executions[job]
    if (request === undefined || execution === undefined) return
    execution.dispatchNs = nowNs
    queue.fromR = R
    queue.toR = R + request.width * request.lengthNs
  }
  for (;;) {
    const active = queues.filter(({ jobs }) => jobs.length > 0)
    const wanted = active.reduce((sum, queue) => sum + queue.wanted, 0)
    const share = active.length === 0 ? 0 : Math.min(seats, wanted) / active.length
    instants.push({
      atNs: nowNs,
      wanted: queues.map((queue) => queue.wanted),
      nonEmpty: active.length,
      share,
      occupied: queues.map(({ jobs: [job = -1] }) => requests[job]?.width ?? 0),
      progress: R,
      served: queues.map((queue) => queue.served + (queue.jobs.length > 0 ? R - queue.fromR : 0)),
    })
    const endR = Math.min(...active.map(({ toR }) => toR))
    const finishNs = share > 0 ? nowNs + (endR - R) / share : Number.POSITIVE_INFINITY
    const arriveNs = requests[arrived]?.arriveNs ?? Number.POSITIVE_INFINITY
    const nextNs = Math.min(finishNs, arriveNs)
    if (nextNs === Number.POSITIVE_INFINITY) return { executions, instants }
    R = finishNs <= arriveNs ? endR : R + share * (nextNs - nowNs)
    nowNs = nextNs
    for (const queue of active) {
      if (queue.toR > R) continue
      const job = queue.jobs.shift() ?? -1
      executions[job] = { ...(executions[job] ?? { dispatchNs: nowNs }), finishNs: nowNs }
      queue.served += queue.toR - queue.fromR
      queue.wanted -= requests[job]?.width ?? 0
      begin(queue)
    }
    for (let request = requests[arrived]; request?.arriveNs === nowNs; request = requests[arrived]) {
      const queue = queues[request.queue]
      if (queue === undefined) break
      queue.wanted += request.width
      queue.jobs.push(arrived)
      arrived += 1
      if (queue.jobs.length === 1) begin(queue)
    }
  }
}

const queuesOf = (requests: readonly FluidRequest[]): readonly number[] =>
  Array.from({ length: Math.max(0, ...requests.map(({ queue }) => queue + 1)) }, (_, queue) => queue)

/** A queue that always has so many requests waiting or executing. */
export interface FluidClient {
  readonly inFlight: number
  readonly width: Seats
  readonly lengthsNs: readonly Nanoseconds[]
}

/** A request that the real queue set has dispatched. */
export interface RealExecution extends FluidRequest {
  readonly startNs: Nanoseconds
}

/** What the real queue set does with such queues, up to an instant; in the order of arrivals. */
export function realExecutions(
  clients: readonly FluidClient[],
  seats: Seats,
  { untilNs, rules = UPSTREAM_QUEUING }: { readonly untilNs: Nanoseconds; readonly rules?: QueuingRules },
): readonly RealExecution[] {
  type Request = SeatRequest<{ readonly at: number; startNs?: Nanoseconds }>
  const arrivals: { readonly request: Request; readonly of: FluidRequest }[] = []
  const running = new Set<Request>()
  const clock = new Clock()
  let nowNs = 0
  const queueSet = new QueueSet<Request>(
    clock,
    {
      ...UNHEARD,
      dispatched(request) {
        request.payload.startNs = nowNs
        running.add(request)
      },
    },
    { correctClampDrift: true, rules, longestWaitNs: untilNs + 1 },
  )
  queueSet.reconfigure({ queues: clients.length, handSize: 1, queueLengthLimit: 1e6 }, seats)
  const sent = clients.map(() => 0)
  const arrive = (queue: number): void => {
    const { width, lengthsNs } = clients[queue] ?? { width: 1, lengthsNs: [] }
    const turn = sent[queue] ?? 0
    sent[queue] = turn + 1
    const request: Request = new SeatRequest(
      { at: arrivals.length },
      { initialSeats: width, finalSeats: 0, additionalLatency: 0 },
    )
    const lengthNs = lengthsNs[turn % lengthsNs.length] ?? 0
    arrivals.push({ request, of: { queue, arriveNs: nowNs, width, lengthNs } })
    queueSet.arrive(request, { hi: 0, lo: queue })
  }
  const endOf = ({ payload: { at, startNs = 0 } }: Request): Nanoseconds => startNs + (arrivals[at]?.of.lengthNs ?? 0)
  for (const [queue, { inFlight }] of clients.entries()) for (let i = 0; i < inFlight; i++) arrive(queue)
  for (;;) {
    const [first] = [...running].toSorted((a, b) => endOf(a) - endOf(b) || a.payload.at - b.payload.at)
    if (first === undefined || endOf(first) > untilNs) break
    nowNs = endOf(first)
    clock.moveTo(nowNs)
    running.delete(first)
    queueSet.finish(first)
    arrive(arrivals[first.payload.at]?.of.queue ?? 0)
  }
  return arrivals.map(({ request, of }) => ({ ...of, startNs: request.payload.startNs ?? Number.POSITIVE_INFINITY }))
}

/** How far a queue was ahead of its ideal and behind it, at most, in requests as large as the largest one. */
export interface Divergence {
  readonly ahead: number
  readonly behind: number
  /** At the end, in seat-seconds. */
  readonly served: number
  readonly ideal: number
}

/** By queue, over the time up to an instant. KEP-1040 bounds both by as many requests as there are seats. */
export function divergences(
  real: readonly RealExecution[],
  instants: readonly FluidInstant[],
  untilNs: Nanoseconds,
): readonly Divergence[] {
  const work = Math.max(...real.map(({ width, lengthNs }) => width * lengthNs))
  return queuesOf(real).map((queue) => {
    const own = real.filter((one) => one.queue === queue)
    // What is served grows by the seats in use, which change at these times.
    const turns = own.flatMap(({ startNs, lengthNs, width }) => [
      { atNs: startNs, seats: width },
      { atNs: startNs + lengthNs, seats: 0 - width },
    ])
    const marks = [...turns, ...[...instants, { atNs: untilNs }].map(({ atNs }) => ({ atNs, seats: 0 }))]
      .filter(({ atNs }) => atNs <= untilNs)
      .toSorted((a, b) => a.atNs - b.atNs)
    let [atNs, seats, served, ideal, instant, ahead, behind] = [0, 0, 0, 0, 0, 0, 0]
    for (const mark of marks) {
      served += seats * (mark.atNs - atNs)
      while ((instants[instant + 1]?.atNs ?? Number.POSITIVE_INFINITY) <= mark.atNs) instant += 1
      ideal = servedIn(instants[instant], queue, mark.atNs)
      ahead = Math.max(ahead, (served - ideal) / work)
      behind = Math.max(behind, (ideal - served) / work)
      atNs = mark.atNs
      seats += mark.seats
    }
    return { ahead, behind, served: served / secondsToNs(1), ideal: ideal / secondsToNs(1) }
  })
}

/** Work that the queue has been served in the virtual world at a time after the instant and before the next one. */
function servedIn(now: FluidInstant | undefined, queue: number, atNs: Nanoseconds): number {
  if (now === undefined) return 0
  const rate = (now.wanted[queue] ?? 0) > 0 ? now.share : 0
  return (now.served[queue] ?? 0) + rate * (atNs - now.atNs)
}
