import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { syntheticStory } from '../fixtures/synthetic.ts'
import { runHere } from '../harness/commandHere.ts'
import { startFakePrometheus } from '../harness/fakePrometheus.ts'
import { metricsPage } from '../harness/hostileServer.ts'
import { recordStory } from '../harness/recordStory.ts'

const START = Date.UTC(2026, 10, 21, 3)
const objects: SourceEvent = {
  kind: 'objects',
  origin: 'cluster',
  reading: { state: 'current', objects: { levels: [], schemas: [] } },
}

let stateDir = ''
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'apf-compare-'))
  vi.stubEnv('APF_CONSOLE_STATE', stateDir)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
})

const record = (name: string, seconds: number, startAt = START): Promise<void> =>
  recordStory({ stateDir, name, startAt, events: [objects], story: syntheticStory({ seconds, startAt }) })

const A = '2026-11-21T03:00:10Z..2026-11-21T03:00:30Z'
const B = '2026-11-21T03:00:40Z..2026-11-21T03:01:00Z'

describe('compare', () => {
  it('prints the differences of two periods of a recording, and the same as JSON', async () => {
    await record('prod', 90)
    const { code, output, told } = await runHere('compare', '20261121T03', '--a', A, '--b', B)
    expect([code, told]).toEqual([0, ''])
    expect(output).toMatch(/^A {2}2026-11-21 03:00:10 to 2026-11-21 03:00:30 UTC {2}prod\nB {2}/)
    expect(output).toMatch(/^No requests were rejected in either period\.$|^Reject/m)
    expect(output).toMatch(/^NUMBER +A +B +CHANGE +%$/m)
    expect(output).toMatch(/^Executing seats, mean +\d+\.\d +\d+\.\d +[+-]?\d+\.\d/m)
    expect(output).toMatch(/^LEVEL +NUMBER +A +B +CHANGE +%$/m)
    expect(output).toMatch(/^Configuration +same +the same objects at the end of both$/m)
    const json = await runHere('compare', '20261121T03', '--a', A, '--b', B, '--json')
    const read: { servers: { totals: Record<string, { a: number; b: number; change: number }> }[] } = JSON.parse(
      json.output,
    )
    const { dispatched } = read.servers[0]?.totals ?? {}
    expect(dispatched?.a).toBeGreaterThan(0)
    expect(dispatched?.change).toBe((dispatched?.b ?? 0) - (dispatched?.a ?? 0))
    expect(await runHere('compare', '20261121T03', '--a', A, '--b', B, '-o', 'json')).toEqual(json)
    expect((await runHere('compare', '20261121T03', '--a', A, '--b', B, '-o', 'xml')).told).toMatch(
      '--output takes text, json or markdown, not "xml".',
    )
    // A period has no differences from itself.
    const same = await runHere('compare', '20261121T03', '--a', A, '--b', A, '--json')
    const { servers }: typeof read = JSON.parse(same.output)
    for (const { change } of Object.values(servers[0]?.totals ?? {})) expect(change ?? 0).toBe(0)
  })

  it('aligns by a mark or an offset, and says what is not recorded', async () => {
    await record('prod', 90)
    const around = await runHere(
      'compare',
      '20261121T03',
      '--mark',
      '2026-11-21T03:00:30Z',
      '--length',
      '20s',
      '--json',
    )
    expect(JSON.parse(around.output)).toMatchObject({
      a: { from: '2026-11-21T03:00:10.000Z', to: '2026-11-21T03:00:30.000Z' },
      b: { from: '2026-11-21T03:01:00.000Z', to: '2026-11-21T03:01:20.000Z' },
    })
    const before = await runHere('compare', '20261121T03', '--b', B, '--offset', '1h')
    expect(before.code).toBe(1)
    expect(before.output).toMatch(/^Nothing is recorded in A\.$/m)
    const late = ['--a', A, '--b', '2026-11-21T03:01:00Z..2026-11-21T03:02:00Z'] as const
    const after = await runHere('compare', '20261121T03', ...late)
    expect(after.code).toBe(1)
    expect(after.output).toMatch(
      /^\d\d % of B is not recorded: no samples from 2026-11-21 03:01:\d\d to 2026-11-21 03:02:00 \(\d\d s\)\.$/m,
    )
    const { servers }: { servers: { recorded: unknown }[] } = JSON.parse(
      (await runHere('compare', '20261121T03', ...late, '--json')).output,
    )
    expect(servers[0]?.recorded).toMatchObject({
      a: { gaps: [], share: 1 },
      b: { gaps: [{ to: '2026-11-21T03:02:00.000Z' }] },
    })
  })

  it('compares two recordings as a whole', async () => {
    await record('before', 30)
    await record('after', 30, START + 86_400_000)
    const { code, output } = await runHere('compare', '20261121T03', '20261122T03', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(output)).toMatchObject({ a: { source: 'before' }, b: { source: 'after' } })
  })

  it('compares periods that a Prometheus has', async () => {
    const now = Math.floor(Date.now() / 60_000) * 60_000
    const page = (at: number): string => metricsPage({ step: Math.round((at - now) / 1_000) + 100_000 })
    const labels = { job: 'apiserver', instance: '10.0.0.1:6443' }
    const api = await startFakePrometheus(Date.now, () => [{ labels, intervalMs: 5_000, page }])
    const period = (fromMs: number, toMs: number): string =>
      `${new Date(now - fromMs).toISOString()}..${new Date(now - toMs).toISOString()}`
    const { code, output, told } = await runHere(
      'compare',
      '--prometheus',
      api.url('/'),
      '--a',
      period(300_000, 240_000),
      '--b',
      period(120_000, 60_000),
      '--json',
    )
    await api.close()
    expect([told, code]).toEqual(['', 0])
    const { servers }: { servers: { server: string; totals: Record<string, unknown> }[] } = JSON.parse(output)
    expect(servers[0]?.server).toBe('10.0.0.1:6443')
    // One request a second in each of four levels.
    expect(servers[0]?.totals['dispatched']).toMatchObject({ a: expect.any(Number), change: 0 })
  })

  it('says in one sentence what is wrong', async () => {
    await record('prod', 5)
    const said = async (...args: string[]): Promise<string> => {
      const { code, told } = await runHere('compare', ...args)
      expect(code).toBe(2)
      return told
    }
    expect(await said()).toMatch(/compare needs one recording and two periods, two recordings, or --prometheus URL/)
    expect(await said('20261121T03')).toMatch(/One recording has two periods: name them with --a and --b/)
    expect(await said('20261121T03', '--a', A)).toMatch(/--a and --b go together/)
    expect(await said('20261121T03', '--a', 'yesterday', '--b', B)).toMatch(
      /--a "yesterday" is not a period; write 2026-/,
    )
    expect(await said('20261121T03', '--mark', '2026-11-21T03:00:00Z', '--b', B)).toMatch(/--mark names both periods/)
    expect(await said('20261121T03', '--b', B, '--offset', 'soon')).toMatch(/--offset takes a time like 10m or 24h/)
    expect(await said('--prometheus', 'http://127.0.0.1:9')).toMatch(/With --prometheus, name the periods/)
    expect(await said('20261121T03', '--a', A, '--b', B, '--api-server', 'x')).toMatch(/There is no server "x"/)
  })
})
