import { effectiveLevelName } from './draftObject.ts'
import type { ObjectRef } from '../../../../core/guard/finding.ts'
import { readOf, type UnderstoodDraft } from '../../../state/draft.logic.ts'
import { type Moves, neighbours, type NeighbourRow, type SeenFlow, type Move } from './moves.data.ts'
import type { Impact } from './forecast.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import styles from './aside.module.css'
import { overlapOf } from '../../../../core/sharding/overlap.ts'
import { isLegalShape, type DealerShape } from '../../../../core/config/shape.ts'
import { classes } from '../../../components/classes.ts'
import { Term } from '../../../components/Term.tsx'
import { levelColor } from '../../../state/levels.ts'
import { LevelChip, MiddleCut } from '../../../components/LevelChip.tsx'
import { valueColumn, numberColumn, type DataColumn } from '../../../components/dataColumns.ts'
import { PlainTable } from '../../../components/PlainTable.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { format } from '../../../theme/format.ts'

/** The context of an object: its place in the matching order, the hands of the flows of its level. */
export function Around(props: {
  readonly of: ObjectRef
  readonly draft: UnderstoodDraft
  readonly impact: Impact
  readonly moves: Moves | undefined
}) {
  const { of, draft, impact, moves } = props
  const name = readOf(draft, of)?.name ?? of.name
  const level = effectiveLevelName(impact.after, { kind: of.kind, name })
  const queues = impact.impact.rows.find((row) => row.name === level)?.after?.queues
  return (
    <>
      {of.kind === 'FlowSchema' && <OrderPane objects={impact.after} name={name} moves={moves} />}
      {level !== undefined && queues !== undefined && (
        <DraftHandsPane level={level} shape={queues} flows={moves?.flows.get(level) ?? []} />
      )}
    </>
  )
}

/** The schemas that are tried before and after this one. */
function OrderPane(props: { readonly objects: ObjectSet; readonly name: string; readonly moves: Moves | undefined }) {
  const { objects, name, moves } = props
  const rows = neighbours(objects, name, moves)
  if (rows.length === 0) return null
  return (
    <Pane title="Matching order" note="the first match decides" className={styles['pane']}>
      <PlainTable
        caption={`Schemas evaluated before and after ${name}`}
        className={styles['near']}
        headless
        columns={ORDER_COLUMNS}
        rows={rows}
        rowKey={(row) => row.name}
        rowLook={({ self }) => (self ? styles['mark'] : undefined)}
      />
    </Pane>
  )
}

const ORDER_COLUMNS: readonly DataColumn<NeighbourRow>[] = [
  valueColumn('precedence', 'Precedence', ({ precedence }) => precedence, {
    term: 'matching-precedence',
    align: 'right',
    look: () => 'faint mono',
  }),
  valueColumn('name', 'Flow schema', ({ name }) => name, {
    term: 'flow-schema',
    look: () => styles['clip'],
    cell: ({ name }) => <MiddleCut text={name} />,
  }),
  { id: 'remark', header: 'Traffic', align: 'right', look: () => 'faint', value: ({ remark }) => remark },
]

const MOST_FLOWS = 8
/** With more queues, the cells would be too small to tell apart. */
const MOST_CELLS = 256

/** The queues that the seen flows would be dealt, and where hands overlap. */
function DraftHandsPane(props: {
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
      <div className="stack gap-3 pad-x pad-b-10" style={{ '--level': levelColor(level) }}>
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
        <p className="pad-t-4 small prose faint">
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

/** One path: hundreds of elements would be drawn anew with each keystroke. */
const cellsOf = (queues: readonly number[]): string => queues.map((queue) => `M${queue * 10 + 1} 0h8v10h-8z`).join('')

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
      <path d={cellsOf(Array.from({ length: queues }, (_, queue) => queue))} className="fill-raised" />
      <path d={cellsOf(hand)} className={styles['dealt']} />
      <path d={cellsOf(shared)} className={styles['shared']} />
    </svg>
  )
}

/** Which of the requests in dumps would go elsewhere. */
export function MovesPane({ moves }: { readonly moves: Moves }) {
  const moved = moves.moves.reduce((sum, { requests }) => sum + requests, 0)
  return (
    <Pane
      title="Traffic that moves"
      note={`${format.fixed(moved)} of ${format.fixed(moves.seen)} requests seen in dumps`}
      className={styles['pane']}
    >
      {moved === 0 ? (
        <p className="pad-x pad-b-12 prose faint">Every request seen in dumps would match the same schema as now.</p>
      ) : (
        <PlainTable
          caption="Requests that would match another schema"
          className={styles['near']}
          columns={MOVE_COLUMNS}
          rows={moves.moves}
          rowKey={({ from, to }) => `${from.schema} ${from.level} ${to.schema} ${to.level}`}
        />
      )}
      <p className="pad-x pad-b-12 prose faint">Dumps do not contain groups; they are derived from the user names.</p>
    </Pane>
  )
}

const landing = ({ schema, level }: Move['from']) => (
  <span title={`${schema} → ${level}`}>
    <LevelChip name={level} /> {schema}
  </span>
)

const MOVE_COLUMNS: readonly DataColumn<Move>[] = [
  { id: 'from', header: 'From', look: () => styles['clip'], cell: ({ from }) => landing(from) },
  { id: 'to', header: 'To', cell: ({ to }) => landing(to) },
  numberColumn('requests', 'Requests', ({ requests }) => requests),
  numberColumn('users', 'Users', ({ users }) => users),
]
