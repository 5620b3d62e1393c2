import type { Histogram, ServerFrame } from '../frame/frame.ts'
import { sameBounds } from '../frame/quantile.ts'
import { flowKey, flowOf, indexFrame } from '../frame/rates.ts'
import type { HeatMap } from './series.ts'

export const HEAT_KINDS = ['wait', 'execution'] as const
export type HeatKind = (typeof HEAT_KINDS)[number]

export interface HeatQuery {
  readonly level: string
  /** Absent: the sum over the level's schemas. */
  readonly schema?: string | undefined
  readonly kind: HeatKind
  /** Unix milliseconds, both included. */
  readonly from: number
  readonly to: number
}

const CELL_MS = 10_000
const CELLS = 360
/** Flows whose events are kept per kind; beyond that the one idle for longest is dropped. */
const MAX_FLOWS = 128

/** The increase of one flow in some cells: the number of each cell, then events by bucket. */
export interface FlowHeat {
  readonly kind: HeatKind
  readonly level: string
  readonly schema: string
  readonly bounds: readonly number[]
  readonly cells: readonly (readonly number[])[]
}

/** The data of a time span, for all flows: the input of the heat maps of any of them. */
export interface HeatStretch {
  /** Numbers of the cells that had a sample. */
  readonly sampled: readonly number[]
  readonly flows: readonly FlowHeat[]
}

interface Heat {
  /** `before` is the previous frame; without it the increase is unknown. */
  append(at: number, frame: ServerFrame, before: ServerFrame | undefined): void
  /** Removes everything at or after an instant, for when the clock stepped back to it. */
  truncate(from: number): void
  query(query: HeatQuery): HeatMap
  /** For the cells that contain some of the time between two instants. */
  between(from: number, to: number): HeatStretch
}

/**
 * Events per histogram bucket in cells of 10 s for an hour: what each flow's wait and execution histograms gained
 * between two frames, assigned to the cell of the later frame. The increase over a gap or a restart is left out, as its
 * time is unknown.
 *
 * Memory: a flow takes 360 cells × (14 buckets + 1) × 4 bytes = 22 kB per kind once it had an event; at most 128 flows
 * per kind: 5.5 MB.
 */
export function createHeat(): Heat {
  const stores = { wait: createStore(), execution: createStore() }
  /** Number of each cell that had a sample, by its position in the ring. */
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
      // The position of an older cell may already contain a newer one.
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
    between(from, to) {
      const [first, last] = [Math.ceil(from / CELL_MS), Math.ceil(to / CELL_MS)]
      return {
        sampled: [...sampled].filter((cell) => cell >= first && cell <= last).toSorted((a, b) => a - b),
        flows: HEAT_KINDS.flatMap((kind) => stores[kind].between(first, last).map((flow) => ({ kind, ...flow }))),
      }
    },
  }
}

/** Cells of the widest heat map; more could not be distinguished. */
const MOST_CELLS = 720
/** Cells that are drawn as one; if they are several, they divide a minute and an hour evenly. */
const MERGED = [1, 6, 12, 30, 60, 180, 360]

/**
 * The heat map of a level or a flow from stretches of any recording, `stretches` of its level and kind at least. If two
 * contain the same cell of a flow, the one that covers more of it counts. Long ranges are drawn in wider cells.
 */
export function heatMapOf({ level, schema, kind, from, to }: HeatQuery, stretches: readonly HeatStretch[]): HeatMap {
  const flows = stretches
    .flatMap((stretch) => stretch.flows)
    .filter((flow) => flow.kind === kind && flow.level === level && (schema === undefined || flow.schema === schema))
  // Other buckets, as before an upgrade of the server, cannot be drawn together with the newest.
  const newest = flows.reduce<FlowHeat | undefined>(
    (last, flow) => (endOf(flow) >= endOf(last) ? flow : last),
    undefined,
  )
  const bounds = newest?.bounds ?? []
  const most = new Map<string, readonly number[]>()
  for (const flow of flows.filter((one) => sameBounds(one.bounds, bounds))) {
    for (const [cell = 0, ...events] of flow.cells) {
      const key = `${cell} ${flow.schema}`
      if (sumOf(events) >= sumOf(most.get(key) ?? [])) most.set(key, events)
    }
  }
  const byCell = Map.groupBy(most, ([key]) => Number.parseInt(key, 10))
  const sampled = new Set(stretches.flatMap((stretch) => stretch.sampled))
  const wanted = (to - from) / CELL_MS / MOST_CELLS
  const merged = MERGED.find((count) => count >= wanted) ?? Math.ceil(wanted)
  const last = Math.min(
    Math.ceil(to / CELL_MS),
    sampled.size === 0 ? -1 : [...sampled].reduce((a, b) => Math.max(a, b)),
  )
  const times: number[] = []
  const cells: (number[] | null)[] = []
  for (let group = Math.max(0, Math.ceil(Math.ceil(from / CELL_MS) / merged)); (group - 1) * merged < last; group++) {
    const inside = Array.from({ length: merged }, (_, index) => (group - 1) * merged + index + 1)
    times.push(group * merged * CELL_MS)
    const known = inside.filter((cell) => sampled.has(cell))
    const events = known.flatMap((cell) => byCell.get(cell) ?? []).map(([, counts]) => counts)
    cells.push(
      known.length === 0 ? null : Array.from({ length: bounds.length + 1 }, (_, bucket) => sumAt(events, bucket)),
    )
  }
  return { stepSeconds: (merged * CELL_MS) / 1_000, times, bounds: [...bounds], cells }
}

/** The cells of a stretch that have ended at an instant. */
export function stretchUntil({ sampled, flows }: HeatStretch, at: number): HeatStretch {
  const isOver = (cell: number): boolean => cell * CELL_MS <= at
  return {
    sampled: sampled.filter(isOver),
    flows: flows.map((flow) => ({ ...flow, cells: flow.cells.filter(([cell = 0]) => isOver(cell)) })),
  }
}

const endOf = (flow: FlowHeat | undefined): number => flow?.cells.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY
const sumOf = (events: readonly number[]): number => events.reduce((sum, count) => sum + count, 0)
const sumAt = (all: readonly (readonly number[])[], bucket: number): number =>
  all.reduce((sum, events) => sum + (events[bucket] ?? 0), 0)

function forgetFrom(cellNumbers: Int32Array, cell: number): void {
  for (let i = 0; i < cellNumbers.length; i++) if ((cellNumbers[i] ?? -1) >= cell) cellNumbers[i] = -1
}

/** Events of one flow by cell and bucket; `cellNumbers` maps a position of the ring to its cell. */
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
    /**
     * Other buckets, as after an upgrade of the server, cannot be drawn together with the old ones: those are dropped.
     */
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
    between(first: number, last: number): Omit<FlowHeat, 'kind'>[] {
      const buckets = bounds.length + 1
      return [...flows].flatMap(([flow, { events, cellNumbers }]) => {
        const found = [...cellNumbers].flatMap((cell, slot) =>
          cell >= first && cell <= last ? [[cell, ...events.subarray(slot * buckets, (slot + 1) * buckets)]] : [],
        )
        return found.length === 0
          ? []
          : [{ ...flowOf(flow), bounds, cells: found.toSorted(([a = 0], [b = 0]) => a - b) }]
      })
    },
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
