import { orderFlowSchemas, type RequestDigest } from '../request/match.ts'
import type { FlowSchema } from '../config/objects.ts'
import type { ObjectUids } from './apfEngine.ts'
import { CompiledSchemas } from './compiledSchemas.ts'
import { Lane, type LaneKind } from './lane.ts'
import type { LevelSeries } from './levelSeries.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import type { Ticket } from './ticket.ts'

/** What a flow schema leads to in the present configuration. */
export interface Route<T> {
  readonly lane: Lane<T>
  readonly uids: ObjectUids
}

export interface ClassifierOptions<T> {
  readonly series: (level: string) => LevelSeries<T>
  readonly estimatedSeatsBounds: readonly number[]
  readonly rememberedFlows: number
}

/** Flow schemas of one configuration, with the lanes of the configuration before where they lead to the same level. */
export class Classifier<T> {
  private readonly compiled: CompiledSchemas<Route<T>>
  private readonly lanes = new Map<string, Lane<T>>()
  /** Names in matching order, and of the schemas that no level that an object stands for belongs to. */
  readonly order: readonly string[]
  readonly dangling: readonly string[]

  constructor(
    schemas: readonly FlowSchema[],
    accepted: ReadonlySet<string>,
    levelNamed: (name: string) => PriorityLevel<Ticket<T>> | undefined,
    options: ClassifierOptions<T>,
    before: Classifier<T> | undefined,
  ) {
    const { order, dangling } = orderFlowSchemas(schemas, accepted)
    this.order = order.map(({ metadata }) => metadata.name)
    this.dangling = dangling.map(({ metadata }) => metadata.name)
    this.compiled = new CompiledSchemas(order, (schema): Route<T> => {
      const { name, uid = '' } = schema.metadata
      const level = levelNamed(schema.spec.priorityLevelConfiguration.name)
      if (level === undefined) throw new Error(`flow schema ${name} takes part without a level`)
      const known = before?.lanes.get(name)
      const kind = { level, schema }
      const lane = known?.serves(kind) === true ? known : newLane(kind, options)
      this.lanes.set(name, lane)
      return { lane, uids: { level: level.plan.uid, schema: uid } }
    })
  }

  route(digest: RequestDigest): Route<T> {
    return this.compiled.classify(digest)
  }
}

function newLane<T>(kind: LaneKind<T>, options: ClassifierOptions<T>): Lane<T> {
  const levelSeries = options.series(kind.level.plan.name)
  const series = levelSeries.lane(kind.schema.metadata.name, options.estimatedSeatsBounds)
  return new Lane(kind, series, levelSeries, options.rememberedFlows)
}
