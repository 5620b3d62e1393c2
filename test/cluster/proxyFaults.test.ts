import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ProxySpecSchema } from '../../core/contract/live.ts'
import { openLiveConsole, type LiveConsole } from '../harness/live.ts'
import { ADMIN } from './identities.ts'
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
    await desk.connect(ProxySpecSchema.parse({ kind: 'proxy', upstream, identity }))
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
    const cannot = 'The objects of the server cannot be read at present'
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
