import { useMemo } from 'react'
import { maxSeatsPerRequest } from '../../../../core/engine/allocation.ts'
import {
  judge,
  recommend,
  type Candidate,
  type ShardingGoal,
  chanceText,
  DOCUMENTED_DIGITS,
  documentedTable,
  USUAL_ELEPHANTS,
  type DocumentedRow,
} from '../../../../core/sharding/collision.ts'
import { mostWaitingPerFlow, type DealerShape } from '../../../../core/config/shape.ts'
import type { Queuing } from '../../../../core/config/objects.ts'
import { TextField } from '../../../components/Field.tsx'
import { Note } from '../../../components/States.tsx'
import { format } from '../../../theme/format.ts'
import { DataTable } from '../../../components/DataTable.tsx'
import { numberColumn, type DataColumn } from '../../../components/dataColumns.ts'
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
      <div className={styles['shapeForm']}>
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
      <p className={styles['shapeRemark']}>
        Every queue costs time: the server scans all queues of a level for each dispatch. A larger hand lets one flow
        keep more waiting and narrows the widest request. Select a row to try it.
      </p>
    </Pane>
  )
}

function VerdictNote({ queuing, goal }: { readonly queuing: Queuing; readonly goal: ShardingGoal }) {
  const verdict = judge(queuing, goal)
  if (verdict === undefined) return null
  const { reaches, covered, best } = verdict
  const better =
    best.handSize === queuing.handSize
      ? 'No other hand size is better for this number of queues.'
      : `A hand of ${best.handSize} would be best for this number of queues: ${format.probability(best.covered)}.`
  return (
    <Note kind={reaches ? 'good' : 'warn'}>
      {`${format.probability(covered)} is ${reaches ? 'within' : 'more than'} the target of ${format.probability(goal.target)}. ${better}`}
    </Note>
  )
}

interface ShapeRow extends Candidate {
  readonly waiting: number | undefined
  readonly widest: number | undefined
}

const COLUMNS: readonly DataColumn<ShapeRow>[] = [
  numberColumn('queues', 'Queues', (row) => row.queues, { term: 'queues' }),
  { id: 'hand', header: 'Hand size', term: 'hand-size', align: 'right', value: (row) => row.handSize },
  numberColumn('covered', 'Hand covered', (row) => row.covered, { text: format.probability }),
  numberColumn('waiting', 'Waiting per flow', (row) => row.waiting, {
    title: 'Requests of one flow that can wait: hand size × queue length limit',
  }),
  numberColumn('widest', 'Widest, seats', (row) => row.widest, {
    term: 'max-seats',
    title: 'Widest request that a level of this shape admits',
  }),
]

function Shapes(props: {
  readonly goal: ShardingGoal
  readonly queuing: Queuing | undefined
  readonly nominal: number | undefined
  readonly onTry: (shape: DealerShape) => void
}) {
  const { goal, queuing, nominal, onTry } = props
  const { candidates, closest } = useMemo(() => recommend(goal), [goal])
  const rows = (candidates.length === 0 ? [closest] : candidates).map((one) => ({
    ...one,
    waiting: queuing && mostWaitingPerFlow({ ...one, queueLengthLimit: queuing.queueLengthLimit }),
    widest: nominal === undefined ? undefined : maxSeatsPerRequest(nominal, one.handSize),
  }))
  return (
    <>
      {candidates.length === 0 && (
        <p className={styles['empty']}>
          {`No shape of at most ${format.fixed(goal.maxQueues)} queues reaches the target. The closest:`}
        </p>
      )}
      <DataTable
        caption="Smallest shapes for a target"
        columns={COLUMNS}
        rows={rows}
        rowKey={keyOfShape}
        selectedKey={queuing === undefined ? undefined : keyOfShape(queuing)}
        onOpen={onTry}
        density="compact"
      />
    </>
  )
}

export const keyOfShape = ({ queues, handSize }: DealerShape): string => `${queues} ${handSize}`

/** The title of a cell has more digits. */
const SHOWN_DIGITS = 3
const DOCUMENTED_ROWS = documentedTable()
const DOCUMENTED_COLUMNS: readonly DataColumn<DocumentedRow>[] = [
  { id: 'hand', header: 'Hand size', term: 'hand-size', align: 'right', value: (row) => row.handSize },
  { id: 'queues', header: 'Queues', term: 'queues', align: 'right', value: (row) => row.queues },
  ...USUAL_ELEPHANTS.map((count, i): DataColumn<DocumentedRow> => ({
    id: String(count),
    header: format.counted(count, 'elephant'),
    value: (row) => row.covered[i],
    align: 'right',
    cell: (row) => {
      const odds = row.covered[i] ?? 0
      return <span title={chanceText(odds, DOCUMENTED_DIGITS)}>{chanceText(odds, SHOWN_DIGITS)}</span>
    },
  })),
]

/** The table of the Kubernetes documentation, with the selected shape. */
export function DocumentedPane(props: {
  readonly queuing: Queuing | undefined
  readonly onTry: (shape: DealerShape) => void
}) {
  const { queuing, onTry } = props
  return (
    <Pane title="The documentation’s shapes" note="computed; matches the published table to 15 digits">
      <DataTable
        caption="The documentation’s shapes"
        columns={DOCUMENTED_COLUMNS}
        rows={DOCUMENTED_ROWS}
        rowKey={keyOfShape}
        selectedKey={queuing === undefined ? undefined : keyOfShape(queuing)}
        onOpen={onTry}
        density="compact"
      />
    </Pane>
  )
}
