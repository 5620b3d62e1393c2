import type { ClusterService, PrometheusServers, PrometheusSpec } from '../../../core/contract/prometheus.ts'
import { Button, Buttons, Check } from '../../components/Button.tsx'
import { formFields, onceFilled, SelectField, TextArea, TextField } from '../../components/Field.tsx'
import { useTask } from '../../components/hooks.ts'
import { Pane } from '../../components/Pane.tsx'
import { Note, ProblemNote } from '../../components/States.tsx'
import { client } from '../../state/client.ts'
import { useContexts } from '../../state/contexts.ts'
import { format } from '../../theme/format.ts'
import { AuthFields } from './AuthFields.tsx'
import { useForm, type SourcePaneProps } from './fields.tsx'
import {
  PASTS,
  prometheusFormOf,
  readPrometheusForm,
  withFound,
  withServer,
  type PrometheusForm,
} from './prometheus.logic.ts'
import styles from './Connect.module.css'

/** A Prometheus: its address and credentials, then the choice of servers, and how much of the past. */
export function PrometheusPane({ busy, shown, onOpen, onFill }: SourcePaneProps<PrometheusSpec>) {
  const [form, setForm] = useForm(() => prometheusFormOf(shown), onFill)
  const [found, startFind, forgetFound] = useTask<PrometheusServers>()
  const [services, startSearch, forgetServices] = useTask<readonly ClusterService[]>()
  const contexts = useContexts('').found ?? []
  const read = readPrometheusForm(form)
  const errors = read.ok ? {} : read.errors
  const choose = (part: Partial<PrometheusForm>): void => setForm({ ...form, ...part })
  /** The servers found depend on the fields, so a change discards them. */
  const change = (part: Partial<PrometheusForm>): void => {
    choose(part)
    forgetFound()
  }
  const field = formFields<Omit<PrometheusForm, 'auth'>>(form, errors, (to) => change(to(form)))
  const find = (): void => {
    if (!read.ok) return
    const { target } = read
    void startFind(async () => {
      const servers = await client().call('sources.servers', { target })
      setForm((present) => withFound(present, servers))
      return servers
    })
  }
  const search = (): void =>
    void startSearch(async () => {
      const answering = await client().call('sources.services', { context: form.context })
      change({ url: answering[0]?.url ?? '' })
      return answering
    })
  const undecided = found.state === 'done' && found.value.clusters.length > 1 && form.cluster === ''
  return (
    <Pane title="Prometheus">
      <div className={styles['form']}>
        {contexts.length > 0 && (
          <SelectField
            label="Reached"
            value={form.context}
            options={[
              ['', 'at its own address'],
              ...contexts.map(({ context }) => [context, `through the API server of ${context}`] as const),
            ]}
            onChange={(context) => {
              change({ context, url: '' })
              forgetServices()
            }}
          />
        )}
        {form.context === '' ? (
          <>
            <TextField
              label="Address"
              hint="Prometheus, Thanos, Mimir or VictoriaMetrics; with its path prefix, before /api/v1."
              placeholder="https://prometheus.example.com"
              {...onceFilled(field('url'))}
            />
            <AuthFields
              form={form.auth}
              errors={errors.auth ?? {}}
              tls={form.url.trim().startsWith('https:')}
              onChange={(auth) => change({ auth: { ...form.auth, ...auth } })}
            />
          </>
        ) : (
          <>
            {services.state === 'done' && (
              <SelectField
                label="Service"
                mono
                value={form.url}
                options={services.value.map(({ url, service }) => [url, service] as const)}
                onChange={(url) => change({ url })}
              />
            )}
            {services.state === 'failed' && <ProblemNote problem={services.problem} alert />}
            <Buttons>
              <Button disabled={services.state === 'busy'} onClick={search}>
                {services.state === 'busy' ? 'Searching…' : 'Find the Prometheus of the cluster'}
              </Button>
            </Buttons>
          </>
        )}
        <div className="stack top halves gap-10">
          <TextField label="Tenant" hint="X-Scope-OrgID. Empty: none." {...field('tenant')} />
          <SelectField
            label="Read back"
            value={String(form.pastMs)}
            options={PASTS}
            onChange={(past) => choose({ pastMs: Number(past) })}
          />
        </div>
        <TextArea
          label="Further headers, one per line"
          hint="Name: value. Kept while the source is connected, never stored."
          rows={2}
          {...field('headers')}
        />
        <TextArea
          label="Labels of the series, one per line"
          hint="Only series with these labels are read. Example: job=apiserver."
          rows={2}
          {...field('matchers')}
        />
        {found.state === 'done' && <Found found={found.value} form={form} onLabels={change} onChoose={setForm} />}
        {found.state === 'failed' && <ProblemNote problem={found.problem} alert />}
        <Buttons>
          <Button primary disabled={!read.ok || busy || undecided} onClick={() => read.ok && onOpen(read.spec)}>
            {busy ? 'Connecting…' : 'Connect'}
          </Button>
          <Button disabled={!read.ok || found.state === 'busy'} onClick={find}>
            {found.state === 'busy' ? 'Searching…' : 'Find servers'}
          </Button>
        </Buttons>
      </div>
    </Pane>
  )
}

/** The clusters and servers that were found, and by which labels. */
function Found(props: {
  readonly found: PrometheusServers
  readonly form: PrometheusForm
  readonly onLabels: (part: Partial<PrometheusForm>) => void
  readonly onChoose: (form: PrometheusForm) => void
}) {
  const { found, form, onLabels, onChoose } = props
  const { clusters, labels, choices, intervalMs } = found
  const { instances: _, ...allServers } = form
  const cluster = clusters.length === 1 ? clusters[0] : clusters.find(({ name = '' }) => name === form.cluster)
  const servers = cluster?.servers.map(({ instance }) => instance) ?? []
  return (
    <>
      <div className="stack top halves gap-10">
        <SelectField
          label="Label for clusters"
          mono
          value={form.clusterLabel}
          options={[['', labels.cluster === undefined ? 'none found' : `${labels.cluster} (found)`], ...choices]}
          onChange={(clusterLabel) => onLabels({ clusterLabel, cluster: '' })}
        />
        <SelectField
          label="Label for servers"
          mono
          value={form.instanceLabel}
          options={[['', `${labels.instance} (found)`], ...choices]}
          onChange={(instanceLabel) => onLabels({ instanceLabel })}
        />
      </div>
      {clusters.length > 1 && (
        <SelectField
          label="Cluster"
          mono
          value={form.cluster}
          options={[['', 'choose one'], ...clusters.map(({ name = '' }) => name)]}
          onChange={(name) => onChoose({ ...allServers, cluster: name })}
        />
      )}
      {cluster !== undefined && (
        <div className="stack at-start gap-4" role="group" aria-label="API servers">
          <span className="small muted" aria-hidden="true">
            API servers
          </span>
          {servers.map((instance) => (
            <Check
              key={instance}
              label={instance}
              checked={form.instances?.includes(instance) ?? true}
              onChange={(on) => onChoose(withServer(form, servers, instance, on))}
            />
          ))}
        </div>
      )}
      {intervalMs !== undefined && (
        <Note kind="info">{`Scraped every ${format.span(intervalMs / 1_000)}. A frame follows each scrape.`}</Note>
      )}
    </>
  )
}
