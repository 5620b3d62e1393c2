import { request } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { CadenceSchema } from '../../core/contract/source.ts'
import type { DumpRequest } from '../../core/frame/dump.ts'
import type { LevelFrame } from '../../core/frame/frame.ts'
import { CATALOGUE, REQUEST_TIME_FAMILIES } from '../../core/metrics/catalogue.ts'
import type { Family } from '../../core/metrics/page.ts'
import { createParser } from '../../core/metrics/parse.ts'
import { versionOf } from '../../core/config/content.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import { createScrapeSource } from '../../main/sources/scrape.ts'
import { createSimulationSource } from '../../main/sources/simulation.ts'
import type { Source } from '../../main/ports/source.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { startSimulatedHttpServer, type SimulatedHttpServer } from '../../main/simulated/httpServer.ts'
import { captureVersions, metricsPages, readFixture } from '../fixtures/load.ts'
import { allNamed } from '../harness/consent.ts'
import { heard, type Heard } from '../harness/heard.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

function watch(source: Source): Heard {
  const watched = heard()
  const stop = new AbortController()
  cleanups.push(() => stop.abort())
  source.start(stop.signal, watched.emit)
  return watched
}

/**
 * Times are compared to ten microseconds: the text has nanoseconds, and milliseconds since 1970 have no room for them.
 */
const rounded = ({ arrivedAt, startedAt, ...rest }: DumpRequest) => ({
  ...rest,
  arrivedAt: arrivedAt.toFixed(2),
  startedAt: startedAt?.toFixed(2),
})

/** The parts of a family that are the same on every server of one version. */
const shapeOf = ({ type, help, series }: Family) => ({
  type,
  help,
  labels: [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))].toSorted(),
  bounds: [...new Set(series.flatMap(({ labels }) => labels['le'] ?? []))],
})

/** A simulation that stands still in the middle of a wave, and its HTTP side. */
async function standing(
  version = 'v1.37.2',
): Promise<Heard & { readonly http: SimulatedHttpServer; readonly source: Source }> {
  const source = createSimulationSource(
    SimulationSpecSchema.parse({ kind: 'simulation', version }),
    systemEnvironment,
    {
      backfillSeconds: 75,
    },
  )
  const watched = watch(source)
  await vi.waitFor(() => expect(source.state().elapsedSeconds).toBeGreaterThanOrEqual(75), { timeout: 20_000 })
  source.control({ paused: true })
  const http = await startSimulatedHttpServer({ server: source.server })
  cleanups.push(() => http.close())
  return { ...watched, http, source }
}

function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number | undefined; type: string | undefined; body: string }>((resolve, reject) => {
    request(url, { headers, method }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode, type: response.headers['content-type'], body }))
    })
      .on('error', reject)
      .end()
  })
}

