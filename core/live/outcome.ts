import type { EngineSnapshot, LaneSnapshot } from '../engine/snapshot.ts'
import type { RejectReason } from '../frame/frame.ts'

/** Outcomes of requests in an engine. */
export interface Outcome {
  readonly dispatched: number
  readonly rejected: Readonly<Record<RejectReason, number>>
}

export const NO_OUTCOME: Outcome = {
  dispatched: 0,
  rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 },
}

/** Counts of all requests since the engine was created. */
export function outcomeOf({ levels, filter }: Pick<EngineSnapshot, 'levels' | 'filter'>): Outcome {
  if (filter !== undefined) {
    const { dispatched, rejected } = filter
    return { dispatched, rejected: { ...NO_OUTCOME.rejected, 'concurrency-limit': rejected } }
  }
  const lanes = levels.flatMap((level) => level.lanes)
  const total = (of: (lane: LaneSnapshot) => number): number => lanes.reduce((sum, lane) => sum + of(lane), 0)
  return {
    dispatched: total(({ dispatched }) => dispatched),
    rejected: {
      'queue-full': total(({ rejected }) => rejected['queue-full']),
      'concurrency-limit': total(({ rejected }) => rejected['concurrency-limit']),
      'time-out': total(({ rejected }) => rejected['time-out']),
    },
  }
}

export const plus = (a: Outcome, b: Outcome): Outcome => ({
  dispatched: a.dispatched + b.dispatched,
  rejected: {
    'queue-full': a.rejected['queue-full'] + b.rejected['queue-full'],
    'concurrency-limit': a.rejected['concurrency-limit'] + b.rejected['concurrency-limit'],
    'time-out': a.rejected['time-out'] + b.rejected['time-out'],
  },
})
