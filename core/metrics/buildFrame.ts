import type {
  Acquisition,
  Histogram,
  KindRatios,
  Kinds,
  LevelFrame,
  Occupancy,
  RequestTimes,
  SchemaFrame,
  ServerFrame,
  VirtualTime,
} from '../frame/frame.ts'
import { recordOf } from '../frame/reading.ts'
import { sumRejected } from '../frame/recent.ts'
import type { Page, Series } from './page.ts'
import { FAMILY_KEYS, familyIn, type FamilyKey } from './familyNames.ts'
import { createRequestTimesReader } from './requestTimes.ts'
import {
  layOut,
  type At,
  type HistogramLayout,
  type KindRatiosLayout,
  type KindsLayout,
  type Layout,
  type LevelLayout,
  type NumbersLayout,
  type SchemaLayout,
} from './layout.ts'

export interface PageMeta {
  /** When the page was requested, RFC 3339 UTC. */
  readonly at: string
  /** gitVersion if the source has it; otherwise the page's `kubernetes_build_info` is used. */
  readonly version?: string | undefined
  readonly acquisition?: Acquisition | undefined
}

interface BuilderOptions {
  readonly id: string
  /** Why a family that the version has may be absent, in a sentence, where the pages are not the server's own. */
  readonly notExposed?: string
}

/**
 * Builds frames from the pages of one server. The layout of a page is kept, so each further page with the same series
 * costs little more than reading its numbers; such frames share their histogram bounds.
 *
 * Numbers are exactly as reported; one that is not finite is treated as not reported. Gauges and counters that the
 * server creates with the first event read as 0 until then; gauges that it sets (limits, demand) do not.
 */
export function createFrameBuilder({ id, notExposed }: BuilderOptions): (page: Page, meta: PageMeta) => ServerFrame {
  let last:
    { readonly layout: Layout; readonly series: SeriesOfFamilies; readonly version: string | undefined } | undefined
  const timesOf = createRequestTimesReader()
  return (page, meta) => {
    const series = FAMILY_KEYS.map((family) => familyIn(page, family)?.series)
    if (last === undefined || last.version !== meta.version || !sameSeries(last.series, series)) {
      last = { layout: layOut(page, meta.version, notExposed), series, version: meta.version }
    }
    return readServer(id, page, meta, { ...last, requests: timesOf(page) })
  }
}

type SeriesOfFamilies = readonly (readonly Series[] | undefined)[]

/** Whether two pages have identical series. Parsers intern series, so comparing identity is enough. */
function sameSeries(a: SeriesOfFamilies, b: SeriesOfFamilies): boolean {
  return a.every((before, family) => {
    const now = b[family]
    if (before === now) return true
    if (before === undefined || now === undefined || before.length !== now.length) return false
    for (let i = 0; i < now.length; i++) if (before[i] !== now[i]) return false
    return true
  })
}

type Values = ArrayLike<number> | undefined
/** Values of each family of the current page, and whether the server has the family. */
interface Reading {
  readonly values: Readonly<Record<FamilyKey, Values>>
  readonly layout: Layout
}

interface Read {
  readonly layout: Layout
  readonly requests: RequestTimes | undefined
}

function readServer(id: string, page: Page, meta: PageMeta, { layout, requests }: Read): ServerFrame {
  const values = recordOf<FamilyKey, Values>(FAMILY_KEYS, (family) => familyIn(page, family)?.values)
  const reading: Reading = { values, layout }
  return {
    id,
    at: meta.at,
    version: layout.version,
    startedAt: reported(reading, 'startedAt', layout.startedAt),
    seatFairFrac: reported(reading, 'seatFairFrac', layout.seatFairFrac),
    inFlight: readKinds(reading, 'inFlightByKind', layout.inFlight),
    inQueue: readKinds(reading, 'inQueueByKind', layout.inQueue),
    executingByKind: readKindRatios(reading, layout.executingByKind),
    waitingByKind: readKindRatios(reading, layout.waitingByKind),
    requests,
    levels: layout.levels.map((level) => readLevel(reading, level)),
    missing: [...layout.missing],
    acquisition: meta.acquisition,
  }
}

const readKinds = (reading: Reading, family: FamilyKey, at: KindsLayout | undefined): Kinds | undefined =>
  at && { readOnly: reported(reading, family, at.readOnly), mutating: reported(reading, family, at.mutating) }

const readKindRatios = (reading: Reading, at: KindRatiosLayout | undefined): KindRatios | undefined =>
  at && {
    readOnly: readHistogram(reading, 'kindUtilization', at.readOnly),
    mutating: readHistogram(reading, 'kindUtilization', at.mutating),
  }