describe('the simulated server over HTTP', () => {
  test.each(['v1.30.14', 'v1.31.0', 'v1.33.13', 'v1.36.3', 'v1.37.2'])(
    'as %s shows a scraper the very numbers of its own frames and dumps',
    async (version) => {
      const { frames, dumps, http } = await standing(version)
      const own = frames.at(-1)
      const made = await createScrapeSource(
        {
          target: { kind: 'urls', urls: [`${http.url}/metrics`] },
          cadence: CadenceSchema.parse({ dumpsEveryMs: 2_000 }),
        },
        systemEnvironment,
        allNamed,
      )
      if (!made.ok) throw new Error(made.problem.message)
      const scraped = watch(made.source)
      await vi.waitFor(
        () => {
          expect(scraped.frames.length).toBeGreaterThan(0)
          expect(scraped.dumps[0]?.requests?.length).toBeGreaterThan(0)
        },
        { timeout: 10_000 },
      )
      const [frame] = scraped.frames
      expect(frame?.version).toBe(version)
      expect(own?.version).toBe(version)
      expect(frame?.startedAt).toBe(own?.startedAt)
      expect(frame?.seatFairFrac).toBe(own?.seatFairFrac)
      // Only families that such a server hides or no longer has.
      expect(frame?.missing).toEqual(own?.missing)
      expect(frame?.missing.filter(({ reason }) => reason === 'not-exposed')).toEqual([])
      expect(frame?.levels.map(({ name }) => name)).toEqual(own?.levels.map(({ name }) => name))
      for (const level of own?.levels ?? []) {
        expect(
          frame?.levels.find(({ name }) => name === level.name),
          level.name,
        ).toEqual(asScraped(level))
      }

      const ownDump = dumps.at(-1)
      const [dump] = scraped.dumps
      expect(dump?.errors).toEqual([])
      expect(dump?.levels).toEqual(ownDump?.levels)
      expect(dump?.queues).toEqual(ownDump?.queues)
      expect(dump?.requests?.map(rounded)).toEqual(ownDump?.requests?.map(rounded))
    },
  )

  test('has something to show: borrowing, queues and rejections', async () => {
    const { frames } = await standing()
    const low = frames.at(-1)?.levels.find(({ name }) => name === 'workload-low')
    expect(low?.limits.current).toBeGreaterThan(low?.limits.nominal ?? Infinity)
    expect(low?.requests.queued).toBeGreaterThan(100)
    expect(low?.rejected?.['queue-full']).toBeGreaterThan(0)
    // From the first second on: a frame each second of the history.
    expect(frames.length).toBeGreaterThanOrEqual(75)
  })

  test('gives a page that reads without a problem and lacks nothing that its version has', async () => {
    const { http } = await standing()
    const { type, body } = await get(`${http.url}/metrics`)
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8')
    const page = createParser().parse(Buffer.from(body))
    expect(page.problem).toBeUndefined()
    for (const { name, type: kind, labels, stability } of CATALOGUE.values()) {
      const family = page.families.get(name)
      if (family === undefined) continue
      expect(family.type, name).toBe(kind)
      const shown = new Set(family.series.flatMap((series) => Object.keys(series.labels)))
      shown.delete('le')
      expect([...shown].toSorted(), name).toEqual(labels.toSorted())
      if (stability !== 'none') expect(family.help, name).toContain(`[${stability}]`)
    }
    // A simulated server has flow control alone, and no handlers whose requests it could count.
    const ofHandlers = new Set(['apiserver_request_total', ...REQUEST_TIME_FAMILIES])
    const expected = [...CATALOGUE.values()].filter(
      ({ presence, removedIn, name }) => presence === 'at-rest' && removedIn === undefined && !ofHandlers.has(name),
    )
    expect(expected.filter(({ name }) => !page.families.has(name))).toEqual([])
  })

  test.each(captureVersions)('words its families as a real %s does', async (version) => {
    const { http } = await standing(version)
    const own = createParser().parse(Buffer.from((await get(`${http.url}/metrics`)).body))
    const compared = new Set<string>()
    const pages = metricsPages.filter((path) => path.includes(version))
    for (const real of pages.map((path) => createParser().parse(readFixture(path)))) {
      for (const family of real.families.values()) {
        const shown = own.families.get(family.name)
        if (!family.name.startsWith('apiserver_flowcontrol_')) continue
        expect(shown && shapeOf(shown), family.name).toEqual(shapeOf(family))
        compared.add(family.name)
      }
    }
    expect(compared.size).toBeGreaterThan(20)
  })

  test('lists the flow-control objects as the API does', async () => {
    const { http } = await standing()
    const base = `${http.url}/apis/flowcontrol.apiserver.k8s.io/v1`
    const list = JSON.parse((await get(`${base}/flowschemas`)).body)
    expect(list).toMatchObject({ kind: 'FlowSchemaList', apiVersion: 'flowcontrol.apiserver.k8s.io/v1' })
    expect(list.items).toHaveLength(11)
    const [item] = list.items
    expect(item.metadata).toMatchObject({ uid: expect.stringMatching(/^[0-9a-f-]{36}$/), generation: 1 })
    expect(item.status.conditions[0]).toMatchObject({ type: 'Dangling', status: 'False', reason: 'Found' })
    const level = JSON.parse((await get(`${base}/prioritylevelconfigurations/workload-low`)).body)
    expect(level).toMatchObject({ kind: 'PriorityLevelConfiguration', spec: { limited: { lendablePercent: 90 } } })
    expect(await get(`${base}/prioritylevelconfigurations/none`)).toMatchObject({ status: 404 })
    expect(JSON.parse((await get(`${http.url}/version`)).body)).toMatchObject({ gitVersion: 'v1.37.2', minor: '37' })
  })

  test('lets another console watch the flow-control objects', async () => {
    const { http, source } = await standing()
    const made = await createScrapeSource(
      { target: { kind: 'urls', urls: [`${http.url}/metrics`] }, cadence: CadenceSchema.parse({}) },
      systemEnvironment,
      allNamed,
    )
    if (!made.ok) throw new Error(made.problem.message)
    const readings: ObjectsReading[] = []
    const stop = new AbortController()
    cleanups.push(() => stop.abort())
    made.source.objects?.start(stop.signal, (reading) => readings.push(reading))
    const names = () => readings.at(-1)?.objects.levels.map(({ metadata }) => metadata.name)
    await vi.waitFor(() => expect(readings.at(-1)).toMatchObject({ state: 'current', version: 'v1.37.2' }))
    const { editor } = source.objects ?? {}
    if (editor === undefined || 'impossible' in editor) throw new Error('it can be edited')
    const change = { kind: 'PriorityLevelConfiguration', name: 'new' } as const
    const spec = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } }
    const object = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: change.kind, metadata: { name: 'new' }, spec }
    await editor.apply({ ...change, object }, false, async () => undefined)
    await vi.waitFor(() => expect(names()).toContain('new'))
    const base = versionOf((await editor.read(change)) ?? {})
    await editor.apply({ ...change, object: null, ...(base && { base }) }, false, async () => undefined)
    await vi.waitFor(() => expect(names()).not.toContain('new'))
    expect(new Set(readings.map(({ state }) => state))).toEqual(new Set(['loading', 'current']))
  })

  test('answers nobody who comes under a foreign name, and only to reads', async () => {
    const { http } = await standing()
    expect(await get(`${http.url}/metrics`, { host: 'example.com' })).toMatchObject({ status: 421 })
    const { port } = new URL(http.url)
    expect(await get(`${http.url}/metrics`, { host: `localhost:${port}` })).toMatchObject({ status: 421 })
    expect(await get(`${http.url}/metrics`, {}, 'POST')).toMatchObject({ status: 405 })
    expect(await get(`${http.url}/api/v1/pods`)).toMatchObject({ status: 404 })
  })
})

/** The part of a level that a metrics page contains: the engine also has the longest wait of each bucket. */
function asScraped(level: LevelFrame): unknown {
  return JSON.parse(JSON.stringify(level, (key, value: unknown) => (key === 'largest' ? undefined : value)))
}
