import { memo, useCallback, useId, useMemo, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { format } from '../theme/format.ts'
import { type Draw, useCanvas, Drawing, AxisLabels } from './plot.tsx'
import { paintBars, paintGrid } from './queueField.paint.ts'
import styles from './plot.module.css'
import {
  barsLayout,
  depthBins,
  gridLayout,
  nextNonEmpty,
  places,
  queueAt,
  type QueueCell,
  type QueueFieldData,
  type QueueMarks,
  queueRect,
  queueText,
} from './queueField.data.ts'

export interface QueueFieldProps {
  readonly data: QueueFieldData
  readonly shape: 'bars' | 'grid'
  readonly marks: QueueMarks
  readonly token: string
  readonly width: number
  readonly height: number
  readonly label: string
  /** The queue whose details stay on the screen. */
  readonly pinned: number | undefined
  readonly onPin: (index: number | undefined) => void
  readonly onHover: (index: number | undefined) => void
}

/**
 * All queues of a level at once. One canvas for any number of them, with arithmetic hit testing; screen readers get a
 * listbox that moves between the non-empty queues.
 */
export const QueueField = memo(function QueueField(props: QueueFieldProps) {
  const { data, shape, marks, token, width, height, label, pinned, onPin, onHover } = props
  const id = useId()
  const [focused, setFocused] = useState<number>()
  const [under, setUnder] = useState<number>()
  const inHand = useMemo(() => places(marks), [marks])
  const size = useMemo(() => ({ width, height }), [width, height])
  const layout = useMemo(
    () => (shape === 'bars' ? barsLayout(data.cells.length, size) : gridLayout(data.cells.length, size)),
    [shape, data.cells.length, size],
  )
  const draw = useCallback<Draw>(
    (context, canvasSize, read) => {
      const scene = { data, marks, places: inHand, size: canvasSize, color: read(token), read }
      if (layout.kind === 'bars') paintBars(context, layout, scene)
      else paintGrid(context, layout, scene)
    },
    [data, marks, inHand, layout, token],
  )
  const canvas = useCanvas(size, draw)

  const indexAt = (event: PointerEvent): number | undefined => {
    const box = event.currentTarget.getBoundingClientRect()
    return queueAt(layout, event.clientX - box.left, event.clientY - box.top)
  }
  const point = (index: number | undefined): void => {
    setUnder(index)
    onHover(index)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key]
    if (step !== undefined) {
      const next = nextNonEmpty(data.cells, focused ?? pinned, step)
      setFocused(next)
      onHover(next)
    } else if (event.key === 'Enter') onPin(focused === pinned ? undefined : focused)
    else if (event.key === 'Escape' && (pinned !== undefined || focused !== undefined)) {
      setFocused(undefined)
      onPin(undefined)
      onHover(undefined)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const marked = focused ?? under ?? pinned
  const markedCell = marked === undefined ? undefined : data.cells[marked]
  return (
    <div
      className={styles['field']}
      role="listbox"
      aria-label={label}
      aria-activedescendant={markedCell === undefined ? undefined : `${id}-${markedCell.index}`}
      tabIndex={0}
      style={{ height }}
      onKeyDown={onKeyDown}
      onBlur={() => setFocused(undefined)}
      onPointerMove={(event) => point(indexAt(event))}
      onPointerLeave={() => point(undefined)}
      onClick={() => onPin(under === pinned ? undefined : under)}
    >
      <canvas ref={canvas} className="block wide tall" aria-hidden="true" />
      {markedCell !== undefined && (
        <Frame rect={queueRect(layout, markedCell.index, size)} pinned={marked === pinned} />
      )}
      <Options id={id} cells={data.cells} marked={markedCell} hand={inHand} />
    </div>
  )
})

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }

function Frame({ rect, pinned }: { rect: ReturnType<typeof queueRect>; pinned: boolean }) {
  return (
    <div
      className={pinned ? styles['pinned'] : styles['marked']}
      style={{ left: rect.x, top: rect.y, width: rect.width, height: rect.height }}
      aria-hidden="true"
    />
  )
}

const OPTIONS = 60

/** The non-empty queues, as options; 60 of them and the marked one are enough to read. */
function Options(props: {
  id: string
  cells: readonly QueueCell[]
  marked: QueueCell | undefined
  hand: ReadonlyMap<number, number>
}) {
  const { id, cells, marked, hand } = props
  const busy = cells.filter((cell) => cell.pending > 0 || cell.executingRequests > 0).slice(0, OPTIONS)
  const shown = marked === undefined || busy.includes(marked) ? busy : [...busy, marked]
  return (
    <div className="sr-only">
      {shown.map((cell) => (
        <div key={cell.index} id={`${id}-${cell.index}`} role="option" aria-selected={cell === marked}>
          {queueText(cell, hand.get(cell.index))}
        </div>
      ))}
      {shown.length === 0 && (
        <div role="option" aria-selected="false" aria-disabled="true">
          every queue is empty
        </div>
      )}
    </div>
  )
}

/** How many queues hold how much: bars on a logarithmic scale with their counts. */
export function QueueHistogram(props: {
  readonly cells: readonly QueueCell[]
  readonly width: number
  readonly height: number
  readonly label: string
}) {
  const { cells, width, height, label } = props
  const bins = depthBins(cells)
  const most = bins.reduce((max, bin) => Math.max(max, bin.queues), 1)
  const slot = (width - 8) / bins.length
  const bottom = height - 18
  return (
    <Drawing width={width} height={height} label={label}>
      {bins.map((bin, i) => {
        const tall = bin.queues === 0 ? 0 : (Math.log(bin.queues + 1) / Math.log(most + 1)) * (bottom - 18)
        const x = 4 + i * slot
        return (
          <g key={bin.from}>
            <rect
              className={bin.from === 0 ? 'fill-strong' : styles['bin']}
              x={x + 2}
              width={Math.max(1, slot - 4)}
              y={bottom - tall}
              height={tall}
            />
            <text x={x + slot / 2} y={bottom - tall - 5} textAnchor="middle" className="fill-text-2">
              {format.fixed(bin.queues)}
            </text>
          </g>
        )
      })}
      <AxisLabels y={height - 4} marks={bins.map(({ label: text }, i) => ({ at: 4 + (i + 0.5) * slot, text }))} />
    </Drawing>
  )
}
