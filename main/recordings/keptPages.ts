import type { ForecastEvidence } from '../../core/contract/forecast.ts'
import type { ServerHealth } from '../../core/contract/source.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import type { Evidence, Forecasts, ObjectsAt } from '../../core/diagnose/facts.ts'
import { createDeriver } from '../../core/frame/derive.ts'
import type { DerivedServer } from '../../core/frame/derived.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { createExistingLevels } from '../../core/source/existingLevels.ts'
import { knownObjects, type ObjectsReading, type SourceEvent } from '../../core/source/sourceEvent.ts'
import { flowsOf } from '../../core/twin/flows.ts'
import { LONGEST_SPAN_SECONDS, twinHistory } from '../../core/twin/history.ts'
import { MS_PER_SECOND, unixMsOf, type UnixMs } from '../../core/units.ts'

/** The history that forecasts and diagnoses use. */
export const KEPT_MS = LONGEST_SPAN_SECONDS * MS_PER_SECOND
/** One page of each server is kept per this many milliseconds: whole pages with all their histograms are large. */
export const PAGE_MS = 5_000
const MOST_PAGES = KEPT_MS / PAGE_MS
/** No pages are kept of further servers of a source. */
const MOST_SERVERS = 8
const MOST_DUMPS = 60
/** Single requests, the newest. */
const MOST_REQUESTS = 20_000
/** A forecast on the screen follows every keystroke, so a run has few requests. */
const REQUESTS_OF_RUN = 5_000

/** The pages and dumps of the last ten minutes, for forecasts and diagnoses. */
export interface KeptPages {
  take(event: SourceEvent): void
  /** Of one server, in any order. */
  frames(server: string): readonly ServerFrame[]
  /** Of one server, for a forecast. */
  evidence(server: string): Omit<ForecastEvidence, 'earlier'>
  /** Of all servers, for a diagnosis of that instant, which may be over; without one, of the last page. */
  all(asOf: UnixMs | undefined, isPast?: boolean): Evidence
}

/** The newest page of a server, with what follows from all until then. */
interface Latest {
  readonly frame: ServerFrame
  readonly derived: DerivedServer
  readonly derive: (frame: ServerFrame) => DerivedServer
}

/** One dump for each interval, and the newest: while somebody looks at them there are ten a second. */
function withNewest(dumps: readonly DumpFrame[], dump: DumpFrame): readonly DumpFrame[] {
  const [before, last] = dumps.slice(-2).map(({ at }) => Math.floor(unixMsOf(at) / PAGE_MS))
  return [...(last !== undefined && last === before ? dumps.slice(0, -1) : dumps), dump]
}

export function createKeptPages(): KeptPages {
  /** By server and number of the interval; the first page of each. */
  const pages = new Map<string, Map<number, ServerFrame>>()
  const latest = new Map<string, Latest>()
  const dumps = new Map<string, readonly DumpFrame[]>()
  const health = new Map<string, ServerHealth>()
  const forecasts: Forecasts = new Map()
  const existing = createExistingLevels()
  /** The objects over time: the last ones from before the kept pages, and every later change. */
  let history: ObjectsAt[] = []
  /** By number, in their last state. */
  const requests = new Map<number, LiveRequest>()
  const takeFrame = (frame: ServerFrame): void => {
    const kept = pages.get(frame.id) ?? new Map<number, ServerFrame>()
    if (kept.size === 0 && pages.size >= MOST_SERVERS) return
    pages.set(frame.id, kept)
    const last = latest.get(frame.id)
    if (last === undefined || unixMsOf(last.frame.at) < unixMsOf(frame.at)) {
      const derive = last?.derive ?? createDeriver(frame.id)
      latest.set(frame.id, { frame, derive, derived: derive(frame) })
    }
    const number = Math.floor(unixMsOf(frame.at) / PAGE_MS)
    if (kept.has(number)) return
    kept.set(number, frame)
    if (kept.size <= MOST_PAGES) return
    // Ranges of the past arrive in any order.
    const newest = Math.max(...kept.keys())
    for (const one of kept.keys()) if (one <= newest - MOST_PAGES) kept.delete(one)
  }
  const takeObjects = (reading: ObjectsReading): void => {
    const objects = knownObjects(reading)
    if (objects === undefined || objects === history.at(-1)?.objects) return
    // Without a time of its own it is as new as the pages.
    const newest = Math.max(0, ...[...latest.values()].map(({ frame }) => unixMsOf(frame.at)))
    const at = reading.asOf === undefined ? newest : unixMsOf(reading.asOf)
    const old = history.findLastIndex((one) => one.at < at - KEPT_MS)
    history = [...history.slice(Math.max(0, old)), { at, objects }]
  }
  const takeRequests = (rows: readonly LiveRequest[]): void => {
    for (const row of rows) {
      requests.delete(row.seq)
      requests.set(row.seq, row)
    }
    for (const [seq, { at }] of requests) {
      if (requests.size <= MOST_REQUESTS && at >= (rows.at(-1)?.at ?? 0) - KEPT_MS) break
      requests.delete(seq)
    }
  }
  const frames = (server: string): readonly ServerFrame[] => [...(pages.get(server)?.values() ?? [])]
  /** Without the newest page, dumps and requests since the last kept one would be later than all pages. */
  const upToNow = (server: string): readonly ServerFrame[] => {
    const newest = latest.get(server)?.frame
    return [...new Set([...frames(server), ...(newest === undefined ? [] : [newest])])]
  }
  return {
    take(given) {
      const event = existing(given)
      if (event.kind === 'frame') takeFrame(event.frame)
      if (event.kind === 'objects') takeObjects(event.reading)
      if (event.kind === 'requests' && 'changes' in event) takeRequests(event.changes.requests)
      if (event.kind === 'health') health.set(event.health.id, event.health)
      if (event.kind !== 'dump' || !pages.has(event.dump.server)) return
      const { server } = event.dump
      dumps.set(server, withNewest(dumps.get(server) ?? [], event.dump).slice(-MOST_DUMPS))
    },
    frames,
    evidence: (server) => ({
      history: twinHistory(frames(server), REQUESTS_OF_RUN) ?? null,
      flows: flowsOf(dumps.get(server) ?? []),
    }),
    all: (asOf, isPast = false) => ({
      servers: [...pages.keys()].map((server) => ({
        frames: upToNow(server),
        dumps: dumps.get(server) ?? [],
        latest: latest.get(server),
      })),
      health: [...health.values()],
      objects: history.at(-1)?.objects,
      history,
      requests: [...requests.values()],
      forecasts,
      asOf,
      isPast,
    }),
  }
}
