import { overlapOf } from '../../../../core/sharding/overlap.ts'
import { isLegalShape, type DealerShape } from '../../../../core/config/shape.ts'
import { classes } from '../../../components/classes.ts'
import { Pane } from '../../../components/Pane.tsx'
import { Term } from '../../../components/Term.tsx'
import { levelColor } from '../../../state/levels.ts'
import type { SeenFlow } from './moves.data.ts'
import styles from './aside.module.css'

const MOST_FLOWS = 8
/** More queues are no cells that anybody could tell apart. */
const MOST_CELLS = 256

/** Which queues the flows that were seen would be dealt, and where they meet. */
export function DraftHandsPane(props: {
  readonly level: string
  readonly shape: DealerShape
  readonly flows: readonly SeenFlow[]
}) {
  const { level, shape } = props
  if (shape.queues <= 1 || !isLegalShape(shape) || props.flows.length === 0) return null
  const flows = props.flows.slice(0, MOST_FLOWS)
  const { flows: dealt, pairs } = overlapOf(flows, shape)
  const [first] = dealt
  const meeting = pairs.filter((pair) => pair.first === 0).length
  const alone = dealt.filter(({ own }) => own.length === 0).length
  return (
    <Pane
      title="Hands in the draft"
      note={`${shape.handSize} of ${shape.queues} queues, flows seen in dumps`}
      className={styles['pane']}
    >
      <div className={styles['hands']} style={{ '--level': levelColor(level) }}>
        {shape.queues <= MOST_CELLS &&
          dealt.map(({ schema, distinguisher, hand }, index) => (
            <div key={`${schema} ${distinguisher}`} className={classes(styles['hand'], index === 0 && styles['first'])}>
              <span title={`${schema}: ${distinguisher}`}>{shortName(distinguisher) || schema}</span>
              <Cells
                queues={shape.queues}
                hand={hand}
                shared={index === 0 ? [] : hand.filter((queue) => first?.hand.includes(queue) === true)}
              />
            </div>
          ))}
        <p className={styles['facts']}>
          {first !== undefined && dealt.length > 1 && (
            <>
              {`${meeting} of ${dealt.length - 1} share a queue with ${shortName(first.distinguisher) || first.schema}. `}
              {`${alone} of ${dealt.length} have no queue to themselves. `}
            </>
          )}
          Renaming a schema deals new <Term id="hand">hands</Term>.
        </p>
      </div>
    </Pane>
  )
}

/** `inventory:scanner` of `system:serviceaccount:inventory:scanner`. */
const shortName = (distinguisher: string): string => distinguisher.replace(/^system:serviceaccount:/, '')

function Cells(props: {
  readonly queues: number
  readonly hand: readonly number[]
  readonly shared: readonly number[]
}) {
  const { queues, hand, shared } = props
  return (
    <svg
      viewBox={`0 0 ${queues * 10} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`queues ${hand.join(', ')}${shared.length === 0 ? '' : `; shared ${shared.join(', ')}`}`}
    >
      {Array.from({ length: queues }, (_, queue) => (
        <rect
          key={queue}
          x={queue * 10 + 1}
          width={8}
          height={10}
          className={hand.includes(queue) ? styles['dealt'] : styles['cell']}
        />
      ))}
      {shared.map((queue) => (
        <rect key={`shared ${queue}`} x={queue * 10 + 1} width={8} height={10} className={styles['shared']} />
      ))}
    </svg>
  )
}
