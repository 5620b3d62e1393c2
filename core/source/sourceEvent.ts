import type { EtcdState } from '../contract/etcd.ts'
import type { LiveState } from '../contract/live.ts'
import type { ObjectsState } from '../contract/objects.ts'
import type { SimulationState } from '../contract/simulation.ts'
import type { ServerHealth } from '../contract/source.ts'
import type { ServerFacts } from '../engine/apfEngine.ts'
import type { DumpFrame } from '../frame/dump.ts'
import type { ServerFrame } from '../frame/frame.ts'
import type { Changes } from '../live/requestLog.ts'

/** What is known of the objects of a source. */
export type ObjectsReading = Pick<ObjectsState, 'state' | 'version' | 'asOf' | 'problem' | 'objects'>

/** The objects of a reading; `undefined` where they are not known. Those of a moment ago serve as well. */
export const knownObjects = ({ state, objects }: ObjectsReading): ObjectsReading['objects'] | undefined =>
  state === 'current' || state === 'stale' ? objects : undefined

/**
 * Everything that a source tells, as data that can be cloned, stored and told again. Each event is complete in itself; a
 * session is what its events add up to.
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
       * What the next frame is compared with, and nothing more. Of the past, it begins a range whose earlier part is told
       * later, and ends with this frame; a recording begins with some.
       */
      readonly lead?: true
      /**
       * Of the past: the first frame of the present once more, after the last one before it was told. Its rates and
       * quantiles are known from then on.
       */
      readonly seam?: true
    }
  | { readonly kind: 'dump'; readonly dump: DumpFrame }
  /** What a server stores and who watches it, whenever that was read; of some sources before the first frame. */
  | { readonly kind: 'facts'; readonly server: string; readonly facts: ServerFacts }
  /** Health of one server, whenever it changes. */
  | { readonly kind: 'health'; readonly health: ServerHealth }
  /** Flow-control objects, whenever what is known of them changes. */
  | { readonly kind: 'objects'; readonly origin: ObjectsState['origin']; readonly reading: ObjectsReading }
  /** Single requests: rows that are new or changed, or how the source does. */
  | { readonly kind: 'requests'; readonly changes: Changes }
  | { readonly kind: 'requests'; readonly state: LiveState }
  /** How a simulation goes: with each frame, and whenever it was steered. */
  | { readonly kind: 'pace'; readonly pace: SimulationState }
  /** Everything about the proxy in front of an etcd: each second. */
  | { readonly kind: 'etcd'; readonly state: EtcdState }
  /** `ended`: everything that there was to read was read. */
  | { readonly kind: 'note'; readonly note: 'ended' }

/** Takes what a source tells; nothing has to be answered. */
export type Emit = (event: SourceEvent) => void
