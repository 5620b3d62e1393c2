import { rounded } from '../../../core/text/format.ts'
import { memo, useCallback, useMemo } from 'react'
import type { DumpQueue, DumpRequest } from '../../../core/frame/dump.ts'
import type { LevelFrame } from '../../../core/frame/frame.ts'
import type { SeatSeconds } from '../../../core/units.ts'
import { valueAxis } from '../../../core/text/axis.ts'
import { plotWidth } from '../../../core/text/plot.ts'
import { useSize } from '../../charts/plot.tsx'
import type { ChartTable } from '../../components/csv.ts'
import { ChartFrame } from '../../components/ChartFrame.tsx'
import { Term } from '../../components/Term.tsx'
import { format } from '../../theme/format.ts'
import { levelColor } from '../../state/levels.ts'
import { flowName, isWaiting } from '../../../core/frame/flow.ts'
import styles from './panes.module.css'

export interface VirtualTimePaneProps {
  readonly level: LevelFrame
  readonly queues: readonly DumpQueue[] | undefined
  readonly requests: readonly DumpRequest[] | undefined
  /** Unix milliseconds of the dump. */
  readonly at: number
  /** Maximum number of queues in the list. */
  readonly most: number
}

const ROW = 17
/** Approximate width of a character of the interface font. */
const CHARACTER = 6.2
/** Where names start, and the space left free after them. */
const NAME_AT = 54
const NAME_GAP = 16

/** R and the figures below the chart; the queues in it are only known from dumps. */
const FIGURES = ['virtualTime', 'dispatchVirtualTime', 'lastServedTag'] as const

/** Which queue is next, and how far the others are behind, in seat-seconds of virtual time (specification 4.6, 8.1). */
export const VirtualTimePane = memo(function VirtualTimePane({
  level,
  queues,
  requests,
  at,
  most,
}: VirtualTimePaneProps) {
  const [box, { width }] = useSize()
  const data = useMemo(
    () => (queues === undefined ? undefined : nextQueues(queues, requests, most)),
    [queues, requests, most],
  )
  const table = useCallback(() => nextTable(queues, requests), [queues, requests])
  return (
    <ChartFrame
      title="Virtual time"
      unit="seat-seconds"
      note={<Order level={level} />}
      table={table}
      fileName={`virtual-time-${level.name}`}
      time={queues === undefined ? undefined : at}
      subject={level.name}
      promql={{ measures: FIGURES, level: level.name }}
    >
      <div ref={box}>
        {width > 0 && data !== undefined && <NextList data={data} width={width} color={levelColor(level.name)} />}
        {data === undefined && (
          <p className={styles['prose']}>
            {queues === undefined
              ? 'The queue order requires the dump of queues.'
              : 'No queue has a request waiting, so there is no order of service.'}
          </p>
        )}
      </div>
    </ChartFrame>
  )
})

/** R is reduced before it overflows, so only R and epoch together grow forever: figures for those who look for them. */
function Order({ level: { virtualTime } }: { readonly level: LevelFrame }) {
  if (virtualTime?.currentR === undefined) return null
  const { currentR, epochs, nextSMin, nextSMax } = virtualTime
  const [r, least, most] = [currentR, nextSMin, nextSMax].map(format.seatSeconds)
  return (
    <span title={`R ${r}${epochs === undefined ? '' : `, epoch ${format.fixed(epochs)}`}, S ${least} to ${most}`}>
      <Term id="virtual-time">order of service</Term>
    </span>
  )
}

function NextList({ data, width, color }: { data: VirtualTimeData; width: number; color: string }) {
  const longest = data.queues.reduce((most, { flows: [flow = ''] }) => Math.max(most, flow.length), 0)
  const left = Math.min(width * 0.45, Math.max(110, NAME_AT + longest * CHARACTER + NAME_GAP))
  const plot = { width, height: data.queues.length * ROW + 20, left, right: 26, top: 2, bottom: 18 }
  const axis = valueAxis(data.span, 3, false)
  const x = (value: number): number => left + (axis.max > 0 ? value / axis.max : 0) * plotWidth(plot)
  const label = data.queues.map((queue) => `queue ${queue.index}`).join(', ')
  return (
    <svg width={width} height={plot.height} role="img" aria-label={`Order of service: ${label}`} className="block">
      {axis.ticks.map((tick) => (
        <g key={tick}>
          <line className="stroke-grid" x1={x(tick)} x2={x(tick)} y1={plot.top} y2={plot.height - plot.bottom} />
          <text x={x(tick)} y={plot.height - 4} textAnchor="middle">
            {tick === 0 ? 'first' : `+${tick}`}
          </text>
        </g>
      ))}
      {data.queues.map((queue, i) => {
        const y = plot.top + i * ROW + ROW / 2
        const [flow = ''] = queue.flows
        return (
          <g key={queue.index} className={i === 0 ? styles['next'] : undefined}>
            <title>{`queue ${queue.index}: ${queue.pending} waiting, ${queue.flows.join(', ')}`}</title>
            <text className={styles['index']} x={44} y={y + 4} textAnchor="end">
              {queue.index}
            </text>
            <text className={styles['paneFlow']} x={NAME_AT} y={y + 4}>
              {shortened(flow, left - NAME_AT - NAME_GAP + 1)}
            </text>
            <line x1={x(queue.start)} x2={x(queue.finish)} y1={y} y2={y} stroke={color} strokeWidth="2" opacity="0.5" />
            <circle cx={x(queue.finish)} cy={y} r="3.5" fill={color} />
          </g>
        )
      })}
      {data.queues[0] !== undefined && (
        <text className={styles['nextText']} x={x(data.queues[0].finish) + 9} y={plot.top + ROW / 2 + 4}>
          ≈ next: earliest finish
        </text>
      )}
    </svg>
  )
}

