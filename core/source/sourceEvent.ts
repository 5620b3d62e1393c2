import type { EtcdState } from '../contract/etcd.ts'
import type { LiveState } from '../contract/live.ts'
import type { ObjectsState } from '../contract/objects.ts'
import type { SimulationState } from '../contract/simulation.ts'
import type { ServerHealth } from '../contract/source.ts'
import type { ServerFacts } from '../engine/facts.ts'
import type { DumpFrame } from '../frame/dump.ts'
import type { ServerFrame } from '../frame/frame.ts'
import type { Changes } from '../live/requestLog.ts'

/** The available information about the objects of a source. */
export type ObjectsReading = Pick<ObjectsState, 'state' | 'version' | 'asOf' | 'problem' | 'objects'>

/** The objects of a reading; `undefined` where they are unknown. Slightly outdated ones are sufficient. */
export const knownObjects = ({ state, objects }: ObjectsReading): ObjectsReading['objects'] | undefined =>
  state === 'current' || state === 'stale' ? objects : undefined

/**
 * Everything that a source emits, as data that can be cloned, stored and replayed. Each event is self-contained; a
 * session is the sum of its events.
 */
export type SourceEvent =
  | {
      readonly kind: 'frame'
      readonly frame: ServerFrame
      /**
       * Happened before the source was connected: part of the history, and not shown as the present. Ranges of the past
       * may come in any order, each from its beginning to its end.
       */
      readonly past?: true
      /**
       * Serves only as the reference for the next frame. In the past, it begins a range whose earlier part follows
       * later and ends with this frame; a recording begins with some.
       */
      readonly lead?: true
      /**
       * In the past: repeats the first frame of the present after the last one before it was received. Its rates and
       * quantiles are available from then on.
       */
      readonly seam?: true
    }
  /** `past`: of before the source was connected, and not shown as the present. */
  | { readonly kind: 'dump'; readonly dump: DumpFrame; readonly past?: true }
  /** What a server stores and its watches, whenever that was read; for some sources before the first frame. */
  | { readonly kind: 'facts'; readonly server: string; readonly facts: ServerFacts }
  /** Health of one server, whenever it changes. */
  | { readonly kind: 'health'; readonly health: ServerHealth }
  /** Flow-control objects, whenever the information about them changes. */
  | { readonly kind: 'objects'; readonly origin: ObjectsState['origin']; readonly reading: ObjectsReading }
  /** Single requests: new or changed rows, or the state of their source. */
  | { readonly kind: 'requests'; readonly changes: Changes }
  | { readonly kind: 'requests'; readonly state: LiveState }
  /** State of a simulation: with each frame, and after every control action. */
  | { readonly kind: 'pace'; readonly pace: SimulationState }
  /** The complete state of the proxy in front of an etcd: each second. */
  | { readonly kind: 'etcd'; readonly state: EtcdState }
  /** `ended`: all available input has been read. */
  | { readonly kind: 'note'; readonly note: 'ended' }

/** Receives the events of a source; there is no return value. */
export type Emit = (event: SourceEvent) => void
