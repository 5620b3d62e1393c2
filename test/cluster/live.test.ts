import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { manifestOf, versionOf } from '../../core/config/content.ts'
import { ProxySpecSchema } from '../../core/contract/live.ts'
import { openLiveConsole, type LiveConsole } from '../harness/live.ts'
import { ADMIN } from './identities.ts'
import { noCluster, useCluster } from './suite.ts'

const LEVELS = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations'

describe.skipIf(noCluster)('a live proxy in front of a real server', () => {
  const cluster = useCluster()
  let desk: LiveConsole
  beforeEach(async () => {
    desk = await openLiveConsole('proxy')
    await desk.connect(
      ProxySpecSchema.parse({
        kind: 'proxy',
        upstream: { kind: 'kubeconfig', file: cluster().kubeconfig },
        mode: 'enforce',
        listen: { token: { kind: 'none' } },
      }),
    )
    await vi.waitUntil(() => desk.state()?.address !== undefined)
  })
  afterEach(() => desk.close())

  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${desk.state()?.address ?? ''}${path}`, init)
  const shares = (): number | undefined =>
    desk.objects()?.objects.levels.find(({ metadata }) => metadata.name === 'workload-low')?.spec.limited
      ?.nominalConcurrencyShares

  it('begins with its objects and version, and agrees with where it puts each request', async () => {
    expect(desk.objects()).toMatchObject({ origin: 'proxy', state: 'current', version: cluster().version })
    const names = desk.objects()?.objects.levels.map(({ metadata }) => metadata.name)
    expect(names).toContain('workload-low')
    const paths = ['/api/v1/namespaces', '/api/v1/nodes?limit=5', '/version', '/apis', '/healthz', LEVELS]
    for (const path of paths) expect((await ask(path)).status).toBe(200)
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'live-' } })
    const headers = { 'Content-Type': 'application/json' }
    for (let n = 0; n < 10; n++) {
      expect((await ask('/api/v1/namespaces/default/configmaps', { method: 'POST', headers, body })).status).toBe(201)
    }
    await vi.waitFor(() => {
      const { agreement, arrived } = desk.state() ?? {}
      expect(arrived).toBe(16)
      expect(agreement).toMatchObject({ compared: 16, schemaAndLevel: 16, differences: [] })
    }, 5_000)
    // The number of objects comes from its metrics.
    expect(desk.state()?.limits.join(' ')).not.toContain('Without a scrape of the server')
  })

  it('takes an edit over for itself alone, and follows what changes on the server', async () => {
    await desk.client.call('editing.switch', { on: true })
    const before = desk.objects()?.objects.levels.find(({ metadata }) => metadata.name === 'workload-low')
    const base = versionOf(before ?? {})
    const limited = { ...before?.spec.limited, nominalConcurrencyShares: 7 }
    const object = { ...manifestOf('PriorityLevelConfiguration', { ...before, spec: { ...before?.spec, limited } }) }
    const change = { kind: 'PriorityLevelConfiguration' as const, name: 'workload-low', object }
    const report = await desk.client.call('objects.apply', { changes: [{ ...change, ...(base && { base }) }] })
    expect(report.verdicts).toMatchObject([{ outcome: 'accepted', differences: [] }])
    await vi.waitFor(() => expect(shares()).toBe(7))
    const { body } = await cluster().call(`${LEVELS}/workload-low`, ADMIN)
    expect(body).toContain('"nominalConcurrencyShares":100')

    const added = JSON.stringify({
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'added-there' },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
    })
    const call = { method: 'POST', body: added, contentType: 'application/json' }
    expect((await cluster().call(LEVELS, ADMIN, call)).status).toBe(201)
    await vi.waitFor(() => {
      expect(desk.objects()?.objects.levels.map(({ metadata }) => metadata.name)).toContain('added-there')
    }, 5_000)
    expect(shares()).toBe(7)
    await vi.waitFor(() => expect(desk.frame()?.levels.map(({ name }) => name)).toContain('added-there'), 5_000)
  })
})
