import { memo, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { filterText } from '../../../core/filter/filter.ts'
import type { LevelFrame } from '../../../core/frame/frame.ts'
import type { Queuing } from '../../../core/config/objects.ts'
import { dealtHand } from '../../../core/sharding/overlap.ts'
import { BARS_AT_MOST, type QueueMarks } from '../../charts/queueField.data.ts'
import { DumpAge, DumpsSwitch } from '../../components/SourceControls.tsx'
import { Pane } from '../../components/Pane.tsx'
import { EmptyState, ErrorState, ForbiddenState, Loading } from '../../components/States.tsx'
import { useLater } from '../../components/hooks.ts'
import { useDumpAbsence } from '../../state/dumpAbsence.ts'
import { flowRows, type FlowRow, type LevelDump } from '../../state/flows.logic.ts'
import { forgetObject, useRoute } from '../../state/route.ts'
import { useServerObjects } from '../../state/objects.ts'
import { FlowsPane } from './FlowsPane.tsx'
import { type LevelKind, levelShape } from './level.data.ts'
import { useCalmDump } from './calm.ts'
import styles from './level.module.css'
import { DepthPane, QueuesPane } from './QueuesPane.tsx'
import { requestRows, RequestsPane } from './RequestsPane.tsx'
import { HandsPane, type HandsPaneProps } from './HandsPane.tsx'
import { VirtualTimePane } from './VirtualTimePane.tsx'

export interface DumpPanesProps {
  readonly server: string
  readonly level: LevelFrame
  readonly kind: LevelKind
  readonly dump: LevelDump | undefined
  /** Virtual time and hands, in place of queues, flows and requests. */
  readonly inside: boolean
}

const TABLE_HEIGHT = 286
const QUEUE_FILTER = /^queue:(\d+)$/
/** Beside the queues. */
const FLOWS_HEIGHT = 208
/** Number of queues shown in the order of service. */
const NEXT = 14

/** Queues, virtual time, flows and requests: data that only the debug dumps contain, or why it is missing. */
export const DumpPanes = memo(function DumpPanes(props: DumpPanesProps) {
  const { server, level, kind, dump, inside } = props
  if (dump === undefined || (dump.queues === undefined && dump.requests === undefined)) {
    return <WithoutDumps server={server} level={level} kind={kind} />
  }
  const many = (dump.queues?.length ?? 0) > BARS_AT_MOST
  return <DumpedPanes level={level} kind={kind} dump={dump} many={many} inside={inside} />
})

interface DumpedPanesProps extends Pick<DumpPanesProps, 'level' | 'kind' | 'inside'> {
  readonly dump: LevelDump
  readonly many: boolean
}

function DumpedPanes({ level, kind, dump, many, inside }: DumpedPanesProps) {
  const exempt = kind === 'exempt'
  const calm = useCalmDump(dump)
  const limit = exempt ? undefined : level.limits.current
  const flows = useMemo(
    () => flowRows(exempt ? byUser(calm.requests ?? []) : (calm.requests ?? []), calm.at, limit),
    [calm, exempt, limit],
  )
  const rows = useMemo(() => requestRows(calm.requests ?? [], calm.at), [calm])
  // Hundreds of rows are drawn in a separate frame.
  const laterRows = useLater(rows, 1)
  const [chosenKey, setChosenKey] = useState<string>()
  const [filter, setFilter] = useState('')
  const filterOf = useCallback((row: FlowRow) => filterText(exempt ? 'user' : 'flow', row.name), [exempt])
  // An address may carry a filter: for a flow, which is then chosen, or for a queue.
  const { object } = useRoute()
  const [asked, setAsked] = useState<string>()
  if (object !== asked) {
    setAsked(object)
    if (object !== undefined) {
      setFilter(object)
      setChosenKey(flows.find((row) => filterOf(row) === object)?.key)
    }
  }
  const queue = QUEUE_FILTER.exec(asked ?? '')?.[1]
  const queuesBox = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (asked === undefined) return
    const flow = document.querySelector('[data-screen="level"] tr[aria-selected="true"]')
    ;(queue === undefined ? flow : queuesBox.current)?.scrollIntoView({ block: 'center' })
  }, [asked, queue])
  const [deepestKey, setDeepestKey] = useState<string>()
  const deepest = deepestFlow(flows, deepestKey)
  if (deepest?.key !== deepestKey) setDeepestKey(deepest?.key)
  const chosen = flows.find((flow) => flow.key === chosenKey) ?? deepest
  const hands = useHands(level.name, dump.queues?.length, flows, chosen)
  const choose = useCallback(
    (row: FlowRow) => {
      const again = row.key === chosenKey
      setChosenKey(again ? undefined : row.key)
      setFilter(again ? '' : filterOf(row))
      forgetObject()
    },
    [chosenKey, filterOf],
  )
  const origin = useMemo(() => <DumpAge at={calm.at} />, [calm.at])
  const [most, setMost] = useState(0)
  if (most < Math.max(flows.length, rows.length)) setMost(Math.max(flows.length, rows.length))
  const sizing = Math.max(150, Math.min(TABLE_HEIGHT, 90 + 26 * most))
  const known = kind === 'queues' ? dump.queues : undefined
  if (inside) {
    const hasMore = hands.pane !== undefined || many
    return known === undefined ? null : (
      <Row even wide={!hasMore}>
        <div className="ruled-rows">
          <VirtualTimePane level={level} queues={calm.queues} requests={calm.requests} at={calm.at} most={NEXT} />
        </div>
        {hasMore && (
          <div className="ruled-rows">
            {hands.pane && <HandsPane queues={calm.queues ?? known} {...hands.pane} />}
            {many && <DepthPane level={level.name} queues={calm.queues ?? known} at={calm.at} />}
          </div>
        )}
      </Row>
    )
  }
  const queuesPane = known && (
    <div ref={queuesBox}>
      <QueuesPane
        level={level.name}
        queues={known}
        requests={dump.requests}
        at={dump.at}
        flow={chosen}
        marks={hands.marks}
        asked={queue === undefined ? undefined : Number(queue)}
      />
    </div>
  )
  if (dump.requests === undefined) {
    return (
      <>
        {queuesPane && <div className="line-below">{queuesPane}</div>}
        <div className="line-below">
          <Pane title="Flows and requests">
            <EmptyState title="The dump of requests could not be read.">
              {dump.errors.map((error) => (
                <p key={error.path}>
                  <span className="mono">{error.path}</span>: {error.message}
                </p>
              ))}
            </EmptyState>
          </Pane>
        </div>
      </>
    )
  }
  const flowsPane = (
    <FlowsPane
      level={level.name}
      title={exempt ? 'Senders' : 'Flows'}
      limit={limit}
      rows={flows}
      chosen={chosenKey ?? (exempt ? undefined : chosen?.key)}
      onChoose={choose}
      origin={origin}
      height={queuesPane ? FLOWS_HEIGHT : sizing}
    />
  )
  const requestsPane = (
    <RequestsPane
      level={level.name}
      rows={laterRows}
      filter={filter}
      onFilter={(text) => {
        setFilter(text)
        forgetObject()
      }}
      origin={origin}
      height={sizing}
    />
  )
  return queuesPane ? (
    <>
      <Row even>
        {queuesPane}
        {flowsPane}
      </Row>
      <div className="line-below">{requestsPane}</div>
    </>
  ) : (
    <Row even>
      {flowsPane}
      {requestsPane}
    </Row>
  )
}

