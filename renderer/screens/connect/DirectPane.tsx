import type { PermissionReport } from '../../../core/contract/source.ts'
import { Button, Buttons, Segment } from '../../components/Button.tsx'
import { formFields, onceFilled, TextArea } from '../../components/Field.tsx'
import { Note, ProblemNote } from '../../components/States.tsx'
import { Pane } from '../../components/Pane.tsx'
import type { Contexts } from '../../state/contexts.ts'
import type { Task } from '../../components/hooks.ts'
import { AuthFields } from './AuthFields.tsx'
import { CadenceFields, ContextFields, PastFields } from './fields.tsx'
import { readForm, type DirectForm } from './form.logic.ts'
import { canConnect, capabilityRows, countOf } from './reports.data.ts'
import styles from './Connect.module.css'

const METHODS = { kubeconfig: 'kubeconfig', urls: 'Metrics addresses' }

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
  const field = formFields<Omit<DirectForm, 'auth'>>(form, errors, (to) => onChange({ ...form, ...to(form) }))
  return (
    <Pane title="Direct to kube-apiserver">
      <div className={styles['form']}>
        <Segment label="Servers" options={METHODS} {...field('method')} />
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
              rows={2}
              placeholder="https://10.20.0.11:6443"
              {...field('servers')}
            />
          </>
        ) : (
          <>
            <TextArea
              label="Metrics addresses, one per line"
              hint="Complete addresses, one per API server. Example with kubectl proxy: http://127.0.0.1:8001/metrics."
              rows={3}
              {...onceFilled(field('urls'))}
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
        <PastFields
          past={form.past}
          onChange={(past) => {
            const { past: _, ...rest } = form
            onChange({ ...rest, ...(past && { past }) })
          }}
        />
        {form.dumpsEveryMs !== null && (
          <Note kind="warn">
            A dump costs 1 to 4 ms on an idle server and up to 0.7 s under load, and waits in a queue like any request.
            Keep it at 5 s or slower on a busy one.
          </Note>
        )}
        <Buttons>
          <Button primary disabled={!read.ok || busy || check.state === 'busy'} onClick={onConnect}>
            {busy ? 'Connecting…' : connectLabel(check)}
          </Button>
          <Button disabled={!read.ok || check.state === 'busy'} onClick={onCheck}>
            {check.state === 'busy' ? 'Checking…' : check.state === 'idle' ? 'Check permissions' : 'Check again'}
          </Button>
        </Buttons>
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
