import type { EtcdRule, EtcdState } from '../../../core/contract/etcd.ts'
import { Button } from '../../components/Button.tsx'
import { DataTable, type DataColumn } from '../../components/DataTable.tsx'
import { numberColumn } from '../../components/dataColumns.ts'
import { Icon } from '../../components/Icon.tsx'
import { Pane } from '../../components/Pane.tsx'
import { UNKNOWN } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import { limitedWord } from './sentence.ts'
import styles from './etcd.module.css'

const columnsOf = (mode: EtcdState['mode']): readonly DataColumn<EtcdRule>[] => [
  { id: 'name', header: 'Rule', value: ({ name }) => name, cell: ({ name }) => <b>{name}</b>, width: 150 },
  numberColumn('priority', 'Priority', ({ priority }) => priority, { width: 72 }),
  {
    id: 'selects',
    header: 'Selects',
    value: ({ selects }) => selects,
    cell: ({ selects }) => <span title={selects}>{selects}</span>,
  },
  {
    id: 'class',
    header: 'Class',
    value: ({ class: name }) => name,
    cell: ({ class: name, enabled }) => (enabled ? name : 'disabled'),
    look: ({ enabled }) => (enabled ? undefined : styles['quiet']),
    width: 120,
  },
  {
    id: 'matched',
    header: 'Matched',
    align: 'right',
    value: ({ perSecond }) => perSecond,
    cell: ({ perSecond, enabled }) => (enabled ? format.rate(perSecond) : UNKNOWN),
    width: 84,
  },
  {
    id: 'limited',
    header: limitedWord(mode),
    align: 'right',
    value: ({ limitedPerSecond }) => limitedPerSecond,
    cell: ({ limitedPerSecond, enabled }) => (enabled ? format.rate(limitedPerSecond) : UNKNOWN),
    look: ({ limitedPerSecond }) => (limitedPerSecond > 0 ? styles['rejected'] : undefined),
    width: 92,
  },
]

/** Rules by priority; a selected one is edited next to the table. */
export function RulesPane(props: {
  readonly rules: readonly EtcdRule[]
  readonly mode: EtcdState['mode']
  readonly selected: string | undefined
  readonly onSelect: (rule: EtcdRule) => void
  readonly onExport: () => void
}) {
  const { rules, mode, selected, onSelect, onExport } = props
  const warned = rules.filter(({ warnings }) => warnings.length > 0)
  return (
    <Pane
      title="Rules"
      note="highest priority wins; one charge per request"
      actions={
        <>
          {warned.length > 0 && (
            <span className={styles['warned']} title={warned.flatMap(({ warnings }) => warnings).join(' ')}>
              <Icon name="warn" size={12} /> {format.counted(warned.length, 'rule')} can meet in one request
            </span>
          )}
          {rules.length > 0 && (
            <Button small title="Save classes and rules as a file for apf-console qos import" onClick={onExport}>
              Export
            </Button>
          )}
        </>
      }
    >
      <DataTable
        caption="Rules"
        columns={columnsOf(mode)}
        rows={rules}
        rowKey={({ name }) => name}
        selectedKey={selected}
        onOpen={onSelect}
        csvName="etcd-rules"
        density="compact"
        empty="No rules yet. Open Advice for starter rules, or add one."
      />
    </Pane>
  )
}
