import type { TokenReader } from './canvas.ts'
import { gridTop, type QueueCell, type QueueLayout } from './queueField.data.ts'
import { amountText, DASHES, labelFont, type QueueScene } from './queueField.paint.ts'

type Grid = Extract<QueueLayout, { kind: 'grid' }>

interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Shades of amber by waiting work; the faintest is still seen. */
const shade = (waiting: number, top: number): number => (top > 0 ? 0.18 + 0.82 * Math.min(1, waiting / top) : 0)

/** From this size on, a cell has room for what is drawn over its shade. */
const ROOMY = 10

/**
 * One cell per queue: shade is waiting work, the bar at its foot is executing seats. All cells get one layer before the
 * next: thousands of changes of colour would cost more than the painting.
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
