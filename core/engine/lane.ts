import { type Flow, distinguisherOf, flowHash, type Hash64 } from '../request/flow.ts'
import type { RequestDigest } from '../request/match.ts'
import type { FlowSchema } from '../config/objects.ts'
import { FlowTable, type FlowHasher, flowOfHash } from './flowTable.ts'
import type { LaneSeries } from './laneSeries.ts'
import type { LevelSeries } from './levelSeries.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import type { Ticket } from './ticket.ts'

const NO_FLOW = flowOfHash('', { hi: 0, lo: 0 })

/** Where the lanes of one schema differ from each other. */
export interface LaneKind<T> {
  /** The level itself, not its name: seats may linger in one that has left, with a new one of that name there. */
  readonly level: PriorityLevel<Ticket<T>>
  readonly schema: FlowSchema
}

/** One flow schema inside one priority level: where a request goes, and where it is counted. */
export class Lane<T> implements FlowHasher {
  readonly level: PriorityLevel<Ticket<T>>
  readonly series: LaneSeries
  readonly levelSeries: LevelSeries<T>
  private readonly flowSchema: FlowSchema
  /** Whether there is a choice of queues; where there is none no flow is told apart (trap T35). */
  private readonly choice: boolean
  private readonly flows: FlowTable

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
    this.flows = new FlowTable(rememberedFlows)
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
    return this.flows.flow(distinguisherOf(this.flowSchema, digest), this)
  }

  hashOf(distinguisher: string): Hash64 {
    return flowHash(this.schema, distinguisher)
  }
}

const hasChoice = <T>({ plan }: PriorityLevel<Ticket<T>>): boolean => plan.queuing.queues > 1
