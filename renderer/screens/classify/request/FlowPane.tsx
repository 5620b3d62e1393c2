import { memo, useMemo, type ReactNode, useState } from 'react'
import type { Classification } from '../../../../core/classify/classification.ts'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import { HandStrips } from '../../../charts/Hands.tsx'
import { levelStyle, useSize } from '../../../charts/plot.tsx'
import { BARS_AT_MOST, queueFieldData, type QueueMarks } from '../../../charts/queueField.data.ts'
import { QueueField } from '../../../charts/QueueField.tsx'
import { classes } from '../../../components/classes.ts'
import { DumpAge } from '../../../components/SourceControls.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Term } from '../../../components/Term.tsx'
import { useCalm } from '../../../components/hooks.ts'
import { distinguisherText } from '../../../../core/classify/present.ts'
import { dumpOfLevel, flowRows } from '../../../state/flows.logic.ts'
import { hrefOfPage } from '../../../state/route.ts'
import { format } from '../../../theme/format.ts'
import { levelToken } from '../../../state/levels.ts'
import { handCards, meetingFlows, meetingSentence, queuesOfHand } from './answer.data.ts'
import styles from './request.module.css'

const CALM_MS = 1_000

/** The flow of the request, the queues that it is dealt, and the other flows that share them. */
export const FlowPane = memo(function FlowPane(props: {
  readonly answer: Classification
  /** The dump of the level's server. */
  readonly dump: DumpFrame | undefined
}) {
  const { answer } = props
  const { flow, priorityLevel } = answer
  const dump = useCalm(props.dump, CALM_MS)
  return (
    <Pane
      title="Flow and hand"
      unit={flow.queues > 1 ? `${flow.handSize} of ${format.fixed(flow.queues)} queues` : undefined}
      note={flow.queues > 1 ? undefined : 'no queue to choose'}
    >
      <dl className={styles['facts']}>
        <Fact name={<Term id="flow-distinguisher">Distinguisher</Term>}>
          {flow.queues > 1 ? distinguisherText(flow) : 'none'}
        </Fact>
        {flow.queues > 1 && (
          <Fact name={<Term id="flow-hash">Flow hash</Term>}>
            <span className="mono">{flow.hash}</span>
          </Fact>
        )}
      </dl>
      <p className={styles['remark']}>{flow.reason}</p>
      {flow.queues > 1 && <Hand key={priorityLevel} answer={answer} dump={dump} />}
    </Pane>
  )
})

function Hand({ answer, dump }: { readonly answer: Classification; readonly dump: DumpFrame | undefined }) {
  const { flow, flowSchema, priorityLevel } = answer
  const ofLevel = useMemo(() => dump && dumpOfLevel(dump, priorityLevel), [dump, priorityLevel])
  const queues = queuesOfHand(ofLevel?.queues, flow)
  const flows = useMemo(() => flowRows(ofLevel?.requests ?? [], ofLevel?.at ?? 0), [ofLevel])
  const meeting = useMemo(() => meetingFlows(flow, flowSchema, flows), [flow, flowSchema, flows])
  const others = flows.filter((one) => one.schema !== flowSchema || one.flow !== flow.distinguisher).length
  return (
    <>
      <ol className="flex wrap gap-5 pad-x pad-b-4" aria-label="Hand, in the order of the deal">
        {handCards(flow.hand, queues).map(({ queue, waiting }) => (
          <li key={queue} className={styles['card']} style={levelStyle(priorityLevel)}>
            <b>{queue}</b>
            <span className={classes(styles['waiting'], (waiting ?? 0) > 0 && styles['some'])}>
              {format.fixed(waiting)}
              <span className="sr-only">{waiting === undefined ? ' depth unknown' : ' waiting'}</span>
            </span>
          </li>
        ))}
      </ol>
      <p className="pad-x pad-b-6 tiny faint">queues in the order of the deal, and the requests that wait in each</p>
      <QueuesOfLevel answer={answer} dump={dump} />
      <p className={styles['remark']}>
        {queues === undefined || ofLevel === undefined ? (
          <Unknown dumped={ofLevel?.queues?.length ?? 0} configured={flow.queues} />
        ) : (
          <>
            {meetingSentence(meeting, others)} Depth <DumpAge at={ofLevel.at} />.
          </>
        )}{' '}
        <a href={hrefOfPage('classify', 'sharding', priorityLevel)}>How likely hands meet</a>
      </p>
    </>
  )
}

function Unknown({ dumped, configured }: { readonly dumped: number; readonly configured: number }) {
  if (dumped === 0) return <>No dump shows the queues of this level, so their depth is unknown.</>
  return (
    <>{`The server has ${format.fixed(dumped)} queues in this level now, and the configuration ${format.fixed(configured)}, so their depth does not apply.`}</>
  )
}

const FIELD_HEIGHT = 148
const STRIP_KEY = 'request'
const NO_HOLDERS: ReadonlyMap<number, number> = new Map()

/** All queues of the level: how full they are where a dump shows it, otherwise only which of them are in the hand. */
function QueuesOfLevel({ answer, dump }: { readonly answer: Classification; readonly dump: DumpFrame | undefined }) {
  const { flow, priorityLevel } = answer
  const [box, { width }] = useSize()
  const own = dump?.queues?.filter(({ level }) => level === priorityLevel)
  const queues = queuesOfHand(own, flow)
  const data = useMemo(() => (queues === undefined ? undefined : queueFieldData(queues, 'requests')), [queues])
  const marks = useMemo(
    (): QueueMarks => ({ hand: flow.hand, dealt: true, second: [], lengthLimit: undefined }),
    [flow.hand],
  )
  const [pinned, setPinned] = usePinned(flow.queues)
  const inHand = flow.hand.join(', ')
  return (
    <div ref={box} className={styles['field']} style={levelStyle(priorityLevel)}>
      {width > 0 && data !== undefined && (
        <QueueField
          data={data}
          shape={flow.queues > BARS_AT_MOST ? 'grid' : 'bars'}
          marks={marks}
          token={levelToken(priorityLevel)}
          width={width}
          height={FIELD_HEIGHT}
          label={`Queues of ${priorityLevel}: ${format.fixed(data.pendingTotal)} requests wait; the hand is ${inHand}`}
          pinned={pinned}
          onPin={setPinned}
          onHover={NOTHING}
        />
      )}
      {width > 0 && data === undefined && (
        <div role="img" aria-label={`The hand is ${inHand} of ${flow.queues} queues`}>
          <HandStrips
            strips={[{ key: STRIP_KEY, name: flow.distinguisher || 'this flow', hand: flow.hand }]}
            queues={flow.queues}
            holders={NO_HOLDERS}
            chosen={STRIP_KEY}
            onChoose={NOTHING}
            width={width}
          />
        </div>
      )}
    </div>
  )
}

const NOTHING = (): void => undefined

function Fact({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }) {
  return (
    <div className={styles['pairOf']}>
      <dt>{name}</dt>
      <dd className="breaks">{children}</dd>
    </div>
  )
}

/** The queue that stays marked while the level has enough queues to include it. */
function usePinned(queues: number): [number | undefined, (index: number | undefined) => void] {
  const [pinned, setPinned] = useState<number>()
  return [pinned !== undefined && pinned < queues ? pinned : undefined, setPinned]
}
