import type { EtcdState } from '../contract/etcd.ts'
import type { ServerHealth } from '../contract/source.ts'
import type { ServerFacts } from '../engine/facts.ts'
import { createDeriver } from '../frame/derive.ts'
import type { AdjustmentStep, DerivedServer } from '../frame/derived.ts'
import type { DumpFrame } from '../frame/dump.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { createHistory, type History } from '../history/history.ts'
import type { HeatStretch } from '../history/heat.ts'
import type { Series } from '../history/series.ts'
import { createAdjustments, type Adjustments } from '../impact/adjustments.ts'
import { byCodeUnits } from '../text/text.ts'
import { unixMsOf, type UnixMs } from '../units.ts'
import { createExistingLevels } from './existingLevels.ts'
import type { ObjectsReading, SourceEvent } from './sourceEvent.ts'

/** State of one API server, from the events of its source. */
export interface ServerPicture {
  readonly latest: { readonly frame: ServerFrame; readonly derived: DerivedServer }
  readonly history: History
  readonly adjustments: Pick<Adjustments, 'steps'>
}

/** The state that results from the events of a source, live or recorded. */
export interface Picture {
  /** Returns the frame and the derived values of a frame that was added to the history, in the present or the past. */
  take(event: SourceEvent): ServerPicture['latest'] | undefined
  /** `undefined` before the first frame of such a server. */
  server(id: string): ServerPicture | undefined
  /** Servers with a frame, sorted by name. */
  readonly servers: readonly ServerPicture[]
  /** Sorted by name. */
  readonly health: readonly ServerHealth[]
  /** The latest dump of that server. */
  dump(server: string): DumpFrame | undefined
  facts(server: string): ServerFacts | undefined
  readonly objects: ObjectsReading | undefined
  /** The latest state of the proxy in front of an etcd, if the source is one. */
  readonly etcd: EtcdState | undefined
  readonly ended: boolean
}

export function createPicture(): Picture {
  const servers = new Map<string, ServerEvents>()
  const health = new Map<string, ServerHealth>()
  const dumps = new Map<string, DumpFrame>()
  const facts = new Map<string, ServerFacts>()
  let objects: ObjectsReading | undefined
  const existing = createExistingLevels()
  let etcd: EtcdState | undefined
  let ended = false

  const takeOther = (event: Exclude<SourceEvent, { readonly kind: 'frame' }>): void => {
    switch (event.kind) {
      case 'dump':
        dumps.set(event.dump.server, event.dump)
        return
      case 'facts':
        facts.set(event.server, event.facts)
        return
      case 'health':
        health.set(event.health.id, event.health)
        return
      case 'objects':
        objects = event.reading
        return
      case 'etcd':
        etcd = event.state
        return
      case 'note':
        ended = true
    }
  }
  const known = ({ latest, history, adjustments }: ServerEvents): ServerPicture[] =>
    latest === undefined ? [] : [{ latest, history, adjustments }]
  return {
    take(given) {
      const event = existing(given)
      if (event.kind !== 'frame') {
        takeOther(event)
        return undefined
      }
      const { frame } = event
      const server = servers.get(frame.id) ?? serverEvents(frame.id)
      servers.set(frame.id, server)
      return takeFrame(server, frame, event)
    },
    server(id) {
      const found = servers.get(id)
      return found && known(found)[0]
    },
    get servers() {
      return [...servers.values()].flatMap(known).toSorted((a, b) => byId(a.latest.frame, b.latest.frame))
    },
    get health() {
      return [...health.values()].toSorted(byId)
    },
    dump: (server) => dumps.get(server),
    facts: (server) => facts.get(server),
    get objects() {
      return objects
    },
    get etcd() {
      return etcd
    },
    get ended() {
      return ended
    },
  }
}

interface ServerEvents {
  readonly history: History
  /** The frames up to the present. */
  readonly present: Run
  /** The earlier range that is currently being received. */
  past: Run | undefined
  readonly adjustments: Adjustments
  latest: ServerPicture['latest'] | undefined
}

/** Consecutive frames of one server. */
interface Run {
  readonly derive: (frame: ServerFrame) => DerivedServer
  last: ServerFrame | undefined
}

const startRun = (id: string): Run => ({ derive: createDeriver(id), last: undefined })

const serverEvents = (id: string): ServerEvents => ({
  history: createHistory(),
  present: startRun(id),
  past: undefined,
  adjustments: createAdjustments(),
  latest: undefined,
})

/** A range of the past may arrive after newer frames. It extends the history, not the present or its recomputations. */
function takeFrame(
  server: ServerEvents,
  frame: ServerFrame,
  { past, lead, seam }: { readonly past?: true; readonly lead?: true; readonly seam?: true },
): ServerPicture['latest'] | undefined {
  const { present, history } = server
  if (seam === true) {
    const { past: run } = server
    if (run?.last !== undefined && isBefore(run.last, frame)) history.complete(frame, run.derive(frame), run.last)
    server.past = undefined
    return undefined
  }
  const goesBack = past === true && isBefore(frame, present.last)
  if (goesBack && (server.past === undefined || isBefore(frame, server.past.last))) server.past = startRun(frame.id)
  const run = (goesBack ? server.past : undefined) ?? present
  const derived = run.derive(frame)
  if (lead === true) {
    run.last = frame
    return undefined
  }
  history.append(frame, derived, run.last)
  if (derived.noRates !== 'duplicate') run.last = frame
  const taken = { frame, derived }
  if (run === present) {
    server.adjustments.append(frame, derived)
    server.latest = taken
  }
  return taken
}

const isBefore = (frame: ServerFrame, other: ServerFrame | undefined): boolean =>
  other !== undefined && unixMsOf(frame.at) < unixMsOf(other.at)

/** A summary of a period of one server, so that long ranges are shown without reading every sample again. */
export interface ServerStretch {
  readonly series: Series
  readonly heat: HeatStretch
  /** Recomputations first seen in it, and the last one before it, which its first page may have completed. */
  readonly steps: readonly AdjustmentStep[]
}

/** Longer than the pages of one recomputation are apart. */
const LAST_STEP_MS = 15_000

/** Every sample between two instants of the last hour, for each server. */
export const stretchesBetween = ({ servers }: Picture, from: UnixMs, to: UnixMs): ServerStretch[] =>
  servers.map(({ history, adjustments }) => ({
    series: history.series({ from, to, maxPoints: Number.MAX_SAFE_INTEGER }),
    heat: history.heatBetween(from, to),
    steps: adjustments.steps(from - LAST_STEP_MS, to),
  }))

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => byCodeUnits(a.id, b.id)
