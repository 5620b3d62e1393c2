import { configDiff, type ObjectDifference } from '../config/content.ts'
import type { ObjectSet } from '../config/objects.ts'
import { staleAfterMs } from '../frame/staleAfter.ts'
import type { DerivedFlow } from '../frame/derived.ts'
import type { LevelFrame, Rejected, SchemaFrame, ServerFrame } from '../frame/frame.ts'
import { isExempt, REJECT_REASONS, sumOfKnown } from '../frame/reading.ts'
import { lacking } from '../frame/lacking.ts'
import { median } from '../frame/quantile.ts'
import {
  flowIncrease,
  flowKey,
  flowOf,
  hasRestarted,
  indexFrame,
  quantiles,
  sumObservations,
  type FrameIndex,
} from '../frame/rates.ts'
import { allRejected } from '../frame/recent.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import { createExistingLevels } from '../source/existingLevels.ts'
import type { TimedEvent } from '../source/recording.ts'
import { byCodeUnits } from '../text/text.ts'
import { MS_PER_SECOND, unixMsOf, type UnixMs } from '../units.ts'
import { createLedger, type Ledger } from '../verdict/ledger.ts'

/** The contents of a recording in a range. Counts cover its first sample to its last. */
export interface Incident {
  readonly from: UnixMs
  readonly to: UnixMs
  readonly servers: readonly IncidentServer[]
  readonly ledger: Ledger
  /** The first and last recorded state of flow-control objects, and the changes in between. */
  readonly changes: readonly IncidentChange[]
  readonly objectsKnown: boolean
}

export interface IncidentServer {
  readonly id: string
  readonly versions: readonly string[]
  readonly first: UnixMs
  readonly last: UnixMs
  readonly samples: number
  /** Milliseconds; absent with one sample. */
  readonly usualIntervalMs: number | undefined
  /** Periods without samples, longer than three usual intervals. */
  readonly gaps: readonly { readonly from: UnixMs; readonly to: UnixMs }[]
  /** First samples after a restart. */
  readonly restarts: readonly UnixMs[]
  /** Whether it reports how long requests waited. */
  readonly tellsWaits: boolean
  /** By name. */
  readonly levels: readonly IncidentLevel[]
}

export interface IncidentFlows {
  /** Requests; `undefined` where the server does not report them. */
  readonly dispatched: number | undefined
  readonly rejected: Rejected | undefined
  /** Seconds; `undefined` where no request finished waiting. */
  readonly waits: Pick<DerivedFlow, 'waitP50' | 'waitP99' | 'waitP50Range' | 'waitP99Range'>
}

export interface IncidentLevel extends IncidentFlows {
  readonly name: string
  readonly exempt: boolean
  readonly schemas: readonly (IncidentFlows & { readonly name: string })[]
  /** First and last sample that counted a rejection that the sample before it did not. */
  readonly rejectedFrom: UnixMs | undefined
  readonly rejectedTo: UnixMs | undefined
  /** The maximum over all samples. */
  readonly queued: Peak | undefined
  readonly executing: Peak | undefined
  readonly queuedFrom: UnixMs | undefined
  readonly queuedTo: UnixMs | undefined
  /** Seats. */
  readonly nominal: Span | undefined
  readonly limit: Span | undefined
  /** The maximum in each part of the range; limits are the last value in it. */
  readonly points: readonly LevelPoint[]
}

export interface Peak {
  readonly value: number
  readonly at: UnixMs
}
export interface Span {
  readonly first: number
  readonly last: number
  readonly least: Peak
  readonly most: Peak
}
export interface LevelPoint {
  readonly at: UnixMs
  /** Seats. */
  readonly executing: number | undefined
  readonly waiting: number | undefined
  readonly nominal: number | undefined
  readonly limit: number | undefined
  /** Requests. */
  readonly queued: number | undefined
}

export interface IncidentChange {
  readonly at: UnixMs
  readonly differences: readonly ObjectDifference[]
}

export interface IncidentBuilder {
  /** In the order of the recording; for `held` events only the objects count. Levels end when they are deleted. */
  take(timed: TimedEvent, held: boolean): void
  finish(): Incident
}

/** Parts of the range; charts show one point for each. */
const PARTS = 300