function readLevel(reading: Reading, at: LevelLayout): LevelFrame {
  const schemas = at.schemas.map((schema) => readSchema(reading, schema))
  // A value that is not a number makes the sum unknown, not smaller.
  const sum = (family: Exclude<keyof NumbersLayout, 'rejected'>, of: (schema: SchemaFrame) => number | undefined) => {
    if (at.whole[family] >= 0) return reported(reading, family, at.whole[family])
    const total = schemas.reduce((so, schema) => so + (of(schema) ?? Number.NaN), 0)
    return reading.layout.available.has(family) && Number.isFinite(total) ? total : undefined
  }
  return {
    name: at.name,
    limits: {
      nominal: reported(reading, 'nominal', at.nominal),
      lower: reported(reading, 'lower', at.lower),
      upper: reported(reading, 'upper', at.upper),
      current: reported(reading, 'current', at.current),
    },
    seats: {
      executing: sum('executingSeats', ({ seats }) => seats.executing),
      queued: sum('queuedSeats', ({ seats }) => seats.queued),
    },
    requests: {
      executing: sum('executingRequests', ({ requests }) => requests.executing),
      queued: sum('queuedRequests', ({ requests }) => requests.queued),
    },
    demand: {
      highWatermark: reported(reading, 'highWatermark', at.highWatermark),
      average: reported(reading, 'average', at.average),
      stdev: reported(reading, 'stdev', at.stdev),
      smoothed: reported(reading, 'smoothed', at.smoothed),
      target: reported(reading, 'target', at.target),
    },
    dispatched: sum('dispatched', ({ dispatched }) => dispatched),
    rejected: at.whole.rejected.some((one) => one >= 0)
      ? readRejected(reading, at.whole.rejected)
      : reading.layout.available.has('rejected')
        ? sumRejected(schemas)
        : undefined,
    noAccommodation: sum('noAccommodation', ({ noAccommodation }) => noAccommodation),
    virtualTime: readVirtualTime(reading, at),
    seatUtilization: readHistogram(reading, 'seatUtilization', at.seatUtilization),
    demandRatio: readHistogram(reading, 'demandRatio', at.demandRatio),
    executingUtilization: readHistogram(reading, 'requestUtilization', at.executingUtilization),
    waitingUtilization: readHistogram(reading, 'requestUtilization', at.waitingUtilization),
    schemas,
  }
}

function readSchema(reading: Reading, at: SchemaLayout): SchemaFrame {
  return {
    name: at.name,
    dispatched: sinceFirstEvent(reading, 'dispatched', at.dispatched),
    rejected: readRejected(reading, at.rejected),
    seats: readOccupancy(reading, 'executingSeats', at.executingSeats, 'queuedSeats', at.queuedSeats),
    requests: readOccupancy(reading, 'executingRequests', at.executingRequests, 'queuedRequests', at.queuedRequests),
    noAccommodation: sinceFirstEvent(reading, 'noAccommodation', at.noAccommodation),
    wait: readHistogram(reading, 'wait', at.wait),
    waitRejected: readHistogram(reading, 'wait', at.waitRejected),
    execution: readHistogram(reading, 'execution', at.execution),
    executionWatch: readHistogram(reading, 'execution', at.executionWatch),
    queueLength: readHistogram(reading, 'queueLength', at.queueLength),
    estimatedSeats: readHistogram(reading, 'estimatedSeats', at.estimatedSeats),
    watchCount: readHistogram(reading, 'watchCount', at.watchCount),
  }
}

function readRejected(reading: Reading, at: NumbersLayout['rejected']): SchemaFrame['rejected'] {
  if (!reading.layout.available.has('rejected')) return undefined
  const [queueFull = -1, concurrencyLimit = -1, timeOut = -1, cancelled = -1] = at
  return {
    'queue-full': sinceFirstEvent(reading, 'rejected', queueFull) ?? 0,
    'concurrency-limit': sinceFirstEvent(reading, 'rejected', concurrencyLimit) ?? 0,
    'time-out': (sinceFirstEvent(reading, 'rejected', timeOut) ?? 0) + (reported(reading, 'rejected', cancelled) ?? 0),
  }
}

const readOccupancy = (
  reading: Reading,
  executing: FamilyKey,
  executingAt: At,
  queued: FamilyKey,
  queuedAt: At,
): Occupancy => ({
  executing: sinceFirstEvent(reading, executing, executingAt),
  queued: sinceFirstEvent(reading, queued, queuedAt),
})

/** Present only where the level has an R: without it, nothing is available about its queuing. */
function readVirtualTime(reading: Reading, at: LevelLayout): VirtualTime | undefined {
  const currentR = reported(reading, 'currentR', at.currentR)
  if (currentR === undefined) return undefined
  return {
    currentR,
    dispatchR: sinceFirstEvent(reading, 'dispatchR', at.dispatchR),
    latestS: sinceFirstEvent(reading, 'latestS', at.latestS),
    nextSMin: sinceFirstEvent(reading, 'nextS', at.nextS.min),
    nextSMax: sinceFirstEvent(reading, 'nextS', at.nextS.max),
    nextDiscountedSMin: sinceFirstEvent(reading, 'nextDiscountedS', at.nextDiscountedS.min),
    nextDiscountedSMax: sinceFirstEvent(reading, 'nextDiscountedS', at.nextDiscountedS.max),
    epochs: sumOf(at.epochs.map((one) => sinceFirstEvent(reading, 'epochs', one))),
  }
}

const sumOf = (values: readonly (number | undefined)[]): number | undefined =>
  values.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0)

/** The value on the page, or `undefined`. */
function reported({ values }: Reading, family: FamilyKey, at: At): number | undefined {
  const value = at < 0 ? undefined : values[family]?.[at]
  return value !== undefined && Number.isFinite(value) ? value : undefined
}

/** Like `reported`, but a series that its first event has not created yet reads as 0. */
function sinceFirstEvent(reading: Reading, family: FamilyKey, at: At): number | undefined {
  if (at >= 0) return reported(reading, family, at)
  return reading.layout.available.has(family) ? 0 : undefined
}

/** Absent until the first observation, and if any part of it is not a number. */
function readHistogram({ values }: Reading, family: FamilyKey, at: HistogramLayout | undefined): Histogram | undefined {
  const from = values[family]
  if (at === undefined || from === undefined) return undefined
  const { buckets, bounds } = at
  const counts: number[] = []
  const sum = from[at.sum] ?? Number.NaN
  const count = from[at.count] ?? Number.NaN
  let finite = Number.isFinite(sum) && Number.isFinite(count)
  for (const bucket of buckets) {
    const value = from[bucket] ?? Number.NaN
    finite &&= Number.isFinite(value)
    counts.push(value)
  }
  return finite ? { bounds, counts, sum, count } : undefined
}
