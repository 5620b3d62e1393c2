import type { EtcdRule, EtcdState } from '../../../core/contract/etcd.ts'
import { rulesTable } from '../../../core/qos/present.ts'
import { AnswerGrid, type AnswerCells } from '../../components/answer/Answer.tsx'
import { Button } from '../../components/Button.tsx'
import { Icon } from '../../components/Icon.tsx'
import { Pane } from '../../components/Pane.tsx'
import { format } from '../../theme/format.ts'

const CELLS: AnswerCells = {
  name: (text) => <b>{text}</b>,
  class: (text) => (text === 'disabled' ? <span className="faint">{text}</span> : text),
  selects: (text) => <span title={text}>{format.said(text)}</span>,
}
const WIDTHS = { name: 150, class: 120, Matched: 84, Limited: 92, 'Would limit': 92 }

/** Rules by priority; a selected one is edited next to the table. */
export function RulesPane(props: {
  readonly rules: readonly EtcdRule[]
  readonly mode: EtcdState['mode']
  readonly selected: string | undefined
  readonly onSelect: (rule: EtcdRule) => void
  readonly onExport: () => void
  /** Absent where nothing can be changed. */
  readonly onNew: ((kind: 'rule' | 'class') => void) | undefined
  readonly hasClasses: boolean
}) {
  const { rules, mode, selected, onSelect, onExport, onNew, hasClasses } = props
  const warned = rules.filter(({ warnings }) => warnings.length > 0)
  return (
    <Pane
      title="Rules"
      note="highest priority wins; one charge per request"
      actions={
        <>
          {warned.length > 0 && (
            <span className="inline-row gap-4 small warn" title={warned.flatMap(({ warnings }) => warnings).join(' ')}>
              <Icon name="warn" size={12} /> {format.counted(warned.length, 'rule')} can meet in one request
            </span>
          )}
          {rules.length > 0 && (
            <Button small title="Save classes and rules as a file for apf-console qos import" onClick={onExport}>
              Export
            </Button>
          )}
          <Button small disabled={onNew === undefined} onClick={() => onNew?.('class')}>
            New class
          </Button>
          <Button small primary disabled={onNew === undefined || !hasClasses} onClick={() => onNew?.('rule')}>
            New rule
          </Button>
        </>
      }
    >
      <AnswerGrid
        table={rulesTable({ rules, mode })}
        cells={CELLS}
        widths={WIDTHS}
        selected={rules.findIndex(({ name }) => name === selected)}
        onOpen={(index) => rules[index] !== undefined && onSelect(rules[index])}
        csvName="etcd-rules"
        density="compact"
        empty="No rules yet. Open Advice for starter rules, or add one."
      />
    </Pane>
  )
}
