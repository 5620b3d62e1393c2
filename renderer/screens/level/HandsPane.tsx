import { memo, type ReactNode } from 'react'
import type { Queuing } from '../../../core/config/objects.ts'
import type { DumpQueue } from '../../../core/frame/dump.ts'
import { coveredOdds, USUAL_ELEPHANTS } from '../../../core/sharding/collision.ts'
import { sharedQueues } from '../../../core/sharding/overlap.ts'
import { classes, paneInputClass } from '../../components/classes.ts'
import { Pane } from '../../components/Pane.tsx'
import { Term } from '../../components/Term.tsx'
import type { FlowRow } from '../../state/flows.logic.ts'
import { format } from '../../theme/format.ts'
import { MiddleCut } from '../../components/LevelChip.tsx'
import styles from './panes.module.css'

export interface HandsPaneProps {
  readonly queues: readonly DumpQueue[]
  readonly queuing: Queuing
  readonly flow: FlowRow | undefined
  /** The hand of `flow`, as dealt. */
  readonly hand: readonly number[]
  /** The flows with which it can be compared. */
  readonly others: readonly FlowRow[]
  readonly compared: FlowRow | undefined
  /** The hand of `compared`, as dealt. */
  readonly second: readonly number[]
  readonly onCompare: (key: string) => void
}

/** A longer list is no usable choice. */
const MOST_CHOICES = 50

/** The queues that two flows may use, those that they share, and how likely hands are to cover each other. */
export const HandsPane = memo(function HandsPane(props: HandsPaneProps) {
  const { queues, queuing, flow, hand, others, compared, second, onCompare } = props
  const shared = sharedQueues(hand, second)
  const cards = { queues, limit: queuing.queueLengthLimit, shared }
  return (
    <Pane
      title="Hands"
      unit={`${queuing.handSize} of ${format.fixed(queuing.queues)}`}
      note={
        <>
          as dealt by each flow’s <Term id="flow-hash">hash</Term>
        </>
      }
    >
      <div className={styles['hands']}>
        {flow === undefined ? (
          <p className="across muted">No request waits here. Choose a flow to see its hand.</p>
        ) : (
          <>
            <span className={classes(styles['frame'], styles['solid'])} aria-hidden="true" />
            <span className={styles['flow']}>
              <MiddleCut text={flow.name} />
            </span>
            <Cards of={flow.name} hand={hand} {...cards} />
          </>
        )}
        {flow !== undefined && compared !== undefined && (
          <>
            <span className={classes(styles['frame'], styles['dashed'])} aria-hidden="true" />
            <select
              className={classes(paneInputClass, 'mono', styles['compared'])}
              aria-label={`Flow to compare with ${flow.name}`}
              value={compared.key}
              onChange={(event) => onCompare(event.target.value)}
            >
              {others.slice(0, MOST_CHOICES).map((other) => (
                <option key={other.key} value={other.key}>
                  {other.name}
                </option>
              ))}
            </select>
            <Cards of={compared.name} hand={second} {...cards} />
          </>
        )}
      </div>
      <p className={classes(styles['figures'], 'pad-x pad-b-10')}>
        {flow !== undefined && compared !== undefined && (
          <Fact name="shared queues">
            {`${shared.length} of ${queuing.handSize}`}
            {shared.length > 0 && `: ${shared.join(', ')}`}
          </Fact>
        )}
        <span title="Exact, for hands dealt independently. For such a flow, every queue of its hand is also in the hand of an elephant.">
          chance that a hand is fully covered by <Term id="elephant">elephants</Term>:{' '}
          {USUAL_ELEPHANTS.map((elephants, i) => (
            <span key={elephants}>
              {i === 0 ? '' : ', '}
              {`${elephants} `}
              <b className="medium figures ink">{format.probability(coveredOdds(queuing, elephants))}</b>
            </span>
          ))}
        </span>
      </p>
    </Pane>
  )
})

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <span>
    {name} <b className="medium figures ink">{children}</b>
  </span>
)

/** A hand in the order of the deal: number of the queue, and how many requests wait in it. */
function Cards(props: {
  readonly of: string
  readonly hand: readonly number[]
  readonly queues: readonly DumpQueue[]
  readonly limit: number
  readonly shared: readonly number[]
}) {
  const { of, hand, queues, limit, shared } = props
  return (
    <ol className="flex wrap gap-4" aria-label={`Hand of ${of}`}>
      {hand.map((index) => {
        const waiting = queues[index]?.pending ?? 0
        const full = waiting >= limit
        return (
          <li
            key={index}
            className={classes(styles['card'], shared.includes(index) && styles['shared'])}
            title={`queue ${index}: ${waiting} waiting. From ${limit} on, further requests are rejected while the level’s limit is used up.`}
          >
            <b className="strong">{index}</b>
            <span className={classes('faint', waiting > 0 && 'queued', full && 'rejected')}>
              {format.fixed(waiting)}
              <span className="sr-only">{full ? ' waiting, full' : ' waiting'}</span>
            </span>
          </li>
        )
      })}
    </ol>
  )
}
