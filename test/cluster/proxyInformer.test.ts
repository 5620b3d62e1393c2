import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { type Controller, sharedHistories, versionOf } from './controller.ts'
import { ADMIN, EXPORTER, OPERATOR } from './identities.ts'
import { runLoad } from './load.ts'
import { CONFIG_MAPS, type ProxyProcess, useProxyClients } from './proxyClients.ts'
import { noCluster, useCluster } from './suite.ts'

const LEVEL = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/controllers'
const SMALL = { maxInflight: 20, maxMutatingInflight: 10 }
const LIMITS = ['--max-requests-inflight', '20', '--max-mutating-requests-inflight', '10']
/** Half of the server's. */
const LESS = ['--max-requests-inflight', '10', '--max-mutating-requests-inflight', '5']

const namesOf = (clients: readonly Controller[]): readonly string[] => clients.map(({ name }) => name)

/** Requests for all objects, rather than for what has changed. */
const relists = (client: Controller, from: number, to: number): readonly string[] =>
  client
    .of('asked', from)
    .filter(({ at, initial, request }) => at < to && (initial || request.startsWith('GET')))
    .map(({ request }) => request)

describe.skipIf(noCluster)('client-go clients of the proxy and of the server', () => {
  const cluster = useCluster({ ...SMALL, manifests: ['controllers'] })
  const desk = useProxyClients(cluster)
  const { clients } = desk
  let proxies: readonly ProxyProcess[]
  let pairs: readonly (readonly [direct: Controller, through: Controller])[]
  beforeAll(async () => {
    const overTls = await desk.proxied('--tls', '--identity', 'token', ...LIMITS)
    const plain = await desk.proxied('--no-token', '--context', OPERATOR, ...LIMITS)
    proxies = [overTls, plain]
    const direct = await desk.as(OPERATOR, cluster())
    // So few that even on a busy machine the writers have to throttle themselves.
    const writing = { lease: '15s', writeEvery: '200ms', qps: 2 }
    const watching = { ...writing, protobuf: true, watchSeconds: 3 }
    const listing = { ...writing, watchList: false }
    pairs = [
      [desk.start('direct', direct, watching), desk.start('over-tls', await desk.as(OPERATOR, overTls), watching)],
      [desk.start('direct-list', direct, listing), desk.start('plain-list', plain.kubeconfig, listing)],
    ]
    await desk.ready()
  })

  /** Objects that all the clients change all the time. */
  const busy = (): readonly string[] =>
    clients.flatMap(({ name }) => [`configmaps/written-by-${name}`, `leases/held-by-${name}`])

  async function expectSameOfBusy(since = 0): Promise<void> {
    for (const [direct, through] of pairs) {
      for (const object of busy()) {
        await vi.waitFor(
          () => expect(sharedHistories(direct, through, object, since)[1].length).toBeGreaterThan(1),
          10_000,
        )
        const [theirs, ours] = sharedHistories(direct, through, object, since)
        expect([object, ours]).toEqual([object, theirs])
      }
    }
  }

  it('are told of the same events in the same order, warned and slowed down alike', async () => {
    desk.expectSame(await desk.changes('before'))
    const kinds = clients[0]?.history('configmaps/before-18').map((line) => line.split(' ')[0])
    expect(kinds).toEqual(['add', 'update', 'update', 'delete', 'add'])
    await expectSameOfBusy()
    // A writer throttles itself once its requests exceed its client-side rate limit.
    await vi.waitFor(() => {
      const eager = clients.filter((client) => client.of('log').length === 0)
      expect(eager.map(({ name }) => name)).toEqual([])
    }, 60_000)
    for (const [direct, through] of pairs) {
      const how = (client: Controller): unknown => ({
        lists: relists(client, 0, Number.POSITIVE_INFINITY).toSorted(),
        warned: client.of('warning').map(({ text }) => text),
        slowed: client.of('log').map(({ log }) => [log.msg, log['reason']])[0],
        lost: client.of('lost').length,
        failed: client.of('failed').map(({ text }) => text),
        refused: client.of('refused'),
      })
      expect(how(through)).toEqual(how(direct))
      expect(how(direct)).toMatchObject({
        warned: [expect.stringContaining('Endpoints is deprecated')],
        slowed: ['Waited before sending request', 'client-side throttling, not priority and fairness'],
        failed: [],
        refused: [],
        lost: 0,
      })
    }
    const protocols = clients.map((client) => new Set(client.of('asked').map(({ protocol }) => protocol)))
    expect(protocols).toEqual(['HTTP/2.0', 'HTTP/2.0', 'HTTP/2.0', 'HTTP/1.1'].map((one) => new Set([one])))
  })

  it('find their way back by themselves when the server dies, without listing anew while it is gone', async () => {
    await cluster().killApiserver()
    const fell = Date.now()
    await sleep(3_000)
    const up = Date.now()
    for (const client of clients) {
      expect([client.name, relists(client, fell, up)]).toEqual([client.name, []])
      expect(client.of('failed', fell).filter(({ text }) => text.startsWith('reflector'))).toEqual([])
    }
    await cluster().startApiserver()
    // A client that lists again does not receive earlier changes; all clients receive changes once all are back.
    const follows = (client: Controller): boolean =>
      client.of('update', up).some(({ object }) => object.startsWith('leases/'))
    await vi.waitFor(() => expect(namesOf(clients.filter((client) => !follows(client)))).toEqual([]), 60_000)
    await desk.told('back')
    desk.expectSame([...(await desk.changes('after')), 'before-0', 'before-1', 'before-last'])
    await vi.waitFor(() => {
      expect(namesOf(clients.filter((client) => !client.leads()))).toEqual([])
      expect(namesOf(clients.filter((client) => client.of('wrote', up + 1_000).length === 0))).toEqual([])
    }, 30_000)
    await expectSameOfBusy(versionOf(clients[0]?.history('configmaps/after-last')[0]))
    for (const client of clients) {
      for (const object of busy()) {
        const versions = client.history(object).map(versionOf)
        expect(versions).toEqual(versions.toSorted((a, b) => a - b))
      }
    }
  })

  it('are placed as the server places them', async () => {
    for (const proxy of proxies) {
      const placed = (): readonly string[] =>
        proxy.rows().flatMap(({ level, schema, server }) => {
          return server === undefined ? [] : [[level, schema, server.level, server.schema].join(' ')]
        })
      await vi.waitFor(() => expect(placed().length).toBeGreaterThan(50), 30_000)
      expect([...new Set(placed())].toSorted()).toEqual([
        'controllers controllers controllers controllers',
        'leader-election system-leader-election leader-election system-leader-election',
      ])
    }
  })
})

