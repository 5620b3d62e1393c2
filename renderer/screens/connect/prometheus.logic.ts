import {
  HeaderSchema,
  isReservedHeader,
  PAST_MS,
  PrometheusSpecSchema,
  PrometheusTargetSchema,
  type Header,
  type PrometheusServers,
  type PrometheusSpec,
  type PrometheusTarget,
} from '../../../core/contract/prometheus.ts'
import type { SourceSpec } from '../../../core/contract/source.ts'
import { filledLines } from '../../../core/text/text.ts'
import {
  authFormOf,
  EMPTY_AUTH,
  isAddress,
  isOpenWire,
  notAnAddress,
  readAuth,
  type AuthErrors,
  type AuthForm,
} from './form.logic.ts'

/** The form as typed. */
export interface PrometheusForm {
  readonly url: string
  /** The context whose API server leads to it; empty: none, the address is its own. */
  readonly context: string
  readonly auth: AuthForm
  readonly tenant: string
  /** `Name: value`, one per line. */
  readonly headers: string
  /** `name=value`, one per line: labels that the series have. */
  readonly matchers: string
  /** Empty: the detected one. */
  readonly clusterLabel: string
  readonly instanceLabel: string
  /** Empty: the only one. */
  readonly cluster: string
  /** Absent: all of them. */
  readonly instances?: readonly string[]
  readonly pastMs: number
}

const EMPTY: PrometheusForm = {
  url: '',
  context: '',
  auth: EMPTY_AUTH,
  tenant: '',
  headers: '',
  matchers: '',
  clusterLabel: '',
  instanceLabel: '',
  cluster: '',
  pastMs: PAST_MS.default,
}

export interface PrometheusErrors {
  readonly url?: string
  readonly auth?: AuthErrors
  readonly tenant?: string
  readonly headers?: string
  readonly matchers?: string
}

export type PrometheusResult =
  | { readonly ok: true; readonly target: PrometheusTarget; readonly spec: PrometheusSpec }
  | { readonly ok: false; readonly errors: PrometheusErrors }

/** The form as a source, or what is wrong with it, field by field. */
export function readPrometheusForm(form: PrometheusForm): PrometheusResult {
  const url = form.url.trim()
  const { context } = form
  const auth = readAuth(context === '' ? form.auth : EMPTY_AUTH, isAddress(url) ? [url] : [])
  const headers = readHeaders(form.headers)
  const matchers = readMatchers(form.matchers)
  const tenant = form.tenant.trim()
  const errors: PrometheusErrors = {
    ...(url === ''
      ? { url: context === '' ? 'Enter the address of the Prometheus.' : 'Find the Prometheus of the cluster.' }
      : !isAddress(url)
        ? { url: notAnAddress(url) }
        : {}),
    ...(!auth.ok && { auth: auth.errors }),
    ...(typeof headers === 'string'
      ? { headers }
      : headers.length > 0 && isAddress(url) && isOpenWire(url)
        ? { headers: 'Headers may contain secrets and are not sent unencrypted; use an https:// address.' }
        : {}),
    ...(typeof matchers === 'string' && { matchers }),
    ...(!/^[\x21-\x7e]*$/.test(tenant) && { tenant: 'A tenant contains no spaces or line breaks.' }),
  }
  if (Object.keys(errors).length > 0 || !auth.ok || typeof headers === 'string' || typeof matchers === 'string') {
    return { ok: false, errors }
  }
  const [clusterLabel, instanceLabel] = [form.clusterLabel.trim(), form.instanceLabel.trim()]
  const target = {
    url,
    ...(context !== '' && { through: { context } }),
    ...(auth.credentials && { credentials: auth.credentials }),
    ...(tenant !== '' && { tenant }),
    ...(headers.length > 0 && { headers }),
    ...(matchers.length > 0 && { matchers }),
    ...((clusterLabel !== '' || instanceLabel !== '') && {
      labels: {
        ...(clusterLabel !== '' && { cluster: clusterLabel }),
        ...(instanceLabel !== '' && { instance: instanceLabel }),
      },
    }),
  }
  const spec = PrometheusSpecSchema.safeParse({
    ...target,
    kind: 'prometheus',
    ...(form.cluster !== '' && { cluster: form.cluster }),
    ...(form.instances !== undefined && { instances: [...form.instances] }),
    pastMs: form.pastMs,
  })
  if (!spec.success) return { ok: false, errors: { url: 'A field is too long. Shorten it.' } }
  return { ok: true, target: PrometheusTargetSchema.parse(target), spec: spec.data }
}

function readHeaders(text: string): Header[] | string {
  const headers: Header[] = []
  for (const [index, line] of filledLines(text).entries()) {
    const [, name, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
    const header = HeaderSchema.safeParse({ name, value })
    if (!header.success) return `Header ${index + 1} cannot be read; enter it as Name: value.`
    if (isReservedHeader(header.data.name)) return `${header.data.name} belongs to the connection and cannot be set.`
    headers.push(header.data)
  }
  return headers
}

function readMatchers(text: string): NonNullable<PrometheusTarget['matchers']> | string {
  const matchers: { label: string; value: string }[] = []
  for (const line of filledLines(text)) {
    const at = line.indexOf('=')
    if (at < 1) return `“${line}” is not a label; enter it as name=value.`
    matchers.push({ label: line.slice(0, at).trim(), value: line.slice(at + 1).trim() })
  }
  return matchers
}

/** The form filled from the shown source; secrets are not kept, so they have to be typed again. */
export function prometheusFormOf(spec: SourceSpec | undefined): PrometheusForm {
  if (spec?.kind !== 'prometheus') return EMPTY
  const { url, through, credentials, tenant = '', matchers = [], labels = {}, cluster = '', instances, pastMs } = spec
  return {
    ...EMPTY,
    url,
    context: through?.context ?? '',
    auth: authFormOf(credentials),
    tenant,
    matchers: matchers.map(({ label, value }) => `${label}=${value}`).join('\n'),
    clusterLabel: labels.cluster ?? '',
    instanceLabel: labels.instance ?? '',
    cluster,
    ...(instances !== undefined && { instances }),
    pastMs,
  }
}

/** Selects among the found servers: the only cluster by itself. Servers outside the selected cluster are removed. */
export function withFound(form: PrometheusForm, { clusters }: PrometheusServers): PrometheusForm {
  const { instances: _, ...rest } = form
  const known = clusters.find(({ name = '' }) => name === form.cluster)
  if (known === undefined) return { ...rest, cluster: clusters.length === 1 ? (clusters[0]?.name ?? '') : '' }
  const kept = form.instances?.filter((instance) => known.servers.some((server) => server.instance === instance)) ?? []
  return kept.length === 0 ? rest : { ...rest, instances: kept }
}

/** Adds or removes one server; selecting all of them means no selection, and selecting none is not possible. */
export function withServer(
  form: PrometheusForm,
  all: readonly string[],
  instance: string,
  on: boolean,
): PrometheusForm {
  const { instances = all, ...rest } = form
  const chosen = all.filter((one) => (one === instance ? on : instances.includes(one)))
  if (chosen.length === 0) return form
  return chosen.length === all.length ? rest : { ...rest, instances: chosen }
}

export const PASTS: readonly (readonly [value: string, label: string])[] = [
  ['0', 'nothing'],
  ['900000', 'the last 15 min'],
  ['3600000', 'the last hour'],
  ['21600000', 'the last 6 h'],
  [String(PAST_MS.max), 'the last 24 h'],
]
