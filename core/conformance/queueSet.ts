import type { RejectReason } from '../frame/frame.ts'
import { Clock } from '../engine/clock.ts'
import { Integrator, type IntegratorResults } from '../engine/integrator.ts'
import { SeatRequest } from '../engine/queue.ts'
import { QueueSet, type QueuingConfig } from '../engine/queueSet.ts'
import { SeatSeconds } from '../engine/seatSeconds.ts'
import { hashFromBigInt } from '../engine/shuffleSharding.ts'
import { Agenda } from './agenda.ts'

/** Times and hashes are decimal strings; `null` as `cancelAt` means never. */
export type ArrivalRow = readonly [
  at: string,
  hash: string,
  initialSeats: number,
  finalSeats: number,
  additionalLatency: string,
  exec: string,
  cancelAt: string | null,
]
export interface QueueSetQuestion {
  readonly id: string
  readonly config: QueuingConfig & { readonly limit: number }
  readonly initialR?: string
  readonly samples?: readonly string[]
  readonly arrivals?: readonly ArrivalRow[]
  readonly reconfigs?: readonly (QueuingConfig & { readonly at: string; readonly limit: number })[]
}

export type OutcomeRow = [
  outcome: 'executed' | 'waiting' | RejectReason | 'timed-out',
  queueAtArrival: number,
  arrivalR: string,
  time: string,
  queueAtTime: number,
  R: string,
  finalSeats: number,
  additionalLatency: string,
]

interface Run {
  readonly row: OutcomeRow
  readonly exec: bigint
  readonly cancelAt: bigint | undefined
}

/**
 * Runs one queue set through scripted arrivals, as the oracle's `queueset` does: everything due at one instant happens in
 * the order in which it was put on the agenda.
 */
export function answerQueueSet(question: QueueSetQuestion) {
  const clock = new Clock()
  const agenda = new Agenda()
  const demand = new Integrator(clock)
  const counts = { dispatched: 0, noAccommodation: 0 }
  const rejectReasons: Partial<Record<RejectReason, number>> = {}
  const epochAdvances: Partial<Record<'true' | 'false', number>> = {}
  let now = 0n

  const place = (request: SeatRequest<Run>): number => request.queue?.index ?? -1
  const settle = (request: SeatRequest<Run>, outcome: OutcomeRow[0]): void => {
    const { row } = request.payload
    row[0] = outcome
    row[3] = String(now)
    row[4] = place(request)
    row[5] = String(queueSet.R.toBigInt())
    row[6] = request.finalSeats
    row[7] = String(BigInt(request.additionalLatency))
  }

  const queueSet: QueueSet<Run> = new QueueSet<Run>(
    clock,
    {
      dispatched(request) {
        counts.dispatched += 1
        settle(request, 'executed')
        agenda.put(now + request.payload.exec, () => finish(request))
      },
      rejected(request, reason) {
        rejectReasons[reason] = (rejectReasons[reason] ?? 0) + 1
        settle(request, reason === 'time-out' ? 'timed-out' : reason)
      },
      didNotFit: () => void (counts.noAccommodation += 1),
      released: () => undefined,
      demand: (seats) => demand.set(seats),
      epochAdvanced: (success) => void (epochAdvances[`${success}`] = (epochAdvances[`${success}`] ?? 0) + 1),
      staleRemovalGuarded: () => undefined,
    },
    { correctClampDrift: false },
  )
  const finish = (request: SeatRequest<Run>): void => {
    const latency = BigInt(request.additionalLatency)
    if (latency > 0n) agenda.put(now + latency, () => queueSet.endLinger(request))
    queueSet.finish(request)
  }

  const arrive = ([, hash, initialSeats, finalSeats, latency, exec, cancelAt]: ArrivalRow, row: OutcomeRow): void => {
    const run: Run = { row, exec: BigInt(exec), cancelAt: cancelAt === null ? undefined : BigInt(cancelAt) }
    const estimate = { initialSeats, finalSeats, additionalLatency: Number(latency) }
    const request = new SeatRequest(run, estimate)
    row[6] = finalSeats
    row[7] = latency
    const admitted = queueSet.arrive(request, hashFromBigInt(BigInt(hash)))
    row[1] = admitted ? place(request) : -1
    row[2] = String(request.arrivalR.toBigInt())
    if (run.cancelAt === undefined) return
    if (run.cancelAt <= now) queueSet.cancel(request)
    // An event also when the request waits no more: the oracle's run ends with the last event of any kind.
    else agenda.put(run.cancelAt, () => void queueSet.cancel(request))
  }

  const sample = () => ({
    at: String(now),
    R: String(queueSet.R.toBigInt()),
    robinIndex: queueSet.robinIndex,
    enqueues: queueSet.enqueues,
    limit: queueSet.limit,
    numQueues: queueSet.queues.length,
    waiting: queueSet.waitingCount,
    executing: queueSet.executingCount,
    seatsInUse: queueSet.seatsInUse,
    seatsWaiting: queueSet.seatsWaiting,
    dispatched: counts.dispatched,
    rejected: queueSet.rejectedCount,
    timedOut: 0,
    cancelled: queueSet.cancelledCount,
    idle: queueSet.idle,
    queues: queueSet.queues
      .map((queue) => [
        queue.index,
        queue.waiting.length,
        queue.executing.length,
        queue.seatsInUse,
        queue.initialSeatsWaiting,
        queue.maxSeatsWaiting,
        String(queue.workWaiting),
        String(queue.S),
      ])
      .filter((row) => row.slice(1).some((cell) => cell !== 0 && cell !== '0.00000000ss')),
  })

  queueSet.reconfigure(question.config, question.config.limit)
  if (question.initialR !== undefined) queueSet.R.copyFrom(SeatSeconds.fromBigInt(BigInt(question.initialR)))

  const outcomes = (question.arrivals ?? []).map((arrival): OutcomeRow => {
    const row: OutcomeRow = ['waiting', -1, '0', '-1', -1, '0', 0, '0']
    agenda.put(BigInt(arrival[0]), () => arrive(arrival, row))
    return row
  })
  for (const { at, limit, ...config } of question.reconfigs ?? []) {
    agenda.put(BigInt(at), () => queueSet.reconfigure(config, limit))
  }
  const samples: ReturnType<typeof sample>[] = []
  for (const at of question.samples ?? []) agenda.put(BigInt(at), () => void samples.push(sample()))

  agenda.run((at) => {
    now = at
    clock.moveToExact(at)
  })
  return {
    id: question.id,
    outcomes,
    samples,
    final: sample(),
    demand: printable(demand.results()),
    rejectReasons,
    noAccommodation: counts.noAccommodation,
    ...(Object.keys(epochAdvances).length > 0 ? { epochAdvances } : {}),
  }
}

const orNaN = (value: number): number | 'NaN' => (Number.isNaN(value) ? 'NaN' : value)

/** NaN is not JSON: it is written as the string "NaN". */
export function printable(results: IntegratorResults): Record<keyof IntegratorResults, number | 'NaN'> {
  const { duration, average, deviation, min, max } = results
  return { duration, average: orNaN(average), deviation: orNaN(deviation), min, max }
}
