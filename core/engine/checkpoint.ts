import { type AdjustmentCause, Adjustments } from './adjustments.ts'
import type { EngineConfiguration, EngineMode } from './apfEngine.ts'
import { Classifier } from './classifier.ts'
import { Clock } from './clock.ts'
import { CompiledSchemas } from './compiledSchemas.ts'
import { CountingHistogram } from './countingHistogram.ts'
import { Dealer } from './dealer.ts'
import { DroppedRequests } from './droppedRequests.ts'
import { FlowTable } from './flowTable.ts'
import { Integrator } from './integrator.ts'
import { KindMeter } from './kindMeter.ts'
import { Lane } from './lane.ts'
import { LaneSeries } from './laneSeries.ts'
import { LevelMonitor } from './levelMonitor.ts'
import { LevelSeries, SeriesByLevel } from './levelSeries.ts'
import type { ObjectGraph, GraphVocabulary } from './objectGraph.ts'
import { ObjectStatisticsTracker } from './objectStatistics.ts'
import { Outbox } from './outbox.ts'
import { PriorityLevels } from './priorityLevels.ts'
import { Queue, RequestList } from './queue.ts'
import { QueueSet } from './queueSet.ts'
import { Reporter } from './reporter.ts'
import { SeatSeconds } from './seatSeconds.ts'
import { ServerMeters } from './serverMeters.ts'
import { SubjectIndex } from './subjectIndex.ts'
import { Ticket } from './ticket.ts'
import { type Timed, Timers } from './timers.ts'
import { TimingRatioHistogram } from './timingRatioHistogram.ts'
import { Tournament } from './tournament.ts'
import { VirtualBounds } from './virtualBounds.ts'
import { WatchTracker } from './watchTracker.ts'

/** Everything that decides what the fair engine does next. */
export interface FairState<T> {
  /** Those that the caller holds. */
  readonly tickets: readonly Ticket<T>[]
  readonly clock: Clock
  readonly timers: Timers<Ticket<T> | Timed>
  readonly adjustmentTimer: Timed
  readonly reporter: Reporter<T>
  readonly series: SeriesByLevel<T>
  readonly kept: Adjustments
  readonly monitors: Map<string, LevelMonitor<T>>
  readonly priorityLevels: PriorityLevels<Ticket<T>>
  readonly objectStatistics: ObjectStatisticsTracker
  readonly configuration: EngineConfiguration
  readonly classifier: Classifier<T>
  readonly adjustmentCause: AdjustmentCause
}

/** The same of the max-in-flight filter. */
export interface InFlightState<T> {
  readonly tickets: readonly Ticket<T>[]
  readonly clock: Clock
  readonly timers: Timers<Timed>
  readonly meters: ServerMeters
  readonly uncounted: Set<Ticket<T>>
  readonly objectStatistics: ObjectStatisticsTracker
}

/** An engine at one instant, as data that `structuredClone` copies and `postMessage` sends. */
export interface EngineCheckpoint {
  readonly mode: EngineMode
  readonly graph: ObjectGraph
}

/** Classes of the objects that engines consist of. A checkpoint refers to them by place, so it is for the same build. */
const CLASSES: GraphVocabulary<object>['classes'] = [
  Adjustments,
  Classifier,
  Clock,
  CompiledSchemas,
  CountingHistogram,
  Dealer,
  DroppedRequests,
  Integrator,
  KindMeter,
  Lane,
  LaneSeries,
  LevelMonitor,
  LevelSeries,
  ObjectStatisticsTracker,
  Outbox,
  PriorityLevels,
  Queue,
  QueueSet,
  Reporter,
  RequestList,
  SeatSeconds,
  SeriesByLevel,
  ServerMeters,
  SubjectIndex,
  Ticket,
  Timers,
  TimingRatioHistogram,
  Tournament,
  VirtualBounds,
  WatchTracker,
]

/** `known` are the objects of one engine that hold functions. */
export const engineVocabulary = (known: Readonly<Record<string, object>>): Omit<GraphVocabulary<object>, 'root'> => ({
  classes: CLASSES,
  known,
  cache: {
    capacityOf: (object) => (object instanceof FlowTable ? object.capacity : undefined),
    make: (capacity) => new FlowTable(capacity),
  },
})
