import { type AdjustmentCause, Adjustments } from './ledger.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { EngineMode } from './profiles.ts'
import { Classifier, CompiledSchemas, SubjectIndex } from './compiledSchemas.ts'
import { Clock, Integrator } from './clock.ts'
import { CountingHistogram, LaneSeries, LevelSeries, SeriesByLevel } from './levelSeries.ts'
import { Dealer } from './dealer.ts'
import { DroppedRequests, Outbox, Reporter } from './reporter.ts'
import { FlowTable } from './flowTable.ts'
import { KindMeter, ServerMeters } from './serverMeters.ts'
import { LevelMonitor } from './levelMonitor.ts'
import type { FilterTally } from './snapshot.ts'
import { ObjectStatisticsTracker } from './workEstimator.ts'
import { PriorityLevels } from './priorityLevels.ts'
import { Queue, RequestList } from './queue.ts'
import { DeficitRoundRobin, MaxMinFairness } from './queueOrder.ts'
import { QueueSet } from './queueSet.ts'
import { FixedSeatSeconds } from './seatSeconds.ts'
import { Lane, Ticket } from './ticket.ts'
import { type Timed, Timers } from './timers.ts'
import { TimingRatioHistogram } from './timingRatioHistogram.ts'
import { Tournament } from './tournament.ts'
import { VirtualBounds } from './virtualBounds.ts'
import { WatchTracker } from './watchTracker.ts'

/**
 * Object graphs as data that `structuredClone` copies and `postMessage` sends: shared objects stay shared, cycles stay
 * cycles, and instances of the named classes are restored as such.
 */
interface ObjectGraph {
  readonly shapes: readonly Shape[]
  readonly nodes: readonly Node[]
}

/** Field names of objects, in the order in which they were set, and the index of their class; −1 for plain objects. */
interface Shape {
  readonly type: number
  readonly keys: readonly string[]
}

type Primitive = string | number | bigint | boolean | null | undefined
/** A primitive, or the number of a node. */
type Value = Primitive | readonly [node: number]

type Node =
  | { readonly kind: 'object'; readonly shape: number; readonly values: readonly Value[] }
  | { readonly kind: 'array' | 'set'; readonly values: readonly Value[] }
  | { readonly kind: 'map'; readonly keys: readonly Value[]; readonly values: readonly Value[] }
  | { readonly kind: 'numbers'; readonly numbers: Numbers }
  /** An object that already exists at the reader. */
  | { readonly kind: 'known'; readonly name: string }
  | { readonly kind: 'cache'; readonly capacity: number }

type Numbers = Float64Array | Int32Array | Uint32Array

/** A class, of which only the prototype is used: constructors do not run. */
export interface GraphClass {
  readonly prototype: object
}

/** Shared definitions of the writer and reader of graphs whose roots are an `R`. */
export interface GraphVocabulary<R extends object> {
  /** Only its type is used: the data does not record it. */
  readonly root?: R
  /** In the same order for writer and reader. */
  readonly classes: readonly GraphClass[]
  /** Objects that are not part of the graph, by name: those that hold functions. */
  readonly known: Readonly<Record<string, object>>
  /** Objects that hold only what can be recomputed: they are restored empty. */
  readonly cache: {
    /** `undefined` for an object that is not a cache. */
    readonly capacityOf: (object: object) => number | undefined
    readonly make: (capacity: number) => object
  }
}

const isNumbers = (value: object): value is Numbers =>
  value instanceof Float64Array || value instanceof Int32Array || value instanceof Uint32Array

class Writer {
  readonly shapes: Shape[] = []
  readonly nodes: Node[] = []
  private readonly types: ReadonlyMap<unknown, number>
  private readonly names: ReadonlyMap<object, string>
  private readonly cache: GraphVocabulary<object>['cache']
  private readonly shapeOf = new Map<string, number>()
  private readonly numbered = new Map<object, number>()
  private readonly pending: object[] = []

  constructor({ classes, known, cache }: GraphVocabulary<object>) {
    this.cache = cache
    this.types = new Map<unknown, number>([
      [Object.prototype, -1],
      [null, -1],
      ...classes.map(({ prototype }, type): [object, number] => [prototype, type]),
    ])
    this.names = new Map(Object.entries(known).map(([name, object]) => [object, name]))
  }

  /** Linked lists are long: nodes are written one after another, not recursively. */
  write(root: object): void {
    this.value(root)
    for (let next = 0; next < this.pending.length; next++) {
      const object = this.pending[next]
      if (object !== undefined) this.nodes.push(this.node(object))
    }
  }

  private value(value: unknown): Value {
    switch (typeof value) {
      case 'object': {
        if (value === null) return null
        const known = this.numbered.get(value)
        if (known !== undefined) return [known]
        const number = this.pending.length
        this.numbered.set(value, number)
        this.pending.push(value)
        return [number]
      }
      case 'string':
      case 'number':
      case 'bigint':
      case 'boolean':
      case 'undefined':
        return value
      default:
        throw new TypeError(`a checkpoint cannot hold a ${typeof value}`)
    }
  }

  private values(values: Iterable<unknown>): Value[] {
    return Array.from(values, (value) => this.value(value))
  }