describe.skipIf(noCluster)('client-go clients whose level is full', () => {
  const cluster = useCluster({ ...SMALL, manifests: ['controllers'] })
  const desk = useProxyClients(cluster)
  let proxy: ProxyProcess
  let direct: Controller
  let through: Controller
  beforeAll(async () => {
    const rejects = JSON.stringify({ spec: { limited: { limitResponse: { type: 'Reject', queuing: null } } } })
    const patch = { method: 'PATCH', body: rejects, contentType: 'application/merge-patch+json' }
    const { status } = await cluster().call(LEVEL, ADMIN, patch)
    if (status !== 200) throw new Error(`the level cannot be changed: ${status}`)
    proxy = await desk.proxied('--tls', '--identity', 'token', ...LESS)
    const options = { lease: '5s', writeEvery: '200ms', watchSeconds: 3 }
    direct = desk.start('direct', await desk.as(OPERATOR, cluster()), options)
    through = desk.start('through', await desk.as(OPERATOR, proxy), options)
    await desk.ready()
  })

  /** Takes every seat of the level for some seconds. */
  async function fill({ url, ca }: Pick<ProxyProcess, 'url' | 'ca'>): Promise<Span> {
    const from = Date.now()
    const plan = { user: OPERATOR, path: `${CONFIG_MAPS}?dryRun=All`, method: 'POST', body: '{}', holdMs: 60_000 }
    await runLoad({ ...cluster(), url, ca }, [{ workers: 30, plan: () => plan }], 7)
    return { from, to: Date.now() }
  }

  it('come again when they are told to and lose no event, at the server', async () => {
    const [span, names] = await Promise.all([fill(cluster()), desk.changes('full-there')])
    desk.expectSame(names)
    for (const client of [direct, through]) {
      expect(refusedTo(client, span)).toEqual(EVERYTHING)
      expectPatience(client)
    }
    expect(proxy.rows().filter(({ state }) => state === 'rejected')).toEqual([])
  })

  it('do so at the proxy, and lead all the time, unless their leases are of the full level, too', async () => {
    await desk.told('free-again')
    // Which is not in kube-system, so that its leases are of no level of their own.
    const outsider = desk.start('outsider', await desk.as(EXPORTER, proxy), { lease: '5s' })
    await desk.ready()
    const [span, names] = await Promise.all([fill(proxy), desk.changes('full-here')])
    desk.expectSame(names)
    expect(refusedTo(through, span)).toEqual(EVERYTHING)
    expect(refusedTo(direct, span)).toEqual([])
    expectPatience(through)
    await vi.waitFor(() => expect(through.of('wrote', span.to).length).toBeGreaterThan(2), 15_000)
    for (const client of [direct, through]) {
      expect([client.of('leading').length, client.of('lost').length, client.of('failed')]).toEqual([1, 0, []])
    }
    await vi.waitFor(() => expect(outsider.of('lost', span.from).length).toBeGreaterThan(0), 15_000)
    const rejected = proxy.rows().filter(({ state }) => state === 'rejected')
    expect(new Set(rejected.map(({ level }) => level))).toEqual(new Set(['controllers']))
  })
})

