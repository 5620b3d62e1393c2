import { type Flow, distinguisherOf, flowHash } from '../classify/flow.ts'
import type { RequestDigest } from '../classify/match.ts'
import type { FlowSchema } from '../config/objects.ts'
import { FlowCache } from './flowCache.ts'
import type { LaneSeries } from './laneSeries.ts'
import type { LevelSeries } from './levelSeries.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import type { Hash64 } from './shuffleSharding.ts'
import type { Ticket } from './ticket.ts'

/**
 * A flow whose hash is remembered. There may be a million of them, so each is one object: the words are its own, and signed,
 * for unsigned ones beyond 2^31 are numbers that live on the heap.
 */
class RememberedFlow implements Flow, Hash64 {
  readonly distinguisher: string
  private readonly signedHi: number
  private readonly signedLo: number

  constructor(distinguisher: string, { hi, lo }: Hash64) {
    this.distinguisher = distinguisher
    this.signedHi = hi | 0
    this.signedLo = lo | 0
  }

  get hi(): number {
    return this.signedHi >>> 0
  }

  get lo(): number {
    return this.signedLo >>> 0
  }

  get hash(): Hash64 {
    return this
  }
}

const NO_FLOW: Flow = new RememberedFlow('', { hi: 0, lo: 0 })

/** Where the lanes of one schema differ from each other. */
export interface LaneKind<T> {
  /** The level itself, not its name: seats may linger in one that has left, with a new one of that name there. */
  readonly level: PriorityLevel<Ticket<T>>
  readonly schema: FlowSchema
}

/** One flow schema inside one priority level: where a request goes, and where it is counted. */
export class Lane<T> {
  readonly level: PriorityLevel<Ticket<T>>
  readonly series: LaneSeries
  readonly levelSeries: LevelSeries<T>
  private readonly flowSchema: FlowSchema
  /** Whether there is a choice of queues; where there is none no flow is told apart (trap T35). */
  private readonly choice: boolean
  private readonly flows: FlowCache<Flow>

  constructor(
    { level, schema }: LaneKind<T>,
    series: LaneSeries,
    levelSeries: LevelSeries<T>,
    rememberedFlows: number,
  ) {
    this.level = level
    this.flowSchema = schema
    this.series = series
    this.levelSeries = levelSeries
    this.choice = hasChoice(level)
    this.flows = new FlowCache(rememberedFlows)
  }

  /** Name of the flow schema. */
  get schema(): string {
    return this.flowSchema.metadata.name
  }

  /** Whether requests of this schema and level still take this lane, and their flows are told apart as before. */
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
    const distinguisher = distinguisherOf(this.flowSchema, digest)
    const known = this.flows.get(distinguisher)
    if (known !== undefined) return known
    const flow = new RememberedFlow(distinguisher, flowHash(this.schema, distinguisher))
    this.flows.put(distinguisher, flow)
    return flow
  }
}

const hasChoice = <T>({ plan }: PriorityLevel<Ticket<T>>): boolean => plan.queuing.queues > 1
