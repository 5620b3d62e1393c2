import type { Flow, RequestDigest } from '../request/match.ts'
import type { Query } from '../request/requestTarget.ts'
import type { Nanoseconds } from '../units.ts'
import { nanosecondsOf } from './clock.ts'
import type { Lane } from './lane.ts'
import { SeatRequest, type WorkEstimate } from './queue.ts'
import type { RequestKind } from './serverMeters.ts'

/**
 * A request as passed to the engine. The engine keeps the object and does not read `payload`; one object may be passed
 * any number of times. Times are nanoseconds of the engine's clock.
 */
export interface EngineRequest<T> extends RequestDigest {
  /** The first value of each parameter of the URL's query. */
  readonly query: Query
  /** When the server received it; the present if absent. */
  readonly receivedNs?: Nanoseconds | undefined
  /**
   * When its whole handling must end; if absent, it follows from the query's `timeout` and the server's request
   * timeout.
   */
  readonly deadlineNs?: Nanoseconds | undefined
  readonly payload: T
}

/** The engine's record of one request, from its arrival until its seats are released. */
export class Ticket<T> extends SeatRequest<EngineRequest<T>> {
  readonly kind: RequestKind
  private readonly ownLane: Lane<T> | undefined
  /** Position among the timers; −1 while it has none. */
  timerPlace = -1

  /** Absent under the max-in-flight filter, which classifies nothing. */
  constructor(request: EngineRequest<T>, estimate: WorkEstimate, kind: RequestKind, lane: Lane<T> | undefined) {
    super(request, estimate)
    this.kind = kind
    this.ownLane = lane
  }

  /** Its schema and level. Throws under the max-in-flight filter. */
  get lane(): Lane<T> {
    if (this.ownLane === undefined) throw new Error('a request that is not classified has no lane')
    return this.ownLane
  }

  /** The names of its level and schema, empty under the max-in-flight filter. */
  get place(): { readonly level: string; readonly schema: string } {
    const { ownLane: lane } = this
    return { level: lane?.level.plan.name ?? '', schema: lane?.schema ?? '' }
  }

  /** Distinguisher and hash, looked up or recomputed; `undefined` under the max-in-flight filter. */
  get flow(): Flow | undefined {
    return this.ownLane?.flowOf(this.payload)
  }

  /** Nanoseconds of the engine's clock; exact below 2^53. */
  get arrivedNs(): Nanoseconds {
    return nanosecondsOf(this.arrivedHi, this.arrivedLo)
  }

  /** 0 while it has not started. */
  get startedNs(): Nanoseconds {
    return nanosecondsOf(this.startedHi, this.startedLo)
  }
}