/** Cuts a name to about `width` pixels of the interface font, and keeps its end: ends distinguish names. */
function shortened(name: string, width: number): string {
  const fits = Math.floor(width / CHARACTER)
  return name.length <= fits ? name : `…${name.slice(name.length - fits + 1)}`
}

function nextTable(queues: readonly DumpQueue[] | undefined, requests: readonly DumpRequest[] | undefined): ChartTable {
  const data = queues === undefined ? undefined : nextQueues(queues, requests, queues.length)
  return {
    columns: ['Queue', 'Waiting requests', 'Next dispatch R, seat-seconds', '≈ Finish after the first start', 'Flows'],
    rows: (data?.queues ?? []).map((queue) => [
      String(queue.index),
      queue.pending,
      rounded((data?.origin ?? 0) + queue.start, 3),
      rounded(queue.finish, 3),
      queue.flows.join(' '),
    ]),
  }
}

/** A queue that waits for its turn. Virtual times in seat-seconds after the earliest start in the list. */
interface NextQueue {
  readonly index: number
  readonly pending: number
  /** Names of the flows waiting in it; the first one's request is at the head. */
  readonly flows: readonly string[]
  readonly start: SeatSeconds
  /** Start + mean work of its waiting requests: the dump contains the sum of work, not that of the head. */
  readonly finish: SeatSeconds
}

interface VirtualTimeData {
  /** By expected finish: the server picks the earliest finish, ties in round robin (specification 4.6). */
  readonly queues: readonly NextQueue[]
  /** Virtual start of the first in seat-seconds. */
  readonly origin: SeatSeconds
  /** Length of the axis, seat-seconds. */
  readonly span: SeatSeconds
  readonly waitingQueues: number
}

/** The queues with waiting requests in the order in which they will be served, at most `most`. */
export function nextQueues(
  queues: readonly DumpQueue[],
  requests: readonly DumpRequest[] | undefined,
  most: number,
): VirtualTimeData | undefined {
  const waiting = queues.flatMap(({ index, pending, nextDispatchR, totalWork }) =>
    pending > 0 && nextDispatchR !== undefined && totalWork !== undefined
      ? [{ index, pending, nextDispatchR, totalWork }]
      : [],
  )
  if (waiting.length === 0) return undefined
  const origin = waiting.reduce((least, queue) => Math.min(least, queue.nextDispatchR), Number.POSITIVE_INFINITY)
  const flows = flowsByQueue(requests ?? [])
  const all = waiting.map((queue): NextQueue => {
    const start = queue.nextDispatchR - origin
    return {
      index: queue.index,
      pending: queue.pending,
      flows: flows.get(queue.index) ?? [],
      start,
      finish: start + queue.totalWork / queue.pending,
    }
  })
  const shown = all.toSorted((a, b) => a.finish - b.finish || a.index - b.index).slice(0, most)
  return {
    queues: shown,
    origin,
    span: shown.reduce((span, queue) => Math.max(span, queue.finish), 0),
    waitingQueues: waiting.length,
  }
}

function flowsByQueue(requests: readonly DumpRequest[]): ReadonlyMap<number, readonly string[]> {
  const flows = new Map<number, string[]>()
  const heads = requests.filter((request) => isWaiting(request) && request.queue >= 0)
  for (const request of heads.toSorted((a, b) => a.position - b.position)) {
    const name = flowName(request.flow, request.schema)
    const known = flows.get(request.queue)
    if (known === undefined) flows.set(request.queue, [name])
    else if (!known.includes(name)) known.push(name)
  }
  return flows
}
