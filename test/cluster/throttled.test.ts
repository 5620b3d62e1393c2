import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { manifestOf } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import { startCutter, type Cutter } from './cutter.ts'
import { flowControl, LEVEL, level, limited } from './flowControl.ts'
import { ADMIN } from './identities.ts'
import { readSamples, total } from './independent.ts'
import { runLoad } from './load.ts'
import { openConsole, type OpenConsole } from './openConsole.ts'
import { noCluster, useCluster } from './suite.ts'

const USER = 'alice'
const TIGHT = 'tight'

/** Writes of the user go to a level that rejects when it is full; reads do not. */
const WRITES: JsonObject = {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name: TIGHT },
  spec: {
    priorityLevelConfiguration: { name: TIGHT },
    matchingPrecedence: 500,
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: USER } }],
        resourceRules: [
          {
            verbs: ['create', 'update', 'patch', 'delete'],
            apiGroups: ['', 'flowcontrol.apiserver.k8s.io'],
            resources: ['*'],
            clusterScope: true,
            namespaces: ['*'],
          },
        ],
      },
    ],
  },
}
const EDITOR: JsonObject = {
  kind: 'ClusterRoleBinding',
  metadata: { name: 'tight-editor' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }],
}

describe.skipIf(noCluster)('writes that the flow control of the server rejects', () => {
  const cluster = useCluster()
  const { read, applyAs } = flowControl(cluster)
  let folder = ''
  let cutter: Cutter
  let apf: OpenConsole
  let ends: (() => Promise<void>)[] = []

  beforeAll(async () => {
    const group = 'rbac.authorization.k8s.io/v1'
    const body = JSON.stringify({ apiVersion: group, ...EDITOR })
    await cluster().call(`/apis/${group}/clusterrolebindings`, ADMIN, { method: 'POST', body })
    await applyAs('tests', level(TIGHT, limited(1, { borrowingLimitPercent: 0 })))
    await applyAs('tests', level('edited', limited(5)))
    await applyAs('tests', WRITES)
    folder = await mkdtemp(join(tmpdir(), 'apf-throttled-'))
    cutter = await startCutter(cluster(), USER, folder)
    apf = await openConsole(join(folder, 'state'))
    await apf.connect(cutter.kubeconfig)
    await vi.waitFor(
      async () => {
        if ((await apf.call('editing.switch', { on: true })).state !== 'on') throw new Error('editing stays off')
      },
      { timeout: 30_000, interval: 500 },
    )
  })
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })
  afterAll(async () => {
    await apf.close()
    await cutter.close()
    await rm(folder, { recursive: true, force: true })
  })

  const samplesOf = async () => {
    const samples = readSamples((await cluster().call('/metrics', ADMIN)).body)
    return (family: string) => total(samples, family, { priority_level: TIGHT }) ?? 0
  }
  /** Occupies every seat of the level until the returned function has been called. */
  const fill = async (): Promise<() => Promise<void>> => {
    const end = new AbortController()
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'held-' } })
    const path = '/api/v1/namespaces/default/configmaps?dryRun=All'
    const plan = () => ({ user: USER, path, method: 'POST', body, holdMs: 600_000 })
    const load = runLoad(cluster(), [{ workers: 20, plan }], 600, end.signal)
    const over = async (): Promise<void> => {
      end.abort()
      await load
    }
    ends.push(over)
    await vi.waitFor(
      async () => {
        const of = await samplesOf()
        expect(of('current_executing_seats')).toBe(of('current_limit_seats'))
      },
      { timeout: 30_000, interval: 200 },
    )
    return over
  }
  const wish = async (shares: number) => {
    const now = await apf.until(({ state }) => state === 'current')
    const found = now.objects.levels.find(({ metadata }) => metadata.name === 'edited')
    const { uid, resourceVersion } = found?.metadata ?? {}
    expect([uid, resourceVersion]).not.toContain(undefined)
    const base = { uid: String(uid), resourceVersion: String(resourceVersion) }
    return { kind: LEVEL, name: 'edited', object: manifestOf(LEVEL, level('edited', limited(shares))), base } as const
  }
  /** Fills the level, sends, sees it wait for its second retry at least, and frees the level. */
  const untilFreed = async <T>(send: () => Promise<T>): Promise<T> => {
    const free = await fill()
    const before = (await samplesOf())('rejected_requests_total')
    const answer = send()
    const { waiting } = await apf.until(({ waiting: now }) => (now?.attempt ?? 0) >= 3, 60_000)
    expect(waiting).toMatchObject({ most: 10 })
    expect((await samplesOf())('rejected_requests_total')).toBeGreaterThan(before)
    await free()
    const done = await answer
    await apf.until(({ waiting: now }) => now === undefined)
    return done
  }

  it('repeats a dry run after Retry-After until the server answers', async () => {
    const change = await wish(7)
    const { verdicts } = await untilFreed(() => apf.call('objects.check', { changes: [change] }))
    expect(verdicts).toMatchObject([{ outcome: 'conflict', conflicts: [{ manager: 'tests' }] }])
    expect(await read(LEVEL, 'edited')).toMatchObject({ spec: { limited: { nominalConcurrencyShares: 5 } } })
  })

  it('repeats an apply and its undo, each carried out once', async () => {
    const change = await wish(8)
    const { verdicts, entry } = await untilFreed(() => apf.call('objects.apply', { changes: [change], force: true }))
    expect(verdicts).toMatchObject([{ outcome: 'accepted' }])
    expect(await read(LEVEL, 'edited')).toMatchObject({
      metadata: { generation: 2 },
      spec: { limited: { nominalConcurrencyShares: 8 } },
    })
    const undone = await untilFreed(() => apf.call('journal.undo', { id: entry?.id ?? '', force: false }))
    expect(undone.verdicts).toMatchObject([{ outcome: 'accepted' }])
    expect(await read(LEVEL, 'edited')).toMatchObject({
      metadata: { generation: 3 },
      spec: { limited: { nominalConcurrencyShares: 5 } },
    })
  })

  it('stops on request, and says that nothing was changed', async () => {
    await fill()
    const change = await wish(9)
    const answer = apf.call('objects.apply', { changes: [change], force: true })
    await apf.until(({ waiting }) => waiting !== undefined)
    await apf.call('objects.giveUp', null)
    const { verdicts, entry } = await answer
    expect(verdicts).toMatchObject([{ outcome: 'throttled', problem: { code: 'throttled' } }])
    expect(entry).toBeUndefined()
    expect(await read(LEVEL, 'edited')).toMatchObject({ spec: { limited: { nominalConcurrencyShares: 5 } } })
  })
})
