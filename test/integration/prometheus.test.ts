import { afterEach, describe, expect, test, vi } from 'vitest'
import { PrometheusSpecSchema, type PrometheusSpec } from '../../core/contract/prometheus.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { FACT_FAMILIES } from '../../core/live/serverFacts.ts'
import { CATALOGUE, familiesOf, KIND_FAMILIES, REQUEST_TIME_FAMILIES } from '../../core/metrics/catalogue.ts'
import { createPicture, type Picture } from '../../core/source/picture.ts'
import type { Source } from '../../main/ports/source.ts'
import { createPrometheusSource, prometheusServers } from '../../main/sources/prometheus.ts'
import { allNamed } from '../harness/consent.ts'
import { refuse, startFakePrometheus, type FakePrometheus, type FakeTarget } from '../harness/fakePrometheus.ts'
import { EPOCH, fastEnvironment as environment, stepOf } from '../harness/fastTime.ts'
import { metricsPage } from '../harness/hostileServer.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

const INTERVAL_MS = 10_000
const target = (labels: Record<string, string> = {}, over: Partial<FakeTarget> = {}): FakeTarget => ({
  labels: { job: 'apiserver', instance: '10.0.0.1:6443', ...labels },
  intervalMs: INTERVAL_MS,
  page: (at) => metricsPage({ step: stepOf(at) }),
  ...over,
})

async function prometheus(
  targets: () => readonly FakeTarget[] = () => [target()],
  more: Parameters<typeof startFakePrometheus>[2] = {},
): Promise<FakePrometheus> {
  const made = await startFakePrometheus(environment.now, targets, more)
  cleanups.push(() => made.close())
  return made
}

interface Watched {
  readonly source: Source
  readonly events: readonly SourceEvent[]
  readonly picture: Picture
  /** Unix milliseconds of the frames that were emitted as the present, and those of the past. */
  readonly present: () => readonly number[]
  readonly past: () => readonly number[]
  readonly sentence: (server?: string) => string | undefined
  readonly stop: () => void
}

const specOf = (api: FakePrometheus, over: Partial<PrometheusSpec> = {}): PrometheusSpec =>
  PrometheusSpecSchema.parse({ kind: 'prometheus', url: api.url('/'), pastMs: 0, ...over })

async function connect(api: FakePrometheus, over: Partial<PrometheusSpec> = {}): Promise<Watched> {
  const made = await createPrometheusSource(specOf(api, over), environment, allNamed)
  if (!made.ok) throw new Error(made.problem.message)
  const events: SourceEvent[] = []
  const picture = createPicture()
  const end = new AbortController()
  cleanups.push(() => end.abort())
  made.source.start(end.signal, (event) => {
    events.push(event)
    picture.take(event)
  })
  const times = (wanted: (event: Extract<SourceEvent, { kind: 'frame' }>) => boolean) => () =>
    events.flatMap((event) => (event.kind === 'frame' && wanted(event) ? [Date.parse(event.frame.at)] : []))
  return {
    source: made.source,
    events,
    picture,
    present: times(({ past }) => past !== true),
    past: times(({ past, lead }) => past === true && lead !== true),
    sentence: (server) =>
      picture.health.find(({ id }) => server === undefined || id === server)?.failures.at(-1)?.problem.message,
    stop: () => end.abort(),
  }
}

/** The sample names that a query selects. */
const namesIn = (query: string): readonly string[] => /__name__=~?"([^"]*)"/.exec(query)?.[1]?.split('|') ?? []

const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 5 })
const failing = ({ picture }: Watched): boolean => picture.health.some(({ status }) => status === 'failing')

