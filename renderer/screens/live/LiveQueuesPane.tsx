import { useMemo, useState, type ReactNode } from 'react'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { objectNamed, type PriorityLevelConfiguration, type Queuing } from '../../../core/config/objects.ts'
import { dealtHand } from '../../../core/sharding/overlap.ts'
import { QueueField } from '../../charts/QueueField.tsx'
import {
  BARS_AT_MOST,
  fullQueues,
  type QueueFieldData,
  type QueueMarks,
  QUEUES_DRAWN,
  type QueueCell,
} from '../../charts/queueField.data.ts'
import { useSize } from '../../charts/plot.tsx'
import type { ChartTable } from '../../components/csv.ts'
import { Button, Segment } from '../../components/Button.tsx'
import { ChartFrame } from '../../components/ChartFrame.tsx'
import { Icon } from '../../components/Icon.tsx'
import { LevelChip } from '../../components/LevelChip.tsx'
import { Menu } from '../../components/Menu.tsx'
import { useServerObjects } from '../../state/objects.ts'
import { format } from '../../theme/format.ts'
import { levelToken } from '../../state/levels.ts'
import { addToFilter } from './query.ts'
import { shortFlowName } from './columns.tsx'
import type { LevelQueues, QueueTallies } from './tally.ts'

const HEIGHT = 130
const NOTHING: LevelQueues = new Map()
const COUNTS = { waiting: 'now', arrived: 'arrived' }

export interface LiveQueuesProps {
  readonly queues: QueueTallies
  readonly opened: LiveRequest | undefined
  /** The source has ended, so nothing waits. */
  readonly still: boolean
}

/**
 * All queues of one level, according to the rows: that of the opened request, with the hand of its flow; otherwise the
 * chosen level, or the one in which most requests wait.
 */
export function LiveQueuesPane({ queues, opened, still }: LiveQueuesProps) {
  const levels = levelsWithQueues(queues)
  const [chosen, choose] = useState<string>()
  const [count, setCount] = useState<QueueCount>()
  const ofOpened = levels.find((name) => name === opened?.level)
  const level = ofOpened ?? levels.find((name) => name === chosen) ?? levels[0]
  if (level === undefined) return null
  const pick = (
    <Menu entries={levels.map((name) => ({ label: name, onSelect: () => choose(name) }))}>
      <Button small disabled={ofOpened !== undefined}>
        <LevelChip name={level} /> <span className="sr-only">choose another level</span>
        <Icon name="chevron" size={12} />
      </Button>
    </Menu>
  )
  const counted = count ?? (still ? 'arrived' : 'waiting')
  return (
    <Field
      key={level}
      level={level}
      queues={queues.get(level) ?? NOTHING}
      opened={ofOpened === undefined ? undefined : opened}
      counted={counted}
      pick={pick}
      choice={<Segment label="What the bars count" value={counted} options={COUNTS} onChange={setCount} />}
    />
  )
}

function Field(props: {
  readonly level: string
  readonly queues: LevelQueues
  readonly opened: LiveRequest | undefined
  readonly counted: QueueCount
  /** The controls for the level and for what is counted. */
  readonly pick: ReactNode
  readonly choice: ReactNode
}) {
  const { level, queues, opened, counted, pick, choice } = props
  const objects = useServerObjects()
  const queuing = useMemo(() => queuingOf(objects?.levels, level), [objects, level])
  const [pinned, setPinned] = useState<number>()
  const [hovered, setHovered] = useState<number>()
  const [box, { width }] = useSize()
  const data = useMemo(() => queueCells(queues, queuing?.queues, counted), [queues, queuing, counted])
  const { schema, flow } = opened ?? {}
  const marks = useMemo((): QueueMarks => {
    const hand = marksOf(schema === undefined || flow === undefined ? undefined : { schema, flow }, queuing)
    // Over the whole period, any number of requests may have passed through a queue.
    return counted === 'waiting' ? hand : { ...hand, lengthLimit: undefined }
  }, [schema, flow, queuing, counted])
  const says = sentence(level, data, counted, fullQueues(data.cells, marks.lengthLimit))
  const shown = hovered ?? pinned
  const cell = shown === undefined ? undefined : data.cells[shown]
  return (
    <ChartFrame
      title="Queues"
      table={() => tableOf(data, counted)}
      fileName={`live-queues-${level}`}
      subject={level}
      actions={pick}
    >
      <div className="pad-x pad-b-4">{choice}</div>
      <div ref={box} className="shrink-x pad-x" style={{ minHeight: HEIGHT }}>
        {width > 0 && (
          <QueueField
            data={data}
            shape={data.cells.length > BARS_AT_MOST ? 'grid' : 'bars'}
            marks={marks}
            token={levelToken(level)}
            width={width}
            height={HEIGHT}
            label={says}
            pinned={pinned}
            onPin={setPinned}
            onHover={setHovered}
          />
        )}
      </div>
      <p className="row gap-6 pad-x pad-t-2 pad-b-8 small leading-142 muted hit-28">
        {cell === undefined ? (
          <span>
            {says}{' '}
            {opened !== undefined && marks.dealt
              ? `Bright: the hand of ${shortFlowName(opened.flow, opened.schema)}, numbered as dealt.`
              : 'Select a request to see the hand of its flow.'}
          </span>
        ) : (
          <>
            <span>
              <b>queue {cell.index}</b>: {format.fixed(cell.pending)} {counted}
              {counted === 'waiting' && `, ${format.fixed(cell.executingSeats)} seats executing`}
            </span>
            {pinned === cell.index && (
              <Button small onClick={() => addToFilter(`queue:${cell.index}`)}>
                Only this queue
              </Button>
            )}
          </>
        )}
      </p>
    </ChartFrame>
  )
}