/** Compresses the initial events of watches. */
const COMPRESSING = 'v1.37.2'
const INFORMING = 12

describe.skipIf(noCluster)(`informers of client-go and kube-apiserver ${COMPRESSING}`, () => {
  const cluster = useCluster({ ...SMALL, version: COMPRESSING, manifests: ['controllers'] })
  const desk = useProxyClients(cluster)

  it('are refused as often through the proxy as at the server', async () => {
    const rejects = JSON.stringify({ spec: { limited: { limitResponse: { type: 'Reject', queuing: null } } } })
    const patch = { method: 'PATCH', body: rejects, contentType: 'application/merge-patch+json' }
    expect((await cluster().call(LEVEL, ADMIN, patch)).status).toBe(200)
    await desk.changes('there')
    const proxy = await desk.proxied('--tls', '--identity', 'token', ...LIMITS)
    const started: Controller[] = []
    const synced = (): Promise<void> =>
      vi.waitFor(() => expect(namesOf(started.filter((one) => one.of('synced').length < 2))).toEqual([]), 120_000)
    const found: Record<string, number> = {}
    for (const [where, target] of [
      ['server', cluster()],
      ['proxy', proxy],
    ] as const) {
      const kubeconfig = await desk.as(OPERATOR, target)
      // One after the other: seats that a watch keeps too long are missing for the next.
      for (let i = 0; i < INFORMING; i++) {
        started.push(desk.start(`${where}-${i}`, kubeconfig, {}))
        await synced()
      }
      found[where] = started.splice(0).reduce((sum, client) => sum + client.of('refused').length, 0)
    }
    expect(found['proxy']).toBe(found['server'])
  })
})

interface Span {
  readonly from: number
  readonly to: number
}

const EVERYTHING = ['PUT configmaps', 'WATCH configmaps', 'WATCH leases']

/** Kinds of requests that were refused. */
const refusedTo = (client: Controller, { from, to }: Span): readonly string[] => {
  const within = client.of('refused', from).filter(({ at }) => at < to)
  return [...new Set(within.map(({ request }) => request.replace(/ .*\/namespaces\/\w+\/(\w+).*/, ' $1')))].toSorted()
}

/** Every rejected request was retried, no sooner than its Retry-After. */
function expectPatience(client: Controller): void {
  const again = client.of('again')
  expect(again.length).toBeGreaterThan(2)
  for (const { request, retryAfter, afterMs } of again) {
    expect(Number(retryAfter)).toBeGreaterThan(0)
    expect([request, afterMs]).toEqual([
      request,
      expect.toSatisfy((ms: number) => ms >= Number(retryAfter) * 1_000 - 20),
    ])
  }
  expect(client.of('log').map(({ log }) => log.msg)).toContain('Got a Retry-After response')
}
