import { createServer as createHttpServer } from 'node:http'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createClient, type ConnectedClient } from '../../core/contract/client.ts'
import { checked } from '../../core/contract/shapes.ts'
import { ProblemError, type Problem } from '../../core/errors.ts'
import { ProxySpecSchema } from '../../core/contract/live.ts'
import { serve } from '../../core/contract/server.ts'
import { SimulationSpecSchema, type SimulationState } from '../../core/contract/simulation.ts'
import type { RecorderState } from '../../core/contract/recording.ts'
import { CadenceSchema, type Connected, type SourceSpec } from '../../core/contract/source.ts'
import type { Consent, ConsentRequest } from '../../main/cluster/consent.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { createPresence } from '../../main/store/database.ts'
import { openChapter } from '../../main/recordings/chapter.ts'
import { listRecordings } from '../../main/recordings/library.ts'
import { openInThread } from '../../main/threads/sourceThread.ts'
import { systemAccess } from '../../main/workspace/access.ts'
import type { ConnectedSource } from '../../main/workspace/connectedSource.ts'
import { createWorkspace, type Workspace } from '../../main/workspace/workspace.ts'
import { allNamed } from '../harness/consent.ts'
import { metricsPage } from '../harness/hostileServer.ts'
import { memoryPorts } from '../harness/ports.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const THREAD = path.join(ROOT, 'main/threads/thread.ts')
const SIMULATION = SimulationSpecSchema.parse({ kind: 'simulation', seed: 3 })

let stateDir = ''
let cleanups: (() => unknown)[] = []
beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), 'apf-threads-'))
  cleanups = []
})
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup()
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
})

const recordings = () => {
  const presence = createPresence(stateDir)
  return listRecordings(path.join(stateDir, 'recordings'), (writer) => presence.runs(writer))
}
/** Kinds of the events in all recordings. */
const kindsKept = (): ReadonlySet<string> =>
  new Set(
    recordings()
      .flatMap(({ chapters }) => chapters)
      .flatMap((file) => {
        const chapter = openChapter(file)
        const kinds = chapter.segments.flatMap((place) => chapter.read(place).events.map(({ event }) => event.kind))
        chapter.close()
        return kinds
      }),
  )

interface Open {
  readonly workspace: Workspace
  readonly sources: ConnectedSource[]
  readonly warnings: string[]
  /** A page, over the protocol. */
  readonly page: ConnectedClient
}

function open({ file = THREAD, consent = allNamed }: { file?: string; consent?: Consent } = {}): Open {
  const sources: ConnectedSource[] = []
  const warnings: string[] = []
  const workspace = createWorkspace({
    stateDir,
    environment: systemEnvironment,
    access: systemAccess('', stateDir, consent),
    open: openInThread({ file, stateDir, recording: '', words: [], consent }),
    version: '0.0.0-test',
    mode: 'memory',
    platform: 'test',
    warn: (sentence) => warnings.push(sentence),
    onConnected: (source) => sources.push(source),
  })
  cleanups.push(() => workspace.close())
  const page = createClient({
    ...systemEnvironment,
    reading: checked,
    connect: async () => {
      const [asking, serving] = memoryPorts()
      serve(serving, workspace.handlers, workspace)
      return asking
    },
  })
  cleanups.push(() => page.close())
  return { workspace, sources, warnings, page }
}

