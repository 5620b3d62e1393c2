import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { flowControl, level, limited } from './flowControl.ts'
import { ADMIN, NOBODY } from './identities.ts'
import { readSamples, total } from './independent.ts'
import { startPrometheus, valuesOf } from './prometheusServers.ts'
import { noPrometheus, scrapedCluster } from './scraped.ts'
import { noCluster } from './suite.ts'

/*
 * A Prometheus behind a service of the cluster that it scrapes. A server proxies to endpoints of pods alone, and its
 * validation refuses those on loopback: they are written into etcd, past it.
 */

const NAMESPACE = 'monitoring'
const NAME = 'the-metrics'
const LEVEL = 'console'

describe.skipIf(noCluster || noPrometheus)('the Prometheus of a cluster through its API server', () => {
  const { cluster, folder, scrape, etcdUrl } = scrapedCluster()
  const objects = flowControl(cluster)
  const send = async (path: string, body: object, call: { readonly method: string; readonly contentType?: string }) => {
    const answer = await cluster().call(path, ADMIN, { ...call, body: JSON.stringify(body) })
    expect(answer.status, answer.body).toBeLessThan(300)
  }
  const create = (path: string, body: object): Promise<void> => send(path, body, { method: 'POST' })
  const core = `/api/v1/namespaces/${NAMESPACE}`
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const grant = async (name: string, rule: object): Promise<void> => {
    await create(`${rbac}/clusterroles`, { metadata: { name }, rules: [{ apiGroups: [''], ...rule }] })
    await create(`${rbac}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: NOBODY }],
    })
  }
  const store = async (key: string, value: object): Promise<void> => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const body = JSON.stringify({ key: base64(key), value: base64(JSON.stringify(value)) })
    expect((await fetch(`${etcdUrl()}/v3/kv/put`, { method: 'POST', body })).status).toBe(200)
  }

  beforeAll(async () => {
    const { server } = await scrape((target) => startPrometheus(folder(), target, 2, `${folder()}/queries.log`))
    const port = Number(new URL(server.url).port)
    await create('/api/v1/namespaces', { metadata: { name: NAMESPACE } })
    await create(`${core}/services`, {
      metadata: { name: NAME, labels: { 'app.kubernetes.io/name': 'prometheus' } },
      spec: {
        ports: [
          { name: 'reloader-web', port: 8080 },
          { name: 'web', port: 9090 },
        ],
      },
    })
    await create(`${core}/pods`, { metadata: { name: 'pod' }, spec: { containers: [{ name: 'p', image: 'p' }] } })
    const status = { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }], phase: 'Running' }
    const merge = { method: 'PATCH', contentType: 'application/merge-patch+json' }
    await send(`${core}/pods/pod/status`, { status }, merge)
    const metadata = { name: NAME, namespace: NAMESPACE, uid: 'u', creationTimestamp: new Date().toISOString() }
    const targetRef = { kind: 'Pod', namespace: NAMESPACE, name: 'pod' }
    await store(`/registry/services/endpoints/${NAMESPACE}/${NAME}`, {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata,
      subsets: [{ addresses: [{ ip: '127.0.0.1', targetRef }], ports: [{ name: 'web', port, protocol: 'TCP' }] }],
    })
    await store(`/registry/endpointslices/${NAMESPACE}/${NAME}`, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      addressType: 'IPv4',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': NAME } },
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true }, targetRef }],
      ports: [{ name: 'web', port, protocol: 'TCP' }],
    })
    await objects.applyAs('test', level(LEVEL, limited(300)))
    const every = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }
    await objects.applyAs('test', {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: LEVEL },
      spec: {
        priorityLevelConfiguration: { name: LEVEL },
        matchingPrecedence: 2,
        rules: [{ subjects: [{ kind: 'User', user: { name: NOBODY } }], resourceRules: [every] }],
      },
    })
    const scraped = 'apiserver_flowcontrol_nominal_limit_seats{priority_level="catch-all"}'
    const isScraped = async (): Promise<void> => {
      if ((await valuesOf(server.url, scraped, [])).size === 0) throw new Error('It has not been scraped yet.')
    }
    await vi.waitFor(isScraped, { timeout: 30_000 })
  }, 120_000)

  const snapshot = (service = '') =>
    runCommand('snapshot', '--prometheus', `cluster${service}`, '--kubeconfig', cluster().nobodyKubeconfig)
  const ofConsole = async (name: string) =>
    total(readSamples((await cluster().call('/metrics', ADMIN)).body), name, { priority_level: LEVEL }) ?? 0

  it('names the missing right, then finds it by its labels and reads it, at the price of one seat at a time', async () => {
    const refused = await snapshot(`:${NAMESPACE}/${NAME}:web`)
    expect(refused.code).not.toBe(0)
    expect(refused.told).toContain('they need the right to get services/proxy there')
    await grant('query', { resources: ['services/proxy'], resourceNames: [`${NAME}:web`], verbs: ['get'] })
    await grant('find', { resources: ['services'], verbs: ['watch'] })

    // A server reads new roles a moment later.
    await expect
      .poll(async () => (await cluster().call('/api/v1/services?watch=true&timeoutSeconds=1', NOBODY)).status, {
        timeout: 20_000,
      })
      .toBe(200)
    const before = await ofConsole('dispatched_requests_total')
    const read = await snapshot()
    expect([read.code, read.told]).toEqual([0, expect.not.stringContaining('not found')])
    expect(JSON.parse(read.output)).toMatchObject({
      source: { kind: 'prometheus', via: expect.stringContaining(`${NAMESPACE}/${NAME}:web in 127.0.0.1`) },
      servers: [
        { version: cluster().version, levels: expect.arrayContaining([expect.objectContaining({ name: LEVEL })]) },
      ],
    })
    // Three watches; the queries are long-running requests, which flow control does not count.
    expect((await ofConsole('dispatched_requests_total')) - before).toBe(3)
    let most = 0
    for (let second = 0; second < 21; second++) {
      most = Math.max(most, await ofConsole('demand_seats_high_watermark'))
      await sleep(1_000)
    }
    expect(most).toBe(1)
  }, 120_000)
})