describe('a Prometheus', () => {
  test('gives one frame for each scrape, at its time and with its numbers', async () => {
    const api = await prometheus()
    const watched = await connect(api)
    await eventually(() => expect(watched.present().length).toBeGreaterThanOrEqual(4))
    const times = watched.present()
    expect(times).toEqual(times.map((_, i) => (times[0] ?? 0) + i * INTERVAL_MS))
    expect(times[0]).toBe(Math.round((times[0] ?? 0) / INTERVAL_MS) * INTERVAL_MS)
    const frames = watched.events.flatMap((event) => (event.kind === 'frame' ? [event.frame] : []))
    for (const frame of frames) {
      expect(frame).toMatchObject({ id: '10.0.0.1:6443', version: 'v1.36.3', startedAt: 1_700_000_000 })
      expect(frame.levels.map(({ name }) => name)).toEqual(['catch-all', 'exempt', 'global-default', 'workload-low'])
      expect(frame.levels[0]?.dispatched).toBe(stepOf(Date.parse(frame.at)))
    }
    // From the first frame on there are rates: those before it were read with it.
    const first = watched.picture.servers[0]?.history.series({ from: 0, to: EPOCH * 2, maxPoints: 100 })
    expect(first?.levels[0]?.columns.dispatchedRate).not.toContain(null)
    expect(watched.source.ownCadence).toEqual({ intervalMs: INTERVAL_MS, dumpsEveryMs: null })
    expect(watched.picture.health[0]?.prometheus).toEqual({
      labels: [{ label: 'instance', value: '10.0.0.1:6443' }],
      intervalMs: INTERVAL_MS,
    })
  })

  test.each([4, 30])(
    'with %i levels is asked as often: seven queries until the Overview is there, and at most four for each scrape',
    async (count) => {
      const levels = Array.from({ length: count }, (_, i) => `level-${i}`)
      const page = (at: number): string =>
        metricsPage({ step: stepOf(at) }) +
        levels.map((level) => `apiserver_flowcontrol_current_limit_seats{priority_level="${level}"} 3\n`).join('')
      const api = await prometheus(() => [target({}, { page })])
      const watched = await connect(api)
      await eventually(() => expect(watched.present()).toHaveLength(1))
      // Servers, then the clock, versions, values, histograms, what is counted every 5 min, and times of requests.
      expect(api.queries()).toHaveLength(7)
      await eventually(() => expect(watched.present().length).toBeGreaterThanOrEqual(5))
      const later = api.queries().slice(7)
      const clocks = later.filter(({ query }) => query.includes('priority_level="catch-all"'))
      const scrapes = watched.present().length - 1
      // The next round may be under way, and may have found no new scrape yet. One that comes late reads several at
      // once.
      expect(later.length - clocks.length).toBeLessThanOrEqual(3 * scrapes + 3)
      expect(clocks.length).toBeLessThanOrEqual(scrapes + 2)
      expect(new Set(api.queries().map(({ path }) => path))).toEqual(new Set(['/api/v1/query']))
    },
  )

  test.each(['v1.29.6', 'v1.33.13', 'v1.36.3', 'v1.37.1'])(
    'is asked for the families of %s and no others, now and for the past',
    async (version) => {
      const page = (at: number): string => metricsPage({ step: stepOf(at), version })
      const api = await prometheus(() => [target({}, { page })])
      const watched = await connect(api, { pastMs: 900_000 })
      await eventually(() => expect(watched.picture.health[0]?.past?.state).toBe('done'))
      await eventually(() => expect(watched.present().length).toBeGreaterThanOrEqual(2))
      const has = new Set(familiesOf(version).map(({ name }) => name))
      const asWell = new Set([...FACT_FAMILIES, ...KIND_FAMILIES, ...REQUEST_TIME_FAMILIES])
      const lacks = [...CATALOGUE.keys()].filter((name) => !has.has(name) && !asWell.has(name))
      expect(lacks).not.toEqual([])
      // The query that finds the servers cannot depend on their versions.
      const asked = api
        .queries()
        .filter(({ query }) => !query.includes('priority_level="catch-all"'))
        .flatMap(({ query }) => namesIn(query))
      expect(new Set(asked.filter((name) => has.has(name)))).toEqual(has)
      expect(asked.filter((name) => lacks.includes(name.replace(/_(?:bucket|sum|count)$/, '')))).toEqual([])
    },
  )

  test('gives the times of requests and their kinds as the page has them, summed where they are stored', async () => {
    const times = (at: number): string =>
      ['GET', 'LIST', 'WATCH']
        .flatMap((verb, i) =>
          ['duration', 'sli_duration'].flatMap((name) => {
            const family = `apiserver_request_${name}_seconds`
            const all = stepOf(at) * (i + 2)
            return [
              `# TYPE ${family} histogram`,
              `${family}_bucket{verb="${verb}",subresource="",le="0.1"} ${stepOf(at)}`,
              `${family}_bucket{verb="${verb}",subresource="",le="+Inf"} ${all}`,
              `${family}_sum{verb="${verb}",subresource=""} ${all / 8}`,
              `${family}_count{verb="${verb}",subresource=""} ${all}`,
            ]
          }),
        )
        .join('\n')
    const kinds = 'apiserver_current_inflight_requests{request_kind="mutating"} 3\n'
    const page = (at: number): string => `${metricsPage({ step: stepOf(at) })}${kinds}${times(at)}\n`
    const api = await prometheus(() => [target({}, { page })])
    const watched = await connect(api)
    await eventually(() => expect(watched.present().length).toBeGreaterThanOrEqual(2))
    const frame = watched.events.findLast((event) => event.kind === 'frame')?.frame
    const step = stepOf(Date.parse(frame?.at ?? ''))
    // Without the watches.
    const histogram = { bounds: [0.1], counts: [2 * step, 5 * step], sum: (5 * step) / 8, count: 5 * step }
    const ofVerb = (count: number) => ({ bounds: [0.1], counts: [step, count], sum: count / 8, count })
    expect(frame?.requests).toEqual({
      duration: histogram,
      own: histogram,
      verbs: { get: ofVerb(2 * step), list: ofVerb(3 * step) },
    })
    expect(frame?.inFlight).toEqual({ mutating: 3 })
  })

  test('with several replicas that scrape one server gives the pages of each', async () => {
    const api = await prometheus(() => [target({ replica: 'a' }), target({ replica: 'b' }, { phaseMs: 3_000 })])
    const watched = await connect(api)
    await eventually(() => expect(watched.present().length).toBeGreaterThanOrEqual(4))
    const all = watched.events.flatMap((event) => (event.kind === 'frame' ? [event.frame] : []))
    expect(new Set(all.map(({ at }) => Date.parse(at) % INTERVAL_MS))).toEqual(new Set([0, 3_000]))
    for (const { at, levels } of all) expect(levels[0]?.dispatched).toBe(stepOf(Date.parse(at)))
    expect(watched.picture.health).toHaveLength(1)
  })

  test('with several clusters wants one chosen, and lists them', async () => {
    const api = await prometheus(() => [
      target({ cluster: 'prod' }),
      target({ cluster: 'staging' }),
      target({ cluster: 'prod', instance: '10.0.0.2:6443' }),
    ])
    const made = await createPrometheusSource(specOf(api), environment, allNamed)
    expect(made).toMatchObject({
      ok: false,
      problem: { message: expect.stringMatching(/2 clusters .*prod and staging.*--prometheus-label/) },
    })
    expect(await prometheusServers({ url: api.url('/') }, environment, allNamed)).toMatchObject({
      labels: { cluster: 'cluster', instance: 'instance' },
      clusters: [
        { name: 'prod', servers: [{ instance: '10.0.0.1:6443' }, { instance: '10.0.0.2:6443' }] },
        { name: 'staging' },
      ],
      intervalMs: INTERVAL_MS,
    })
    const watched = await connect(api, { cluster: 'prod' })
    await eventually(() =>
      expect(watched.picture.servers.map(({ latest }) => latest.frame.id)).toEqual(['10.0.0.1:6443', '10.0.0.2:6443']),
    )
    const one = await connect(api, { matchers: [{ label: 'cluster', value: 'prod' }], instances: ['10.0.0.2:6443'] })
    await eventually(() => expect(one.picture.servers.map(({ latest }) => latest.frame.id)).toEqual(['10.0.0.2:6443']))
    expect(one.source.info.name).toBe('prod')
  })

  test('that finds another server later shows it too', async () => {
    const since = environment.now() + 25_000
    const late = target(
      { instance: '10.0.0.2:6443' },
      { page: (at) => (at < since ? undefined : metricsPage({ step: stepOf(at) })) },
    )
    const watched = await connect(await prometheus(() => [target(), late]))
    await eventually(() => expect(watched.picture.servers).toHaveLength(2))
  })

  test('says what its interval hides', async () => {
    const watched = await connect(await prometheus(() => [target({}, { intervalMs: 30_000 })]))
    await eventually(() => expect(watched.present()).not.toEqual([]))
    expect(watched.picture.health[0]?.notes?.join(' ')).toMatch(/every 30 s.*one of 3 recomputations/)
  })

  test('says of each server what its own interval hides, and nothing before the interval is known', async () => {
    const watched = await connect(
      await prometheus(() => [target(), target({ instance: '10.0.0.2:6443' }, { intervalMs: 60_000 })]),
    )
    await eventually(() => expect(watched.picture.servers).toHaveLength(2))
    const notes = watched.picture.health.map(({ notes: all }) => all?.join(' '))
    expect(notes[0]).toMatch(/every 10 s/)
    expect(notes[1]).toMatch(/every 60 s.*one of 6 recomputations/)
    // The slower one is not late while its next scrape is not due.
    await eventually(() => expect(new Set(watched.present()).size).toBeGreaterThanOrEqual(8))
    expect(failing(watched)).toBe(false)

    const since = Math.ceil(environment.now() / INTERVAL_MS) * INTERVAL_MS - INTERVAL_MS
    const once = target({}, { page: (at) => (at === since ? metricsPage({ step: stepOf(at) }) : undefined) })
    const young = await connect(await prometheus(() => [once]))
    await eventually(() => expect(young.picture.servers).toHaveLength(1))
    expect(young.picture.health[0]?.notes).toBeUndefined()
  })

  test('without an API server, or without its API, says so', async () => {
    const empty = await prometheus(() => [])
    expect(await createPrometheusSource(specOf(empty), environment, allNamed)).toMatchObject({
      ok: false,
      problem: { code: 'not-found', message: expect.stringContaining('no flow-control metrics') },
    })
    empty.fail((_, response) => {
      response.writeHead(404).end('no such page')
      return true
    })
    expect(await createPrometheusSource(specOf(empty), environment, allNamed)).toMatchObject({
      problem: { code: 'not-found', message: expect.stringContaining('path prefix') },
    })
  })
})