function sentence(level: string, data: QueueFieldData, counted: QueueCount, full: number): string {
  const used = data.cells.filter(({ pending }) => pending > 0).length
  const where = `in ${format.fixed(used)} of ${format.fixed(data.cells.length)} queues of ${level}`
  if (counted === 'arrived') return `${format.fixed(data.pendingTotal)} requests came, ${where}.`
  if (data.pendingTotal === 0) return `Nothing waits in ${level}; down: executing seats.`
  return `${format.fixed(data.pendingTotal)} requests wait ${where}${full > 0 ? `, ${format.fixed(full)} of them full` : ''}; down: executing seats.`
}

const tableOf = ({ cells }: QueueFieldData, counted: QueueCount): ChartTable => ({
  columns: ['Queue', counted === 'waiting' ? 'Waiting requests' : 'Arrived requests', 'Executing seats'],
  rows: cells
    .filter(({ pending, executingRequests }) => pending + executingRequests > 0)
    .map((cell) => [String(cell.index), cell.pending, cell.executingSeats]),
})

const waitingIn = (queues: LevelQueues): number => [...queues.values()].reduce((sum, { waiting }) => sum + waiting, 0)
const cameTo = (queues: LevelQueues): number => [...queues.values()].reduce((sum, { requests }) => sum + requests, 0)

/** Levels with requests in their queues, the one in which most wait first. */
export const levelsWithQueues = (tallies: QueueTallies): readonly string[] =>
  [...tallies]
    .map(([level, queues]) => ({ level, waiting: waitingIn(queues), requests: cameTo(queues) }))
    .toSorted((a, b) => b.waiting - a.waiting || b.requests - a.requests || (a.level < b.level ? -1 : 1))
    .map(({ level }) => level)

/** What the bars count: requests that wait now, or all that arrived in the period. */
type QueueCount = 'waiting' | 'arrived'

/** The queues of one level as drawn; `size`: their number, when it is known. */
export function queueCells(queues: LevelQueues, size: number | undefined, counted: QueueCount): QueueFieldData {
  const seen = [...queues.keys()].reduce((most, index) => Math.max(most, index + 1), 0)
  const cells = Array.from({ length: Math.min(QUEUES_DRAWN, Math.max(size ?? 0, seen)) }, (_, index): QueueCell => {
    const { requests = 0, waiting = 0, executing = 0, executingSeats = 0 } = queues.get(index) ?? {}
    if (counted === 'arrived')
      return { index, waiting: requests, pending: requests, executingRequests: 0, executingSeats: 0 }
    return { index, waiting, pending: waiting, executingRequests: executing, executingSeats }
  })
  const total = cells.reduce((sum, { waiting }) => sum + waiting, 0)
  return {
    cells,
    unit: 'requests',
    waitingMax: cells.reduce((most, { waiting }) => Math.max(most, waiting), 0),
    executingMax: cells.reduce((most, { executingSeats }) => Math.max(most, executingSeats), 0),
    waitingTotal: total,
    pendingTotal: total,
    nonEmpty: cells.filter(({ pending, executingRequests }) => pending + executingRequests > 0).length,
  }
}

/** How a level queues, if its objects are known and it does. */
const queuingOf = (levels: readonly PriorityLevelConfiguration[] | undefined, level: string): Queuing | undefined =>
  objectNamed(levels, level)?.spec.limited?.limitResponse.queuing

/** The queues of the flow of a request, as dealt; none without a request or where the shape is not known. */
export function marksOf(
  row: Pick<LiveRequest, 'schema' | 'flow'> | undefined,
  queuing: Queuing | undefined,
): QueueMarks {
  const hand =
    row !== undefined && queuing !== undefined
      ? dealtHand({ schema: row.schema, distinguisher: row.flow }, queuing)
      : undefined
  return { hand: hand ?? [], dealt: hand !== undefined, second: [], lengthLimit: queuing?.queueLengthLimit }
}