  private node(object: object): Node {
    const name = this.names.get(object)
    if (name !== undefined) return { kind: 'known', name }
    const capacity = this.cache.capacityOf(object)
    if (capacity !== undefined) return { kind: 'cache', capacity }
    if (Array.isArray(object)) return { kind: 'array', values: this.values(object) }
    if (object instanceof Map)
      return { kind: 'map', keys: this.values(object.keys()), values: this.values(object.values()) }
    if (object instanceof Set) return { kind: 'set', values: this.values(object) }
    if (isNumbers(object)) return { kind: 'numbers', numbers: object.slice() }
    const type = this.types.get(Object.getPrototypeOf(object))
    if (type === undefined) throw new TypeError(`a checkpoint cannot hold a ${object.constructor.name}`)
    return { kind: 'object', shape: this.shape(type, Object.keys(object)), values: this.values(Object.values(object)) }
  }

  private shape(type: number, keys: readonly string[]): number {
    const id = `${type} ${keys.join(' ')}`
    const known = this.shapeOf.get(id)
    if (known !== undefined) return known
    this.shapeOf.set(id, this.shapes.length)
    this.shapes.push({ type, keys })
    return this.shapes.length - 1
  }
}

/** Throws `TypeError` for a function, a symbol, or an instance of a class outside the vocabulary. */
export function writeGraph<R extends object>(root: R, vocabulary: GraphVocabulary<R>): ObjectGraph {
  const writer = new Writer(vocabulary)
  writer.write(root)
  return { shapes: writer.shapes, nodes: writer.nodes }
}

/** The root of a graph that was written with the same vocabulary; all objects except the known ones are new. */
export function readGraph<R extends object>(graph: ObjectGraph, vocabulary: GraphVocabulary<R>): R
export function readGraph({ shapes, nodes }: ObjectGraph, vocabulary: GraphVocabulary<object>): object | undefined {
  // Objects refer to each other in cycles: all are created first, then filled.
  const fillings: (() => void)[] = []
  const objects = nodes.map((node): object => {
    switch (node.kind) {
      case 'object': {
        const { type, keys } = shapes[node.shape] ?? { type: -1, keys: [] }
        const made: Record<string, unknown> =
          type === -1 ? {} : Object.create(vocabulary.classes[type]?.prototype ?? null)
        fillings.push(() => {
          for (const [i, key] of keys.entries()) made[key] = valueOf(node.values[i])
        })
        return made
      }
      case 'array': {
        const made: unknown[] = []
        fillings.push(() => {
          for (const value of node.values) made.push(valueOf(value))
        })
        return made
      }
      case 'set': {
        const made = new Set<unknown>()
        fillings.push(() => {
          for (const value of node.values) made.add(valueOf(value))
        })
        return made
      }
      case 'map': {
        const made = new Map<unknown, unknown>()
        fillings.push(() => {
          for (const [i, key] of node.keys.entries()) made.set(valueOf(key), valueOf(node.values[i]))
        })
        return made
      }
      case 'numbers':
        return node.numbers.slice()
      case 'known': {
        const known = vocabulary.known[node.name]
        if (known === undefined) throw new TypeError(`a checkpoint refers to ${node.name}, which does not exist here`)
        return known
      }
      case 'cache':
        return vocabulary.cache.make(node.capacity)
    }
  })
  const valueOf = (value: Value): unknown => (typeof value === 'object' && value !== null ? objects[value[0]] : value)
  for (const fill of fillings) fill()
  return objects[0]
}

/** All state that determines the fair engine's next decisions. */
export interface FairState<T> {
  /** The tickets that the caller holds. */
  readonly tickets: readonly Ticket<T>[]
  readonly clock: Clock
  readonly timers: Timers<Ticket<T> | Timed>
  readonly adjustmentTimer: Timed
  readonly reporter: Reporter<T>
  readonly series: SeriesByLevel<Ticket<T>>
  readonly kept: Adjustments
  readonly monitors: Map<string, LevelMonitor<T>>
  readonly priorityLevels: PriorityLevels<Ticket<T>>
  readonly objectStatistics: ObjectStatisticsTracker
  readonly configuration: ObjectSet
  readonly classifier: Classifier<T>
  readonly adjustmentCause: AdjustmentCause
}

/** The same for the max-in-flight filter. */
export interface InFlightState<T> {
  readonly tickets: readonly Ticket<T>[]
  readonly clock: Clock
  readonly timers: Timers<Timed>
  readonly meters: ServerMeters
  readonly uncounted: Set<Ticket<T>>
  readonly tally: FilterTally
  readonly objectStatistics: ObjectStatisticsTracker
}

/** An engine at one instant, as data that `structuredClone` copies and `postMessage` sends. */
export interface EngineCheckpoint {
  readonly mode: EngineMode
  readonly graph: ObjectGraph
}

/**
 * Classes of the objects that make up an engine. A checkpoint refers to them by position, so it is valid only for the
 * same build.
 */
const CLASSES: GraphVocabulary<object>['classes'] = [
  Adjustments,
  Classifier,
  Clock,
  CompiledSchemas,
  CountingHistogram,
  Dealer,
  DeficitRoundRobin,
  DroppedRequests,
  FixedSeatSeconds,
  Integrator,
  KindMeter,
  Lane,
  LaneSeries,
  LevelMonitor,
  LevelSeries,
  MaxMinFairness,
  ObjectStatisticsTracker,
  Outbox,
  PriorityLevels,
  Queue,
  QueueSet,
  Reporter,
  RequestList,
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

/** `known` are the objects of one engine that hold functions, `payloads` the classes of the caller's payloads. */
export const engineVocabulary = (
  known: Readonly<Record<string, object>>,
  payloads: readonly GraphClass[] = [],
): Omit<GraphVocabulary<object>, 'root'> => ({
  classes: [...CLASSES, ...payloads],
  known,
  cache: {
    capacityOf: (object) => (object instanceof FlowTable ? object.capacity : undefined),
    make: (capacity) => new FlowTable(capacity),
  },
})