describe('what it is sent', () => {
  test('are the tenant, headers and credentials, below the path prefix; and no problem repeats them', async () => {
    const api = await prometheus()
    const over = {
      url: api.url('/select/0/prometheus/graph'),
      tenant: 'team-a',
      headers: [{ name: 'X-Key', value: 's3cr3t-key' }],
      credentials: { token: 't0k3n-of-mine' },
    }
    const watched = await connect(api, over)
    await eventually(() => expect(watched.present()).not.toEqual([]))
    expect(api.requests[0]?.path).toMatch(/^\/select\/0\/prometheus\/api\/v1\/query\?/)
    expect(api.requests.at(-1)?.headers).toMatchObject({
      'x-scope-orgid': 'team-a',
      'x-key': 's3cr3t-key',
      authorization: 'Bearer t0k3n-of-mine',
    })
    api.fail((_, response) => refuse(response, 403, 'Bearer t0k3n-of-mine with s3cr3t-key is not allowed'))
    await eventually(() => expect(failing(watched)).toBe(true))
    expect(JSON.stringify(watched.events)).not.toMatch(/t0k3n|s3cr3t/)
  })

  test('never goes where an answer redirects to, nor unencrypted to another machine', async () => {
    const other = await prometheus()
    const api = await prometheus()
    api.fail((_, response) => {
      response.writeHead(307, { Location: other.url('/api/v1/query') }).end()
      return true
    })
    const spec = specOf(api, { credentials: { token: 'x1234' } })
    expect(await createPrometheusSource(spec, environment, allNamed)).toMatchObject({
      problem: { message: expect.stringContaining('redirects') },
    })
    expect(other.requests).toEqual([])
    for (const secret of [{ credentials: { token: 'x1234' } }, { headers: [{ name: 'X-Key', value: 'x1234' }] }]) {
      const open = { ...specOf(api), url: 'http://10.255.255.1:9090', ...secret }
      expect(await createPrometheusSource(open, environment, allNamed)).toMatchObject({
        problem: { code: 'credentials', message: expect.stringContaining('unencrypted') },
      })
    }
    const reserved = specOf(api, { headers: [{ name: 'Host', value: 'elsewhere' }] })
    expect(await createPrometheusSource(reserved, environment, allNamed)).toMatchObject({
      problem: { code: 'invalid-input' },
    })
  })
})

