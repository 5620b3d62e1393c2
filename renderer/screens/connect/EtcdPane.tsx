import { EtcdSpecSchema, type EtcdSpec } from '../../../core/contract/etcd.ts'
import { LOOPBACK } from '../../../core/live/proxyReach.ts'
import { Button, Buttons, Check, Copy } from '../../components/Button.tsx'
import { formFields, onceFilled, TextField } from '../../components/Field.tsx'
import { Pane } from '../../components/Pane.tsx'
import { type EtcdErrors, type EtcdForm, etcdFormOf, readEtcdForm } from './etcd.logic.ts'
import { Choice, useForm, type SourcePaneProps } from './fields.tsx'
import styles from './Connect.module.css'

const COMMAND = 'apf-console etcd-proxy --upstream http://127.0.0.1:2379 --port 2381'
const STORY: EtcdSpec = EtcdSpecSchema.parse({ kind: 'etcd', of: { kind: 'story' } })
const KINDS = { proxy: 'Running', start: 'Start one' }

/** A proxy in front of an etcd: a running one, one that the console starts, or a simulated one. */
export function EtcdPane({ busy, shown, onOpen, onFill }: SourcePaneProps<EtcdSpec>) {
  const [form, setForm] = useForm(() => etcdFormOf(shown), onFill)
  const read = readEtcdForm(form)
  const errors: EtcdErrors = read.ok ? {} : read.errors
  const change = (part: Partial<EtcdForm>): void => setForm({ ...form, ...part })
  const field = formFields(form, errors, setForm)
  const starts = form.kind === 'start'
  return (
    <Pane title="etcd proxy">
      <div className={styles['form']}>
        <p className="prose muted">
          The proxy runs in front of one etcd member and limits expensive or unimportant requests by rules. Point the
          clients of etcd at it.
        </p>
        <Choice label="Proxy" options={KINDS} {...field('kind')} />
        {!starts && (
          <Buttons>
            <code className="mono">{COMMAND}</code>
            <Copy text={COMMAND} label="Copy the command" />
          </Buttons>
        )}
        <TextField
          label="Name of the proxy"
          hint={starts ? 'Its rules are kept under this name.' : 'Leave empty when only one runs.'}
          placeholder={starts ? 'console' : 'default'}
          {...field('name')}
        />
        {starts && <StartFields {...{ form, errors }} onChange={change} />}
        <Check
          label="Editing: change its rules from here"
          checked={form.editing}
          onChange={(editing) => change({ editing })}
        />
        <Buttons>
          <Button primary disabled={busy || !read.ok} onClick={() => read.ok && onOpen(read.spec)}>
            {buttonText(busy, starts)}
          </Button>
          <Button disabled={busy} onClick={() => onOpen(STORY)}>
            Explore a simulated etcd
          </Button>
        </Buttons>
      </div>
    </Pane>
  )
}

function buttonText(busy: boolean, starts: boolean): string {
  if (starts) return busy ? 'Starting…' : 'Start the proxy'
  return busy ? 'Connecting…' : 'Connect the proxy'
}

interface StartFieldsProps {
  readonly form: EtcdForm
  readonly errors: EtcdErrors
  readonly onChange: (part: Partial<EtcdForm>) => void
}

/** Member, port, rules and certificates of a proxy to start. */
function StartFields({ form, errors, onChange }: StartFieldsProps) {
  const field = formFields(form, errors, (to) => onChange(to(form)))
  const path = (name: keyof EtcdForm & `${string}File`, label: string, hint?: string) => (
    <TextField label={label} hint={hint} placeholder="none" {...field(name)} />
  )
  return (
    <>
      <div className="stack top halves gap-10">
        <TextField label="Member of etcd" placeholder="http://127.0.0.1:2379" {...onceFilled(field('upstream'))} />
        <TextField label={`Port on ${LOOPBACK}`} placeholder="any free port" kind="number" {...field('port')} />
      </div>
      {path('rulesFile', 'Rule file', 'Replaces the stored rules when the proxy starts.')}
      {path('caFile', 'CA of etcd', 'PEM, for an https address.')}
      <div className="stack top halves gap-10">
        {path('certFile', 'Client certificate for etcd')}
        {path('keyFile', 'Its key')}
      </div>
      <div className="stack top halves gap-10">
        {path('tlsCertFile', 'Certificate of the proxy', 'Clients use TLS then.')}
        {path('tlsKeyFile', 'Its key')}
      </div>
      {path('clientCaFile', 'CA of clients', 'Requires client certificates; their common name is the user.')}
    </>
  )
}
