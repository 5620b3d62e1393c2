import { afterAll, describe, expect, test } from 'vitest'
import { useCluster, noCluster } from './suite.ts'
import { type ProxiedEtcd, proxyBefore } from './etcdServer.ts'
import { ADMIN } from './identities.ts'

const RULES = `
classes: [{ name: few, qdisc: tbf, qps: 0.001, burst: 1 }]
rules:
  - { name: no-more-events, qClassName: few, priority: 1, ops: [Put], prefixPaths: [/registry/configmaps/limited/] }
`

describe.skipIf(noCluster)('a kube-apiserver whose only store is the proxy', () => {
  let proxy: ProxiedEtcd | undefined
  const verdicts = { passed: 0, delayed: 0, limited: 0 }
  const cluster = useCluster({
    async beforeEtcd(port) {
      const opened = await proxyBefore(`http://127.0.0.1:${port}`, RULES)
      proxy = opened
      opened.gate.on('decided', ({ verdict }) => {
        verdicts[verdict] += 1
      })
      return { port: Number(new URL(opened.url).port), close: () => opened.close() }
    },
  })
  afterAll(() => proxy?.close())

  const create = (namespace: string, name: string) =>
    cluster().call(`/api/v1/namespaces/${namespace}/configmaps`, ADMIN, {
      method: 'POST',
      body: JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { text: 'x'.repeat(4_000) },
      }),
      contentType: 'application/json',
    })

  test('it is healthy, and writes, lists and watches come through', { timeout: 120_000 }, async () => {
    expect((await cluster().call('/readyz/etcd', ADMIN)).status).toBe(200)
    const created = await Promise.all(Array.from({ length: 300 }, (_, i) => create('default', `c${i}`)))
    expect(created.filter(({ status }) => status === 201)).toHaveLength(300)
    // At the watch cache, which is filled by a list and a watch of etcd.
    const list = async (): Promise<number> => {
      const { body } = await cluster().call('/api/v1/namespaces/default/configmaps?resourceVersion=0', ADMIN)
      return body.match(/"name":"c\d+"/g)?.length ?? 0
    }
    await expect.poll(list, { timeout: 30_000 }).toBe(300)
    expect(verdicts.passed).toBeGreaterThan(300)
    expect(verdicts).toMatchObject({ delayed: 0, limited: 0 })
  })

  test('a rule on one namespace limits writes there alone', { timeout: 60_000 }, async () => {
    await cluster().call('/api/v1/namespaces', ADMIN, {
      method: 'POST',
      body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'limited' } }),
      contentType: 'application/json',
    })
    const [first, second] = [await create('limited', 'a'), await create('limited', 'b')]
    expect(first.status).toBe(201)
    expect(second.status).not.toBe(201)
    expect(second.body).toContain('too many requests')
    expect((await create('default', 'after')).status).toBe(201)
    expect(verdicts.limited).toBeGreaterThan(0)
  })
})
