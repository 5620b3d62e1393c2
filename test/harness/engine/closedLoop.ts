/**
 * Closed-loop clients of one queue set, as Appendix A of the specification describes them: each thread makes its next call
 * some time after the last one began to execute, and stops for good when one is rejected.
 */
import { Clock, Integrator, type IntegratorResults } from '../../../core/engine/clock.ts'
import { SeatRequest, type QueuingConfig } from '../../../core/engine/queue.ts'
import { QueueSet, UNHEARD } from '../../../core/engine/queueSet.ts'
import { hashFromBigInt } from '../../../core/request/match.ts'
import type { RejectReason } from '../../../core/frame/frame.ts'
import { EventHeap } from '../../../core/conformance/queueSet.ts'

export interface Client {
  readonly hash: bigint
  readonly threads: number
  readonly calls: number
  /** Nanoseconds. `think` counts from the end of the execution and may be negative; `pad` is how long seats linger. */
  readonly exec: bigint
  readonly think: bigint
  readonly pad?: bigint
  readonly initialSeats?: number
  readonly finalSeats?: number
  /** The upper half of its threads starts in the middle of the run, with half the calls. */
  readonly split?: boolean
}

export interface Scenario {
  readonly queuing: QueuingConfig
  readonly limit: number
  readonly clients: readonly Client[]
  /** How long is measured, nanoseconds. */
  readonly evaluated: bigint
}

/** Averages are of the initial seats of executing requests, by client. */
export interface Outcome {
  readonly averages: readonly number[]
  readonly firstHalf: readonly number[]
  readonly secondHalf: readonly number[]
  readonly executed: number
  readonly rejected: Partial<Record<RejectReason, number>>
  readonly epochAdvances: { succeeded: number; failed: number }
  /** Seat demand as the queue set and as the clients see it, over the whole run. */
  readonly demand: IntegratorResults
  readonly clientDemand: IntegratorResults
  /** What is left when everything is over; all 0. */
  readonly leftovers: Readonly<Record<string, number>>
}

interface Call {
  readonly began: () => void
  readonly refused: () => void
}

export function runClosedLoop({ queuing, limit, clients, evaluated }: Scenario): Outcome {
  const clock = new Clock()
  const agenda = new EventHeap<bigint>()
  const demand = new Integrator(clock)
  const clientDemand = new Integrator(clock)
  const rejected: Partial<Record<RejectReason, number>> = {}
  const epochAdvances = { succeeded: 0, failed: 0 }
  let now = 0n
  let executed = 0
  const queueSet = new QueueSet<SeatRequest<Call>>(
    clock,
    {
      ...UNHEARD,
      dispatched: (request) => started.push(request),
      rejected(request, reason) {
        rejected[reason] = (rejected[reason] ?? 0) + 1
        request.payload.refused()
      },
      demand: (seats) => demand.set(seats),
      epochAdvanced: (success) => void (epochAdvances[success ? 'succeeded' : 'failed'] += 1),
    },
    { correctClampDrift: false },
  )
  const started: SeatRequest<Call>[] = []
  const startDispatched = (): void => {
    for (let request = started.shift(); request !== undefined; request = started.shift()) {
      executed += 1
      request.payload.began()
    }
  }
  const averages = clients.map(() => new Integrator(clock))
  const demandOf = (difference: number): void => clientDemand.set(clientDemand.value + difference)

  const call = (client: Client, average: Integrator, left: number): void => {
    if (left === 0) return
    const { hash, exec, think, pad = 0n, initialSeats = 1, finalSeats = 1 } = client
    const width = Math.max(initialSeats, finalSeats)
    const estimate = { initialSeats, finalSeats, additionalLatency: Number(pad) }
    const request = new SeatRequest<Call>(
      {
        began() {
          average.set(average.value + initialSeats)
          agenda.put(now + exec + think, () => call(client, average, left - 1))
          agenda.put(now + exec, () => {
            average.set(average.value - initialSeats)
            if (request.additionalLatency > 0) {
              agenda.put(now + BigInt(request.additionalLatency), () => {
                demandOf(-width)
                queueSet.endLinger(request)
                startDispatched()
              })
            } else {
              demandOf(-width)
            }
            queueSet.finish(request)
            startDispatched()
          })
        },
        refused: () => demandOf(-width),
      },
      estimate,
    )
    demandOf(width)
    queueSet.arrive(request, hashFromBigInt(hash))
    startDispatched()
  }

  queueSet.reconfigure(queuing, limit)
  for (const [i, client] of clients.entries()) {
    for (let thread = 0; thread < client.threads; thread++) {
      const late = client.split === true && thread >= client.threads / 2
      const offset = BigInt(90 * thread + 20 * i)
      const calls = late ? client.calls / 2 : client.calls
      agenda.put(offset + (late ? evaluated / 2n : 0n), () => call(client, averages[i] as Integrator, calls))
    }
  }
  const measured: { first: number[]; second: number[] } = { first: [], second: [] }
  agenda.put(evaluated / 2n, () => void (measured.first = averages.map((average) => average.reset().average)))
  agenda.put(evaluated, () => void (measured.second = averages.map((average) => average.reset().average)))
  for (let at = agenda.next; at !== undefined; at = agenda.next) {
    now = at
    clock.moveToExact(at)
    agenda.take()?.()
  }
  return {
    averages: measured.first.map((first, i) => (first + (measured.second[i] ?? Number.NaN)) / 2),
    firstHalf: measured.first,
    secondHalf: measured.second,
    executed,
    rejected,
    epochAdvances,
    demand: demand.results(),
    clientDemand: clientDemand.results(),
    leftovers: {
      waiting: queueSet.waitingCount,
      executing: queueSet.executingCount,
      seatsInUse: queueSet.seatsInUse,
      seatsWaiting: queueSet.seatsWaiting,
    },
  }
}
