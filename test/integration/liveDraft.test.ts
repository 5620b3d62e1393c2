import { readFileSync } from 'node:fs'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { isJsonObject } from '../../core/config/jsonValues.ts'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { createSimulationSource } from '../../main/sources/simulation.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { startSimulatedHttpServer } from '../../main/simulated/httpServer.ts'
import { startCommand, type Running } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'
import { smallServer } from '../harness/live.ts'
import { auditEvent, everybodyTo, found, levelManifest, narrowFor, rowsOf } from '../harness/liveCommand.ts'

const unannounced = async (): Promise<void> => undefined

const HOUR_MS = 3_600_000
const AT = Date.UTC(2026, 0, 1)

let folder = ''
let draft = ''
let cleanups: (() => unknown)[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-draft-'))
  draft = join(folder, 'new.yaml')
  vi.stubEnv('XDG_STATE_HOME', folder)
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

function start(...args: readonly string[]): Running {
  const command = startCommand(...args)
  cleanups.push(() => {
    command.interrupt()
    return command.ended
  })
  return command
}

describe('a draft beside a feed', () => {
  const doc = readFileSync(new URL('../../docs/live.md', import.meta.url), 'utf8')
  const [, manifest = ''] = /```yaml\n([^`]*)```/.exec(doc) ?? []
  const [, summary = ''] =
    /\$ apf-console feed --audit-file audit\.log --once --draft new\.yaml\n([^`]*)```/.exec(doc) ?? []
  /** Eight at the same time, which take 400 ms each. */
  const eight = (hour: number): string =>
    Array.from({ length: 8 }, (_, n) => {
      const event = auditEvent(hour * 10 + n, { atMs: AT + hour * HOUR_MS, lastedMs: 400 })
      return `${JSON.stringify(event)}\n`
    }).join('')
  let log = ''
  beforeEach(async () => {
    log = join(folder, 'audit.log')
    await writeFile(log, eight(0))
  })

  test('says what docs/live.md shows', async () => {
    await writeFile(draft, manifest)
    const { code, output } = await runHere('feed', '--audit-file', log, '--once', '--draft', draft)
    expect(code).toBe(0)
    expect(output.replaceAll(`${folder}/`, '')).toBe(summary)
    expect(summary).toContain('Wait in global-default')
  })

  test('counts the whole file, through a leap of hours, and tells both decisions of each row', async () => {
    await appendFile(log, eight(100))
    // In progress when the file ends: it has a decision, and no line of its own.
    const last = auditEvent(5_000, { atMs: AT + 100 * HOUR_MS + 50, stage: 'RequestReceived' })
    await appendFile(log, JSON.stringify(last))
    const feed = start('feed', '--audit-file', log, '--once', '--json', '--draft', '-')
    feed.input.end(manifest)
    expect(await feed.ended).toBe(0)
    const rows = rowsOf(feed.output())
    expect(rows.map(({ state }) => state)).toEqual(Array.from({ length: 16 }, () => 'served'))
    const once = ['served', 'served', 'served', 'served', 'served', 'rejected', 'rejected', 'rejected']
    expect(rows.map(({ candidate }) => candidate?.state)).toEqual([...once, ...once])
    expect(rows.map(({ candidate }) => candidate?.waitMs).slice(0, 6)).toEqual([0, 0, 0, 400, 400, 0])
    expect(feed.told()).toContain(
      'Compared 17 requests: without the draft 17 dispatched, none rejected; with it 10 dispatched, rejected 7 queue-full.',
    )
    expect(feed.told()).toContain('7 were decided differently: 7 rejected only with the draft.')
  })

  test('replaces what it names of --config and keeps the rest', async () => {
    const config = join(folder, 'config.yaml')
    await writeFile(config, narrowFor(100))
    await writeFile(draft, levelManifest('narrow', 0))
    const files = ['--config', config, '--draft', draft]
    const { code, output } = await runHere('feed', '--audit-file', log, '--once', '--json', ...files)
    expect(code).toBe(0)
    const rows = rowsOf(output)
    expect(rows.map(({ level, state }) => `${level} ${state}`)).toEqual(rows.map(() => 'narrow served'))
    expect(rows.map(({ candidate }) => candidate?.schema)).toEqual(rows.map(() => 'everybody'))
    // A request that finds a level empty runs, however few seats it has.
    const refused = Array.from({ length: 7 }, () => 'concurrency-limit')
    expect(rows.map(({ candidate }) => candidate?.reason)).toEqual([undefined, ...refused])
  })
})

describe('a draft beside a proxy', () => {
  const seats = ['--max-requests-inflight', '100', '--max-mutating-requests-inflight', '0']
  const proxyOf = async (...args: readonly string[]) => {
    const proxy = start(
      'proxy',
      '--mode',
      'enforce',
      ...args,
      ...seats,
      '--identity',
      'headers',
      '--draft',
      draft,
      '--json',
    )
    const address = await found(proxy.told, /Proxy: (http:\/\/127\.0\.0\.1:\d+) → /)
    const ask = () => fetch(`${address}/api/v1/pods`, { headers: { 'X-Remote-User': 'alice' } })
    return { proxy, ask, rows: () => rowsOf(proxy.output()) }
  }

  test('rejects alone what the proxy lets pass', async () => {
    const server = await smallServer((_request, response) => void setTimeout(() => response.end('{}'), 50))
    cleanups.push(() => server.close())
    await writeFile(draft, narrowFor(1))
    const { proxy, ask, rows } = await proxyOf('--upstream', server.url, '--objects', 'built-in')
    const answers = await Promise.all(Array.from({ length: 8 }, ask))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    await vi.waitFor(() => expect(rows()).toHaveLength(8), 5_000)
    expect(rows().map(({ level, state }) => `${level} ${state}`)).toEqual(answers.map(() => 'global-default served'))
    expect(rows().map(({ candidate }) => candidate?.level)).toEqual(answers.map(() => 'narrow'))
    const refused = rows().filter(({ candidate }) => candidate?.reason === 'concurrency-limit').length
    expect(refused).toBeGreaterThan(0)
    const ran = rows().filter(({ candidate }) => candidate?.state === 'served').length
    expect(ran).toBe(8 - refused)
    proxy.interrupt()
    expect(await proxy.ended).toBe(0)
    expect(proxy.told()).toContain(
      `Compared 8 requests: without the draft 8 dispatched, none rejected; with it ${ran} dispatched, rejected ${refused} concurrency-limit.`,
    )
    expect(proxy.told()).toContain(
      `8 were decided differently: ${refused} rejected only with the draft, ${ran} in another flow schema or level.`,
    )
  })

  test('is laid over the newest objects of the server', async () => {
    const simulated = createSimulationSource(SimulationSpecSchema.parse({ kind: 'simulation' }), systemEnvironment, {
      backfillSeconds: 0,
    })
    const server = await startSimulatedHttpServer({ server: simulated.server })
    cleanups.push(() => server.close())
    // As long as the server has no such level, flow control passes over the schema.
    await writeFile(draft, everybodyTo('later'))
    const { proxy, ask, rows } = await proxyOf('--upstream', server.url)
    await found(proxy.told, /FlowSchema everybody of the draft references later, which does not exist/)
    await ask()
    await vi.waitFor(() => expect(rows()).toHaveLength(1), 5_000)
    expect(rows()[0]?.candidate).toMatchObject({ level: 'global-default', schema: 'global-default' })

    const editor = simulated.objects?.editor
    if (editor === undefined || 'impossible' in editor) throw new Error('it can be edited')
    const object: unknown = parse(levelManifest('later', 10))
    if (!isJsonObject(object)) throw new Error('no object')
    await editor.apply({ kind: 'PriorityLevelConfiguration', name: 'later', object }, false, unannounced)
    await vi.waitFor(async () => {
      await ask()
      expect(rows().at(-1)?.candidate).toMatchObject({ level: 'later', schema: 'everybody', state: 'served' })
    }, 5_000)
    expect(rows().at(-1)).toMatchObject({ level: 'global-default', schema: 'global-default' })
  })
})