describe('the past', () => {
  const HOUR = 3_600_000
  const pastOf = ({ picture }: Watched) => picture.health[0]?.past

  test('is read after the present, the newest first, without gap, seam or repetition', async () => {
    const api = await prometheus()
    // So that it takes several chunks.
    api.fail(
      ({ spanMs, query }, response) =>
        spanMs > 200_000 && query.includes('current_limit') && refuse(response, 422, 'too many samples'),
    )
    const watched = await connect(api, { pastMs: HOUR / 4 })
    await eventually(() => expect(pastOf(watched)?.state).toBe('done'))
    const all = [...new Set([...watched.past(), ...watched.present()])].toSorted((a, b) => a - b)
    expect(all).toHaveLength(watched.past().length + watched.present().length)
    expect(all).toEqual(all.map((_, i) => (all[0] ?? 0) + i * INTERVAL_MS))
    expect(all.length).toBeGreaterThanOrEqual(HOUR / 4 / INTERVAL_MS - 1)
    const series = watched.picture.servers[0]?.history.series({ from: 0, to: EPOCH * 2, maxPoints: 1_000 })
    // The oldest alone has nothing before it.
    const rates = series?.levels[0]?.columns.dispatchedRate ?? []
    expect(rates.filter((rate) => rate === null).length).toBeLessThanOrEqual(1)
    expect(rates.filter((rate) => rate !== null).every((rate) => Math.abs(rate - 1) < 1e-3)).toBe(true)
  })

  test('of many hours is read at steps, at the times of the scrapes', async () => {
    const api = await prometheus(() => [target({}, { phaseMs: 1_500 })])
    const watched = await connect(api, { pastMs: 6 * HOUR })
    await eventually(() => expect(pastOf(watched)?.state).toBe('done'))
    expect(
      api.queries().some(({ path, query }) => path.endsWith('query_range') && query.startsWith('timestamp(')),
    ).toBe(true)
    const times = watched.past()
    expect(times.length).toBeGreaterThan(650)
    expect(new Set(times).size).toBe(times.length)
    expect(times.every((at) => at % INTERVAL_MS === 1_500)).toBe(true)
    expect(
      watched.events.every(
        (event) => event.kind !== 'frame' || event.frame.levels[0]?.dispatched === stepOf(Date.parse(event.frame.at)),
      ),
    ).toBe(true)
  })

  test('says what it leaves out, and where Prometheus has none', async () => {
    const begin = environment.now() - HOUR
    const page = (at: number): string | undefined => (at < begin ? undefined : metricsPage({ step: stepOf(at) }))
    const watched = await connect(await prometheus(() => [target({}, { page })]), { pastMs: 6 * HOUR })
    await eventually(() => expect(pastOf(watched)?.state).toBe('done'))
    const { begins = '', stepMs } = pastOf(watched) ?? {}
    expect(stepMs).toBe(30_000)
    expect(Date.parse(begins)).toBe(Math.min(...watched.past()))
    expect(Date.parse(begins) - begin).toBeLessThanOrEqual(30_000 + INTERVAL_MS)
    const whole = await connect(await prometheus(), { pastMs: HOUR / 4 })
    await eventually(() => expect(pastOf(whole)?.state).toBe('done'))
    expect(Object.keys(pastOf(whole) ?? {})).toEqual(['state', 'wanted', 'reached'])
  })

  test('whose answers are too large is read in smaller parts', async () => {
    const api = await prometheus()
    api.fail(
      (query, response) =>
        query.spanMs > 400_000 &&
        query.query.includes('current_limit') &&
        refuse(response, 422, 'query processing would load too many samples'),
    )
    const watched = await connect(api, { pastMs: HOUR })
    await eventually(() => expect(pastOf(watched)?.state).toBe('done'))
    expect(watched.past().length).toBeGreaterThanOrEqual(HOUR / INTERVAL_MS - 6)
    expect(failing(watched)).toBe(false)
  })

  test('is tried again where the server is busy, and given up with its reason', async () => {
    const api = await prometheus()
    let refused = 0
    api.fail(
      (query, response) =>
        query.spanMs > 100_000 &&
        query.query.includes('current_limit') &&
        refused++ < 2 &&
        refuse(response, 429, 'slow down', { 'Retry-After': '1' }),
    )
    const watched = await connect(api, { pastMs: HOUR })
    await eventually(() => expect(pastOf(watched)?.state).toBe('done'))
    expect(refused).toBeGreaterThan(2)
    api.fail(
      (query, response) =>
        query.spanMs > 100_000 && query.query.includes('current_limit') && refuse(response, 403, 'no'),
    )
    const other = await connect(api, { pastMs: HOUR })
    await eventually(() => expect(pastOf(other)).toMatchObject({ state: 'failed', problem: { code: 'forbidden' } }))
    expect(other.present()).not.toEqual([])
    expect(failing(other)).toBe(false)
  })

  test('that was missed during a long outage is filled in, and the history goes back as far as before', async () => {
    const api = await prometheus()
    const watched = await connect(api, { pastMs: HOUR / 4 })
    await eventually(() => expect(pastOf(watched)?.state).toBe('done'))
    const settled = pastOf(watched)
    const [first = 0] = [...watched.past(), ...watched.present()].toSorted((a, b) => a - b)
    const since = environment.now()
    api.fail((_, response) => refuse(response, 503, 'Service Unavailable'))
    await eventually(() => expect(environment.now() - since).toBeGreaterThan(400_000))
    api.fail(undefined)
    watched.source.tryNow?.()
    await eventually(() => {
      const all = new Set([...watched.past(), ...watched.present()])
      const scrapes = Array.from({ length: all.size }, (_, i) => first + i * INTERVAL_MS)
      expect(all.size).toBeGreaterThan((HOUR / 4 + 400_000) / INTERVAL_MS - 2)
      expect([...all].toSorted((a, b) => a - b)).toEqual(scrapes)
    })
    await eventually(() => expect(pastOf(watched)).toEqual(settled))
  })

  test('can be stopped, and what was read stays', async () => {
    const api = await prometheus()
    let held = 0
    api.fail((query) => query.spanMs > 100_000 && query.query.includes('current_limit') && ++held > 0)
    const watched = await connect(api, { pastMs: HOUR })
    await eventually(() => expect(held).toBeGreaterThan(0))
    watched.source.stopPast?.()
    await eventually(() => expect(pastOf(watched)?.state).toBe('stopped'))
    const before = watched.present().length
    await eventually(() => expect(watched.present().length).toBeGreaterThan(before))
  })
})

