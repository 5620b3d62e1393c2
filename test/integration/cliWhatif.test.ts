import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { LiveRequestSchema } from '../../core/contract/live.ts'
import { syntheticStory } from '../fixtures/synthetic.ts'
import { runHere } from '../harness/commandHere.ts'
import { recordStory } from '../harness/recordStory.ts'

const row = (seq: number): string =>
  JSON.stringify({
    seq,
    at: 1_795_000_000_000 + seq,
    user: 'ann',
    groups: ['system:authenticated'],
    verb: 'get',
    url: '/api/v1/namespaces/default/pods/one',
    resource: 'pods',
    namespace: 'default',
    name: 'one',
    state: 'served',
    level: 'global-default',
    schema: 'global-default',
    flow: 'ann',
    seats: { initial: 1, final: 0 },
    runMs: 1_000,
  })

const EDIT = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: global-default }
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 1
    lendablePercent: 0
    borrowingLimitPercent: 0
    limitResponse: { type: Queue, queuing: { queues: 1, handSize: 1, queueLengthLimit: 2 } }
`

let folder: string
const file = (name: string): string => join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apf-whatif-'))
  writeFileSync(file('rows.ndjson'), Array.from({ length: 8 }, (_, seq) => `${row(seq)}\n`).join(''))
  writeFileSync(file('edit.yaml'), EDIT)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('compares recorded requests, as text, JSON and YAML', async () => {
  const words = ['whatif', file('rows.ndjson'), '--candidate', `narrow=${file('edit.yaml')}`] as const
  const text = await runHere(...words)
  expect(text.code).toBe(0)
  expect(text.output).toMatch(/^8 requests of .*, the same for every variant \(open loop\)/)
  expect(text.output).toMatch(/rejected by B only +3\n.*\ndispatched later by B +2\n/)
  expect(text.output).toContain(
    'the decisions differ for the first time: get /api/v1/namespaces/default/pods/one by ann.',
  )
  const json: unknown = JSON.parse((await runHere(...words, '--json')).output)
  expect(json).toMatchObject({
    clients: 'open',
    requests: 8,
    baseline: { name: 'baseline', total: { offered: 8, served: 8, rejected: { 'queue-full': 0 } } },
    candidates: [{ result: { name: 'narrow', total: { rejected: { 'queue-full': 3 } } }, decisions: { rejected: 3 } }],
  })
  const yaml = await runHere(...words, '-o', 'yaml')
  expect(yaml.output).toMatch(/^clients: open\nrequests: 8\n/)
})

it('takes the requests of a recording, up to an instant', async () => {
  const startAt = 1_795_000_000_000
  vi.stubEnv('APF_CONSOLE_STATE', folder)
  const requests = Array.from({ length: 8 }, (_, seq) => LiveRequestSchema.parse(JSON.parse(row(seq))))
  await recordStory({
    stateDir: folder,
    name: 'proxy',
    startAt,
    events: [],
    later: { second: 2, event: { kind: 'requests', changes: { from: 0, event: 8, requests, dropped: 0 } } },
    story: syntheticStory({ seconds: 5, startAt }),
  })
  const words = ['whatif', '--recording', '2026', '--candidate', `narrow=${file('edit.yaml')}`, '--json'] as const
  const all = await runHere(...words)
  expect([all.code, all.told]).toEqual([0, ''])
  const ofFile = await runHere('whatif', file('rows.ndjson'), ...words.slice(3))
  expect(JSON.parse(all.output)).toEqual(JSON.parse(ofFile.output))
  const early = await runHere(...words, '--at', new Date(startAt + 4).toISOString())
  expect(JSON.parse(early.output)).toMatchObject({ requests: 5 })
  const none = await runHere(...words, '--at', new Date(startAt - 1_000).toISOString())
  expect(none).toMatchObject({ code: 2, told: expect.stringContaining('No recorded request of this source') })
  vi.unstubAllEnvs()
})

it('says in one sentence what is wrong with an option', async () => {
  const rows = file('rows.ndjson')
  const sentences = async (...words: readonly string[]): Promise<string> => (await runHere('whatif', ...words)).told
  expect(await sentences()).toContain(
    'whatif needs either recorded requests or a scenario (FILE, or - for standard input), --recording ID, or --simulate.',
  )
  expect(await sentences('--recording', 'a', '--simulate')).toContain('whatif needs either')
  expect(await sentences(rows, '--at', '2026-11-20T03:00:00Z')).toContain('--at goes with --recording.')
  expect(await sentences(rows, '--seed', '2')).toContain('--seed belongs to --simulate or a scenario.')
  expect(await sentences(rows, '--candidate', 'edit.yaml')).toContain('--candidate takes NAME=PART,…')
  expect(await sentences(rows, '--candidate', 'a=server=2')).toContain('did you mean servers?')
  expect(await sentences(rows, '--candidate', 'a=servers=0')).toContain(
    'servers takes a whole number from 1 to 100, not "0".',
  )
  expect(await sentences(rows, '--candidate', 'a=servers=2', '--candidate', 'a=servers=3')).toContain(
    'Two variants are named "a"',
  )
  expect(await sentences(rows, '--baseline', file('rows.ndjson'))).toMatch(/rows\.ndjson/)
})

it('takes the clients of a scenario, which react when asked to', async () => {
  const words = ['whatif', 'T2', '--candidate', 'twice=execution-factor=2', '--json'] as const
  const open: unknown = JSON.parse((await runHere(...words)).output)
  expect(open).toMatchObject({ clients: 'open', candidates: [{ result: { name: 'twice' } }] })
  const closed: unknown = JSON.parse((await runHere(...words, '--closed-loop')).output)
  expect(closed).toMatchObject({ clients: 'closed', baseline: { seconds: 50 } })
})

it('refuses a file that holds no requests', async () => {
  writeFileSync(file('none.txt'), 'nothing\n')
  expect(await runHere('whatif', file('none.txt'))).toMatchObject({
    code: 2,
    told: expect.stringContaining('The files contain no request that reached flow control.'),
  })
})

it('makes a recording a scenario that runs', async () => {
  const run = await runHere('simulate', '--import', file('rows.ndjson'))
  expect(run.code).toBe(0)
  expect(run.told).toContain('bursts of the recording are smoothed')
  writeFileSync(file('recorded.yaml'), run.output)
  const simulated = await runHere('simulate', file('recorded.yaml'), '--json')
  expect(simulated.code).toBe(0)
  expect(JSON.parse(simulated.output)).toMatchObject({ name: 'recorded', runs: [{ result: { name: 'now' } }] })
  const told = async (...words: readonly string[]): Promise<string> => (await runHere('simulate', ...words)).told
  expect(await told('--import')).toContain('--import needs a recording')
  expect(await told('--import', file('rows.ndjson'), '--seed', '2')).toContain('leave out --seed')
  expect(await told('--import', file('edit.yaml'))).toMatch(/contain no request that reached flow control/)
})

it('gives a candidate what a seat of its baseline stands for', async () => {
  const same = ['own=watches-per-seat=50', 'both=watches-per-seat=50,bytes-per-seat=1000000']
  const words = ['whatif', '--simulate', '--seconds', '5', '--baseline', 'bytes-per-seat=1000000', '--json']
  const { output } = await runHere(...words, ...same.flatMap((candidate) => ['--candidate', candidate]))
  const { candidates } = z
    .object({ candidates: z.array(z.object({ result: z.looseObject({ total: z.unknown() }) })) })
    .parse(JSON.parse(output))
  expect(candidates[0]?.result.total).toEqual(candidates[1]?.result.total)
})
