import { format } from '../theme/format.ts'
import type { TokenReader, Size } from './plot.tsx'
import {
  barsTop,
  type QueueFieldData,
  type QueueLayout,
  type QueueMarks,
  gridTop,
  type QueueCell,
} from './queueField.data.ts'
import { valueAxis } from '../../core/text/axis.ts'

/** Input of both shapes of the queue field. */
export interface QueueScene {
  readonly data: QueueFieldData
  readonly marks: QueueMarks
  /** For the queues of the chosen flow, by queue. */
  readonly places: ReadonlyMap<number, number>
  readonly size: Size
  /** The level's colour. */
  readonly color: string
  readonly read: TokenReader
}

type Bars = Extract<QueueLayout, { kind: 'bars' }>

export const labelFont = (read: TokenReader, weight = 400): string => `${weight} 11px ${read('--font-ui')}`

export const amountText = (unit: string, value: number): string => format.fixed(value, unit === 'seat-seconds' ? 2 : 0)

/** Dashes of the frame around queues of the second hand, pixels. */
export const DASHES = [3, 2]

/** Labels closer to each other than this would touch. */
const LABEL_GAP = 12

/** Waiting work upwards, executing seats downwards, one column per queue. */
export function paintBars(context: CanvasRenderingContext2D, layout: Bars, scene: QueueScene): void {
  const { data, marks, places, size, color, read } = scene
  const { left, barWidth, middle, up, down } = layout
  const axis = valueAxis(barsTop(data, marks.lengthLimit), 2, data.unit !== 'seat-seconds')
  const yOf = (waiting: number): number => middle - (waiting / axis.max) * up
  const limit = data.unit === 'requests' && (marks.lengthLimit ?? 0) <= axis.max ? marks.lengthLimit : undefined
  paintTicks(context, layout, scene, { ticks: axis.ticks, yOf, limit })
  const gap = barWidth > 4 ? 0.8 : barWidth > 2 ? 0.4 : 0
  const [queued, raised, quiet] = [read('--sem-queued'), read('--raised'), read('--line-strong')]
  const executingMax = Math.max(1, data.executingMax)
  for (const cell of data.cells) {
    const x = left + cell.index * barWidth
    const bright = places.has(cell.index)
    if (bright) {
      context.fillStyle = raised
      context.fillRect(x - 1, 2, barWidth + 2, size.height - 18)
    }
    const [bodyX, bodyWidth] = [x + gap, Math.max(1, barWidth - 2 * gap)]
    if (cell.pending === 0 && cell.executingRequests === 0) {
      context.fillStyle = quiet
      context.fillRect(bodyX, middle, bodyWidth, 1)
      continue
    }
    context.globalAlpha = bright || places.size === 0 ? 1 : 0.55
    const tall = middle - yOf(cell.waiting)
    context.fillStyle = queued
    if (cell.pending > 0) context.fillRect(bodyX, middle - Math.max(1, tall), bodyWidth, Math.max(1, tall))
    context.fillStyle = color
    const deep = (cell.executingSeats / executingMax) * down
    if (cell.executingSeats > 0) context.fillRect(bodyX, middle + 3, bodyWidth, Math.max(1, deep))
    context.globalAlpha = 1
  }
  if (limit !== undefined) paintLimit(context, layout, Math.round(yOf(limit)) + 0.5, read)
  paintSecondColumns(context, layout, scene)
  paintColumnNumbers(context, layout, scene)
}

function paintTicks(
  context: CanvasRenderingContext2D,
  { left, barWidth, count, middle, down }: Bars,
  { data, read }: QueueScene,
  scale: { ticks: readonly number[]; yOf: (waiting: number) => number; limit: number | undefined },
): void {
  const { ticks, yOf, limit } = scale
  const right = left + barWidth * count
  context.font = labelFont(read)
  context.textBaseline = 'alphabetic'
  context.textAlign = 'right'
  for (const tick of ticks) {
    const y = Math.round(yOf(tick)) + 0.5
    context.strokeStyle = read('--grid')
    context.beginPath()
    context.moveTo(left, y)
    context.lineTo(right, y)
    context.stroke()
    if (limit !== undefined && Math.abs(yOf(limit) - y) < LABEL_GAP) continue
    context.fillStyle = read('--axis')
    context.fillText(amountText(data.unit, tick), left - 6, y + 4)
  }
  if (data.executingMax > 0) {
    context.fillStyle = read('--axis')
    context.fillText(String(data.executingMax), left - 6, middle + 4 + down)
  }
  if (limit !== undefined) {
    context.font = labelFont(read, 600)
    context.fillStyle = read('--sem-rejected')
    context.fillText(String(limit), left - 6, yOf(limit) + 4)
  }
}

/** Above it requests are rejected. */
function paintLimit(
  context: CanvasRenderingContext2D,
  { left, barWidth, count }: Bars,
  y: number,
  read: TokenReader,
): void {
  context.strokeStyle = read('--sem-rejected')
  context.setLineDash([4, 3])
  context.beginPath()
  context.moveTo(left, y)
  context.lineTo(left + barWidth * count, y)
  context.stroke()
  context.setLineDash([])
}

function paintSecondColumns(
  context: CanvasRenderingContext2D,
  { left, barWidth }: Bars,
  { marks, size, read }: QueueScene,
): void {
  context.strokeStyle = read('--text-2')
  context.setLineDash(DASHES)
  for (const index of marks.second) {
    context.strokeRect(Math.round(left + index * barWidth) - 0.5, 2.5, Math.round(barWidth) + 1, size.height - 19)
  }
  context.setLineDash([])
}

/**
 * Below the columns of the chosen flow the numbers of its queues, above them their places in its hand. Numbers that
 * would touch are left out.
 */