/** The flow that fills its queues most is highlighted until the user chooses another, for as long as it waits. */
const deepestFlow = (flows: readonly FlowRow[], before: string | undefined): FlowRow | undefined => {
  const waiting = flows.filter((flow) => flow.queued > 0)
  return waiting.find(({ key }) => key === before) ?? waiting[0]
}

/** Exempt schemas do not distinguish flows; the users show who sends the requests. */
const byUser = <T extends { readonly flow: string; readonly user?: string | undefined }>(requests: readonly T[]): T[] =>
  requests.map((request) => ({ ...request, flow: request.user ?? request.flow }))

/** Why there is nothing to show, and the remedy. */
function WithoutDumps({ server, level, kind }: { server: string; level: LevelFrame; kind: LevelKind }) {
  const title =
    kind === 'exempt' || kind === 'rejects' ? 'Flows and requests' : 'Queues, virtual time, flows and requests'
  return (
    <div className="line-below">
      <Pane title={title}>
        <Absence server={server} level={level.name} hidden={title} />
      </Pane>
    </div>
  )
}

/** `hidden` names what stays hidden; a sentence begins with it. */
function Absence({ server, level, hidden }: { server: string; level: string; hidden: string }) {
  const absence = useDumpAbsence(server)
  switch (absence.kind) {
    case 'off':
      return (
        <EmptyState title="Debug dumps are off." actions={<DumpsSwitch />}>
          Metrics do not identify queues, flows or single requests; debug dumps do. Each takes the server’s
          configuration lock for some milliseconds.
        </EmptyState>
      )
    case 'unsupported':
      return <EmptyState title="There are no debug dumps.">{absence.problem.message}</EmptyState>
    case 'forbidden':
      return (
        <ForbiddenState title={`You may not read the debug dumps on ${server}.`} role={absence.role}>
          <p>
            {absence.problem?.message ?? '403 on /debug/api_priority_and_fairness.'} {hidden} stay hidden; everything
            else on this screen works.
          </p>
        </ForbiddenState>
      )
    case 'failing':
      return (
        <ErrorState title={`The debug dumps of ${server} cannot be read.`} problem={absence.problem}>
          <p>The console retries at the next read.</p>
        </ErrorState>
      )
    case 'still':
      return (
        <EmptyState title="These files hold no debug dump.">
          Add the texts of dump_queues and dump_requests of the same moment to see them.
        </EmptyState>
      )
    case 'not-recorded':
      return (
        <EmptyState title="No debug dump was recorded in the minutes before this instant.">
          Only dumps contain queues, flows and single requests.
        </EmptyState>
      )
    default:
      return <Loading waitingFor={`the first dump of ${level}`} />
  }
}

