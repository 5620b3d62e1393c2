import type { Lengths, Seated } from '../run/candidate.ts'
import type { Length } from '../run/run.ts'
import type { CapacityCurve } from './capacity.ts'
import { type Call, handlerTime } from './server.ts'

/** A request of a simulated client: how long its handler takes is known before it runs. */
export interface Working {
  readonly work: Pick<Call, 'executionNs' | 'watchNs'>
}

type Modelled<R> = Extract<Lengths<R>, { kind: 'modelled' }>

/**
 * How long requests take at a simulated server with other objects: as much work as at the first one, on a machine of its
 * own, which is slower or faster by the seats that run there.
 */
export class SimulatedLengths implements Modelled<Working> {
  readonly kind = 'modelled'
  private readonly capacity: CapacityCurve
  private runningSeats = 0

  constructor(capacity: CapacityCurve) {
    this.capacity = capacity
  }

  begun({ work: { executionNs, watchNs } }: Working, { maxSeats, arrivedNs, startedNs }: Seated): Length {
    this.runningSeats += maxSeats
    const { capacity, runningSeats } = this
    const { ns, inTime } = handlerTime({ sentNs: arrivedNs, executionNs }, { nowNs: startedNs, runningSeats, capacity })
    return { durationNs: ns, watchNs: inTime ? (watchNs ?? 0) : 0 }
  }

  ended(_row: Working, { maxSeats }: Seated): void {
    this.runningSeats -= maxSeats
  }
}
