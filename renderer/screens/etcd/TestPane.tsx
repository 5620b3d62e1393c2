import { useState } from 'react'
import type { EtcdState, EtcdTest, EtcdRule } from '../../../core/contract/etcd.ts'
import { Button, Buttons, Check } from '../../components/Button.tsx'
import type { DataColumn } from '../../components/dataColumns.ts'
import { SelectField, TextField } from '../../components/Field.tsx'
import { useTask } from '../../components/hooks.ts'
import { Icon } from '../../components/Icon.tsx'
import { Pane } from '../../components/Pane.tsx'
import { PlainTable } from '../../components/PlainTable.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { ask } from '../../state/connection.ts'
import styles from './etcd.module.css'
import { classes } from '../../components/classes.ts'
import { keyBars, type RequestKeys } from './keyAxis.ts'

type Rule = EtcdTest['rules'][number]
type Part = keyof Rule['parts']

const METHODS = ['KV/Range', 'KV/Put', 'KV/DeleteRange', 'Auth/Authenticate', 'KV/Compact']

/** In the order of comparison, which stops at the first that fails. */
const ORDER: readonly (readonly [part: Part, otherwise: string])[] = [
  ['method', 'other method'],
  ['caller', 'other caller'],
  ['retry', 'earlier try'],
  ['op', 'other op'],
  ['key', 'other keys'],
  ['condition', 'condition'],
]

const failedAt = ({ parts }: Rule): number => ORDER.findIndex(([part]) => !parts[part])

const resultOf = (rule: Rule): string =>
  rule.outcome === 'no match' ? (ORDER[failedAt(rule)]?.[1] ?? rule.outcome) : rule.outcome

const compared = (rule: Rule, part: Part): boolean => {
  const failed = failedAt(rule)
  return failed === -1 || ORDER.findIndex(([one]) => one === part) <= failed
}

const partColumn = (part: Part, header: string): DataColumn<Rule> => ({
  id: part,
  header,
  cell: (rule) =>
    compared(rule, part) ? (
      <Compared holds={rule.parts[part]} />
    ) : (
      <span className="faint">
        ·<span className="sr-only">not compared</span>
      </span>
    ),
  width: 40,
})

const Compared = ({ holds }: { readonly holds: boolean }) => (
  <span className={holds ? 'good' : 'bad'}>
    <Icon name={holds ? 'check' : 'cross'} size={11} />
    <span className="sr-only">{holds ? 'yes' : 'no'}</span>
  </span>
)

const COLUMNS: readonly DataColumn<Rule>[] = [
  { id: 'rule', header: 'Rule', cell: ({ rule, reason }) => <span title={reason}>{rule}</span> },
  partColumn('caller', 'Who'),
  partColumn('op', 'Op'),
  partColumn('key', 'Key'),
  partColumn('condition', 'Cond.'),
  { id: 'outcome', header: 'Result', value: resultOf, width: 88 },
]

/** Why a request passes or is limited now. The test does not charge anything. */
export function TestPane({ rules }: Pick<EtcdState, 'rules'>) {
  const [method, setMethod] = useState('KV/Range')
  const [key, setKey] = useState('/registry/pods/')
  const [prefix, setPrefix] = useState(true)
  const [user, setUser] = useState('')
  const [scan, setScan] = useState('5000')
  const [task, start] = useTask<EtcdTest>()
  const keyed = ['KV/Range', 'KV/Put', 'KV/DeleteRange'].includes(method)
  const read = method === 'KV/Range'
  const run = (): void =>
    void start(() =>
      ask('etcd.test', {
        record: {
          method,
          ...(keyed && { key }),
          ...(keyed && method !== 'KV/Put' && prefix && { prefix }),
          ...(user !== '' && { user }),
          ...(read && scan.trim() !== '' && { scannedKeys: Number(scan) }),
        },
      }),
    )
  return (
    <>
      <Pane title="Test a request" note="nothing is charged">
        <div className="column gap-10 pad-x pad-t-4 pad-b-12">
          <div className="stack halves gap-10">
            <SelectField label="Method" value={method} options={METHODS} onChange={setMethod} />
            <TextField label="User" placeholder="no name" value={user} onChange={setUser} />
            {keyed && <TextField label="Key" value={key} onChange={setKey} />}
            {read && <TextField label="Keys it scans" kind="number" value={scan} onChange={setScan} />}
          </div>
          {keyed && method !== 'KV/Put' && (
            <Check label="All keys with this prefix" checked={prefix} onChange={setPrefix} />
          )}
          <Buttons>
            <Button primary onClick={run} disabled={task.state === 'busy'}>
              Test the request
            </Button>
          </Buttons>
          {task.state === 'failed' && <ProblemNote problem={task.problem} alert />}
        </div>
        {task.state === 'done' && (
          <>
            <p className="pad-x pad-t-4 pad-b-8 breaks normal prose muted" role="status">
              <b>{task.value.verdict}</b>: {task.value.explanation}
            </p>
            <PlainTable
              caption="Rules and the request"
              columns={COLUMNS}
              rows={task.value.rules}
              rowKey={({ rule }) => rule}
              selectedKey={task.value.rules.find(({ outcome }) => outcome === 'applies')?.rule}
            />
          </>
        )}
      </Pane>
      {keyed && <KeysPane request={{ key, prefix: prefix && method !== 'KV/Put' }} rules={rules} />}
    </>
  )
}

const WIDTH = 1_000

/** The keys of a request next to those that rules select. */
const KeysPane = (props: { readonly request: RequestKeys; readonly rules: readonly EtcdRule[] }) => (
  <Pane title="Keys" note="half-open intervals, in the order of their bytes">
    <dl className={`${styles['keys']} column gap-8 pad-x pad-t-8 pad-b-12 small`}>
      {keyBars(props.request, props.rules).map(({ name, text, from, to, meets }) => (
        <div key={`${name} ${text}`}>
          <dt className="flex between gap-8">
            {name}
            {meets !== undefined && <span className={styles['small']}>{meets ? 'meets' : 'apart'}</span>}
          </dt>
          <dd>
            <svg viewBox={`0 0 ${WIDTH} 1`} preserveAspectRatio="none" aria-hidden="true">
              <rect
                className={classes(meets === undefined ? 'fill-text-2' : styles[meets ? 'met' : 'apart'])}
                x={from * WIDTH}
                width={Math.max(1, (to - from) * WIDTH)}
                height={1}
              />
            </svg>
            <span className="mono">{text}</span>
          </dd>
        </div>
      ))}
    </dl>
  </Pane>
)