/** One series with the same sample many times. */
const answerOf =
  (sample: string, count: number): Parameters<FakePrometheus['fail']>[0] =>
  (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.write('{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[')
    response.end(`${`${sample},`.repeat(count - 1)}${sample}]}]}}`)
    return true
  }

describe('a Prometheus in trouble keeps the last good state', () => {
  const troubles: readonly (readonly [string, Parameters<FakePrometheus['fail']>[0], RegExp])[] = [
    ['422', (_, response) => refuse(response, 422, 'too many samples'), /could not run the query \(422\)/],
    ['429', (_, response) => refuse(response, 429, 'rate limited'), /limits how often it is queried \(429\)/],
    ['503 after a restart', (_, response) => refuse(response, 503, 'Service Unavailable'), /not ready \(503\)/],
    [
      '503 of a query that took too long',
      (_, response) => refuse(response, 503, 'query timed out'),
      /took too long \(503\)/,
    ],
    ['401', (_, response) => refuse(response, 401, 'who are you'), /does not accept the credentials \(401\)/],
    ['403', (_, response) => refuse(response, 403, 'no'), /may not query/],
    ['502 of a proxy', (_, response) => refuse(response, 502, 'bad gateway'), /did not get an answer/],
    [
      'an answer that is cut off',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' })
        response.end('{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__na')
        return true
      },
      /did not answer as Prometheus does/,
    ],
    ['an answer of 30 MB', answerOf('[1795230000.123,"12345.678"]', 1_100_000), /too large to read; choose/],
    ['an answer of 16 MB with two million samples', answerOf('[1,"1"]', 2_000_000), /too large to read; choose/],
    [
      'a login page',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html' })
        response.end('<html>')
        return true
      },
      /web page \(HTML\)/,
    ],
    [
      'a connection that breaks',
      (_, response) => {
        response.destroy()
        return true
      },
      /closed the connection/,
    ],
  ]
  test.each(troubles)('%s', async (_, trouble, sentence) => {
    const api = await prometheus()
    const watched = await connect(api)
    await eventually(() => expect(watched.present()).not.toEqual([]))
    api.fail(trouble)
    await eventually(() => expect(watched.sentence()).toMatch(sentence))
    const last = watched.picture.servers[0]?.latest.frame
    expect(last?.levels).toHaveLength(4)
    const before = watched.present().length
    api.fail(undefined)
    watched.source.tryNow?.()
    await eventually(() => expect(watched.present().length).toBeGreaterThan(before))
    expect(watched.picture.health[0]).toMatchObject({ status: 'ok', failures: [] })
  })

  test('when it returns a part and warns: the part is not taken for the whole', async () => {
    let partial = false
    const api = await prometheus(undefined, {
      warnings: () => (partial ? ['store 10.1.1.1 is unavailable'] : []),
      drop: ({ priority_level: level }) => partial && level === 'workload-low',
    })
    const watched = await connect(api)
    await eventually(() => expect(watched.present()).not.toEqual([]))
    partial = true
    await eventually(() => expect(watched.sentence()).toMatch(/returned only a part of the scrape/))
    expect(watched.picture.health[0]?.failures.at(-1)?.problem.details).toContain('10.1.1.1')
    expect(watched.picture.servers[0]?.latest.frame.levels).toHaveLength(4)
    partial = false
    await eventually(() => expect(watched.picture.health[0]?.status).toBe('ok'))
  })

  test('when a level is gone without a warning: it is read again once, and then believed', async () => {
    let gone = false
    const api = await prometheus(undefined, { drop: ({ priority_level: level }) => gone && level === 'workload-low' })
    const watched = await connect(api)
    await eventually(() => expect(watched.present()).not.toEqual([]))
    gone = true
    await eventually(() => expect(watched.picture.servers[0]?.latest.frame.levels).toHaveLength(3))
    expect(failing(watched)).toBe(false)
  })

  test('when it no longer scrapes the server: since when', async () => {
    let until = Number.POSITIVE_INFINITY
    const api = await prometheus(() => [
      target({}, { page: (at) => (at > until ? undefined : metricsPage({ step: stepOf(at) })) }),
    ])
    const watched = await connect(api)
    await eventually(() => expect(watched.present()).not.toEqual([]))
    until = environment.now()
    await eventually(() => expect(watched.sentence()).toMatch(/has no sample of 10\.0\.0\.1:6443 since 20/))
    until = Number.POSITIVE_INFINITY
    await eventually(() => expect(watched.picture.health[0]?.status).toBe('ok'))
  })

  test('when the server restarts: counters begin anew, and rates leave that step out', async () => {
    let restartAt = Number.POSITIVE_INFINITY
    const page = (at: number): string =>
      at < restartAt
        ? metricsPage({ step: stepOf(at) })
        : metricsPage({ step: Math.round((at - restartAt) / 1_000), startedAt: 1_700_009_000 })
    const watched = await connect(await prometheus(() => [target({}, { page })]))
    await eventually(() => expect(watched.present()).not.toEqual([]))
    restartAt = environment.now()
    await eventually(() => expect(watched.picture.servers[0]?.latest.frame.startedAt).toBe(1_700_009_000))
    const rates = watched.picture.servers[0]?.history.series({ from: 0, to: EPOCH * 2, maxPoints: 100 }).levels[0]
      ?.columns.dispatchedRate
    expect(rates?.every((rate) => rate === null || rate >= 0)).toBe(true)
  })
})