interface Hands {
  readonly marks: QueueMarks
  /** Props of the hands pane; absent where hands are not known, or where there is none to deal. */
  readonly pane: Omit<HandsPaneProps, 'queues'> | undefined
}

/**
 * Hands of the chosen flow and of one to compare it with. Only known with the objects, and while they match the dump in
 * the number of queues. Without them, the queues in which the flow was seen.
 */
function useHands(
  level: string,
  queues: number | undefined,
  flows: readonly FlowRow[],
  flow: FlowRow | undefined,
): Hands {
  const objects = useServerObjects()
  const queuing = useMemo(() => {
    const known = objects && levelShape(objects.levels, level)?.queuing
    return known?.queues === queues ? known : undefined
  }, [objects, level, queues])
  const [comparedKey, onCompare] = useState<string>()
  const others = useMemo(() => flows.filter(({ key }) => key !== flow?.key), [flows, flow?.key])
  const compared = others.find(({ key }) => key === comparedKey) ?? others[0]
  // Kept until the user chooses or it is gone: the deepest other flow changes every second.
  if (compared !== undefined && compared.key !== comparedKey) onCompare(compared.key)
  const hand = useHand(flow, queuing)
  const second = useHand(hand === undefined ? undefined : compared, queuing) ?? NO_QUEUES
  const seen = flow?.queues ?? NO_QUEUES
  const marks = useMemo(
    (): QueueMarks => ({
      hand: hand ?? seen,
      dealt: hand !== undefined,
      second,
      lengthLimit: queuing?.queueLengthLimit,
    }),
    [hand, second, seen, queuing],
  )
  if (queuing === undefined || queuing.queues <= 1) return { marks, pane: undefined }
  return { marks, pane: { queuing, flow, hand: hand ?? NO_QUEUES, others, compared, second, onCompare } }
}

const NO_QUEUES: readonly number[] = []

/** The same array as long as flow and queues are the same. */
function useHand(flow: FlowRow | undefined, queuing: Queuing | undefined): readonly number[] | undefined {
  const [schema, name] = [flow?.schema, flow?.flow]
  return useMemo(
    () =>
      schema === undefined || name === undefined || queuing === undefined
        ? undefined
        : dealtHand({ schema, distinguisher: name }, queuing),
    [schema, name, queuing],
  )
}

/** A row of two panes; `wide` when only one of them is shown. */
export function Row(props: { readonly even?: boolean; readonly wide?: boolean; readonly children: ReactNode }) {
  const { even = false, wide = false, children } = props
  return <div className={wide ? 'line-below' : even ? 'beside line-below' : styles['two']}>{children}</div>
}
