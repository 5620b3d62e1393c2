import type { TokenReader } from './canvas.ts'
import type { QueueFieldData, QueueLayout } from './queueField.data.ts'
import { valueAxis } from './timeAxis.data.ts'
import type { Size } from './useSize.ts'

/** What both shapes of the queue field are painted from. */
export interface QueueScene {
  readonly data: QueueFieldData
  readonly hand: ReadonlySet<number>
  readonly size: Size
  /** The level's colour. */
  readonly color: string
  readonly read: TokenReader
}

type Bars = Extract<QueueLayout, { kind: 'bars' }>
type Grid = Extract<QueueLayout, { kind: 'grid' }>

const LABEL_FONT = (read: TokenReader, weight = 400): string => `${weight} 11px ${read('--font-ui')}`

const decimals = (unit: string, value: number): string => (unit === 'seat-seconds' ? value.toFixed(2) : String(value))

/** Waiting work upwards, executing seats downwards, one column per queue. */
export function paintBars(context: CanvasRenderingContext2D, layout: Bars, scene: QueueScene): void {
  const { data, hand, size, color, read } = scene
  const { left, barWidth, middle, up, down } = layout
  const right = left + barWidth * layout.count
  const wholeUnits = data.unit !== 'seat-seconds'
  const axis = valueAxis(data.waitingMax, 2, wholeUnits)
  context.font = LABEL_FONT(read)
  context.textBaseline = 'alphabetic'
  context.textAlign = 'right'
  for (const tick of axis.ticks) {
    const y = Math.round(middle - (tick / axis.max) * up) + 0.5
    context.fillStyle = read('--axis')
    context.fillText(decimals(data.unit, tick), left - 6, y + 4)
    context.strokeStyle = read('--grid')
    context.beginPath()
    context.moveTo(left, y)
    context.lineTo(right, y)
    context.stroke()
  }
  const executingMax = Math.max(1, data.executingMax)
  if (data.executingMax > 0) {
    context.fillStyle = read('--axis')
    context.fillText(String(executingMax), left - 6, middle + 4 + down)
  }
  const gap = barWidth > 4 ? 0.8 : barWidth > 2 ? 0.4 : 0
  const [queued, raised, quiet] = [read('--sem-queued'), read('--raised'), read('--line-strong')]
  for (const cell of data.cells) {
    const x = left + cell.index * barWidth
    const bright = hand.has(cell.index)
    if (bright) {
      context.fillStyle = raised
      context.fillRect(x - 1, 4, barWidth + 2, size.height - 20)
    }
    const [bodyX, bodyWidth] = [x + gap, Math.max(1, barWidth - 2 * gap)]
    if (cell.pending === 0 && cell.executingRequests === 0) {
      context.fillStyle = quiet
      context.fillRect(bodyX, middle, bodyWidth, 1)
      continue
    }
    context.globalAlpha = bright || hand.size === 0 ? 1 : 0.55
    const tall = (cell.waiting / axis.max) * up
    context.fillStyle = queued
    if (cell.pending > 0) context.fillRect(bodyX, middle - Math.max(1, tall), bodyWidth, Math.max(1, tall))
    context.fillStyle = color
    const deep = (cell.executingSeats / executingMax) * down
    if (cell.executingSeats > 0) context.fillRect(bodyX, middle + 3, bodyWidth, Math.max(1, deep))
    context.globalAlpha = 1
  }
  paintHandNumbers(context, layout, scene)
}

/** Numbers of the chosen flow's queues below their bars; numbers that would touch are left out. */
function paintHandNumbers(context: CanvasRenderingContext2D, layout: Bars, { hand, size, read }: QueueScene): void {
  context.font = LABEL_FONT(read, 600)
  context.fillStyle = read('--text')
  context.textAlign = 'center'
  let freeFrom = Number.NEGATIVE_INFINITY
  for (const index of [...hand].toSorted((a, b) => a - b)) {
    const text = String(index)
    const half = context.measureText(text).width / 2
    const x = Math.min(size.width - half, Math.max(half, layout.left + (index + 0.5) * layout.barWidth))
    if (x - half < freeFrom) continue
    context.fillText(text, x, size.height - 3)
    freeFrom = x + half + 5
  }
}

/** Shades of amber by waiting work; the faintest is still seen. */
const shade = (waiting: number, max: number): number => (max > 0 ? 0.18 + 0.82 * (waiting / max) : 0)

/** One cell per queue: shade is waiting work, the bar at its foot is executing seats. */
export function paintGrid(context: CanvasRenderingContext2D, layout: Grid, scene: QueueScene): void {
  const { data, hand, color, read } = scene
  const { left, top, columns, cellWidth, cellHeight } = layout
  const roomy = cellWidth >= 10 && cellHeight >= 10
  const inset = roomy ? 1 : 0.5
  const [ground, queued, text, onLevel] = [read('--surface'), read('--sem-queued'), read('--text'), read('--on-level')]
  const executingMax = Math.max(1, data.executingMax)
  for (const cell of data.cells) {
    const x = left + (cell.index % columns) * cellWidth + inset
    const y = top + Math.floor(cell.index / columns) * cellHeight + inset
    const [width, height] = [cellWidth - 2 * inset, cellHeight - 2 * inset]
    context.fillStyle = ground
    context.fillRect(x, y, width, height)
    if (cell.pending > 0) {
      context.globalAlpha = shade(cell.waiting, data.waitingMax)
      context.fillStyle = queued
      context.fillRect(x, y, width, height)
      context.globalAlpha = 1
    }
    if (cell.executingSeats > 0) {
      const foot = roomy ? 4 : Math.max(1, height / 4)
      context.fillStyle = color
      context.fillRect(x, y + height - foot, Math.max(2, width * (cell.executingSeats / executingMax)), foot)
    }
    if (!hand.has(cell.index)) continue
    context.strokeStyle = text
    context.lineWidth = roomy ? 2 : 1
    context.strokeRect(x, y, width, height)
    context.lineWidth = 1
    if (cellWidth < 20 || cellHeight < 16 || cell.pending === 0) continue
    context.font = LABEL_FONT(read, 600)
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.fillStyle = shade(cell.waiting, data.waitingMax) > 0.5 ? onLevel : text
    context.fillText(decimals(data.unit, cell.waiting), x + width / 2, y + height / 2 - 1)
  }
  paintGridNumbers(context, layout, read)
}

/** Index of the first queue of each row, and the offset of columns above. */
function paintGridNumbers(context: CanvasRenderingContext2D, layout: Grid, read: TokenReader): void {
  context.font = LABEL_FONT(read)
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