export function createIncident({ from, to }: { readonly from: UnixMs; readonly to: UnixMs }): IncidentBuilder {
  const servers = new Map<string, ServerRuns>()
  const ledger = createLedger()
  const changes: IncidentChange[] = []
  const existing = createExistingLevels()
  let objects: ObjectSet | undefined
  const partMs = Math.max(1, (to - from) / PARTS)
  return {
    take({ at, event: given }, held) {
      const event = existing(given)
      if (event.kind === 'objects') {
        const { state, objects: now } = event.reading
        if (state !== 'current' && state !== 'stale') return
        const differences = objects === undefined || held ? [] : configDiff(objects, now)
        if (differences.length > 0) changes.push({ at, differences })
        objects = now
      } else if (held) return
      else if (event.kind === 'dump') ledger.dump(event.dump)
      else if (event.kind === 'requests' && 'changes' in event) ledger.requests(event.changes.requests)
      else if (event.kind === 'frame' && event.lead !== true && event.frame.levels.length > 0) {
        const runs = servers.get(event.frame.id) ?? startRuns()
        servers.set(event.frame.id, runs)
        takeFrame(runs, event.frame, { from, partMs })
      }
    },
    finish: () => ({
      from,
      to,
      servers: [...servers].map(([id, runs]) => serverOf(id, runs)).toSorted((a, b) => byCodeUnits(a.id, b.id)),
      ledger: ledger.finish((to - from) / MS_PER_SECOND),
      changes,
      objectsKnown: objects !== undefined,
    }),
  }
}

/** Frames of one server between its restarts. */
interface Run {
  /** Absent after a restart, because totals start at 0 then. */
  readonly first: FrameIndex | undefined
  /** By flow, as the last page that contained it did: those of a deleted level are in no later one. */
  readonly last: Map<string, SchemaFrame>
}

interface ServerRuns {
  readonly runs: Run[]
  readonly times: UnixMs[]
  readonly restarts: UnixMs[]
  readonly versions: Set<string>
  readonly levels: Map<string, LevelSeen>
  latest: ServerFrame | undefined
}

interface LevelSeen {
  /** Whether a sample had its counters. */
  tellsDispatched: boolean
  tellsRejected: boolean
  rejectedFrom: UnixMs | undefined
  rejectedTo: UnixMs | undefined
  queuedFrom: UnixMs | undefined
  queuedTo: UnixMs | undefined
  queued: Peak | undefined
  executing: Peak | undefined
  nominal: Span | undefined
  limit: Span | undefined
  readonly points: Map<number, LevelPoint>
}

const startRuns = (): ServerRuns => ({
  runs: [],
  times: [],
  restarts: [],
  versions: new Set(),
  levels: new Map(),
  latest: undefined,
})

const seenLevel = (): LevelSeen => ({
  tellsDispatched: false,
  tellsRejected: false,
  rejectedFrom: undefined,
  rejectedTo: undefined,
  queuedFrom: undefined,
  queuedTo: undefined,
  queued: undefined,
  executing: undefined,
  nominal: undefined,
  limit: undefined,
  points: new Map(),
})

function takeFrame(
  server: ServerRuns,
  frame: ServerFrame,
  { from, partMs }: { readonly from: UnixMs; readonly partMs: number },
): void {
  const at = unixMsOf(frame.at)
  const index = indexFrame(frame)
  const before = server.latest
  const last = before && indexFrame(before)
  const restarted = before !== undefined && hasRestarted(before, frame)
  if (restarted) server.restarts.push(at)
  if (before === undefined || restarted)
    server.runs.push({ first: restarted ? undefined : index, last: new Map(index.schemas) })
  else for (const [flow, schema] of index.schemas) server.runs.at(-1)?.last.set(flow, schema)
  server.times.push(at)
  if (frame.version !== undefined) server.versions.add(frame.version)
  for (const level of frame.levels) {
    const seen = server.levels.get(level.name) ?? seenLevel()
    server.levels.set(level.name, seen)
    const earlier = restarted ? undefined : last?.levels.get(level.name)
    const rejected = level.rejected === undefined ? 0 : allRejected(level.rejected)
    const base = before === undefined ? rejected : earlier?.rejected === undefined ? 0 : allRejected(earlier.rejected)
    if (rejected > base) {
      seen.rejectedFrom ??= at
      seen.rejectedTo = at
    }
    takeLevel(seen, level, at)
    const part = Math.floor((at - from) / partMs)
    const point = seen.points.get(part)
    seen.points.set(part, {
      at: from + part * partMs,
      executing: most(point?.executing, level.seats.executing),
      waiting: most(point?.waiting, level.seats.queued),
      nominal: level.limits.nominal ?? point?.nominal,
      limit: level.limits.current ?? point?.limit,
      queued: most(point?.queued, level.requests.queued),
    })
  }
  server.latest = frame
}

function takeLevel(seen: LevelSeen, level: LevelFrame, at: UnixMs): void {
  const { queued } = level.requests
  seen.tellsDispatched ||= level.dispatched !== undefined
  seen.tellsRejected ||= level.rejected !== undefined
  if (queued !== undefined && queued > 0) {
    seen.queuedFrom ??= at
    seen.queuedTo = at
  }
  seen.queued = peak(seen.queued, queued, at)
  seen.executing = peak(seen.executing, level.seats.executing, at)
  seen.nominal = span(seen.nominal, level.limits.nominal, at)
  seen.limit = span(seen.limit, level.limits.current, at)
}