function paintColumnNumbers(
  context: CanvasRenderingContext2D,
  { left, barWidth }: Bars,
  { places, size, read }: QueueScene,
): void {
  context.font = labelFont(read, 600)
  context.textAlign = 'center'
  const row = (y: number, gap: number, style: string, textOf: (index: number, place: number) => string): void => {
    context.fillStyle = style
    let freeFrom = Number.NEGATIVE_INFINITY
    for (const [index, place] of [...places].toSorted(([a], [b]) => a - b)) {
      const text = textOf(index, place)
      const half = context.measureText(text).width / 2
      const x = Math.min(size.width - half, Math.max(half, left + (index + 0.5) * barWidth))
      if (x - half < freeFrom) continue
      context.fillText(text, x, y)
      freeFrom = x + half + gap
    }
  }
  row(size.height - 3, 5, read('--text'), (index) => String(index))
  row(13, 1, read('--text-2'), (_, place) => (place === 0 ? '' : String(place)))
}

type Grid = Extract<QueueLayout, { kind: 'grid' }>

interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Shades of amber by waiting work; the faintest is still visible. */
const shade = (waiting: number, top: number): number => (top > 0 ? 0.18 + 0.82 * Math.min(1, waiting / top) : 0)

/** From this size on, a cell has room for marks over its shade. */
const ROOMY = 10

/**
 * One cell per queue: shade is waiting work, the bar at its bottom is executing seats. All cells get one layer before
 * the next: thousands of colour changes would cost more than the painting.
 */
export function paintGrid(context: CanvasRenderingContext2D, layout: Grid, scene: QueueScene): void {
  const { data, marks, color, read } = scene
  const { left, top, columns, cellWidth, cellHeight } = layout
  const roomy = cellWidth >= ROOMY && cellHeight >= ROOMY
  const inset = roomy ? 1 : 0.5
  const [width, height] = [cellWidth - 2 * inset, cellHeight - 2 * inset]
  const rectOf = (index: number): Rect => ({
    x: left + (index % columns) * cellWidth + inset,
    y: top + Math.floor(index / columns) * cellHeight + inset,
    width,
    height,
  })
  context.fillStyle = read('--surface')
  for (const { index } of data.cells) {
    const { x, y } = rectOf(index)
    context.fillRect(x, y, width, height)
  }
  const deepest = gridTop(data, marks.lengthLimit)
  context.fillStyle = read('--sem-queued')
  for (const cell of data.cells) {
    if (cell.pending === 0) continue
    const { x, y } = rectOf(cell.index)
    context.globalAlpha = shade(cell.waiting, deepest)
    context.fillRect(x, y, width, height)
  }
  context.globalAlpha = 1
  context.fillStyle = color
  const foot = roomy ? 4 : Math.max(1, height / 4)
  const executingMax = Math.max(1, data.executingMax)
  for (const cell of data.cells) {
    if (cell.executingSeats === 0) continue
    const { x, y } = rectOf(cell.index)
    context.fillRect(x, y + height - foot, Math.max(2, width * (cell.executingSeats / executingMax)), foot)
  }
  paintSecondCells(context, scene, rectOf)
  paintHandCells(context, scene, { rectOf, roomy, deepest })
  paintGridNumbers(context, layout, read)
}

/** Inside the solid frame, so that a queue of both hands shows both. */
function paintSecondCells(
  context: CanvasRenderingContext2D,
  { marks, read }: QueueScene,
  rectOf: (index: number) => Rect,
): void {
  context.strokeStyle = read('--text')
  context.setLineDash(DASHES)
  for (const index of marks.second) {
    const { x, y, width, height } = rectOf(index)
    context.strokeRect(x + 1.5, y + 1.5, width - 3, height - 3)
  }
  context.setLineDash([])
}

function paintHandCells(
  context: CanvasRenderingContext2D,
  { data, places, read }: QueueScene,
  how: { rectOf: (index: number) => Rect; roomy: boolean; deepest: number },
): void {
  const { rectOf, roomy, deepest } = how
  context.font = labelFont(read, 600)
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.strokeStyle = read('--text')
  const numberOf = (cell: QueueCell, place: number): string =>
    place > 0 ? String(place) : cell.pending > 0 ? amountText(data.unit, cell.waiting) : ''
  for (const [index, place] of places) {
    const { x, y, width, height } = rectOf(index)
    context.lineWidth = roomy ? 2 : 1
    context.strokeRect(x, y, width, height)
    context.lineWidth = 1
    const cell = data.cells[index]
    if (cell === undefined || width < 16 || height < 14) continue
    const dark = cell.pending > 0 && shade(cell.waiting, deepest) > 0.5
    context.fillStyle = read(dark ? '--on-level' : '--text')
    context.fillText(numberOf(cell, place), x + width / 2, y + height / 2 - 1)
  }
}

/** Index of the first queue of each row, and the offset of columns above. */
function paintGridNumbers(context: CanvasRenderingContext2D, layout: Grid, read: TokenReader): void {
  context.font = labelFont(read)
  context.fillStyle = read('--axis')
  context.textBaseline = 'middle'
  context.textAlign = 'right'
  const everyRow = Math.max(1, Math.ceil(16 / layout.cellHeight))
  for (let row = 0; row < layout.rows; row += everyRow) {
    context.fillText(String(row * layout.columns), layout.left - 6, layout.top + (row + 0.5) * layout.cellHeight)
  }
  context.textAlign = 'center'
  const everyColumn = Math.max(1, 2 ** Math.ceil(Math.log2(34 / layout.cellWidth)))
  for (let column = 0; column < layout.columns; column += everyColumn) {
    context.fillText(`+${column}`, layout.left + (column + 0.5) * layout.cellWidth, 7)
  }
}
