import { useEffect, useState } from 'react'
import {
  type EtcdMonitor,
  type EtcdRequest,
  type EtcdRule,
  MONITOR_KINDS,
  MOST_MONITORED,
} from '../../../core/contract/etcd.ts'
import { requestSentence } from '../../../core/qos/present.ts'
import { sentenceText } from '../../../core/answer/answer.ts'
import { SelectField, TextField } from '../../components/Field.tsx'
import { useTask } from '../../components/hooks.ts'
import { Pane } from '../../components/Pane.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { ask } from '../../state/connection.ts'
import { format } from '../../theme/format.ts'

type Kind = (typeof MONITOR_KINDS)[number]

const KINDS: Readonly<Record<Kind, string>> = {
  latency: 'Latency, ms',
  traffic: 'Traffic, bytes',
  scanKeyNum: 'Keys scanned',
}
const ANY_RULE = ''
const EVERY_MS = 2_000

const numberOf = (text: string): number | undefined => {
  const number = Number(text)
  return text.trim() !== '' && number >= 0 ? number : undefined
}

/** Requests of the last ten minutes above a threshold, or those that a rule decided, as `qos monitor` prints them. */
export function MonitorPane({ rules }: { readonly rules: readonly EtcdRule[] }) {
  const [type, setType] = useState<Kind>('latency')
  const [threshold, setThreshold] = useState('100')
  const [limit, setLimit] = useState('20')
  const [rule, setRule] = useState(ANY_RULE)
  const [found, setFound] = useState<readonly EtcdRequest[]>([])
  const [task, start] = useTask<null>()
  const [above, most] = [numberOf(threshold), numberOf(limit)]
  const fits = most !== undefined && Number.isInteger(most) && most >= 1 && most <= MOST_MONITORED
  useEffect(() => {
    if (above === undefined || !fits) return undefined
    const wanted: EtcdMonitor = rule === ANY_RULE ? { type, threshold: above, limit: most } : { rule, limit: most }
    const read = (): void =>
      void start(async () => {
        setFound(await ask('etcd.requests', { wanted }))
        return null
      })
    read()
    const timer = setInterval(read, EVERY_MS)
    return () => clearInterval(timer)
  }, [start, type, above, most, fits, rule])
  return (
    <Pane title="Monitor" note="requests of the last 10 min, newest first">
      <div className="column gap-10 pad-x pad-t-4 pad-b-12">
        <SelectField
          label="Rule"
          value={rule}
          options={[[ANY_RULE, 'any'], ...rules.map(({ name }): [string, string] => [name, name])]}
          onChange={setRule}
        />
        {rule === ANY_RULE && (
          <>
            <SelectField
              label="What"
              value={type}
              options={MONITOR_KINDS.map((value): [Kind, string] => [value, KINDS[value]])}
              onChange={setType}
            />
            <TextField
              label="Above"
              value={threshold}
              onChange={setThreshold}
              kind="number"
              error={above === undefined ? 'Enter a number of at least 0.' : undefined}
            />
          </>
        )}
        <TextField
          label="At most"
          value={limit}
          onChange={setLimit}
          kind="number"
          error={fits ? undefined : `Enter a whole number from 1 to ${format.fixed(MOST_MONITORED)}.`}
        />
      </div>
      {task.state === 'failed' && <ProblemNote problem={task.problem} />}
      <ul aria-label="Requests">
        {found.map((one, index) => (
          <li className="pad-x pad-y-4 line-below breaks" key={`${one.at} ${one.request} ${index}`}>
            {sentenceText(requestSentence(one), format)}
          </li>
        ))}
      </ul>
      {task.state === 'done' && found.length === 0 && <p>No such request in the last 10 min.</p>}
    </Pane>
  )
}
