import { useMemo } from 'react'
import type { FlowName, FlowHand, Overlap } from '../../../../core/sharding/overlap.ts'
import { DataTable, type DataColumn } from '../../../components/DataTable.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { flowName } from '../../../state/flows.logic.ts'
import { AddFlow } from './AddFlow.tsx'
import { keyOf, pairRows, type PairRow } from './flows.data.ts'
import styles from './sharding.module.css'

const nameOf = ({ schema, distinguisher }: FlowName): string => flowName(distinguisher, schema)

const flowColumns = (remove: (flow: FlowName) => void): readonly DataColumn<FlowHand>[] => [
  {
    id: 'flow',
    header: 'Flow',
    term: 'flow',
    value: nameOf,
    cell: (row) => <span className="mono">{nameOf(row)}</span>,
  },
  { id: 'schema', header: 'Flow schema', term: 'flow-schema', value: (row) => row.schema },
  {
    id: 'hash',
    header: 'Hash',
    term: 'flow-hash',
    align: 'right',
    value: (row) => row.hash.toString(),
    cell: (row) => <span className="mono">{row.hash.toString()}</span>,
  },
  {
    id: 'hand',
    header: 'Hand',
    term: 'hand',
    value: (row) => row.hand.join(' '),
    cell: (row) => <span className="mono">{row.hand.join(' ')}</span>,
  },
  {
    id: 'own',
    header: 'Own queues',
    title: 'Queues of the hand that no other of these flows has',
    align: 'right',
    value: (row) => row.own.length,
  },
  {
    id: 'remove',
    header: 'Remove',
    hiddenHeader: true,
    align: 'right',
    cell: (row) => (
      <button
        type="button"
        className={styles['remove']}
        aria-label={`Remove ${nameOf(row)}`}
        onClick={() => remove(row)}
      >
        ×
      </button>
    ),
  },
]

/** The flows with their hash and hand. */
export function FlowsPane(props: {
  readonly overlap: Overlap
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
  readonly onRemove: (flow: FlowName) => void
  /** Schemas that send requests to the level. */
  readonly schemas: readonly string[]
  readonly onAdd: (flow: FlowName) => void
}) {
  const { overlap, chosen, onChoose, onRemove, schemas, onAdd } = props
  const columns = useMemo(() => flowColumns(onRemove), [onRemove])
  return (
    <Pane title="Flows" className={styles['low']}>
      <AddFlow schemas={schemas} onAdd={onAdd} />
      <DataTable
        caption="Flows and their hands"
        columns={columns}
        rows={overlap.flows}
        rowKey={keyOf}
        selectedKey={chosen}
        onOpen={(row) => onChoose(keyOf(row))}
        csvName="hands"
        density="compact"
        empty="No flow yet."
      />
    </Pane>
  )
}

const PAIR_COLUMNS: readonly DataColumn<PairRow>[] = [
  { id: 'first', header: 'Flow', term: 'flow', value: (row) => nameOf(row.names[0]) },
  { id: 'second', header: 'And', value: (row) => nameOf(row.names[1]) },
  { id: 'count', header: 'Shared', align: 'right', value: (row) => row.queues.length },
  { id: 'queues', header: 'Queues', term: 'queues', value: (row) => row.queues.join(' ') },
]

/** The pairs of flows that share queues. */
export function PairsPane({ overlap }: { readonly overlap: Overlap }) {
  const rows = useMemo(() => pairRows(overlap), [overlap])
  return (
    <Pane title="Shared queues" note="pairs that share most first" className={styles['low']}>
      <DataTable
        caption="Shared queues"
        columns={PAIR_COLUMNS}
        rows={rows}
        rowKey={({ first, second }) => `${first} ${second}`}
        csvName="shared-queues"
        density="compact"
        empty={
          overlap.flows.length < 2 ? 'Add a second flow to see shared queues.' : 'No two of these flows share a queue.'
        }
      />
    </Pane>
  )
}
