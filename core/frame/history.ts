import { unixMsOf } from '../units.ts'
import { levelRow, queryRing, createRing, type Point } from './ring.ts'
import { GAP_INTERVALS } from './derive.ts'
import type { ServerFrame, Histogram, SchemaFrame } from './frame.ts'
import type { HeatMap, Series } from './series.ts'
import { sameBounds } from './quantile.ts'
import type { DerivedServer } from './derived.ts'
import { flowKey } from './rates.ts'

export interface SeriesQuery {
  /** Unix milliseconds, both included. */
  readonly from: number
  readonly to: number
  readonly maxPoints: number
}

/** What is remembered of one server. */
export interface History {
  append(frame: ServerFrame, derived: DerivedServer): void
  series(query: SeriesQuery): Series
  heatMap(query: HeatQuery): HeatMap
}

/** Every sample for the last 20 min at one a second, 10 s steps for 6 h, minutes for 24 h. */
const TIERS = [
  { stepMs: 0, capacity: 1_200 },
  { stepMs: 10_000, capacity: 2_160 },
  { stepMs: 60_000, capacity: 1_440 },
] as const

const INTERVALS = 5

/**
 * History of one server in rings of fixed size.
 *
 * Memory: a level takes 4,800 rows × 23 columns × 4 bytes = 0.44 MB, so three servers with 30 levels take 40 MB; heat
 * maps (see `createHeat`) at most 5.5 MB per server: 56 MB in all. A level that was not
 * seen for a whole ring is forgotten, and so is the one that was not seen for longest when there are more than 160.
 *
 * A frame that repeats the one before adds nothing. When the clock steps back, what it had already reached is
 * forgotten, so that times always ascend. More than three usual intervals without a sample become a null point.
 */
export function createHistory(): History {
  const rings = TIERS.map(createRing)
  const heat = createHeat()
  let server = ''
  let lastAt: number | undefined
  let intervals: readonly number[] = []

  const usualInterval = (): number | undefined => intervals.toSorted((a, b) => a - b)[intervals.length >>> 1]

  const noteTime = (at: number): void => {
    if (lastAt !== undefined) {
      const interval = at - lastAt
      const usual = usualInterval()
      for (const ring of rings) {
        if (usual !== undefined && interval > Math.max(GAP_INTERVALS * usual, ring.stepMs)) ring.addGap(lastAt + usual)
      }
      intervals = [...intervals, interval].slice(-INTERVALS)
    }
    lastAt = at
  }

  return {
    append(frame, derived) {
      const at = unixMsOf(frame.at)
      if (Number.isNaN(at) || derived.noRates === 'duplicate') return
      server = frame.id
      if (lastAt !== undefined && at <= lastAt) {
        for (const ring of rings) ring.truncate(at)
        heat.truncate(at)
        lastAt = undefined
      }
      noteTime(at)
      const point = toPoint(at, frame, derived)
      for (const ring of rings) ring.add(point)
      heat.append(at, frame, derived.noRates)
    },
    series({ from, to, maxPoints }) {
      const chosen =
        rings.find((ring) => {
          const { first, end } = ring.rows()
          return first === 0 || (first < end && ring.timeOf(first) <= from)
        }) ?? rings.at(-1)
      if (chosen === undefined) return { server, stepSeconds: 1, times: [], fairFrac: [], levels: [] }
      const naturalMs = Math.max(chosen.stepMs, usualInterval() ?? 1_000)
      return { server, ...queryRing(chosen, { from, to, maxPoints, naturalMs }) }
    },
    heatMap: (query) => heat.query(query),
  }
}

function toPoint(at: number, frame: ServerFrame, derived: DerivedServer): Point {
  const derivedLevels = new Map(derived.levels.map((level) => [level.name, level]))
  return {
    at,
    fairFrac: frame.seatFairFrac ?? Number.NaN,
    levels: new Map(frame.levels.map((level) => [level.name, levelRow(level, derivedLevels.get(level.name))])),
  }
}

const HEAT_KINDS = ['wait', 'execution'] as const
type HeatKind = (typeof HEAT_KINDS)[number]

interface HeatQuery {
  readonly level: string
  /** Absent sums over the level's schemas. */
  readonly schema?: string | undefined
  readonly kind: HeatKind
  /** Unix milliseconds, both included. */
  readonly from: number
  readonly to: number
}

const CELL_MS = 10_000
const CELLS = 360
/** Flows of which events are kept per kind; beyond that the one idle for longest makes room. */
const MAX_FLOWS = 128

interface Heat {
  append(at: number, frame: ServerFrame, noRates: DerivedServer['noRates']): void
  /** Forgets everything at or after an instant, for when the clock stepped back to it. */
  truncate(from: number): void
  query(query: HeatQuery): HeatMap
}

/**
 * Events per histogram bucket in cells of 10 s for an hour: what each flow's wait and execution histograms gained
 * between two frames, put where the later frame lies. What was gained over a gap or a restart is left out, as its time
 * is not known.
 *
 * Memory: a flow takes 360 cells × (14 buckets + 1) × 4 bytes = 22 kB per kind once it had an event; at most 128 flows
 * per kind: 5.5 MB.
 */