const most = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b)

const peak = (before: Peak | undefined, value: number | undefined, at: UnixMs): Peak | undefined =>
  value === undefined || (before !== undefined && before.value >= value) ? before : { value, at }

function span(before: Span | undefined, value: number | undefined, at: UnixMs): Span | undefined {
  if (value === undefined) return before
  const now = { value, at }
  if (before === undefined) return { first: value, last: value, least: now, most: now }
  return {
    first: before.first,
    last: value,
    least: value < before.least.value ? now : before.least,
    most: value > before.most.value ? now : before.most,
  }
}

function serverOf(id: string, { runs, times, restarts, versions, levels, latest }: ServerRuns): IncidentServer {
  const distances = times.slice(1).map((at, i) => at - (times[i] ?? at))
  const usual = median(distances)
  const gaps = distances.flatMap((distance, i) => {
    const [from, to] = [times[i], times[i + 1]]
    const isGap = usual !== undefined && distance > staleAfterMs(usual)
    return isGap && from !== undefined && to !== undefined ? [{ from, to }] : []
  })
  return {
    id,
    versions: [...versions],
    first: times[0] ?? 0,
    last: times.at(-1) ?? 0,
    samples: times.length,
    usualIntervalMs: usual,
    gaps,
    restarts,
    tellsWaits: latest !== undefined && lacking(latest, [FAMILY.wait]).length === 0,
    levels: [...levels]
      .map(([name, seen]) => levelOf(name, seen, { runs, gaps }))
      .toSorted((a, b) => byCodeUnits(a.name, b.name)),
  }
}

function levelOf(
  name: string,
  seen: LevelSeen,
  { runs, gaps }: { readonly runs: readonly Run[] } & Pick<IncidentServer, 'gaps'>,
): IncidentLevel {
  const { points, tellsDispatched, tellsRejected, ...rest } = seen
  const flows = runs.flatMap(({ last }) => [...last.keys()].map(flowOf))
  const schemas = new Set(flows.flatMap(({ level, schema }) => (level === name ? [schema] : [])))
  const all = flowsOf(runs, name, [...schemas])
  const broken = gaps.map(({ from }): LevelPoint => ({
    at: from,
    executing: undefined,
    waiting: undefined,
    nominal: undefined,
    limit: undefined,
    queued: undefined,
  }))
  return {
    name,
    exempt: isExempt({ name }),
    ...rest,
    ...all,
    dispatched: tellsDispatched ? all.dispatched : undefined,
    rejected: tellsRejected ? all.rejected : undefined,
    schemas: [...schemas].toSorted(byCodeUnits).map((schema) => ({ name: schema, ...flowsOf(runs, name, [schema]) })),
    points: [...points.values(), ...broken].toSorted((a, b) => a.at - b.at),
  }
}

/** Rejected requests of all reported reasons. */
export const rejections = ({ rejected }: Pick<IncidentFlows, 'rejected'>): number =>
  rejected === undefined ? 0 : allRejected(rejected)

/** The growth of counters in the runs, for some schemas of a level. */
function flowsOf(runs: readonly Run[], level: string, schemas: readonly string[]): IncidentFlows {
  const pairs = runs.flatMap(({ first, last }) =>
    schemas.flatMap((schema) => {
      const later = last.get(flowKey(level, schema))
      return later === undefined ? [] : [{ later, earlier: first?.schemas.get(flowKey(level, schema)) }]
    }),
  )
  const increase = (of: (schema: SchemaFrame) => number | undefined): number | undefined =>
    sumOfKnown(
      pairs.map(({ later, earlier }) => {
        const [now, before] = [of(later), earlier === undefined ? 0 : of(earlier)]
        return now === undefined || before === undefined ? undefined : now - before
      }),
    )
  const rejected = REJECT_REASONS.map((reason) => increase((schema) => schema.rejected?.[reason]))
  const [full, limited, late] = rejected
  const { waitP50, waitP99, waitP50Range, waitP99Range } = quantiles(
    sumObservations(pairs.map(({ later, earlier }) => flowIncrease(later, earlier))),
  )
  return {
    dispatched: increase(({ dispatched }) => dispatched),
    rejected:
      full === undefined || limited === undefined || late === undefined
        ? undefined
        : { 'queue-full': full, 'concurrency-limit': limited, 'time-out': late },
    waits: { waitP50, waitP99, waitP50Range, waitP99Range },
  }
}
