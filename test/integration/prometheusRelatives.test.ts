import { afterEach, describe, expect, test, vi } from 'vitest'
import { PrometheusSpecSchema, type PrometheusSpec } from '../../core/contract/prometheus.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { createPicture } from '../../core/source/picture.ts'
import { createPrometheusSource } from '../../main/sources/prometheus.ts'
import { allNamed } from '../harness/consent.ts'
import { refuse, startFakePrometheus, type FakePrometheus, type FakeTarget } from '../harness/fakePrometheus.ts'
import { fastEnvironment as environment, stepOf } from '../harness/fastTime.ts'
import { metricsPage } from '../harness/hostileServer.ts'

/** Responses of Thanos and Mimir that differ from Prometheus, according to their documentation and issues. */

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

const target = (labels: Record<string, string> = {}, phaseMs = 0): FakeTarget => ({
  labels: { job: 'apiserver', instance: '10.0.0.1:6443', ...labels },
  intervalMs: 10_000,
  phaseMs,
  page: (at) => metricsPage({ step: stepOf(at) }),
})

async function start(
  targets: readonly FakeTarget[] = [target()],
  more: Parameters<typeof startFakePrometheus>[2] = {},
): Promise<FakePrometheus> {
  const made = await startFakePrometheus(environment.now, () => targets, more)
  cleanups.push(() => made.close())
  return made
}

async function connect(api: FakePrometheus, over: Partial<PrometheusSpec> = {}) {
  const spec = PrometheusSpecSchema.parse({ kind: 'prometheus', url: api.url('/'), pastMs: 0, ...over })
  const made = await createPrometheusSource(spec, environment, allNamed)
  if (!made.ok) throw new Error(made.problem.message)
  const events: SourceEvent[] = []
  const picture = createPicture()
  const end = new AbortController()
  cleanups.push(() => end.abort())
  made.source.start(end.signal, (event) => {
    events.push(event)
    picture.take(event)
  })
  return {
    picture,
    present: () => events.flatMap((event) => (event.kind === 'frame' && event.past !== true ? [event.frame] : [])),
    health: () => picture.health[0],
    past: () => picture.health[0]?.past,
  }
}
const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 5 })
const QUARTER = 900_000

describe('a Thanos', () => {
  test('is asked not to merge replicas, so that every page is of one scrape', async () => {
    const replicas = [target({ replica: 'a' }), target({ replica: 'b' }, 3_000)]
    const api = await start(replicas, { replica: 'replica' })
    const watched = await connect(api, { pastMs: QUARTER })
    await eventually(() => expect(watched.present().length).toBeGreaterThanOrEqual(4))
    await eventually(() => expect(watched.past()?.state).toBe('done'))
    for (const { levels, version, at } of watched.present()) {
      expect(levels).toHaveLength(4)
      expect(levels.map(({ dispatched }) => dispatched)).toEqual(levels.map(() => stepOf(Date.parse(at))))
      expect(version).toBe('v1.36.3')
    }
    expect(api.queries().every(({ parameters }) => parameters.get('dedup') === 'false')).toBe(true)
  })

  test('merges them for Fleet, whose numbers are expressions', async () => {
    const api = await start([target({ replica: 'a' }), target({ replica: 'b' }, 3_000)], { replica: 'replica' })
    const spec = PrometheusSpecSchema.parse({ kind: 'prometheus', url: api.url('/'), fleet: true })
    const made = await createPrometheusSource(spec, environment, allNamed)
    if (!made.ok) throw new Error(made.problem.message)
    const end = new AbortController()
    cleanups.push(() => end.abort())
    let servers: readonly string[] = []
    made.source.start(end.signal, () => undefined)
    made.source.whole?.subscribe((all) => (servers = all.map(({ id }) => id)), end.signal)
    await eventually(() => expect(servers).toEqual(['10.0.0.1:6443']))
    const merged = api.queries().filter(({ parameters }) => !parameters.has('dedup'))
    expect(merged.some(({ query }) => query.includes('rate('))).toBe(true)
  })

  test('a server that refuses the parameter is asked without it', async () => {
    const api = await start()
    api.fail(
      ({ parameters }, response) =>
        parameters.has('dedup') && refuse(response, 400, 'Invalid JSON payload received. Unknown name "dedup"'),
    )
    const watched = await connect(api)
    await eventually(() => expect(watched.present().length).toBeGreaterThanOrEqual(2))
    expect(api.queries().filter(({ parameters }) => parameters.has('dedup'))).toHaveLength(1)
    expect(watched.health()?.status).toBe('ok')
  })

  test('a warning is no part that is missing, and is told with the past that it was about', async () => {
    const warning = 'No StoreAPIs matched for this query'
    const watched = await connect(await start(undefined, { warnings: () => [warning] }), { pastMs: QUARTER })
    await eventually(() => expect(watched.past()?.state).toBe('done'))
    expect(watched.past()?.warnings).toEqual([warning])
    expect(watched.health()).toMatchObject({
      status: 'ok',
      notes: expect.arrayContaining([`Prometheus warns: ${warning}`]),
    })
    const without = await connect(await start(), { pastMs: QUARTER })
    await eventually(() => expect(without.past()?.state).toBe('done'))
    expect(without.past()?.warnings).toBeUndefined()
  })

  test('whose stores fail for a while is asked again, and its past is read in full', async () => {
    const api = await start()
    let failures = 0
    api.fail(
      ({ spanMs }, response) =>
        spanMs > 300_000 &&
        ++failures > 1 &&
        failures <= 3 &&
        refuse(response, 422, 'expanding series: rpc error: code = Unavailable desc = connection refused'),
    )
    const watched = await connect(api, { pastMs: QUARTER })
    await eventually(() => expect(watched.past()?.state).toBe('done'))
    expect(failures).toBeGreaterThan(3)
    expect(watched.past()?.begins).toBeUndefined()
  })

  test('whose stores fail says so, and not that its limits are too low', async () => {
    const api = await start()
    const watched = await connect(api)
    await eventually(() => expect(watched.present()).not.toEqual([]))
    api.fail((_, response) => refuse(response, 422, 'expanding series: rpc error: code = Unavailable'))
    await eventually(() =>
      expect(watched.health()?.failures.at(-1)?.problem.message).toMatch(/could not read the stores behind it \(422\)/),
    )
  })
})

