import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as requestOver } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { openPrometheus } from '../../main/sources/prometheus/api.ts'
import { clusterServices } from '../../main/sources/prometheus/clusterServices.ts'
import { allNamed } from '../harness/consent.ts'
import { startFakePrometheus } from '../harness/fakePrometheus.ts'
import { metricsPage } from '../harness/hostileServer.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

interface ClusterOptions {
  /** Services by `namespace/name`, with their labels. */
  readonly services: Readonly<Record<string, string>>
  readonly mayWatch?: boolean
  /** Answers in place of a Prometheus. */
  readonly behind?: { readonly status: number; readonly body: string }
}

/** An API server with services that all lead to one Prometheus, which scrapes it. */
async function cluster({ services, mayWatch = true, behind }: ClusterOptions) {
  const labels = { job: 'apiserver', instance: '10.0.0.1:6443' }
  const page = (at: number) => metricsPage({ step: Math.round(at / 1_000) % 100_000 })
  const prometheus = await startFakePrometheus(Date.now, () => [{ labels, intervalMs: 1_000, page }])
  cleanups.push(() => prometheus.close())
  const asked: string[] = []
  const bodyOf = (place: string): object => {
    const [namespace, name] = place.split('/')
    const ports = [
      { name: 'reloader-web', port: 8080 },
      { name: 'http-web', port: 9090 },
    ]
    return { metadata: { namespace, name, labels: { app: services[place] } }, spec: { ports } }
  }
  const api = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '', 'http://api')
    const answer = (status: number, body: string) => response.writeHead(status).end(body)
    const refusal = (status: number, message: string) => answer(status, JSON.stringify({ kind: 'Status', message }))
    const [, place = '', way] =
      /^\/prefix\/api\/v1\/namespaces\/([^/]+\/services\/[^/]+)(\/proxy)?/.exec(url.pathname) ?? []
    asked.push(way === undefined ? `${url.pathname}${url.searchParams.get('labelSelector') ?? ''}` : place)
    if (url.pathname === '/prefix/api/v1/services') {
      if (!mayWatch) return refusal(403, 'services is forbidden: User "x" cannot watch resource "services"')
      const wanted = /^app in \((.*)\)$/.exec(url.searchParams.get('labelSelector') ?? '')?.[1]?.split(',') ?? []
      const found = Object.keys(services).filter((one) => wanted.includes(services[one] ?? ''))
      return answer(200, found.map((one) => `${JSON.stringify({ type: 'ADDED', object: bodyOf(one) })}\n`).join(''))
    }
    const named = place.replace('/services/', '/').replace(/:.*/, '')
    if (!(named in services)) return refusal(404, `services ${named} not found`)
    if (way === undefined) return answer(200, JSON.stringify(bodyOf(named)))
    if (behind !== undefined) return answer(behind.status, behind.body)
    const rest = `${url.pathname.slice(url.pathname.indexOf('/proxy') + '/proxy'.length)}${url.search}`
    return void requestOver(prometheus.url(rest), (passed) => passed.pipe(response)).end()
  }).listen(0, '127.0.0.1')
  cleanups.push(() => (api.closeAllConnections(), api.close()))
  await new Promise((resolve) => api.once('listening', resolve))
  const server = `http://127.0.0.1:${(api.address() as AddressInfo).port}/prefix`
  const folder = mkdtempSync(join(tmpdir(), 'apf-through-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'kubeconfig')
  const config = {
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 't0k-s3cr3t' } }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'here',
  }
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
  const find = (named?: string) =>
    clusterServices({ file }, named, { environment: systemEnvironment, consent: allNamed })
  return { asked, file, find, server }
}

const addressOf = (server: string, service: string): string => {
  const [namespace, name] = service.split('/')
  return `${server}/api/v1/namespaces/${namespace}/services/${name}/proxy`
}

test('services are found by their labels, and only those that answer', async () => {
  const { find, server, asked } = await cluster({ services: { 'm/a': 'grafana', 'm/b': 'prometheus' } })
  expect(await find()).toEqual([{ service: 'm/b:http-web', url: addressOf(server, 'm/b:http-web') }])
  expect(asked.filter((one) => one.includes('services/a'))).toEqual([])
})

test('without the right to watch, the usual names are tried', async () => {
  const services = { 'monitoring/kube-prometheus-stack-prometheus': 'other' }
  const { find, server } = await cluster({ services, mayWatch: false })
  const service = 'monitoring/kube-prometheus-stack-prometheus:http-web'
  expect(await find()).toEqual([{ service, url: addressOf(server, service) }])
})

test('one that was named is not searched for, even under a name like a path of Prometheus', async () => {
  const { find, server, asked, file } = await cluster({ services: { 'monitoring/prometheus': 'other' } })
  const [found] = await find('monitoring/prometheus')
  expect([found?.url, asked]).toEqual([addressOf(server, 'monitoring/prometheus'), []])
  const api = await openPrometheus({ url: found?.url ?? '', through: { file } }, Date.now, allNamed)
  cleanups.push(() => api.close())
  expect(api.host).toBe('monitoring/prometheus')
  const limits = {
    connectMs: 5_000,
    firstByteMs: 5_000,
    idleMs: 5_000,
    totalMs: 5_000,
    maxWireBytes: 1e6,
    maxBytes: 1e6,
  }
  expect(await api.query('up', undefined, { signal: new AbortController().signal, limits })).toMatchObject({ ok: true })
  expect(asked).toEqual(['monitoring/services/prometheus'])
  await expect(find('monitoring')).rejects.toMatchObject({ message: expect.stringContaining('NAMESPACE/NAME:PORT') })
})

test.each([
  ['no right', { status: 403, body: '{"kind":"Status","message":"cannot get"}' }, 'the right to get services/proxy'],
  ['no pods', { status: 503, body: '{"kind":"Status","message":"no endpoints"}' }, 'check that its pods run'],
  ['a login of its own', { status: 401, body: 'Unauthorized' }, 'requires credentials of its own (401)'],
  ['another program', { status: 200, body: '<html>' }, 'answered with a web page'],
])('%s is named', async (_, behind, words) => {
  const { find } = await cluster({ services: { 'm/b': 'prometheus' }, behind })
  await expect(find()).rejects.toMatchObject({
    problem: { code: 'not-found' },
    message: expect.stringContaining(words),
  })
})

test('the credentials of the kubeconfig go to services of its own API server alone', async () => {
  const { file, server, asked } = await cluster({ services: {} })
  const elsewhere = [
    'https://attacker.example.com/api/v1/namespaces/m/services/b/proxy',
    server.replace('/prefix', '') + '/api/v1/namespaces/m/services/b/proxy',
    `${server}.attacker.example.com/api/v1/namespaces/m/services/b/proxy`,
    `${server}/api/v1/namespaces/m/secrets`,
    `${server}/api/v1/namespaces/m/services/b/proxy/../../../secrets`,
    `${server}/api/v1/namespaces/m/services/b/proxy/%2e%2e/%2e%2e/%2e%2e/secrets`,
  ]
  for (const url of elsewhere) {
    await expect(openPrometheus({ url, through: { file } }, Date.now, allNamed), url).rejects.toMatchObject({
      problem: { code: 'invalid-input' },
    })
  }
  expect(asked).toEqual([])
})
