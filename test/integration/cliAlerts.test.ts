import { victimsSentence } from '../../core/verdict/cause.ts'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { classifyingConfiguration } from '../../core/classify/configuration.ts'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import type { Diagnosis } from '../../core/contract/diagnosis.ts'
import { createWebhook } from '../../main/cli/webhook.ts'
import { levelFrame, schemaFrame } from '../fixtures/frames.ts'
import { syntheticStory } from '../fixtures/synthetic.ts'
import { runHere } from '../harness/commandHere.ts'
import { recordStory } from '../harness/recordStory.ts'

const START = Date.UTC(2026, 10, 21, 3)

let stateDir = ''
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'apf-alerts-'))
  vi.stubEnv('APF_CONSOLE_STATE', stateDir)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
})

it('lists when alerts would have fired in a recording', async () => {
  // A flood from second 90 to 220 of every 240.
  await recordStory({
    stateDir,
    name: 'prod',
    startAt: START,
    events: [],
    story: syntheticStory({ seconds: 600, startAt: START }),
  })
  const { code, output, told } = await runHere('alerts', '--recording', '20261121T03')
  expect([code, told]).toEqual([0, ''])
  const lines = output.trimEnd().split('\n')
  expect(lines[0]).toMatch(
    /^2026-11-21T03:0\d:\d\d\.000Z fired R1 Rejections by reason \(warning\), [a-z-]+ of apiserver-a:6443: rejected, queue-full [\d.]+ \/s$/,
  )
  expect(lines).toContain('R8 is off. The flow-control objects are unavailable.')

  const json = await runHere('alerts', '--recording', '20261121T03', '--json', '--fail')
  expect(json.code).toBe(1)
  expect(JSON.parse(json.output.split('\n')[0] ?? '')).toMatchObject({ change: 'fired', rule: 'R1', silenced: false })

  // In the words of a diagnosis of that instant.
  const { at, level, cause } = JSON.parse(json.output.split('\n')[0] ?? '') as Record<string, string>
  const { output: diagnosed } = await runHere('diagnose', '--recording', '20261121T03', '--at', at ?? '', '--json')
  const { findings } = JSON.parse(diagnosed) as Diagnosis
  const first = findings.find(({ place }) => place.level === level)
  expect(cause).toBe(`${first?.title}. ${first?.text} ${victimsSentence(first?.victims ?? [])}`.trimEnd())
  // Text and Markdown are of the same lines.
  for (const command of ['diagnose', 'status', 'advise']) {
    const [plain, markdown] = await Promise.all(
      [[], ['--output', 'markdown']].map((form) =>
        runHere(command, '--recording', '20261121T03', '--at', at ?? '', ...form),
      ),
    )
    expect(markdown?.output.replaceAll(/\\(?=[\\`*_{}[\]<>|~#&])|&#8203;/g, '').replaceAll('\n\n', '\n')).toBe(
      plain?.output.replaceAll('\n\n', '\n'),
    )
  }

  const watched = await runHere('watch', '--recording', '20261121T03', '--alert', '--at', '2026-11-21T03:00:00Z')
  expect(watched.output).toBe(json.output)

  const calm = await runHere('alerts', '--recording', '20261121T03', '--to', '2026-11-21T03:01:00Z', '--fail')
  expect(calm.code).toBe(0)
  expect(calm.output).toMatch(/^No alert would have fired\./)
  const none = await runHere('alerts', '--recording', '20261121T03', '--from', '2026-11-22T03:01:00Z')
  expect(none.told).toContain('has no samples in this range.')
})

it('prints how the rules stood at an instant', async () => {
  await recordStory({
    stateDir,
    name: 'prod',
    startAt: START,
    events: [],
    story: syntheticStory({ seconds: 300, startAt: START }),
  })
  const at = (instant: string) => ['alerts', '--recording', '20261121T03', '--at', instant] as const
  const calm = await runHere(...at('2026-11-21T03:01:00Z'), '--fail')
  expect([calm.code, calm.told]).toEqual([0, ''])
  expect(calm.output.split('\n')[0]).toBe('No alert fires.')
  expect(calm.output).toContain('R8 is off. The flow-control objects are unavailable.')

  const flood = await runHere(...at('2026-11-21T03:04:10Z'), '--json', '--fail')
  expect(flood.code).toBe(1)
  const state = JSON.parse(flood.output) as { at: string; alerts: readonly { rule: string; firedAt: number }[] }
  expect(state).toMatchObject({ at: '2026-11-21T03:04:10.000Z', asOf: START + 250_000 })
  // As the list of changes has it.
  const { output } = await runHere('alerts', '--recording', '20261121T03', '--json', '--to', '2026-11-21T03:04:10Z')
  const changes = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { at: string; change: string; rule: string })
  const first = changes.find(({ change, rule }) => change === 'fired' && rule === 'R1')
  expect(state.alerts.find(({ rule }) => rule === 'R1')?.firedAt).toBe(Date.parse(first?.at ?? ''))

  const silenced = await runHere(...at('2026-11-21T03:04:10Z'), '--silence', 'R1', '--silence', 'R2', '--silence', 'R3')
  expect(silenced.output).toContain('R1 Rejections by reason (warning, silenced)')
  expect((await runHere(...at('2026-11-21T05:00:00Z'))).told).toContain('was recorded at 2026-11-21 05:00:00 UTC.')
  expect((await runHere(...at('2026-11-21T03:01:00Z'), '--from', '2026-11-21T03:00:00Z')).told).toContain(
    '--at does not go with --from and --to.',
  )
})

it('fires for no level that was deleted, over a range as at an instant', async () => {
  const objects = ObjectSetSchema.parse(structuredClone(builtInObjects('v1.36.3')))
  const levels = [...classifyingConfiguration(objects, 120).levels].map(([name, { limits }]) =>
    levelFrame(name, [], {
      limits: { nominal: limits.nominal, lower: limits.min, upper: limits.max, current: limits.nominal },
    }),
  )
  // At its upper limit and short, and in use until just now: only the objects show that it is gone.
  const hog = (dispatched: number) =>
    levelFrame('hog', [schemaFrame('s', { dispatched })], {
      limits: { nominal: 9, lower: 9, upper: 9, current: 9 },
      demand: { highWatermark: 40, average: 40, stdev: 0, smoothed: 40, target: 40 },
    })
  const story = [...syntheticStory({ seconds: 420, startAt: START })].map((moment, second) => {
    const servers = moment.frame.servers.map((server) => ({ ...server, levels: [...levels, hog(second)] }))
    return { ...moment, frame: { ...moment.frame, servers } }
  })
  const reading = { state: 'current', asOf: new Date(START).toISOString(), version: 'v1.36.3', objects } as const
  await recordStory({
    stateDir,
    name: 'prod',
    startAt: START,
    events: [{ kind: 'objects', reading, origin: 'cluster' }],
    story,
  })
  for (const range of [[], ['--at', '2026-11-21T03:06:59Z']]) {
    const { output, told } = await runHere('alerts', '--recording', '20261121T03', ...range)
    expect(told).toBe('')
    expect(output).not.toContain('hog')
  }
})

it('watches a source', async () => {
  const { code, output, told } = await runHere(
    'watch',
    '--demo',
    '--count',
    '3',
    '--alert',
    '--fail',
    '--interval',
    '0.5',
  )
  expect({ code, output, told }).toEqual({ code: 0, output: '', told: '' })
})

it('names what is wrong with its options', async () => {
  expect((await runHere('alerts')).told).toContain('alerts needs a recording: --recording ID|FILE.')
  expect((await runHere('alerts', '--recording', 'a', '--silence', 'R13')).told).toContain('R1 to R12')
  expect((await runHere('watch', '--demo', '--fail')).told).toContain('--fail goes with --alert.')
  expect((await runHere('watch', '--demo', '--webhook', 'http://127.0.0.1/')).told).toContain('--webhook goes with')
  expect((await runHere('watch', '--demo', '--alert', '--webhook', 'ftp://a/')).told).toContain(
    '--webhook takes an http',
  )
})

it('posts to a webhook in order, tries again, follows nobody, and never prints its path', async () => {
  const got: string[] = []
  const answers = [503, 200, 302, 302, 302, 200]
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      got.push(`${request.url} ${await text(request)}`)
      response.writeHead(answers[got.length - 1] ?? 200, { location: '/elsewhere' }).end()
    }
    void answer()
  })
  const port = await listening(server)
  const told: string[] = []
  const console = { tell: (line: string) => void told.push(line), signal: new AbortController().signal }
  const webhook = createWebhook(new URL(`http://127.0.0.1:${port}/secret`), console, { endMs: 60_000 })
  for (const rule of ['R1', 'R2', 'R3']) webhook.send({ rule })
  await webhook.done()
  server.close()
  expect(got).toEqual(['R1', 'R1', 'R2', 'R2', 'R2', 'R3'].map((rule) => `/secret ${JSON.stringify({ rule })}`))
  expect(told).toEqual([`The webhook at 127.0.0.1:${port} did not accept an alert: it responded with 302.`])
})

it('says of each alert that is too many for a webhook that it is lost', async () => {
  const told: string[] = []
  const end = new AbortController()
  // Nothing listens there; the first alert is tried until the signal.
  const webhook = createWebhook(new URL('http://127.0.0.1:1/secret'), {
    tell: (line) => void told.push(line),
    signal: end.signal,
  })
  for (let alert = 0; alert < 1_002; alert++) webhook.send({ alert })
  expect(told).toEqual(
    Array(2).fill('The webhook at 127.0.0.1:1 did not accept an alert: 1000 alerts are waiting already.'),
  )
  end.abort()
  await webhook.done()
})

it('gives up a webhook that does not respond once for all alerts, and says how many are lost', async () => {
  const server = createServer(() => undefined)
  const port = await listening(server)
  const told: string[] = []
  const console = { tell: (line: string) => void told.push(line), signal: new AbortController().signal }
  const webhook = createWebhook(new URL(`http://127.0.0.1:${port}/secret`), console, { endMs: 300 })
  for (let alert = 0; alert < 1_000; alert++) webhook.send({ alert })
  await webhook.done()
  server.closeAllConnections()
  server.close()
  expect(told).toEqual([
    `The webhook at 127.0.0.1:${port} did not accept 1000 alerts: a command that ends gives it 5 s.`,
  ])
})

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
