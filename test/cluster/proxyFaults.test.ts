import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { ProxySpecSchema } from '../../core/contract/live.ts'
import { type Running, startCommand } from '../harness/command.ts'
import { openLiveConsole, type LiveConsole } from '../harness/live.ts'
import { ADMIN } from './identities.ts'
import { clientOf } from './proxied.ts'
import { noCluster, useCluster } from './suite.ts'

const LEVELS = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations'
const PODS = '/api/v1/namespaces/default/pods'

describe.skipIf(noCluster)('a console with a proxy in front of a server', () => {
  const cluster = useCluster()
  let desk: LiveConsole
  beforeEach(async () => {
    desk = await openLiveConsole('proxy')
  })
  afterEach(() => desk.close())

  const connect = async (identity: 'kubeconfig' | 'token'): Promise<void> => {
    const upstream = { kind: 'kubeconfig', file: cluster().kubeconfig }
    const listen = { token: { kind: 'none' } }
    await desk.connect(ProxySpecSchema.parse({ kind: 'proxy', upstream, identity, listen }))
    await vi.waitUntil(() => desk.state()?.address !== undefined)
  }
  const ask = (target: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${desk.state()?.address ?? ''}${target}`, { headers })

  it('says that the server is gone, keeps its objects, and follows them again once it is back', async () => {
    await connect('kubeconfig')
    expect((await ask(PODS)).status).toBe(200)
    const before = desk.objects()?.objects.levels.length
    await cluster().killApiserver()
    expect((await ask(PODS)).status).toBe(502)
    const cannot = 'Cannot read the objects of the server now'
    await vi.waitFor(() => expect(desk.state()?.limits.join(' ')).toContain(cannot), 20_000)
    expect(desk.objects()?.objects.levels).toHaveLength(before ?? 0)

    await cluster().startApiserver()
    expect((await ask(PODS)).status).toBe(200)
    const added = JSON.stringify({
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'after-the-fall' },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
    })
    const call = { method: 'POST', body: added, contentType: 'application/json' }
    expect((await cluster().call(LEVELS, ADMIN, call)).status).toBe(201)
    await vi.waitFor(() => {
      expect(desk.objects()?.objects.levels.map(({ metadata }) => metadata.name)).toContain('after-the-fall')
      expect(desk.state()?.limits.join(' ')).not.toContain(cannot)
    }, 60_000)
  })

  it('tells nobody a credential: not its rows, its state, its metrics, nor its folder', async () => {
    await connect('token')
    const { token } = cluster().identity('alice')
    const bearer = { Authorization: `Bearer ${token}` }
    const wrong = 'a-token-that-nobody-has'
    await ask(PODS, bearer)
    await ask(`${PODS}?token=${token}&watch=false`, bearer)
    await ask(`${PODS}?access%5Ftoken=${token}`, bearer)
    await ask(PODS, { Authorization: `Bearer ${wrong}` })
    await ask(PODS, { Authorization: `Basic ${btoa(`alice:${wrong}`)}` })
    await ask(PODS, { ...bearer, Cookie: `session=${wrong}`, 'Proxy-Authorization': `Bearer ${wrong}` })
    await vi.waitFor(() => expect(desk.rows.size).toBe(6), 5_000)
    await cluster().stopApiserver()
    await ask(PODS, { Authorization: `Bearer ${token}-unasked` })
    await cluster().startApiserver()
    const told = JSON.stringify([...desk.rows.values(), desk.state(), desk.frame(), desk.dump(), desk.objects()])
    const files = await readdir(desk.stateDir, { recursive: true, withFileTypes: true })
    const kept = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(path.join(file.parentPath, file.name), 'utf8')),
    )
    const admin = cluster().identity(ADMIN).token
    for (const secret of [token, admin, wrong, btoa(`alice:${wrong}`)]) {
      const found = [told, ...kept].map((text) => text.indexOf(secret)).filter((at) => at >= 0)
      expect(found).toEqual([])
    }
  })
})

const ClientsSchema = z.object({
  clusters: z.tuple([z.object({ cluster: z.object({ server: z.url(), 'certificate-authority-data': z.base64() }) })]),
  users: z.tuple([z.object({ user: z.object({ token: z.string().optional() }) })]),
})
const WRONG = 'a-token-that-nobody-has'
/** As subprotocols of WebSocket carry tokens. */
const base64 = (text: string): string => btoa(text).replace(/=+$/, '')

describe.skipIf(noCluster)('apf-console proxy --json --metrics-port 0', () => {
  const cluster = useCluster()
  let folder: string
  let running: Running | undefined
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'apf-secrets-'))
    vi.stubEnv('APF_CONSOLE_STATE', path.join(folder, 'state'))
  })
  afterEach(async () => {
    running?.interrupt()
    await running?.ended
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
  })

  it.each([
    ['of its callers', ['--identity', 'token']],
    ['that it generates', ['--generate-token']],
  ])('prints no credential, with tokens %s, and has none among its metrics', async (_whose, args) => {
    const file = path.join(folder, 'clients')
    const options = ['--kubeconfig', cluster().kubeconfig, '--client-kubeconfig', file, '--metrics-port', '0', '--json']
    const command = startCommand('proxy', '--tls', ...options, ...args)
    running = command
    const address = /Metrics: (\S+)/
    await vi.waitFor(() => expect(command.told()).toMatch(address), 30_000)
    const { clusters, users } = ClientsSchema.parse(parse(await readFile(file, 'utf8')))
    const { server: url, 'certificate-authority-data': ca } = clusters[0].cluster
    const alice = cluster().identity('alice')
    const token = users[0].user.token ?? alice.token
    const asked = [
      { target: PODS, status: [200, 403] },
      { target: `${PODS}?token=${token}&watch=false`, status: [200, 403] },
      { target: `${PODS}?access%5Ftoken=${token}`, status: [200, 403] },
      { target: PODS, authorization: `Bearer ${WRONG}`, status: [401] },
      { target: PODS, authorization: `Basic ${btoa(`alice:${WRONG}`)}`, status: [401] },
      { target: PODS, cookie: `session=${WRONG}`, status: [200, 403] },
      {
        target: `${PODS}?watch=1`,
        protocol: `base64url.bearer.authorization.k8s.io.${base64(token)}`,
        status: [200, 403],
      },
    ]
    const client = clientOf({ url, ca: Buffer.from(ca, 'base64'), identity: () => alice })
    const ask = (target: string, headers: Record<string, string>) => client.ask(target, 'alice', { headers })
    try {
      for (const { target, authorization = `Bearer ${token}`, cookie = '', protocol = '', status } of asked) {
        const headers = { Authorization: authorization, Cookie: cookie, 'Sec-WebSocket-Protocol': protocol }
        expect(status).toContain(
          (await ask(`${target}${target.includes('?') ? '&' : '?'}timeoutSeconds=1`, headers)).status,
        )
      }
      await cluster().killApiserver()
      expect((await ask(PODS, { Authorization: `Bearer ${token}` })).status).toBe(502)
      await cluster().startApiserver()
    } finally {
      client.close()
    }
    const metrics = await (await fetch(address.exec(command.told())?.[1] ?? '')).text()
    expect(metrics).toContain('apiserver_flowcontrol_dispatched_requests_total')
    command.interrupt()
    expect(await command.ended).toBe(0)
    expect(command.output()).toContain(`"url":"${PODS}?token=`)
    const secrets = [token, alice.token, cluster().identity(ADMIN).token, WRONG].flatMap((one) => [one, base64(one)])
    for (const secret of [...secrets, base64(`alice:${WRONG}`)]) {
      const found = [command.output(), command.told(), metrics].map((text) => text.indexOf(secret))
      expect(found).toEqual([-1, -1, -1])
    }
  })
})
