import { fewOf } from '../../../core/text/text.ts'
import { memo, useCallback, useMemo, useState, type KeyboardEvent } from 'react'
import type { DumpQueue, DumpRequest } from '../../../core/frame/dump.ts'
import { QueueField, QueueHistogram } from '../../charts/QueueField.tsx'
import {
  BARS_AT_MOST,
  overfullNote,
  depthBins,
  fullQueues,
  type QueueCell,
  queueFieldData,
  type QueueFieldData,
  type QueueMarks,
  QUEUES_DRAWN,
  type QueueUnit,
} from '../../charts/queueField.data.ts'
import { useSize } from '../../charts/plot.tsx'
import type { ChartTable } from '../../components/csv.ts'
import { ChartFrame } from '../../components/ChartFrame.tsx'
import { isPaneKey } from '../../components/keys.ts'
import { Segment } from '../../components/Button.tsx'
import { flowName, isWaiting } from '../../../core/frame/flow.ts'
import type { FlowRow } from '../../state/flows.logic.ts'
import { format } from '../../theme/format.ts'
import { levelToken } from '../../state/levels.ts'
import styles from './panes.module.css'

export interface QueuesPaneProps {
  readonly level: string
  readonly queues: readonly DumpQueue[]
  readonly requests: readonly DumpRequest[] | undefined
  readonly at: number
  /** The flow whose queues are highlighted. */
  readonly flow: FlowRow | undefined
  /** The flow's hand, otherwise the queues in which it was seen. */
  readonly marks: QueueMarks
  /** Index of the queue in the address, whose details are shown. */
  readonly asked: number | undefined
}

const UNITS_OF_EARLIER_DUMPS = { requests: 'requests', seats: 'seats' }
const UNITS = { ...UNITS_OF_EARLIER_DUMPS, 'seat-seconds': 'seat-seconds' }
const SHAPES = { bars: 'Bars', grid: 'Grid' }
type Shape = keyof typeof SHAPES

const BARS_HEIGHT = 176
/** Height of the grid by rows of 32, within what fits on a screen. */
const gridHeight = (count: number): number => Math.min(460, Math.max(150, 20 + Math.ceil(count / 32) * 24))

/** All queues of the level at once, from the dump. */
export const QueuesPane = memo(function QueuesPane(props: QueuesPaneProps) {
  const { level, queues, requests, at, flow, marks, asked } = props
  const [unit, setUnit] = useState<QueueUnit>('requests')
  const [chosenShape, setShape] = useState<Shape>()
  const [pinned, setPinned] = useState<number>()
  const [hovered, setHovered] = useState<number>()
  const [box, { width }] = useSize()
  const data = useMemo(() => queueFieldData(queues, unit), [queues, unit])
  const [named, setNamed] = useState<number>()
  if (named !== asked) {
    setNamed(asked)
    const place = data.cells.findIndex(({ index }) => index === asked)
    if (place !== -1) setPinned(place)
  }
  const shape = chosenShape ?? (data.cells.length > BARS_AT_MOST ? 'grid' : 'bars')
  const height = shape === 'bars' ? BARS_HEIGHT : gridHeight(data.cells.length)
  const table = useCallback(() => queueTable(data), [data])
  const shown = hovered ?? pinned
  const cell = shown === undefined ? undefined : data.cells[shown]
  const note = sentence(data, marks.lengthLimit)
  const overfull = overfullNote(data, marks.lengthLimit)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isPaneKey(event, 'g')) return
    event.preventDefault()
    event.stopPropagation()
    setShape(shape === 'bars' ? 'grid' : 'bars')
  }
  return (
    // The key works wherever the focus is inside the pane.
    <div onKeyDown={onKeyDown} role="presentation">
      <ChartFrame
        title="Queues"
        unit={String(data.cells.length)}
        table={table}
        fileName={`queues-${level}`}
        time={at}
        subject={level}
        actions={
          <>
            <Segment
              label="Unit of waiting work"
              value={unit}
              options={queues.some(({ totalWork }) => totalWork === undefined) ? UNITS_OF_EARLIER_DUMPS : UNITS}
              onChange={setUnit}
            />
            <Segment label="Shape" value={shape} options={SHAPES} onChange={setShape} />
          </>
        }
      >
        <div ref={box} className={styles['chart']} style={{ minHeight: height }}>
          {width > 0 && (
            <QueueField
              data={data}
              shape={shape}
              marks={marks}
              token={levelToken(level)}
              width={width}
              height={height}
              label={`Queues of ${level}: ${note}`}
              pinned={pinned}
              onPin={setPinned}
              onHover={setHovered}
            />
          )}
        </div>
        <p className={styles['inspector']}>
          {cell === undefined ? (
            `${note}. ${flow === undefined ? '' : `${handNote(flow, marks)}. `}${hint(shape, data, marks.lengthLimit)}`
          ) : (
            <Inspected
              cell={cell}
              queue={queues.find((queue) => queue.index === cell.index)}
              requests={requests}
              at={at}
            />
          )}
        </p>
        {overfull !== undefined && <p className={styles['inspector']}>{overfull}</p>}
      </ChartFrame>
    </div>
  )
})

