import { describe, expect, it } from 'vitest'
import { PrometheusSpecSchema, type PrometheusServers } from '../../../core/contract/prometheus.ts'
import { pastText } from './reports.data.ts'
import { prometheusFormOf, readPrometheusForm, withFound, withServer } from './prometheus.logic.ts'

const EMPTY = prometheusFormOf(undefined)
const form = { ...EMPTY, url: 'https://prometheus.example.com/prefix' }

describe('the form of a Prometheus', () => {
  it('becomes a source', () => {
    const read = readPrometheusForm({
      ...form,
      tenant: ' team-a ',
      headers: 'X-Key: abc: d\n\nX-Other: e',
      matchers: 'job=apiserver\nregion = eu=1',
      clusterLabel: 'k8s',
      cluster: 'prod',
      auth: { ...EMPTY.auth, token: 't' },
    })
    expect(read).toMatchObject({
      ok: true,
      spec: {
        kind: 'prometheus',
        url: form.url,
        tenant: 'team-a',
        credentials: { token: 't' },
        headers: [
          { name: 'X-Key', value: 'abc: d' },
          { name: 'X-Other', value: 'e' },
        ],
        matchers: [
          { label: 'job', value: 'apiserver' },
          { label: 'region', value: 'eu=1' },
        ],
        labels: { cluster: 'k8s' },
        cluster: 'prod',
        pastMs: 3_600_000,
      },
    })
    expect(read.ok && Object.keys(read.target)).not.toContain('cluster')
  })

  it('of a cluster has the credentials of its context alone', () => {
    const url = 'https://10.0.0.1:6443/api/v1/namespaces/monitoring/services/prometheus-k8s:web/proxy'
    const typed = { ...form, context: 'prod', auth: { ...EMPTY.auth, token: 't' } }
    const read = readPrometheusForm({ ...typed, url })
    expect(read).toMatchObject({ ok: true, spec: { url, through: { context: 'prod' } } })
    expect(read.ok && 'credentials' in read.spec).toBe(false)
    expect(read.ok && prometheusFormOf(read.spec)).toMatchObject({ url, context: 'prod' })
    expect(readPrometheusForm({ ...typed, url: '' })).toMatchObject({
      errors: { url: 'Find the Prometheus of the cluster.' },
    })
  })

  it('says what is wrong, field by field', () => {
    const wrong = { ...EMPTY, url: 'nonsense', headers: 'no header', matchers: 'x', tenant: 'a b' }
    expect(readPrometheusForm(wrong)).toMatchObject({
      ok: false,
      errors: {
        url: expect.stringContaining('is not an address'),
        headers: expect.stringContaining('Name: value'),
        matchers: expect.stringContaining('name=value'),
        tenant: expect.stringContaining('no spaces'),
      },
    })
    expect(readPrometheusForm({ ...form, headers: 'Host: x' })).toMatchObject({
      errors: { headers: expect.stringContaining('Host') },
    })
    const open = { ...form, url: 'http://10.0.0.1:9090', headers: 'X-Key: a', auth: { ...EMPTY.auth, token: 't' } }
    expect(readPrometheusForm(open)).toMatchObject({
      errors: {
        headers: expect.stringContaining('unencrypted'),
        auth: { kind: expect.stringContaining('unencrypted') },
      },
    })
    // Many Prometheus servers inside a cluster are read without a secret.
    expect(readPrometheusForm({ ...form, url: 'http://10.0.0.1:9090', tenant: 'a' }).ok).toBe(true)
  })

  it('is filled again from a source, but for its secrets', () => {
    const spec = PrometheusSpecSchema.parse({
      kind: 'prometheus',
      url: form.url,
      matchers: [{ label: 'job', value: 'x' }],
      labels: { instance: 'node' },
      cluster: 'prod',
      instances: ['a'],
      credentials: { username: 'u', clientCertificate: '/c.pem' },
    })
    const filled = prometheusFormOf(spec)
    expect(filled).toMatchObject({
      matchers: 'job=x',
      instanceLabel: 'node',
      cluster: 'prod',
      instances: ['a'],
      headers: '',
    })
    expect(filled.auth).toMatchObject({ kind: 'basic', username: 'u', password: '' })
  })
})

describe('what was found', () => {
  const servers = (...instances: string[]) => instances.map((instance) => ({ instance, lastAt: 1 }))
  const found = (...clusters: PrometheusServers['clusters']): PrometheusServers => ({
    labels: { instance: 'instance' },
    choices: [],
    clusters,
  })

  it('chooses the only cluster, and forgets one that is not there', () => {
    expect(withFound(form, found({ name: 'a', servers: servers('x') })).cluster).toBe('a')
    const two = found({ name: 'a', servers: servers('x') }, { name: 'b', servers: servers('y', 'z') })
    expect(withFound({ ...form, cluster: 'gone', instances: ['q'] }, two)).toMatchObject({ cluster: '' })
    expect(withFound({ ...form, cluster: 'b', instances: ['y', 'q'] }, two)).toMatchObject({
      cluster: 'b',
      instances: ['y'],
    })
    expect(withFound({ ...form, cluster: 'b', instances: ['q'] }, two).instances).toBeUndefined()
  })

  it('has all servers chosen until one is left out, and never none', () => {
    const one = withServer(form, ['x', 'y'], 'x', false)
    expect(one.instances).toEqual(['y'])
    expect(withServer(one, ['x', 'y'], 'y', false).instances).toEqual(['y'])
    expect(withServer(one, ['x', 'y'], 'x', true).instances).toBeUndefined()
  })
})

it('says how far the past was read', () => {
  const past = { wanted: '2026-01-01T00:00:00.000Z', reached: '2026-01-01T00:45:00.000Z' }
  expect(pastText({ ...past, state: 'reading' }, '2026-01-01T01:00:00.000Z').text).toContain('25 %')
  expect(pastText({ ...past, state: 'done' }, undefined).text).toMatch(/^The history was read back to [^;]+\.$/)
  expect(pastText({ ...past, state: 'done', warnings: ['store 10.1.1.1 is unavailable'] }, undefined)).toMatchObject({
    text: expect.stringMatching(/Some of it may be missing\. Prometheus warned: store 10\.1\.1\.1 is unavailable$/),
    tone: 'warn',
  })
  expect(pastText({ ...past, state: 'done', stepMs: 120_000 }, undefined).text).toContain('one scrape every 2 min;')
  expect(pastText({ ...past, state: 'done', begins: past.reached }, undefined).text).toMatch(
    /^Prometheus has no scrape between .* and .*; the history begins then\.$/,
  )
  const problem = { code: 'forbidden', message: 'no' } as const
  expect(pastText({ ...past, state: 'failed', problem }, undefined)).toMatchObject({ tone: 'warn', problem })
})