describe('a Mimir', () => {
  const LIMIT_MS = 400_000
  const LIMITS: readonly (readonly [string, number, string])[] = [
    ['422 of its longest range', 422, 'the query time range exceeds the limit (query length: 15m0s, limit: 6m40s)'],
    [
      '422 of its chunks',
      422,
      'the query exceeded the maximum number of chunks (limit: 30 chunks) (err-mimir-max-chunks-per-query)',
    ],
    ['429 of one query', 429, 'the query exceeds the limit of samples'],
    ['500 of some of its parts', 500, 'expanding series: the query time range exceeds the limit'],
  ]
  test.each(LIMITS)('reads the past in smaller parts after %s', async (_, status, words) => {
    const api = await start()
    let refused = 0
    api.fail(({ spanMs, query }, response) => {
      if (spanMs <= LIMIT_MS || query.includes('priority_level="catch-all"')) return false
      refused++
      return refuse(response, status, words)
    })
    const watched = await connect(api, { pastMs: QUARTER })
    await eventually(() => expect(watched.past()?.state).toBe('done'))
    expect(refused).toBeGreaterThan(0)
    expect(watched.past()?.begins).toBeUndefined()
    const times = watched.picture.servers[0]?.history.series({
      from: 0,
      to: Number.MAX_SAFE_INTEGER,
      maxPoints: 10_000,
    }).times
    expect(times?.length).toBeGreaterThanOrEqual(QUARTER / 10_000 - 2)
  })

  test('is read below its prefix as its tenant, and waits where too many ask', async () => {
    const api = await start()
    let busy = 2
    api.fail(
      ({ spanMs }, response) =>
        spanMs > 300_000 &&
        spanMs < 600_000 &&
        busy-- > 0 &&
        refuse(response, 429, 'too many outstanding requests', { 'Retry-After': '1' }),
    )
    const watched = await connect(api, { url: api.url('/prometheus'), tenant: 'team-a|team-b', pastMs: 500_000 })
    await eventually(() => expect(watched.past()?.state).toBe('done'))
    expect(busy).toBeLessThan(0)
    expect(new Set(api.queries().map(({ path }) => path))).toEqual(new Set(['/prometheus/api/v1/query']))
    expect(new Set(api.requests.map(({ headers }) => headers['x-scope-orgid']))).toEqual(new Set(['team-a|team-b']))
  })
})
