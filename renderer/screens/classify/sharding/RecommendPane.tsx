import { useMemo } from 'react'
import { maxSeatsPerRequest } from '../../../../core/engine/allocation.ts'
import { sentenceText, type Table } from '../../../../core/answer/answer.ts'
import {
  judge,
  recommend,
  type Candidate,
  type ShardingGoal,
  documentedTable,
} from '../../../../core/sharding/collision.ts'
import { documentedShapes, goalSentence, shapesTable } from '../../../../core/sharding/present.ts'
import { mostWaitingPerFlow, type DealerShape } from '../../../../core/config/shape.ts'
import type { Queuing } from '../../../../core/config/objects.ts'
import { TextField } from '../../../components/Field.tsx'
import { Note } from '../../../components/States.tsx'
import { format } from '../../../theme/format.ts'
import { AnswerGrid, type AnswerCells } from '../../../components/answer/Answer.tsx'
import { Pane } from '../../../components/Pane.tsx'
import styles from '../shared/classify.module.css'
import { GOAL_FIELDS, type GoalField, type GoalForm, type ReadGoal } from './shape.data.ts'

const LABELS: Readonly<Record<GoalField, string>> = {
  elephants: 'Elephants',
  target: 'Target, %',
  maxQueues: 'Queues at most',
}

export interface RecommendPaneProps {
  readonly queuing: Queuing | undefined
  /** Seats of the level before lending and borrowing, when a source reports them. */
  readonly nominal: number | undefined
  readonly form: GoalForm
  readonly read: ReadGoal
  readonly set: (field: GoalField, text: string) => void
  readonly onTry: (shape: DealerShape) => void
}

/** The smallest shapes that keep the chance within a target, and their cost. */
export function RecommendPane({ queuing, nominal, form, read, set, onTry }: RecommendPaneProps) {
  const { goal, errors } = read
  return (
    <Pane title="Smallest shapes for a target">
      <div className="stack gap-8 pad-x pad-b-10">
        <div className={styles['fields']}>
          {GOAL_FIELDS.map((field) => (
            <TextField
              key={field}
              kind="number"
              inputMode="decimal"
              label={LABELS[field]}
              error={errors[field]}
              value={form[field]}
              onChange={(text) => set(field, text)}
            />
          ))}
        </div>
        {goal !== undefined && queuing !== undefined && <VerdictNote queuing={queuing} goal={goal} />}
      </div>
      {goal !== undefined && <Shapes goal={goal} queuing={queuing} nominal={nominal} onTry={onTry} />}
      <p className="pad-x pad-t-8 pad-b-12 small leading-145 faint">
        Every queue costs time: the server scans all queues of a level for each dispatch. A larger hand lets one flow
        keep more waiting and narrows the widest request. Select a row to try it.
      </p>
    </Pane>
  )
}

function VerdictNote({ queuing, goal }: { readonly queuing: Queuing; readonly goal: ShardingGoal }) {
  const verdict = judge(queuing, goal)
  if (verdict === undefined) return null
  return <Note kind={verdict.reaches ? 'good' : 'warn'}>{sentenceText(goalSentence(verdict, goal), format)}</Note>
}

function Shapes(props: {
  readonly goal: ShardingGoal
  readonly queuing: Queuing | undefined
  readonly nominal: number | undefined
  readonly onTry: (shape: DealerShape) => void
}) {
  const { goal, queuing, nominal, onTry } = props
  const { candidates, closest } = useMemo(() => recommend(goal), [goal])
  const row = (one: Candidate) => ({
    ...one,
    waiting: queuing && mostWaitingPerFlow({ ...one, queueLengthLimit: queuing.queueLengthLimit }),
    widest: nominal === undefined ? undefined : maxSeatsPerRequest(nominal, one.handSize),
  })
  const shapes = candidates.length === 0 ? [closest] : candidates
  const table = shapesTable(candidates.map(row), row(closest), goal)
  return (
    <>
      {candidates.length === 0 && <p className="pad-x pad-y-6 muted">{`${table.title}: ${table.note}.`}</p>}
      <ShapesGrid table={table} shapes={shapes} queuing={queuing} onTry={onTry} />
    </>
  )
}

/** Shapes to try; the present one is marked. */
function ShapesGrid(props: {
  readonly table: Table
  readonly shapes: readonly DealerShape[]
  readonly queuing: Queuing | undefined
  readonly onTry: (shape: DealerShape) => void
  readonly cells?: AnswerCells
}) {
  const { shapes, queuing, onTry, ...drawn } = props
  const open = (index: number): void => {
    const shape = shapes[index]
    if (shape !== undefined) onTry(shape)
  }
  const selected = shapes.findIndex(
    ({ queues, handSize }) => queues === queuing?.queues && handSize === queuing.handSize,
  )
  return <AnswerGrid {...drawn} selected={selected} onOpen={open} density="compact" />
}

const DOCUMENTED_ROWS = documentedTable()
const DOCUMENTED = documentedShapes(DOCUMENTED_ROWS)
/** The title of a cell has more digits. */
const SHORT_ODDS: AnswerCells = Object.fromEntries(
  DOCUMENTED.columns
    .slice(2)
    .map(({ id }) => [id, (text) => <span title={text}>{format.probability(Number(text))}</span>]),
)

/** The table of the Kubernetes documentation, with the selected shape. */
export function DocumentedPane(props: {
  readonly queuing: Queuing | undefined
  readonly onTry: (shape: DealerShape) => void
}) {
  return (
    <Pane title={DOCUMENTED.title} note={DOCUMENTED.note}>
      <ShapesGrid table={DOCUMENTED} shapes={DOCUMENTED_ROWS} cells={SHORT_ODDS} {...props} />
    </Pane>
  )
}