function createHeat(): Heat {
  const stores = { wait: createStore(), execution: createStore() }
  /** Number of each cell that had a sample, by its place in the ring. */
  const sampled = new Int32Array(CELLS).fill(-1)
  let previous: ReadonlyMap<string, SchemaFrame> | undefined

  return {
    append(at, frame, noRates) {
      const cell = Math.ceil(at / CELL_MS)
      const flows = new Map<string, SchemaFrame>()
      for (const level of frame.levels) {
        for (const schema of level.schemas) flows.set(flowKey(level.name, schema.name), schema)
      }
      for (const kind of HEAT_KINDS) {
        for (const [flow, schema] of flows) {
          const histogram = schema[kind]
          if (histogram === undefined) continue
          stores[kind].noteBounds(histogram.bounds)
          if (noRates === undefined && previous !== undefined) {
            stores[kind].add(flow, cell, histogram, previous.get(flow)?.[kind])
          }
        }
      }
      if (noRates === undefined) sampled[cell % CELLS] = cell
      previous = flows
    },
    truncate(from) {
      const cell = Math.ceil(from / CELL_MS)
      forgetFrom(sampled, cell)
      for (const kind of HEAT_KINDS) stores[kind].truncate(cell)
    },
    query({ level, schema, kind, from, to }) {
      const store = stores[kind]
      const matching = store.find(flowKey(level, schema ?? ''), schema === undefined)
      const newest = sampled.reduce((a, b) => Math.max(a, b), -1)
      const times: number[] = []
      const cells: (number[] | null)[] = []
      const start = Math.max(Math.ceil(from / CELL_MS), newest - CELLS + 1, 0)
      for (let cell = start; cell <= Math.min(Math.ceil(to / CELL_MS), newest); cell++) {
        times.push(cell * CELL_MS)
        cells.push(sampled[cell % CELLS] === cell ? store.sum(matching, cell) : null)
      }
      return { stepSeconds: CELL_MS / 1_000, times, bounds: [...store.bounds()], cells }
    },
  }
}

/** Unsets the cell numbers from `cell` on. */
function forgetFrom(cellNumbers: Int32Array, cell: number): void {
  for (let i = 0; i < cellNumbers.length; i++) if ((cellNumbers[i] ?? -1) >= cell) cellNumbers[i] = -1
}

/** Events of one flow by cell and bucket; `cellNumbers` tells which cell a place of the ring holds. */
interface FlowCells {
  readonly events: Float32Array
  readonly cellNumbers: Int32Array
  lastCell: number
}

function createStore() {
  const flows = new Map<string, FlowCells>()
  let bounds: readonly number[] = []

  const flowCells = (flow: string, cell: number): FlowCells => {
    const found = flows.get(flow)
    if (found !== undefined) return found
    if (flows.size >= MAX_FLOWS) {
      const [idlest] = [...flows].reduce((a, b) => (b[1].lastCell < a[1].lastCell ? b : a))
      flows.delete(idlest)
    }
    const made = {
      events: new Float32Array(CELLS * (bounds.length + 1)),
      cellNumbers: new Int32Array(CELLS).fill(-1),
      lastCell: cell,
    }
    flows.set(flow, made)
    return made
  }

  return {
    bounds: () => bounds,
    /** Other buckets, as after an upgrade of the server, cannot be drawn beside the old ones: those are forgotten. */
    noteBounds(now: readonly number[]): void {
      if (sameBounds(bounds, now)) return
      bounds = now
      flows.clear()
    },
    truncate(cell: number): void {
      for (const { cellNumbers } of flows.values()) forgetFrom(cellNumbers, cell)
    },
    add(flow: string, cell: number, later: Histogram, earlier: Histogram | undefined): void {
      if (later.count === (earlier?.count ?? 0)) return
      const found = flowCells(flow, cell)
      const buckets = bounds.length + 1
      const slot = cell % CELLS
      if (found.cellNumbers[slot] !== cell) {
        found.cellNumbers[slot] = cell
        found.events.fill(0, slot * buckets, (slot + 1) * buckets)
      }
      found.lastCell = cell
      let below = 0
      for (let bucket = 0; bucket < buckets; bucket++) {
        const upTo = (later.counts[bucket] ?? 0) - (earlier?.counts[bucket] ?? 0)
        const at = slot * buckets + bucket
        found.events[at] = (found.events[at] ?? 0) + Math.max(0, upTo - below)
        below = upTo
      }
    },
    /** Flows whose key is, or with `prefix` begins with, the given one. */
    find: (key: string, prefix: boolean): FlowCells[] =>
      [...flows].filter(([flow]) => (prefix ? flow.startsWith(key) : flow === key)).map(([, cells]) => cells),
    sum(chosen: readonly FlowCells[], cell: number): number[] {
      const buckets = bounds.length + 1
      const slot = cell % CELLS
      const total = Array.from<number>({ length: buckets }).fill(0)
      for (const { events, cellNumbers } of chosen) {
        if (cellNumbers[slot] !== cell) continue
        for (let bucket = 0; bucket < buckets; bucket++) {
          total[bucket] = (total[bucket] ?? 0) + (events[slot * buckets + bucket] ?? 0)
        }
      }
      return total
    },
  }
}
