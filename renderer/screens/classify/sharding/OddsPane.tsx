import { useMemo } from 'react'
import type { Queuing } from '../../../../core/config/objects.ts'
import { coveredOdds, expectedClean, touchedOdds } from '../../../../core/sharding/collision.ts'
import { DataTable, type DataColumn } from '../../../components/DataTable.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { format } from '../../../theme/format.ts'
import { chance } from './shape.data.ts'
import styles from './sharding.module.css'

interface OddsRow {
  readonly elephants: number
  readonly covered: number
  readonly touched: number
  readonly clean: number
}

const COLUMNS: readonly DataColumn<OddsRow>[] = [
  { id: 'elephants', header: 'Elephants', term: 'elephant', align: 'right', value: (row) => row.elephants },
  {
    id: 'covered',
    header: 'Hand covered',
    title: 'The chance that elephants hold every queue of a mouse’s hand: it waits behind one of them',
    align: 'right',
    value: (row) => row.covered,
    cell: (row) => chance(row.covered),
  },
  {
    id: 'touched',
    header: 'Hand touched',
    title: 'The chance that elephants hold at least one queue of a mouse’s hand',
    align: 'right',
    value: (row) => row.touched,
    cell: (row) => chance(row.touched),
  },
  {
    id: 'clean',
    header: 'Clean queues',
    title: 'Queues of a mouse’s hand that no elephant holds, on average',
    align: 'right',
    value: (row) => row.clean,
    cell: (row) => format.fixed(row.clean, 2),
  },
]

/** What so many elephants do to a mouse. */
export function OddsPane(props: {
  readonly queuing: Queuing
  readonly counts: readonly number[]
  readonly elephants: number
}) {
  const { queuing, counts, elephants } = props
  const rows = useMemo(
    () =>
      counts.map((count) => ({
        elephants: count,
        covered: coveredOdds(queuing, count),
        touched: touchedOdds(queuing, count),
        clean: expectedClean(queuing, count),
      })),
    [queuing, counts],
  )
  return (
    <Pane title="What elephants do to a mouse" note="exact, for hands dealt independently">
      <DataTable
        caption="What elephants do to a mouse"
        columns={COLUMNS}
        rows={rows}
        rowKey={(row) => String(row.elephants)}
        selectedKey={String(elephants)}
        density="compact"
      />
      <p className={styles['remark']}>
        Covered: elephants hold every queue of the mouse’s hand, so that it waits behind one of them. Touched: they hold
        at least one, which costs the mouse nothing while another is clean.
      </p>
    </Pane>
  )
}
