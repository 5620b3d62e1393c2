import type { FlowSchema } from '../config/objects.ts'
import { distinguisherOf, type Flow, flowHash, type Hash64, type RequestDigest } from '../request/match.ts'
import type { Query } from '../request/requestTarget.ts'
import type { Nanoseconds } from '../units.ts'
import { nanosecondsOf } from './clock.ts'
import { type FlowHasher, FlowTable, NO_FLOW } from './flowTable.ts'
import type { LaneSeries, LevelSeries } from './levelSeries.ts'
import type { PriorityLevel } from './priorityLevels.ts'
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

/** What distinguishes the lanes of one schema. */
export interface LaneKind<T> {
  /** The level itself, not its name: seats may linger in a level that has left while a new one of that name exists. */
  readonly level: PriorityLevel<Ticket<T>>
  readonly schema: FlowSchema
}

/** One flow schema inside one priority level: the destination of a request, and where it is counted. */
export class Lane<T> implements FlowHasher {
  readonly level: PriorityLevel<Ticket<T>>
  readonly series: LaneSeries
  readonly levelSeries: LevelSeries<Ticket<T>>
  private readonly flowSchema: FlowSchema
  /** Whether there is a choice of queues; without one, flows are not distinguished (trap T35). */
  private readonly choice: boolean
  private readonly flows: FlowTable

  constructor(
    { level, schema }: LaneKind<T>,
    series: LaneSeries,
    levelSeries: LevelSeries<Ticket<T>>,
    rememberedFlows: number,
  ) {
    this.level = level
    this.flowSchema = schema
    this.series = series
    this.levelSeries = levelSeries
    this.choice = hasChoice(level)
    this.flows = new FlowTable(rememberedFlows)
  }

  /** Name of the flow schema. */
  get schema(): string {
    return this.flowSchema.metadata.name
  }

  /** Whether requests of this schema and level still take this lane, and their flows are distinguished as before. */
  serves({ level, schema }: LaneKind<T>): boolean {
    const method = schema.spec.distinguisherMethod?.type
    return (
      this.level === level &&
      this.choice === hasChoice(level) &&
      this.flowSchema.spec.distinguisherMethod?.type === method
    )
  }

  /** The flow of a request that takes this lane (specification 2.6). */
  flowOf(digest: RequestDigest): Flow {
    if (!this.choice) return NO_FLOW
    return this.flows.flow(distinguisherOf(this.flowSchema, digest), this)
  }

  hashOf(distinguisher: string): Hash64 {
    return flowHash(this.schema, distinguisher)
  }
}

const hasChoice = <T>({ plan }: PriorityLevel<Ticket<T>>): boolean => plan.queuing.queues > 1