function sentence(data: QueueFieldData, lengthLimit: number | undefined): string {
  if (data.pendingTotal === 0) return 'No request waits'
  const waiting = data.cells.filter((cell) => cell.pending > 0).length
  const full = fullQueues(data.cells, lengthLimit)
  return [
    format.counted(data.pendingTotal, 'request waits', 'requests wait'),
    ` in ${format.counted(waiting, 'queue')}`,
    full === 0 ? '' : `, ${format.fixed(full)} full`,
  ].join('')
}

function handNote({ name }: FlowRow, { hand, dealt }: QueueMarks): string {
  if (dealt) return `Bright: hand of ${name}, numbered as dealt`
  const seen = hand.length === 1 ? 'the queue' : `the ${hand.length} queues`
  return `Bright: ${seen} in which ${name} was seen; its hand may have more`
}

function hint(shape: Shape, data: QueueFieldData, lengthLimit: number | undefined): string {
  const cut =
    data.cells.length === QUEUES_DRAWN ? `Only the first ${format.fixed(QUEUES_DRAWN)} queues are drawn. ` : ''
  const limit = data.unit === 'requests' && lengthLimit !== undefined ? format.fixed(lengthLimit) : undefined
  if (shape === 'grid') {
    const full = limit === undefined ? 'the fullest queue' : `the length limit ${limit}`
    return `${cut}Shade: waiting ${data.unit} against ${full}; foot: executing seats.`
  }
  return `${cut}Up: waiting ${data.unit}${limit === undefined ? '' : `, length limit ${limit}`}; down: executing seats.`
}

function Inspected(props: {
  cell: QueueCell
  queue: DumpQueue | undefined
  requests: readonly DumpRequest[] | undefined
  at: number
}) {
  const { cell, queue, requests, at } = props
  const own = (requests ?? []).filter((request) => request.queue === cell.index)
  const flows = [...new Set(own.map((request) => flowName(request.flow, request.schema)))]
  const oldest = own
    .filter(isWaiting)
    .reduce<number | undefined>((least, r) => Math.min(least ?? r.arrivedAt, r.arrivedAt), undefined)
  const parts = [
    `${format.fixed(cell.pending)} waiting${queue === undefined || cell.pending === 0 ? '' : ` (${format.seats(queue.maxSeats)} seats${queue.totalWork === undefined ? '' : `, ${format.seatSeconds(queue.totalWork)} seat-seconds`})`}`,
    `${format.fixed(cell.executingRequests)} executing on ${format.seats(cell.executingSeats)} seats`,
    ...(oldest === undefined ? [] : [`oldest has waited ${format.seconds((at - oldest) / 1_000)}`]),
    ...(flows.length === 0 ? [] : [fewOf(flows)]),
  ]
  return (
    <>
      <b title={queue && `next dispatch R ${format.seatSeconds(queue.nextDispatchR)}`}>{`queue ${cell.index}`}</b>
      {`: ${parts.join('; ')}`}
    </>
  )
}

const NUMBERED = (cell: QueueCell): boolean => cell.pending > 0 || cell.executingRequests > 0

function queueTable(data: QueueFieldData): ChartTable {
  return {
    columns: ['Queue', 'Waiting requests', `Waiting, ${data.unit}`, 'Executing requests', 'Executing seats'],
    rows: data.cells
      .filter(NUMBERED)
      .map((cell) => [String(cell.index), cell.pending, cell.waiting, cell.executingRequests, cell.executingSeats]),
  }
}

/** How many queues hold how much, when there are too many to count by eye. */
export const DepthPane = memo(function DepthPane(props: {
  readonly level: string
  readonly queues: readonly DumpQueue[]
  readonly at: number
}) {
  const { level, queues, at } = props
  const [box, { width }] = useSize()
  const { cells } = useMemo(() => queueFieldData(queues, 'requests'), [queues])
  const table = useCallback(
    (): ChartTable => ({
      columns: ['Waiting requests', 'Queues'],
      rows: depthBins(cells).map((bin) => [bin.label, bin.queues]),
    }),
    [cells],
  )
  return (
    <ChartFrame
      title="How full are the queues"
      unit={String(cells.length)}
      note="by waiting requests, log scale"
      table={table}
      fileName={`queue-depths-${level}`}
      time={at}
      subject={level}
    >
      <div ref={box} className="pad-x pad-b-10">
        {width > 32 && (
          <QueueHistogram
            cells={cells}
            width={width - 32}
            height={126}
            label={`${level}: queues by waiting requests`}
          />
        )}
      </div>
    </ChartFrame>
  )
})
