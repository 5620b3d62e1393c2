import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ServerHealth } from '../../core/contract/source.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { syntheticStory } from '../fixtures/synthetic.ts'
import { runHere } from '../harness/commandHere.ts'
import { recordEvents, recordStory } from '../harness/recordStory.ts'

const START = Date.UTC(2026, 10, 21, 3)
const objects: SourceEvent = {
  kind: 'objects',
  origin: 'cluster',
  reading: { state: 'current', objects: { levels: [], schemas: [] } },
}

let stateDir = ''
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'apf-recordings-'))
  vi.stubEnv('APF_CONSOLE_STATE', stateDir)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
})

const record = (name: string, seconds: number, startAt = START): Promise<void> =>
  recordStory({ stateDir, name, startAt, events: [objects], story: syntheticStory({ seconds, startAt }) })

const read = (line: string): { at: string; held?: true; event: { kind: string; frame?: { at: string } } } =>
  JSON.parse(line)

describe('recordings', () => {
  it('lists what was recorded, the latest first', async () => {
    expect(await runHere('recordings')).toEqual({ code: 0, output: 'Nothing has been recorded yet.\n', told: '' })
    await record('prod', 30)
    await record('staging', 5, START + 3_600_000)
    const { code, output } = await runHere('recordings')
    expect(code).toBe(0)
    expect(output.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/^RECORDING +SOURCE +FROM +TO +MB/),
      expect.stringMatching(/^20261121T040000Z-\w+ +staging \(scrape\) +2026-11-21T04:00:00.000Z +2026-11-21T04:00:04/),
      expect.stringMatching(/^20261121T030000Z-\w+ +prod \(scrape\) +2026-11-21T03:00:00.000Z +2026-11-21T03:00:29/),
    ])
    const json = await runHere('recordings', '--json')
    expect(JSON.parse(json.output)).toMatchObject([
      { source: { name: 'staging' }, running: false, problems: [] },
      { source: { name: 'prod' }, first: START },
    ])
  })

  it('prints what a recording tells of a range, after what held when it began', async () => {
    await record('prod', 30)
    const range = ['--from', '2026-11-21T03:00:10Z', '--to', '2026-11-21T03:00:12Z']
    const { code, output, told } = await runHere('recordings', '20261121T03', ...range)
    expect([code, told]).toEqual([0, ''])
    const events = output.trimEnd().split('\n').map(read)
    expect(events.map(({ held, event: { kind, frame } }) => [held, kind, frame?.at.slice(17, 19)])).toEqual([
      [true, 'objects', undefined],
      [true, 'frame', '09'],
      [undefined, 'frame', '10'],
      [undefined, 'frame', '11'],
      [undefined, 'frame', '12'],
    ])
  })

  it('are clusters of a fleet, at one instant', async () => {
    await record('prod', 30)
    await record('staging', 30)
    const ids = (await runHere('recordings', '--json')).output
    const listed: { id: string }[] = JSON.parse(ids)
    const [first = '', second = ''] = listed.map(({ id }) => id)
    const at = ['--at', '2026-11-21T03:00:20Z', '--servers', '--json']
    const { code, output, told } = await runHere('fleet', '--recording', first, '--recording', second, ...at)
    expect([code, told]).toEqual([0, ''])
    const lines: Record<string, unknown>[] = JSON.parse(output)
    const clusters = lines.filter(({ kind }) => kind === 'cluster')
    expect(new Set(clusters.map(({ cluster }) => cluster))).toEqual(new Set(['prod', 'staging']))
    expect(lines.filter(({ kind }) => kind === 'server').every(({ state }) => state !== 'stale')).toBe(true)
    expect((await runHere('fleet', '--demo', '--at', '2026-11-21T03:00:20Z')).told).toMatch(
      /--at goes with --recording/,
    )
  })

  it('says in one sentence what is wrong', async () => {
    await record('prod', 5)
    await record('prod', 5, START + 1_000)
    const said = async (...args: string[]): Promise<string> => {
      const { code, told } = await runHere('recordings', ...args)
      expect(code).toBe(2)
      return told
    }
    expect(await said('x')).toBe('apf-console: There is no recording "x".\n')
    expect(await said('2026')).toMatch(/"2026" matches 2 recordings; give a longer prefix/)
    expect(await said('a', 'b')).toMatch(/Name one recording\./)
    expect(await said('--from', '2026-11-21T03:00:00Z')).toMatch(/need the ID of a recording/)
    expect(await said('20261121T030000', '--to', 'noon')).toMatch(/--to "noon" is not a time; write 2026-/)
    await writeFile(join(stateDir, 'recordings', 'README'), 'no folder')
    expect((await runHere('recordings')).code).toBe(0)
  })
})

it.each([
  ['report', /of this time/],
  ['replay', /in this range/],
  ['status', /in this range/],
  ['diagnose', /in this range/],
  ['advise', /in this range/],
  ['alerts', /in this range/],
  ['snapshot', /No sample of a:6443 was recorded by then/],
  ['explain workload-low', /No sample of a:6443 was recorded by then/],
])('%s says of a recording without samples that it has none, and nothing else', async (words, sentence) => {
  const failures: ServerHealth['failures'] = [
    { at: new Date(START).toISOString(), problem: { code: 'unreachable', message: 'Nothing listens.' } },
  ]
  const health: ServerHealth = { id: 'a:6443', status: 'failing', failures }
  await recordEvents({
    stateDir,
    name: 'gone',
    startAt: START,
    events: [objects, { kind: 'health', health }],
    moments: [],
  })
  const [id = ''] = (await runHere('recordings')).output.match(/\d{8}T\S+/) ?? []
  const isOperand = words === 'report' || words === 'replay'
  const { code, output, told } = await runHere(...words.split(' '), ...(isOperand ? [id] : ['--recording', id]))
  expect([code, output]).toEqual([2, ''])
  expect(told).toMatch(sentence)
})
