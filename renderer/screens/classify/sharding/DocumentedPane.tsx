import type { Queuing } from '../../../../core/config/objects.ts'
import {
  chanceText,
  DOCUMENTED_DIGITS,
  documentedTable,
  USUAL_ELEPHANTS,
  type DocumentedRow,
} from '../../../../core/sharding/collision.ts'
import type { DealerShape } from '../../../../core/config/shape.ts'
import { DataTable, type DataColumn } from '../../../components/DataTable.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { keyOfShape } from './RecommendPane.tsx'

/** More of them are in the title of a cell. */
const SHOWN_DIGITS = 3
const ROWS = documentedTable()
const COLUMNS: readonly DataColumn<DocumentedRow>[] = [
  { id: 'hand', header: 'Hand size', term: 'hand-size', align: 'right', value: (row) => row.handSize },
  { id: 'queues', header: 'Queues', term: 'queues', align: 'right', value: (row) => row.queues },
  ...USUAL_ELEPHANTS.map((count, i): DataColumn<DocumentedRow> => ({
    id: String(count),
    header: count === 1 ? '1 elephant' : `${count} elephants`,
    value: (row) => row.covered[i],
    align: 'right',
    cell: (row) => {
      const chance = row.covered[i] ?? 0
      return <span title={chanceText(chance, DOCUMENTED_DIGITS)}>{chanceText(chance, SHOWN_DIGITS)}</span>
    },
  })),
]

/** The table of the Kubernetes documentation, with the shape that is looked at. */
export function DocumentedPane(props: {
  readonly queuing: Queuing | undefined
  readonly onTry: (shape: DealerShape) => void
}) {
  const { queuing, onTry } = props
  return (
    <Pane title="The documentation’s shapes" note="computed; matches the published table to 15 digits">
      <DataTable
        caption="The documentation’s shapes"
        columns={COLUMNS}
        rows={ROWS}
        rowKey={keyOfShape}
        selectedKey={queuing === undefined ? undefined : keyOfShape(queuing)}
        onOpen={onTry}
        density="compact"
      />
    </Pane>
  )
}
