import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { EtcdSpec } from '../../core/contract/etcd.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { createEtcdSource } from '../../main/sources/etcd.ts'
import { startCommand, type Running } from '../harness/command.ts'
import { found } from '../harness/liveCommand.ts'
import { smallEtcd, type SmallEtcd } from '../harness/smallEtcd.ts'

let folder = ''
let etcd: SmallEtcd
let running: Running | undefined
const ended = new AbortController()
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-etcd-'))
  vi.stubEnv('APF_CONSOLE_STATE', folder)
  etcd = await smallEtcd()
})
afterEach(async () => {
  ended.abort()
  running?.interrupt()
  await running?.ended
  await etcd.close()
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

async function proxy(): Promise<void> {
  running = startCommand('etcd-proxy', '--upstream', etcd.url)
  await found(running.output, /Management: (http:\/\/127\.0\.0\.1:\d+), as /)
}

async function source(of: EtcdSpec['of']) {
  const made = await createEtcdSource({ kind: 'etcd', of }, { environment: systemEnvironment, stateDir: folder })
  if (!made.ok) throw new Error(made.problem.message)
  const desk = made.source.etcd
  if (desk === undefined) throw new Error('it is no etcd')
  const statuses: string[] = []
  made.source.start(ended.signal, (event: SourceEvent) => {
    if (event.kind === 'health') statuses.push(event.health.status)
  })
  return { desk, statuses }
}

test('a running proxy as a source: its rules change, and it is found again after it was restarted', async () => {
  await expect(source({ kind: 'proxy' })).rejects.toThrow('No etcd proxy of this user runs.')
  await proxy()
  const { desk, statuses } = await source({ kind: 'proxy' })
  const members = { qdisc: 'lbf', qps: 1 }
  expect(await desk.change({ action: 'add', kind: 'class', name: 'few', members })).toEqual({
    revision: 1,
    warnings: [],
  })
  await expect(desk.change({ action: 'remove', kind: 'class', name: 'none' })).rejects.toThrow(
    'There is no class “none”.',
  )
  expect((await desk.state()).classes).toMatchObject([{ name: 'few', summary: '1 request per second, no burst' }])
  expect((await desk.preview(undefined)).requests).toBe(0)
  expect((await desk.advise()).length).toBeGreaterThan(4)
  expect(await desk.test({ method: 'KV/Put', key: '/x' })).toMatchObject({ verdict: 'passed', rules: [] })
  await vi.waitFor(() => expect(statuses).toEqual(['ok']))
  running?.interrupt()
  await running?.ended
  await vi.waitFor(() => expect(statuses.at(-1)).toBe('failing'), 20_000)
  await proxy()
  await vi.waitFor(() => expect(statuses.at(-1)).toBe('ok'), 20_000)
  expect((await desk.state()).revision).toBe(1)
})

test('the simulated etcd limits events, and takes changes of its rules', async () => {
  const { desk, statuses } = await source({ kind: 'story', seed: 1 })
  await vi.waitFor(async () => expect((await desk.state()).counts.limited).toBeGreaterThan(5), 20_000)
  const state = await desk.state()
  expect(state.rules.find(({ name }) => name === 'rule-event')?.counts.limited).toBeGreaterThan(5)
  expect(state.limited[0]).toMatchObject({ rule: 'rule-event', verdict: 'limited', reason: 'rate' })
  const change = { action: 'remove', kind: 'rule', name: 'rule-event' } as const
  expect((await desk.preview(change)).would.limited).toBe(0)
  expect((await desk.change(change)).revision).toBe(2)
  expect((await desk.state()).rules.map(({ name }) => name)).not.toContain('rule-event')
  expect(statuses).toEqual(['ok'])
})