describe('a source in a thread of its own', () => {
  test('answers a page as one in this thread does', async () => {
    const { page, workspace } = open()
    const { id: connection, source } = await page.call('sources.connect', { spec: SIMULATION })
    expect(source.kind).toBe('simulation')
    const frames: number[] = []
    const states: SimulationState[] = []
    const ends: Problem[] = []
    page.subscribe(
      'frames',
      { connection },
      ({ seq }) => frames.push(seq),
      (problem) => ends.push(problem),
    )
    page.subscribe('simulation', { connection }, (state) => states.push(state))
    await vi.waitFor(() => expect(frames.length).toBeGreaterThan(3))
    const state = await page.call('simulation.control', { connection, paused: true })
    expect(state.paused).toBe(true)
    // Calls of the page over its own line and calls of the workspace itself reach one source.
    expect(await workspace.handlers.procedures['simulation.state']({ connection })).toEqual(state)
    await vi.waitFor(() => expect(states.at(-1)).toMatchObject({ paused: true }))
    const at = Date.parse(state.at)
    const series = await page.call('history.series', {
      connection,
      server: 'simulated-apiserver',
      from: at - 60_000,
      to: at,
      maxPoints: 100,
    })
    expect(series.times.length).toBeGreaterThan(20)
    await expect(
      page.call('history.series', { connection, server: 'nowhere', from: 0, to: 1, maxPoints: 100 }),
    ).rejects.toMatchObject({ problem: { code: 'not-found' } })

    await page.call('sources.disconnect', { connection })
    await vi.waitFor(() => expect(ends).toEqual([expect.objectContaining({ code: 'not-found' })]))
    await expect(page.call('simulation.state', { connection })).rejects.toMatchObject({
      problem: { code: 'not-found' },
    })
    expect(await connected(page)).toEqual([])
  })

  test('refuses as one in this thread does, and nothing is connected', async () => {
    const { page } = open()
    const spec: SourceSpec = { kind: 'files', files: [{ name: 'page.txt', text: 'nothing of a server' }] }
    await expect(page.call('sources.connect', { spec })).rejects.toMatchObject({ problem: { code: 'bad-answer' } })
    const packed: SourceSpec = { kind: 'files', files: [{ name: 'a.7z', base64: 'N3q8ryccAAQ=' }] }
    await expect(page.call('sources.connect', { spec: packed })).rejects.toMatchObject({
      problem: { message: expect.stringMatching(/^a\.7z is a 7-Zip archive, which is not read\./) },
    })
    expect(await connected(page)).toEqual([])
  })

  test('takes no page with it when it fails: it is said what was lost', async () => {
    const file = path.join(stateDir, 'failing.ts')
    const broken = path.join(stateDir, 'broken')
    await writeFile(
      file,
      `import { existsSync } from 'node:fs'\nimport ${JSON.stringify(THREAD)}\nsetInterval(() => { if (existsSync(${JSON.stringify(broken)})) throw new Error('the engine broke') }, 20)\n`,
    )
    const { page, warnings, workspace } = open({ file })
    const notices: Problem[][] = []
    page.subscribe('notices', null, (told) => notices.push(told))
    const { id: connection } = await page.call('sources.connect', { spec: SIMULATION })
    await writeFile(broken, '')
    await vi.waitFor(async () => expect(await connected(page)).toEqual([]))
    await rm(broken)
    const sentence = 'The connection to Simulated cluster ended because of an error in the console. Connect it again.'
    await vi.waitFor(() => expect(notices.at(-1)).toMatchObject([{ message: sentence, details: 'the engine broke' }]))
    expect(warnings).toEqual([sentence])
    await expect(page.call('simulation.state', { connection })).rejects.toMatchObject({
      problem: { code: 'not-found' },
    })
    expect(await workspace.handlers.procedures['settings.read'](null)).toBeDefined()
    await page.call('sources.connect', { spec: SIMULATION })
    await vi.waitFor(() => expect(notices.at(-1)).toEqual([]))
  })

  test('shares its thread with others once many servers are scraped, and outlives them', async () => {
    const api = createHttpServer((_, response) => response.end(metricsPage({})))
    cleanups.push(() => api.close())
    const port = await listening(api)
    const file = path.join(stateDir, 'counted.ts')
    const started = path.join(stateDir, 'started')
    await writeFile(
      file,
      `import { appendFileSync } from 'node:fs'\nimport ${JSON.stringify(THREAD)}\nappendFileSync(${JSON.stringify(started)}, '.')\n`,
    )
    const { page, warnings } = open({ file })
    const connect = async (name: string): Promise<number> => {
      const target = { kind: 'urls' as const, urls: [`http://127.0.0.1:${port}/${name}/metrics`] }
      const { id } = await page.call('sources.connect', {
        spec: { kind: 'scrape', target, cadence: CadenceSchema.parse({}) },
      })
      return id
    }
    const framed = (connection: number): Promise<void> =>
      new Promise((resolve) => {
        const stop = page.subscribe('frames', { connection }, () => {
          stop()
          resolve()
        })
      })
    const ids = await Promise.all(Array.from({ length: 12 }, (_, index) => connect(`s${index}`)))
    await Promise.all(ids.map(framed))
    expect(await readFile(started, 'utf8')).toBe('....')
    const last = ids.pop() ?? Number.NaN
    for (const connection of ids) await page.call('sources.disconnect', { connection })
    await framed(last)
    // Threads without a source have ended, so there is one for each of the next again.
    await Promise.all(['a', 'b', 'c'].map(async (name) => framed(await connect(name))))
    expect(await readFile(started, 'utf8')).toBe('.......')
    expect(warnings).toEqual([])
  })

  test('asks the operator through the process, which all sources share', async () => {
    const asked: ConsentRequest[] = []
    const consent: Consent = {
      ...allNamed,
      confirm(request) {
        asked.push(request)
        return Promise.reject(new ProblemError('credentials', 'You refused.'))
      },
    }
    const file = path.join(stateDir, 'kubeconfig')
    await writeFile(file, JSON.stringify(withProgram))
    const { page } = open({ consent })
    const spec = {
      kind: 'scrape',
      target: { kind: 'kubeconfig', file },
      cadence: CadenceSchema.parse({}),
    } as const
    await expect(page.call('sources.connect', { spec })).rejects.toMatchObject({
      problem: { code: 'credentials', message: 'You refused.' },
    })
    expect(asked.map(({ what }) => what)).toEqual([expect.stringMatching(/^run .*\/true$/)])
  })

  test('gives its port back before another one takes it', async () => {
    const port = await freePort()
    const { page } = open()
    const spec = ProxySpecSchema.parse({
      kind: 'proxy',
      upstream: { kind: 'url', url: 'http://127.0.0.1:9' },
      identity: 'headers',
      objects: 'built-in',
      port,
    })
    for (let time = 0; time < 3; time++) {
      const { source } = await page.call('sources.connect', { spec, inPlaceOf: null })
      expect(source.via).toContain(`:${port}`)
    }
    expect(await connected(page)).toHaveLength(1)
  })

  test('shows its engine on a page of metrics, and its server over HTTP', async () => {
    const { page, sources } = open()
    await page.call('sources.connect', { spec: SIMULATION })
    const [source] = sources
    expect(await source?.metrics?.()).toMatch(/^apiserver_flowcontrol_nominal_limit_seats\{/m)
    const address = await source?.serveSimulation?.(0)
    const answer = await fetch(`${address}/metrics`)
    expect(await answer.text()).toMatch(/^apiserver_flowcontrol_nominal_limit_seats\{/m)
    await source?.end()
    await expect(fetch(`${address}/metrics`)).rejects.toThrow('fetch failed')
  })

  test('is recorded there, as long as it is switched on', async () => {
    const { page } = open()
    const { id: connection } = await page.call('sources.connect', { spec: SIMULATION })
    let state: RecorderState | undefined
    page.subscribe('recorder', { connection }, (latest) => (state = latest))
    // Reading a recording does not disturb its writer. It decodes all of it, so it is not read all the time.
    await vi.waitFor(
      () => expect(kindsKept()).toEqual(new Set(['frame', 'dump', 'facts', 'objects', 'health', 'pace', 'requests'])),
      { interval: 500 },
    )
    expect(state).toMatchObject({ status: 'recording', possible: true, folder: path.join(stateDir, 'recordings') })
    expect(recordings()).toMatchObject([{ running: true }])
    await page.call('recorder.switch', { connection, on: false })
    await vi.waitFor(() => expect(state?.status).toBe('off'), { timeout: 60_000 })
    await page.call('sources.disconnect', { connection })
    await vi.waitFor(
      () => expect(recordings()).toMatchObject([{ running: false, source: { kind: 'simulation' }, problems: [] }]),
      { timeout: 60_000 },
    )
  })

  test('says where its recording cannot be kept', async () => {
    await writeFile(path.join(stateDir, 'recordings'), '')
    const { page } = open()
    let notices: readonly Problem[] = []
    page.subscribe('notices', null, (latest) => (notices = latest))
    await page.call('sources.connect', { spec: SIMULATION })
    await vi.waitFor(
      () =>
        expect(notices.map(({ message }) => message)).toEqual([
          expect.stringMatching(/^Recording is paused\. Cannot open .*recordings.*: /),
        ]),
      { timeout: 60_000 },
    )
  })
})

async function connected(page: ConnectedClient): Promise<Connected[]> {
  const first = Promise.withResolvers<Connected[]>()
  const stop = page.subscribe('connections', null, first.resolve)
  const all = await first.promise
  stop()
  return all
}

/** Free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const withProgram = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'here',
  contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
  clusters: [{ name: 'here', cluster: { server: 'http://127.0.0.1:9' } }],
  users: [
    {
      name: 'me',
      user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: '/bin/true', interactiveMode: 'Never' } },
    },
  ],
}
