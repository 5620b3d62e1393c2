import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { nothingHeld } from '../harness/proxied.ts'
import {
  ADMIN,
  CONTROLLER_MANAGER,
  CRAWLER,
  EXPORTER,
  NODE,
  NOBODY,
  OPERATOR,
  SCHEDULER,
  VIEWER,
  WRITER,
  mouse,
} from './identities.ts'
import { runLoad } from './load.ts'
import { labelValues, readSamples, total } from './independent.ts'
import { demoLoad, saturating, seed } from './profiles.ts'
import { clientOf, proxyOf, type Heard, type ProxiedCluster } from './proxied.ts'
import { cacheFolder, DEFAULT_VERSION } from './binaries.ts'
import { noCluster, useCluster } from './suite.ts'

const CONFIG_MAPS = '/api/v1/namespaces/batch/configmaps'
const LARGE = { maxInflight: 400, maxMutatingInflight: 200 }

/** These differ from one response to the next by nature; the others must not. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set(['date', 'audit-id', 'connection', 'keep-alive'])
const lasting = ({ headers }: Heard): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_MOMENT.has(name)))

const configMap = (name: string, bytes = 100): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { payload: 'x'.repeat(bytes) } })

const versionOf = (listed: Heard): string => {
  const list = JSON.parse(listed.body) as { metadata: { resourceVersion: string; continue?: string } }
  return list.metadata.resourceVersion
}

describe.skipIf(noCluster)('a proxy in front of a real API server', () => {
  const cluster = useCluster(LARGE)
  let proxy: ProxiedCluster | undefined
  let direct: ReturnType<typeof clientOf> | undefined
  let through: ReturnType<typeof clientOf> | undefined
  const theProxy = (): ProxiedCluster => defined(proxy)
  const viaProxy = (): ReturnType<typeof clientOf> => defined(through)
  const viaNothing = (): ReturnType<typeof clientOf> => defined(direct)

  beforeAll(async () => {
    await seed(cluster())
    proxy = await proxyOf(cluster(), { seats: 400, mutating: 200 })
    direct = clientOf(cluster())
    through = clientOf(proxy.cluster)
  })
  afterAll(async () => {
    through?.close()
    direct?.close()
    await proxy?.close()
  })

  it('answers as the server: statuses, headers and bodies byte for byte', async () => {
    const at = versionOf(await viaNothing().ask(CONFIG_MAPS, ADMIN, { keep: true }))
    const exact = `resourceVersion=${at}&resourceVersionMatch=Exact`
    const asks: readonly (readonly [path: string, as: string, headers?: Record<string, string>, method?: string])[] = [
      [`${CONFIG_MAPS}?${exact}`, ADMIN],
      [`${CONFIG_MAPS}?${exact}`, ADMIN, { 'Accept-Encoding': 'gzip' }],
      [`${CONFIG_MAPS}?${exact}`, ADMIN, { Accept: 'application/vnd.kubernetes.protobuf' }],
      [`${CONFIG_MAPS}?${exact}`, ADMIN, { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }],
      [`${CONFIG_MAPS}?${exact}&limit=500`, EXPORTER],
      [`${CONFIG_MAPS}/seed-0001`, mouse(1)],
      [`${CONFIG_MAPS}/seed-0001`, mouse(1), {}, 'HEAD'],
      [`${CONFIG_MAPS}/missing`, mouse(1)],
      [CONFIG_MAPS, NOBODY],
      [`${CONFIG_MAPS}?limit=nonsense`, ADMIN],
      [`${CONFIG_MAPS}?timeout=nonsense`, ADMIN],
      [`${CONFIG_MAPS}?watch=1&resourceVersion=1&timeoutSeconds=1`, ADMIN],
      [`${CONFIG_MAPS}?watch=1&resourceVersion=nonsense`, ADMIN],
      [`${CONFIG_MAPS}?watch=1&sendInitialEvents=true`, ADMIN],
      [`${CONFIG_MAPS}?limit=5&continue=nonsense`, ADMIN],
      [`${CONFIG_MAPS}?resourceVersion=99999999`, ADMIN],
      ['/api', ADMIN],
      ['/apis', ADMIN, { Accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' }],
      ['/version', NOBODY],
      ['/openapi/v3', ADMIN],
      ['/openapi/v2', ADMIN],
      ['/nothing/here', ADMIN],
      ['/healthz', NOBODY],
      ['/readyz?verbose', ADMIN],
      ['/api/v1/namespaces/batch%2Fx/configmaps', ADMIN],
      [`${CONFIG_MAPS}/seed-0001`, mouse(1), { 'If-None-Match': '"x"' }],
      [`${CONFIG_MAPS}/seed-0001`, ADMIN, { 'Impersonate-User': 'carol' }],
      [`${CONFIG_MAPS}/seed-0001`, mouse(1), { 'Impersonate-User': 'carol' }],
      [CONFIG_MAPS, ADMIN, {}, 'OPTIONS'],
    ]
    for (const [target, as, headers = {}, method = 'GET'] of asks) {
      const [one, other] = await Promise.all(
        [viaNothing(), viaProxy()].map((client) => client.ask(target, as, { headers, method })),
      )
      expect({ target, status: other?.status, sum: other?.sum, headers: other && lasting(other) }).toEqual({
        target,
        status: one?.status,
        sum: one?.sum,
        headers: one && lasting(one),
      })
    }
    await nothingHeld(theProxy().run, 10_000)
  })

  it('passes lists on in chunks', async () => {
    const names = async (client: ReturnType<typeof clientOf>): Promise<string[]> => {
      const found: string[] = []
      let next: string | undefined = ''
      while (next !== undefined) {
        const more: string = next === '' ? '' : `&continue=${encodeURIComponent(next)}`
        const { body, status } = await client.ask(`${CONFIG_MAPS}?limit=37${more}`, EXPORTER, { keep: true })
        expect(status).toBe(200)
        const list = JSON.parse(body) as {
          metadata: { continue?: string }
          items: { metadata: { name: string } }[]
        }
        found.push(...list.items.map(({ metadata: { name } }) => name))
        next = list.metadata.continue === '' ? undefined : list.metadata.continue
      }
      return found
    }
    const own = await names(viaProxy())
    expect(own.length).toBeGreaterThanOrEqual(400)
    expect(own).toEqual(await names(viaNothing()))
  })

  it('writes, and its watches tell what those of the server tell', async () => {
    const at = versionOf(await viaNothing().ask(CONFIG_MAPS, ADMIN, { keep: true }))
    const target = `${CONFIG_MAPS}?watch=1&resourceVersion=${at}&labelSelector=!none&timeoutSeconds=6`
    const watches = Promise.all([viaNothing(), viaProxy()].map((client) => client.ask(target, ADMIN, { keep: true })))
    await sleep(500)
    const ask = async (method: string, name: string, body?: string, headers = {}): Promise<number> =>
      (await viaProxy().ask(`${CONFIG_MAPS}${name}`, ADMIN, { method, headers, ...(body !== undefined && { body }) }))
        .status
    const patch = { 'Content-Type': 'application/merge-patch+json' }
    const apply = { 'Content-Type': 'application/apply-patch+yaml' }
    expect(await ask('POST', '', configMap('mine'))).toBe(201)
    expect(await ask('POST', '', configMap('mine'))).toBe(409)
    expect(await ask('PATCH', '/mine', '{"data":{"a":"b"}}', patch)).toBe(200)
    expect(await ask('PUT', '/mine', configMap('mine', 50))).toBe(200)
    expect(await ask('PATCH', '/applied?fieldManager=me', configMap('applied'), apply)).toBe(201)
    expect(await ask('DELETE', '/mine')).toBe(200)
    expect(await ask('DELETE', '/applied', '{"kind":"DeleteOptions","apiVersion":"v1"}')).toBe(200)
    expect(await ask('POST', '', 'x'.repeat(4_000_000))).toBe(413)
    const [one, other] = await watches
    expect(other?.body.trim().split('\n').length).toBe(6)
    expect(other?.body).toBe(one?.body)
    await nothingHeld(theProxy().run, 10_000)
  })

  it('passes a change of protocol on: a watch over WebSocket', async () => {
    const { url, ca } = theProxy().cluster
    const socket = new WebSocket(`${url.replace('https', 'wss')}${CONFIG_MAPS}?watch=1&limit=5`, {
      ca,
      // The server rejects requests without one; the proxy admits a client with identity headers.
      origin: url,
      headers: { Authorization: `Bearer ${cluster().identity(ADMIN).token}` },
    })
    const first = await new Promise<string>((resolve, reject) => {
      socket.once('message', (data: Buffer) => resolve(data.toString()))
      socket.once('error', reject)
    })
    expect(JSON.parse(first)).toMatchObject({ type: 'ADDED', object: { kind: 'ConfigMap' } })
    socket.close()
    await nothingHeld(theProxy().run, 10_000)
  })

  it('serves the load of a day as the server does', async () => {
    const seconds = 20
    const own = await runLoad(theProxy().cluster, demoLoad(0), seconds)
    const servers = await runLoad(cluster(), demoLoad(0), seconds)
    console.log('answers through the proxy and without it:', Object.fromEntries(own), Object.fromEntries(servers))
    expect(new Set(own.keys())).toEqual(new Set(servers.keys()))
    const sum = (answers: ReadonlyMap<number, number>): number => [...answers.values()].reduce((a, b) => a + b, 0)
    expect(sum(own) / sum(servers)).toBeGreaterThan(0.85)
    await nothingHeld(theProxy().run, 10_000)
  })

  it('passes a list of 200 MB on without keeping it', async () => {
    const made = '/api/v1/namespaces/default/configmaps'
    for (let first = 0; first < 210; first += 10) {
      const created = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          viaNothing().ask(made, ADMIN, { method: 'POST', body: configMap(`big-${first + i}`, 1_000_000) }),
        ),
      )
      expect(created.every(({ status }) => status === 201)).toBe(true)
    }
    const at = versionOf(await viaNothing().ask(`${made}?limit=1`, ADMIN, { keep: true }))
    const target = `${made}?resourceVersion=${at}&resourceVersionMatch=Exact`
    const before = process.memoryUsage().rss
    let highest = before
    // Memory that the process had before may be reused, so the bytes in progress are counted separately.
    let underWay = 0
    const timer = setInterval(() => {
      const { rss, arrayBuffers } = process.memoryUsage()
      highest = Math.max(highest, rss)
      underWay = Math.max(underWay, arrayBuffers)
    }, 20)
    const own = await viaProxy().ask(target, ADMIN)
    clearInterval(timer)
    const servers = await viaNothing().ask(target, ADMIN)
    const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20)
    console.log(`${own.bytes} bytes; memory +${megabytes(highest - before)} MB, buffers ${megabytes(underWay)} MB`)
    expect(own.bytes).toBeGreaterThan(200e6)
    expect([own.status, own.bytes, own.sum]).toEqual([servers.status, servers.bytes, servers.sum])
    expect(highest - before).toBeLessThan(150 * 2 ** 20)
    expect(underWay).toBeLessThan(180 * 2 ** 20)
    expect((await viaProxy().ask(made, ADMIN, { method: 'DELETE' })).status).toBe(200)
    await nothingHeld(theProxy().run, 10_000)
  })

  const kubectl = path.join(cacheFolder(DEFAULT_VERSION), 'kubectl')

  it.skipIf(!existsSync(kubectl))('is a server to kubectl: get, apply, watch, delete', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'apf-kubectl-'))
    const { url, ca } = theProxy().cluster
    const config = path.join(folder, 'kubeconfig')
    await writeFile(
      config,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'p',
        contexts: [{ name: 'p', context: { cluster: 'p', user: 'p', namespace: 'batch' } }],
        clusters: [{ name: 'p', cluster: { server: url, 'certificate-authority-data': ca.toString('base64') } }],
        users: [{ name: 'p', user: { token: cluster().identity(ADMIN).token } }],
      }),
      { mode: 0o600 },
    )
    const environment = { ...process.env, KUBECONFIG: config, KUBECACHEDIR: path.join(folder, 'cache') }
    const run = async (...args: string[]): Promise<string> =>
      (await promisify(execFile)(kubectl, args, { env: environment, maxBuffer: 64 << 20 })).stdout
    const manifest = path.join(folder, 'manifest.json')
    await writeFile(manifest, configMap('from-kubectl'))
    const watch = spawn(kubectl, ['get', 'configmaps', '--watch-only', '-o', 'name'], { env: environment })
    let seen = ''
    watch.stdout.on('data', (piece: Buffer) => (seen += piece.toString()))
    try {
      await vi.waitFor(
        () =>
          expect(
            theProxy()
              .run.log.before(50)
              .some(({ verb, state }) => verb === 'watch' && state === 'executing'),
          ).toBe(true),
        20_000,
      )
      expect(await run('apply', '-f', manifest)).toContain('configmap/from-kubectl created')
      expect(await run('apply', '-f', manifest)).toContain('unchanged')
      expect(await run('apply', '--server-side', '--force-conflicts', '-f', manifest)).toContain('serverside-applied')
      expect((await run('get', 'configmaps', '-o', 'name')).split('\n').length).toBeGreaterThan(400)
      expect(await run('get', 'configmaps', '--chunk-size=50')).toContain('from-kubectl')
      expect(await run('describe', 'configmap', 'from-kubectl')).toContain('payload')
      expect(await run('auth', 'whoami', '-o', 'name').catch(String)).not.toContain('refused')
      expect(await run('delete', 'configmap', 'from-kubectl', '--wait')).toContain('deleted')
      await vi.waitFor(() => expect(seen).toContain('configmap/from-kubectl'), 5_000)
      await expect(run('get', 'nothings')).rejects.toThrow(/the server doesn't have a resource type/)
    } finally {
      watch.kill()
      await rm(folder, { recursive: true, force: true })
    }
    await nothingHeld(theProxy().run, 10_000)
  })

  it('classifies as the server says in its headers', { timeout: 400_000 }, async () => {
    const wanted = 10_000
    const users = [
      ADMIN,
      NODE,
      CRAWLER,
      WRITER,
      OPERATOR,
      SCHEDULER,
      CONTROLLER_MANAGER,
      VIEWER,
      NOBODY,
      'alice',
      mouse(2),
    ]
    const targets: readonly (readonly [method: string, target: string])[] = [
      ['GET', CONFIG_MAPS],
      ['GET', `${CONFIG_MAPS}?limit=1`],
      ['GET', `${CONFIG_MAPS}/seed-0002`],
      ['GET', '/api/v1/nodes/n1'],
      ['GET', '/api/v1/nodes'],
      ['GET', '/api/v1/namespaces/kube-system'],
      ['GET', '/api/v1/namespaces/kube-system/endpoints/x'],
      ['GET', '/api/v1/events?limit=1'],
      ['GET', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a'],
      ['GET', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1'],
      ['GET', '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'],
      ['GET', '/healthz'],
      ['GET', '/readyz'],
      ['GET', '/livez'],
      ['GET', '/version'],
      ['GET', '/api'],
      ['GET', '/apis/apps/v1'],
      ['GET', '/metrics/slis'],
      ['GET', '/nothing/here'],
      ['HEAD', `${CONFIG_MAPS}/seed-0002`],
      ['POST', `${CONFIG_MAPS}?dryRun=All`],
      ['PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a?dryRun=All'],
      ['PUT', '/api/v1/nodes/n1/status?dryRun=All'],
      ['PATCH', `${CONFIG_MAPS}/seed-0002?dryRun=All`],
      ['DELETE', `${CONFIG_MAPS}/seed-0002?dryRun=All`],
      ['DELETE', `${CONFIG_MAPS}?dryRun=All&limit=1`],
      ['GET', `${CONFIG_MAPS}?watch=1&timeoutSeconds=1&resourceVersion=0`],
      ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews'],
      ['POST', '/apis/authentication.k8s.io/v1/tokenreviews'],
      ['GET', '/api/v1/namespaces/batch/pods/none/log'],
      ['GET', '/api/v1/namespaces/batch/services/none/proxy/x'],
    ]
    const impersonations: readonly Record<string, string>[] = [
      {},
      {},
      { 'Impersonate-User': 'system:serviceaccount:kube-system:operator' },
      { 'Impersonate-User': 'carol', 'Impersonate-Group': 'system:nodes' },
      { 'Impersonate-User': 'system:anonymous' },
      { 'Impersonate-User': 'system:kube-scheduler' },
      { 'Impersonate-User': 'system:serviceaccount:batch:No.Account' },
      { 'Impersonate-User': 'system:anonymous', 'Impersonate-Group': 'system:authenticated' },
      { 'Impersonate-Group': 'system:nodes' },
    ]
    const { run } = theProxy()
    const first = run.log.count
    let sent = 0
    const one = async (): Promise<void> => {
      while (sent < wanted * 1.3) {
        const i = sent++
        const [method, target] = targets[i % targets.length] ?? ['GET', '/']
        const as = users[Math.floor(i / targets.length) % users.length] ?? ADMIN
        const headers = as === ADMIN ? impersonations[Math.floor(i / 97) % impersonations.length] : undefined
        const body = /POST|PUT|PATCH/.test(method) ? '{}' : undefined
        await viaProxy().ask(target, as, { method, ...(headers && { headers }), ...(body !== undefined && { body }) })
      }
    }
    await Promise.all(Array.from({ length: 40 }, one))
    await nothingHeld(theProxy().run, 10_000)
    const all = run.log.before(20_000).filter(({ seq }) => seq >= first)
    expect(all).toHaveLength(sent)
    const rows = all.filter(({ server }) => server !== undefined)
    const different = rows.filter(({ server, schema, level }) => server?.schema !== schema || server.level !== level)
    // Without headers the server classified nothing; the engine must not have classified those requests either.
    const alone = all.filter(({ server, schema }) => server === undefined && schema !== '')
    const silent = Map.groupBy(alone, ({ status, verb, resource }) => `${status} ${verb} ${resource}`)
    console.log(
      'placed by the engine alone:',
      Object.fromEntries([...silent].map(([what, { length }]) => [what, length])),
    )
    expect(alone).toEqual([])
    for (const { user, verb, url, schema, level, server } of different.slice(0, 20)) {
      console.log(`differs: ${verb} ${url} by ${user}: here ${schema}/${level}, server ${JSON.stringify(server)}`)
    }
    const schemas = new Set(rows.map(({ schema }) => schema))
    console.log(`${rows.length} of ${sent} requests compared, ${different.length} differ; ${[...schemas].join(', ')}`)
    expect(rows.length).toBeGreaterThanOrEqual(wanted)
    expect(schemas.size).toBeGreaterThanOrEqual(8)
    expect(different.length / rows.length).toBeLessThanOrEqual(0.001)
  })

  it('queues and refuses by its own limits, while the server behind has nothing to queue', async () => {
    const small = await proxyOf(cluster(), { seats: 20, mutating: 10 })
    try {
      const load = runLoad(small.cluster, saturating, 45)
      let waiting = 0
      let queuedUpstream = 0
      let queuesSeen = 0
      const lowAt = async (): Promise<Readonly<Record<'dispatched' | 'rejected', number | undefined>>> => {
        const samples = readSamples((await cluster().call('/metrics', ADMIN)).body)
        const low = { priority_level: 'workload-low' }
        return {
          dispatched: total(samples, 'dispatched_requests_total', low),
          rejected: total(samples, 'rejected_requests_total', low),
        }
      }
      const lowBefore = await lowAt()
      for (let second = 0; second < 40; second++) {
        await sleep(1_000)
        small.run.settle()
        const { levels } = small.run.engine.snapshot()
        waiting = Math.max(waiting, ...levels.map(({ waitingRequests }) => waitingRequests))
        if (second % 5 !== 0) continue
        const samples = readSamples((await cluster().call('/metrics', ADMIN)).body)
        for (const level of labelValues(samples, 'priority_level')) {
          const queued = total(samples, 'current_inqueue_requests', { priority_level: level })
          queuedUpstream = Math.max(queuedUpstream, queued ?? 0)
          if (queued !== undefined) queuesSeen += 1
        }
      }
      const answers = await load
      const rows = small.run.log.before(20_000)
      const reasons = Map.groupBy(
        rows.filter(({ state }) => state === 'rejected'),
        ({ level, reason }) => `${level} ${reason}`,
      )
      console.log(
        'answers:',
        Object.fromEntries(answers),
        Object.fromEntries([...reasons].map(([key, all]) => [key, all.length])),
      )
      expect(waiting).toBeGreaterThan(50)
      expect(answers.get(429) ?? 0).toBeGreaterThan(20)
      expect(reasons.get('workload-low queue-full')?.length ?? 0).toBeGreaterThan(0)
      expect(reasons.get('workload-low time-out')?.length ?? 0).toBeGreaterThan(0)
      expect(rows.filter(({ level, state }) => level === 'exempt' && state === 'rejected')).toEqual([])
      expect(queuesSeen).toBeGreaterThan(0)
      // A server counts each request as queued for the moment before it dispatches it.
      expect(queuedUpstream).toBeLessThan(3)
      const low = await lowAt()
      const served = rows.filter(({ level, state }) => level === 'workload-low' && state === 'served')
      expect((low.dispatched ?? 0) - (lowBefore.dispatched ?? 0)).toBeGreaterThanOrEqual(served.length)
      expect(served.length).toBeGreaterThan(0)
      expect(low.rejected).toBe(lowBefore.rejected)
      await nothingHeld(small.run, 10_000)
    } finally {
      await small.close()
    }
  })

  it('survives the death of the server: clean answers, nothing held, and service when it is back', async () => {
    const { run } = theProxy()
    const statuses = new Map<number | string, number>()
    const count = (key: number | string): unknown => statuses.set(key, (statuses.get(key) ?? 0) + 1)
    const end = new AbortController()
    const worker = async (): Promise<void> => {
      while (!end.signal.aborted) {
        await viaProxy()
          .ask(`${CONFIG_MAPS}?limit=200`, ADMIN)
          .then(({ status }) => count(status))
          .catch((error: Error) => count(`broken off: ${'code' in error ? String(error.code) : error.message}`))
        await sleep(20)
      }
    }
    const watch = viaProxy()
      .ask(`${CONFIG_MAPS}?watch=1`, ADMIN)
      .then(
        () => 'ended',
        () => 'broken off',
      )
    const workers = Promise.all(Array.from({ length: 30 }, worker))
    try {
      await vi.waitFor(() => expect(statuses.get(200) ?? 0).toBeGreaterThan(100), 60_000)
      await cluster().killApiserver()
      await vi.waitFor(() => expect(statuses.get(502) ?? 0).toBeGreaterThan(100), 60_000)
    } finally {
      end.abort()
    }
    await workers
    console.log('around the death of the server:', Object.fromEntries(statuses))
    expect(await watch).toBe('broken off')
    const others = [...statuses].filter(([key]) => key !== 200 && key !== 502).reduce((sum, [, n]) => sum + n, 0)
    // Those whose answer had begun.
    expect(others).toBeLessThanOrEqual(30)
    await nothingHeld(theProxy().run, 10_000)
    expect(run.log.before(1)[0]?.state).toBe('failed')
    const refused = await viaProxy().ask('/api', ADMIN, { headers: { Accept: 'application/json' }, keep: true })
    expect(JSON.parse(refused.body)).toMatchObject({ kind: 'Status', code: 502, status: 'Failure' })
    await cluster().startApiserver()
    expect((await viaProxy().ask(CONFIG_MAPS, ADMIN)).status).toBe(200)
  })
})

function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the test has not begun')
  return value
}
