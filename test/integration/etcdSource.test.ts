import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { EtcdSpec } from '../../core/contract/etcd.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { framed } from '../../main/etcd/messages.ts'
import { createEtcdSource } from '../../main/sources/etcd.ts'
import { startCommand, type Running } from '../harness/command.ts'
import { clientOf, serverTls, tlsFiles, type Way, WAYS } from '../harness/etcdProxies.ts'
import { found } from '../harness/liveCommand.ts'
import { putKey, smallEtcd, type SmallEtcd } from '../harness/smallEtcd.ts'

let folder = ''
let etcd: SmallEtcd | undefined
let running: Running | undefined
let ended = new AbortController()
beforeEach(async () => {
  ended = new AbortController()
  folder = await mkdtemp(join(tmpdir(), 'apf-etcd-'))
  vi.stubEnv('APF_CONSOLE_STATE', folder)
})
afterEach(async () => {
  ended.abort()
  running?.interrupt()
  await running?.ended
  await etcd?.close()
  etcd = undefined
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

/** An etcd, and the members with which a proxy reaches it and is reached. */
async function upstreamOf(way: Way) {
  etcd = await smallEtcd(0, serverTls(way))
  return { upstream: etcd.url, ...(await tlsFiles(folder, way)) }
}

async function proxy({ upstream, caFile, tls }: Awaited<ReturnType<typeof upstreamOf>>): Promise<void> {
  const ca = caFile === undefined ? [] : ['--certificate-authority', caFile]
  const own = tls === undefined ? [] : ['--tls-cert', tls.certFile, '--tls-key', tls.keyFile]
  running = startCommand('etcd-proxy', '--upstream', upstream, ...ca, ...own)
  await found(running.output, /Management: (http:\/\/127\.0\.0\.1:\d+), as /)
}

async function source(of: EtcdSpec['of']) {
  const made = await createEtcdSource({ kind: 'etcd', of }, { environment: systemEnvironment, stateDir: folder })
  if (!made.ok) throw new Error(made.problem.message)
  const control = made.source.etcd
  if (control === undefined) throw new Error('it is no etcd')
  const statuses: string[] = []
  made.source.start(ended.signal, (event: SourceEvent) => {
    if (event.kind === 'health') statuses.push(event.health.status)
  })
  return { control, statuses }
}

/** Fields 1, 2 and so on, as protobuf. */
const message = (...fields: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(fields.flatMap((field, at) => [Buffer.from([8 * (at + 1) + 2, field.length]), Buffer.from(field)]))

describe.each(WAYS)('an etcd proxy, %s', (way) => {
  test('a running proxy as a source: its rules change, and it is found again after it was restarted', async () => {
    const upstream = await upstreamOf(way)
    await expect(source({ kind: 'proxy', editing: true })).rejects.toThrow('No etcd proxy of this user runs.')
    await proxy(upstream)
    const { control, statuses } = await source({ kind: 'proxy', editing: true })
    const members = { qdisc: 'lbf', qps: 1 }
    expect(await control.change({ action: 'add', kind: 'class', name: 'few', members })).toEqual({
      revision: 1,
      warnings: [],
    })
    await expect(control.change({ action: 'remove', kind: 'class', name: 'none' })).rejects.toThrow(
      'There is no class “none”.',
    )
    expect((await control.state()).classes).toMatchObject([{ name: 'few', summary: '1 request per second, no burst' }])
    expect((await control.preview(undefined)).requests).toBe(0)
    expect((await control.advise()).length).toBeGreaterThan(4)
    expect(await control.test({ method: 'KV/Put', key: '/x' })).toMatchObject({ verdict: 'passed', rules: [] })
    await vi.waitFor(() => expect(statuses).toEqual(['ok']))
    running?.interrupt()
    await running?.ended
    await vi.waitFor(() => expect(statuses.at(-1)).toBe('failing'), 20_000)
    await proxy(upstream)
    await vi.waitFor(() => expect(statuses.at(-1)).toBe('ok'), 20_000)
    expect((await control.state()).revision).toBe(1)
  })

  test('the console starts a proxy with rules from a file, read-only without editing, and ends it', async () => {
    const rulesFile = join(folder, 'rules.yaml')
    await writeFile(
      rulesFile,
      'classes: [{ name: few, qdisc: lbf, qps: 0.001 }]\nrules: [{ name: puts, qClassName: few, priority: 1, ops: [Put] }]\n',
    )
    const of = { kind: 'start', name: 'own', ...(await upstreamOf(way)), port: 0, rulesFile } as const
    const { control, statuses } = await source({ ...of, editing: false })
    const { url, revision, editable, mode } = await control.state()
    expect({ revision, editable, mode }).toEqual({ revision: 1, editable: false, mode: 'observe' })
    const session = clientOf(url)
    expect(await putKey(session, '/x')).toBe('0')
    expect(await putKey(session, '/x')).toBe('0')
    expect((await control.state()).counts).toMatchObject({ limited: 1 })
    await expect(control.change({ action: 'mode', mode: 'observe' })).rejects.toThrow('Editing is off.')
    await vi.waitFor(() => expect(statuses).toEqual(['ok']))
    // Commands find it by its name, and another one of this name is refused.
    await expect(source({ ...of, editing: true })).rejects.toThrow('An etcd proxy named own runs already')
    const beside = await source({ kind: 'proxy', name: 'own', editing: true })
    expect((await beside.control.change({ action: 'mode', mode: 'enforce' })).revision).toBe(2)
    expect(await putKey(session, '/x')).toBe('8')
    session.destroy()
    expect((await beside.control.change({ action: 'remove', kind: 'rule', name: 'puts' })).revision).toBe(3)
    ended.abort()
    await vi.waitFor(
      () => expect(source({ kind: 'proxy', name: 'own', editing: true })).rejects.toThrow('No etcd proxy named own'),
      10_000,
    )
  })

  test('neither values nor passwords nor tokens are in what is shown and recorded', async () => {
    const { control } = await source({ kind: 'start', name: 'own', ...(await upstreamOf(way)), port: 0, editing: true })
    await control.change({ action: 'mode', mode: 'enforce' })
    await control.change({ action: 'add', kind: 'class', name: 'few', members: { qdisc: 'lbf', qps: 0.001 } })
    const members = { qClassName: 'few', priority: 1, ops: ['Put', 'Authenticate'] }
    await control.change({ action: 'add', kind: 'rule', name: 'all', members })
    const session = clientOf((await control.state()).url)
    const token = { token: 'hush-token' }
    const put = message('/x', 'hush-value')
    const passwords = { ':path': '/etcdserverpb.Auth/Authenticate', ...token }
    const txn = { ':path': '/etcdserverpb.KV/Txn', ...token }
    for (let times = 0; times < 2; times++) {
      await putKey(session, '', framed(put), token)
      await putKey(session, '', framed(message('alice', 'hush-password')), passwords)
      // One that fails its compare, and puts.
      await putKey(session, '', framed(message('', message('', put))), txn)
    }
    session.destroy()
    await vi.waitFor(async () => expect((await control.state()).counts).toMatchObject({ passed: 1, limited: 5 }))
    const state = JSON.stringify(await control.state())
    for (const shown of ['KV/Put /x', 'Auth/Authenticate alice', 'KV/Txn ']) expect(state).toContain(shown)
    expect(state).not.toContain('hush')
  })
})

test('what a proxy of the console cannot start with is said in one sentence', async () => {
  const of = { kind: 'start', name: 'own', upstream: 'http://127.0.0.1:1', port: 0, editing: false } as const
  await writeFile(join(folder, 'bad.yaml'), 'rules:\n  - { name: a, qClassName: none, priority: 1, ops: [Put] }\n')
  await expect(source({ ...of, rulesFile: join(folder, 'bad.yaml') })).rejects.toThrow(
    /bad\.yaml:2: There is no class “none”/,
  )
  await expect(source({ ...of, rulesFile: join(folder, 'none.yaml') })).rejects.toThrow('The rule file')
  await expect(source({ ...of, caFile: join(folder, 'none.pem') })).rejects.toThrow('The certificate authority')
  await expect(source({ ...of, upstream: 'http://a:b@127.0.0.1:1' })).rejects.toThrow('has a user name')
})

test('the simulated etcd limits events, and takes changes of its rules', async () => {
  const { control, statuses } = await source({ kind: 'story', seed: 1 })
  await vi.waitFor(async () => expect((await control.state()).counts.limited).toBeGreaterThan(5), 20_000)
  const state = await control.state()
  expect(state.rules.find(({ name }) => name === 'rule-event')?.counts.limited).toBeGreaterThan(5)
  expect(state.limited[0]).toMatchObject({ rule: 'rule-event', verdict: 'limited', reason: 'rate' })
  const change = { action: 'remove', kind: 'rule', name: 'rule-event' } as const
  expect((await control.preview(change)).would.limited).toBe(0)
  expect((await control.change(change)).revision).toBe(2)
  expect((await control.state()).rules.map(({ name }) => name)).not.toContain('rule-event')
  expect(statuses).toEqual(['ok'])
})
