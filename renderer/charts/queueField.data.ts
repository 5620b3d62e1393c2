import { format } from '../theme/format.ts'
import type { DumpQueue } from '../../core/frame/dump.ts'

/** The unit of a queue's waiting work. */
export const QUEUE_UNITS = ['requests', 'seats', 'seat-seconds'] as const
export type QueueUnit = (typeof QUEUE_UNITS)[number]

/** One queue of a level as it is drawn. */
export interface QueueCell {
  readonly index: number
  /** Waiting work in the chosen unit. */
  readonly waiting: number
  readonly pending: number
  readonly executingRequests: number
  /** Seats held by executing requests of this queue. */
  readonly executingSeats: number
}

export interface QueueFieldData {
  /** By index from 0; an index that is not in the dump is an empty queue. */
  readonly cells: readonly QueueCell[]
  readonly unit: QueueUnit
  readonly waitingMax: number
  readonly executingMax: number
  readonly waitingTotal: number
  /** Requests, regardless of the unit. */
  readonly pendingTotal: number
  readonly nonEmpty: number
}

/** What is marked in a queue field besides what it holds. */
export interface QueueMarks {
  /** Queues of the chosen flow; in the order in which they were dealt, when they are a hand. */
  readonly hand: readonly number[]
  /** Whether `hand` is the flow's hand; otherwise the queues in which it was seen, a part of its hand. */
  readonly dealt: boolean
  /** The hand of a flow to compare with. */
  readonly second: readonly number[]
  /** Maximum number of requests that may wait in one queue; `undefined` when not known. */
  readonly lengthLimit: number | undefined
}

/** By queue: its place in the deal, from 1; 0 for every queue of a flow whose hand is not known. */
export const places = ({ hand, dealt }: Pick<QueueMarks, 'hand' | 'dealt'>): ReadonlyMap<number, number> =>
  new Map(hand.map((queue, i) => [queue, dealt ? i + 1 : 0]))

/** The length limit in the unit of the field; it only applies to requests. */
const limitIn = (unit: QueueUnit, lengthLimit: number | undefined): number | undefined =>
  unit === 'requests' ? lengthLimit : undefined

/** Share of the length limit from which on the scale includes the limit. */
const NEAR_LIMIT = 1 / 16

/** Top of the scale of the bars: the fullest queue, and the limit unless every queue is far below it. */
export function barsTop({ unit, waitingMax }: QueueFieldData, lengthLimit: number | undefined): number {
  const limit = limitIn(unit, lengthLimit)
  return limit !== undefined && waitingMax >= limit * NEAR_LIMIT ? Math.max(waitingMax, limit) : waitingMax
}

/** The amount of the deepest shade of the grid: a full queue, where the length limit is known. */
export const gridTop = ({ unit, waitingMax }: QueueFieldData, lengthLimit: number | undefined): number =>
  Math.max(waitingMax, limitIn(unit, lengthLimit) ?? 0)

/** Queues into which no further request fits. */
export const fullQueues = (cells: readonly QueueCell[], lengthLimit: number | undefined): number =>
  lengthLimit === undefined ? 0 : cells.filter(({ pending }) => pending >= lengthLimit).length

/** Why more requests wait in a queue than its length limit allows, if that is the case (specification 4.5). */
export function overfullNote({ cells }: QueueFieldData, lengthLimit: number | undefined): string | undefined {
  if (lengthLimit === undefined) return undefined
  const [longest] = cells.filter(({ pending }) => pending > lengthLimit).toSorted((a, b) => b.pending - a.pending)
  if (longest === undefined) return undefined
  return `Queue ${longest.index} contains ${format.counted(longest.pending, 'request')} with a length limit of ${format.fixed(lengthLimit)}. The server checks the limit when a request arrives, and rejects it only if all seats of the level are taken. Either seats were free then, but too few for the request at the head of the queue, or the limit was lowered since.`
}

function waitingOf(queue: DumpQueue, unit: QueueUnit): number {
  switch (unit) {
    case 'requests':
      return queue.pending
    case 'seats':
      return queue.maxSeats
    case 'seat-seconds':
      return queue.totalWork ?? 0
  }
}

/** Maximum number of queues that are drawn; further ones are left out, and the field reports that. */
export const QUEUES_DRAWN = 4_096

export function queueFieldData(queues: readonly DumpQueue[], unit: QueueUnit): QueueFieldData {
  const size = Math.min(
    QUEUES_DRAWN,
    queues.reduce((max, queue) => Math.max(max, queue.index + 1), 0),
  )
  const cells: QueueCell[] = Array.from({ length: size }, (_, index) => ({
    index,
    waiting: 0,
    pending: 0,
    executingRequests: 0,
    executingSeats: 0,
  }))
  for (const queue of queues) {
    if (queue.index < 0 || queue.index >= size) continue
    cells[queue.index] = {
      index: queue.index,
      waiting: waitingOf(queue, unit),
      pending: queue.pending,
      executingRequests: queue.executing,
      executingSeats: queue.seatsInUse,
    }
  }
  let [waitingMax, executingMax, waitingTotal, pendingTotal, nonEmpty] = [0, 0, 0, 0, 0]
  for (const cell of cells) {
    waitingMax = Math.max(waitingMax, cell.waiting)
    executingMax = Math.max(executingMax, cell.executingSeats)
    waitingTotal += cell.waiting
    pendingTotal += cell.pending
    if (cell.pending > 0 || cell.executingRequests > 0) nonEmpty += 1
  }
  return { cells, unit, waitingMax, executingMax, waitingTotal, pendingTotal, nonEmpty }
}

