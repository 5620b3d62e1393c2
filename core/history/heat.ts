import type { Histogram, ServerFrame } from '../frame/frame.ts'
import { sameBounds } from '../frame/quantile.ts'
import { flowKey, indexFrame } from '../frame/rates.ts'
import type { HeatMap } from './series.ts'

const HEAT_KINDS = ['wait', 'execution'] as const
type HeatKind = (typeof HEAT_KINDS)[number]

export interface HeatQuery {
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
  /** `before` is the frame that this one follows; without it nothing is known of what was gained since. */
  append(at: number, frame: ServerFrame, before: ServerFrame | undefined): void
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
export function createHeat(): Heat {
  const stores = { wait: createStore(), execution: createStore() }
  /** Number of each cell that had a sample, by its place in the ring. */
  const sampled = new Int32Array(CELLS).fill(-1)

  return {
    append(at, frame, before) {
      const cell = Math.ceil(at / CELL_MS)
      const earlier = before && indexFrame(before).schemas
      for (const [flow, schema] of indexFrame(frame).schemas) {
        for (const kind of HEAT_KINDS) {
          const histogram = schema[kind]
          if (histogram === undefined) continue
          stores[kind].noteBounds(histogram.bounds)
          if (earlier !== undefined) stores[kind].add(flow, cell, histogram, earlier.get(flow)?.[kind])
        }
      }
      // The place of an older cell may hold a newer one already.
      if (before !== undefined && (sampled[cell % CELLS] ?? -1) < cell) sampled[cell % CELLS] = cell
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
      if ((found.cellNumbers[slot] ?? -1) > cell) return
      if (found.cellNumbers[slot] !== cell) {
        found.cellNumbers[slot] = cell
        found.events.fill(0, slot * buckets, (slot + 1) * buckets)
      }
      found.lastCell = Math.max(found.lastCell, cell)
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
