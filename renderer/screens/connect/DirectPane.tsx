import type { PermissionReport } from '../../../core/contract/source.ts'
import { Button, Segment } from '../../components/Button.tsx'
import { TextArea, TextField } from '../../components/Field.tsx'
import { Note, ProblemNote } from '../../components/States.tsx'
import { Pane } from '../../components/Pane.tsx'
import type { Contexts } from '../../state/contexts.ts'
import type { Task } from '../../components/hooks.ts'
import { CadenceFields, Choice, ContextFields } from './fields.tsx'
import { readForm, type DirectForm, type AuthErrors, type AuthForm } from './form.logic.ts'
import { canConnect, capabilityRows, countOf } from './reports.data.ts'
import styles from './Connect.module.css'

const METHODS = [
  { value: 'kubeconfig', label: 'kubeconfig' },
  { value: 'urls', label: 'Metrics addresses' },
] as const

export interface DirectPaneProps {
  readonly form: DirectForm
  readonly contexts: Contexts
  readonly check: Task<PermissionReport[]>
  readonly busy: boolean
  readonly onChange: (form: DirectForm) => void
  readonly onCheck: () => void
  readonly onConnect: () => void
}

/** Where to scrape, how often, and the two steps: check, connect. */
export function DirectPane({ form, contexts, check, busy, onChange, onCheck, onConnect }: DirectPaneProps) {
  const read = readForm(form)
  const errors = read.ok ? {} : read.errors
  return (
    <Pane title="Direct to kube-apiserver">
      <div className={styles['form']}>
        <Segment
          label="Servers"
          value={form.method}
          options={METHODS}
          onChange={(method) => onChange({ ...form, method })}
        />
        {form.method === 'kubeconfig' ? (
          <>
            <ContextFields
              file={form.file}
              context={form.context}
              contexts={contexts}
              note="Credentials stay in the main process and are never shown or kept."
              onChange={(change) => onChange({ ...form, ...change })}
            />
            <TextArea
              label="API server addresses, one per line"
              hint="Limits are per server, so each server is read at its own address. Leave empty to use the address of the context, which may be a load balancer."
              error={errors.servers}
              rows={2}
              placeholder="https://10.20.0.11:6443"
              value={form.servers}
              onChange={(servers) => onChange({ ...form, servers })}
            />
          </>
        ) : (
          <>
            <TextArea
              label="Metrics addresses, one per line"
              hint="Complete addresses, one per API server. Example with kubectl proxy: http://127.0.0.1:8001/metrics."
              // An empty form is not yet a mistake.
              error={form.urls.trim() === '' ? undefined : errors.urls}
              rows={3}
              value={form.urls}
              onChange={(urls) => onChange({ ...form, urls })}
            />
            <AuthFields
              form={form.auth}
              errors={errors.auth ?? {}}
              tls={form.urls.includes('https:')}
              onChange={(auth) => onChange({ ...form, auth: { ...form.auth, ...auth } })}
            />
          </>
        )}
        <CadenceFields
          intervalMs={form.intervalMs}
          dumpsEveryMs={form.dumpsEveryMs}
          onChange={(cadence) => onChange({ ...form, ...cadence })}
        />
        {form.dumpsEveryMs !== null && (
          <Note kind="warn">
            A dump costs 1 to 4 ms on an idle server and up to 0.7 s under load, and waits in a queue like any request.
            Keep it at 5 s or slower on a busy one.
          </Note>
        )}
        <div className={styles['buttons']}>
          <Button primary disabled={!read.ok || busy || check.state === 'busy'} onClick={onConnect}>
            {busy ? 'Connecting…' : connectLabel(check)}
          </Button>
          <Button disabled={!read.ok || check.state === 'busy'} onClick={onCheck}>
            {check.state === 'busy' ? 'Checking…' : check.state === 'idle' ? 'Check permissions' : 'Check again'}
          </Button>
        </div>
        {check.state === 'failed' && <ProblemNote problem={check.problem} alert />}
        {check.state === 'done' &&
          !canConnect(check.value) &&
          check.value.every(({ problem }) => problem === undefined) && (
            <Note kind="bad">
              Without /metrics there are no seats, limits or rejections to show. Apply the role first.
            </Note>
          )}
      </div>
    </Pane>
  )
}

function connectLabel(check: Task<PermissionReport[]>): string {
  if (check.state !== 'done') return 'Connect'
  const { allowed, of } = countOf(capabilityRows(check.value))
  return of === 0 ? 'Connect' : `Connect with ${allowed} of ${of}`
}

const KINDS = [
  { value: 'token', label: 'Token' },
  { value: 'basic', label: 'Password' },
  { value: 'certificate', label: 'Certificate' },
] as const

const VERIFY = [
  { value: 'verify', label: 'Verify' },
  { value: 'skip', label: 'Skip' },
] as const

/** Credentials for metrics addresses, and which servers are trusted with them. */
function AuthFields(props: {
  readonly form: AuthForm
  readonly errors: AuthErrors
  /** Whether any of the addresses is https://. */
  readonly tls: boolean
  readonly onChange: (change: Partial<AuthForm>) => void
}) {
  const { form, errors, tls, onChange } = props
  // An empty field is not yet a mistake.
  const field = (name: 'token' | 'username' | 'password' | 'clientCertificate' | 'clientKey', label: string) => (
    <TextField
      label={label}
      type={name === 'token' || name === 'password' ? 'password' : 'text'}
      error={form[name] === '' ? undefined : errors[name]}
      value={form[name]}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
  return (
    <>
      <Choice
        label="Authentication"
        value={form.kind}
        options={KINDS}
        hint={HINTS[form.kind]}
        error={errors.kind}
        onChange={(kind) => onChange({ kind })}
      />
      {form.kind === 'token' && field('token', 'Bearer token')}
      {form.kind === 'basic' && (
        <div className={styles['pair']}>
          {field('username', 'User name')}
          {field('password', 'Password')}
        </div>
      )}
      {form.kind === 'certificate' && (
        <div className={styles['pair']}>
          {field('clientCertificate', 'Path of the client certificate')}
          {field('clientKey', 'Path of its key')}
        </div>
      )}
      {tls && (
        <div className={styles['pair']}>
          <TextField
            label="Path of the certificate authority"
            hint="PEM. Empty: the authorities of this machine."
            value={form.certificateAuthority}
            onChange={(certificateAuthority) => onChange({ certificateAuthority })}
          />
          <Choice
            label="Server certificate"
            value={form.insecure ? 'skip' : 'verify'}
            options={VERIFY}
            hint={
              form.insecure
                ? 'Anyone on the network path can read the credentials. Use for test servers only.'
                : undefined
            }
            onChange={(verify) => onChange({ insecure: verify === 'skip' })}
          />
        </div>
      )}
    </>
  )
}

const TYPED = 'Sent to the main process once and not stored. Enter it again after disconnecting.'
const HINTS = {
  token: `Leave it empty if the server needs none. ${TYPED}`,
  basic: TYPED,
  certificate: 'PEM files on this machine, read by the main process.',
} as const