/** Up to this many queues are drawn as bars; beyond it a grid shows more. */
export const BARS_AT_MOST = 256

export type QueueLayout =
  | {
      readonly kind: 'bars'
      readonly left: number
      readonly barWidth: number
      readonly count: number
      /** Baseline between waiting (above) and executing (below). */
      readonly middle: number
      readonly up: number
      readonly down: number
    }
  | {
      readonly kind: 'grid'
      readonly left: number
      readonly top: number
      readonly columns: number
      readonly rows: number
      readonly cellWidth: number
      readonly cellHeight: number
      readonly count: number
    }

export interface CanvasSize {
  readonly width: number
  readonly height: number
}

const AXIS_WIDTH = 46
const RIGHT_EDGE = 12
const NUMBERS_HEIGHT = 18
/** Above the bars, for the places of queues in a hand. */
const TOP_EDGE = 20

export function barsLayout(count: number, size: CanvasSize): QueueLayout {
  const space = Math.max(1, size.width - AXIS_WIDTH - RIGHT_EDGE)
  const middle = Math.round((size.height - NUMBERS_HEIGHT) * 0.62)
  return {
    kind: 'bars',
    left: AXIS_WIDTH,
    barWidth: space / Math.max(1, count),
    count,
    middle,
    up: middle - TOP_EDGE,
    down: Math.max(1, size.height - NUMBERS_HEIGHT - middle - 4),
  }
}

/** Columns of a grid: powers of two, so that every row starts at a round index. */
export function gridColumns(count: number, size: CanvasSize): number {
  const ideal = Math.sqrt((count * Math.max(1, size.width)) / Math.max(1, size.height))
  const power = 2 ** Math.round(Math.log2(Math.max(1, ideal)))
  return Math.min(Math.max(1, count), Math.min(128, Math.max(8, power)))
}

export function gridLayout(count: number, size: CanvasSize): QueueLayout {
  const columns = gridColumns(count, size)
  const rows = Math.max(1, Math.ceil(count / columns))
  return {
    kind: 'grid',
    left: AXIS_WIDTH,
    top: 16,
    columns,
    rows,
    cellWidth: Math.max(1, size.width - AXIS_WIDTH - RIGHT_EDGE) / columns,
    cellHeight: Math.max(1, size.height - 16 - 2) / rows,
    count,
  }
}

/** Rectangle of one queue, CSS pixels. */
export function queueRect(layout: QueueLayout, index: number, size: CanvasSize) {
  if (layout.kind === 'bars') {
    return { x: layout.left + index * layout.barWidth, y: 0, width: layout.barWidth, height: size.height }
  }
  return {
    x: layout.left + (index % layout.columns) * layout.cellWidth,
    y: layout.top + Math.floor(index / layout.columns) * layout.cellHeight,
    width: layout.cellWidth,
    height: layout.cellHeight,
  }
}

/** The queue at a point, by arithmetic; `undefined` outside the drawing. */
export function queueAt(layout: QueueLayout, x: number, y: number): number | undefined {
  const inside = (index: number): number | undefined => (index >= 0 && index < layout.count ? index : undefined)
  if (layout.kind === 'bars')
    return x < layout.left ? undefined : inside(Math.floor((x - layout.left) / layout.barWidth))
  const column = Math.floor((x - layout.left) / layout.cellWidth)
  const row = Math.floor((y - layout.top) / layout.cellHeight)
  if (column < 0 || column >= layout.columns || row < 0 || row >= layout.rows) return undefined
  return inside(row * layout.columns + column)
}

/** The next queue in a direction with waiting or executing requests; the same one when there is none. */
export function nextNonEmpty(cells: readonly QueueCell[], from: number | undefined, step: 1 | -1): number | undefined {
  const start = from ?? (step === 1 ? -1 : cells.length)
  for (let i = start + step; i >= 0 && i < cells.length; i += step) {
    const cell = cells[i]
    if (cell !== undefined && (cell.pending > 0 || cell.executingRequests > 0)) return i
  }
  return from
}

/** Screen reader text of one queue; `place` as in `places`, `undefined` outside the hand. */
export function queueText(cell: QueueCell, place: number | undefined): string {
  const waiting = format.counted(cell.pending, 'request waiting', 'requests waiting')
  const seats = format.counted(cell.executingSeats, 'seat executing', 'seats executing')
  const hand =
    place === undefined
      ? ''
      : place === 0
        ? ', seen with the chosen flow'
        : `, number ${place} of the chosen flow’s hand`
  return `queue ${cell.index}, ${waiting}, ${seats}${hand}`
}

export interface DepthBin {
  readonly label: string
  readonly from: number
  /** Inclusive. */
  readonly to: number
  readonly queues: number
}

/** How many queues hold how much, on a scale that doubles: 0, 1, 2, 3–4, 5–8, … up to the fullest. */
export function depthBins(cells: readonly QueueCell[]): readonly DepthBin[] {
  const max = cells.reduce((most, cell) => Math.max(most, cell.pending), 0)
  const edges: [number, number][] = [
    [0, 0],
    [1, 1],
    [2, 2],
  ]
  for (let to = 4; (edges.at(-1)?.[1] ?? 0) < max; to *= 2) edges.push([to / 2 + 1, to])
  return edges.map(([from, to]) => ({
    label: from === to ? String(from) : `${from}–${to}`,
    from,
    to,
    queues: cells.filter((cell) => cell.pending >= from && cell.pending <= to).length,
  }))
}
