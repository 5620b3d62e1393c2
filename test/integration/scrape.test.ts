import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ServerHealth } from '../../core/contract/source.ts'
import { METRICS_LIMITS, type HttpLimits } from '../../main/cluster/httpProblems.ts'
import { createScrapeSource } from '../../main/sources/scrape.ts'
import type { Source } from '../../main/ports/source.ts'
import type { Environment } from '../../main/ports/environment.ts'
import {
  answerHtml,
  answerHuge,
  answerPage,
  answerStatus,
  metricsPage,
  saySilent,
  startHostileServer,
  truncate,
  type HostileServer,
} from '../harness/hostileServer.ts'
import { allNamed } from '../harness/consent.ts'
import { heard, type Heard } from '../harness/heard.ts'

/** Time of the source runs so many times faster than that of the network. */
const SPEED = 20
const started = performance.now()
const epoch = Date.now()
const environment: Environment = {
  now: () => Math.round(epoch + (performance.now() - started) * SPEED),
  random: () => 0.5,
  after(ms, callback) {
    const timer = setTimeout(callback, ms / SPEED)
    return () => clearTimeout(timer)
  },
}
const LIMITS: HttpLimits = { ...METRICS_LIMITS, connectMs: 500, firstByteMs: 300, idleMs: 300, totalMs: 5_000 }

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

async function server(...options: Parameters<typeof startHostileServer>): Promise<HostileServer> {
  const made = await startHostileServer(...options)
  cleanups.push(() => made.close())
  return made
}

interface Watched extends Heard {
  readonly source: Source
}

async function scrape(
  urls: readonly string[],
  { intervalMs = 1_000, dumpsEveryMs = null as number | null } = {},
): Promise<Watched> {
  const made = await createScrapeSource(
    { target: { kind: 'urls', urls: [...urls] }, cadence: { intervalMs, dumpsEveryMs } },
    environment,
    allNamed,
    LIMITS,
  )
  if (!made.ok) throw new Error(made.problem.message)
  const watched: Watched = { source: made.source, ...heard() }
  const stop = new AbortController()
  cleanups.push(() => stop.abort())
  made.source.start(stop.signal, watched.emit)
  return watched
}

const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 5_000, interval: 5 })
const only = ({ health }: Watched): ServerHealth | undefined => [...health.values()][0]

describe('a server that answers', () => {
  test('becomes frames, over one connection', async () => {
    let step = 0
    const api = await server({ behaviour: answerPage(() => metricsPage({ step: step++ })) })
    const watched = await scrape([api.url()])
    await eventually(() => expect(watched.frames.length).toBeGreaterThanOrEqual(5))
    const [first, ...rest] = watched.frames
    expect(first).toMatchObject({ id: `127.0.0.1:${api.port}`, version: 'v1.36.3', startedAt: 1_700_000_000 })
    expect(first?.levels.map((level) => level.name)).toEqual(['catch-all', 'exempt', 'global-default', 'workload-low'])
    expect(rest.map((frame) => frame.levels[0]?.dispatched)).toEqual(rest.map((_, i) => i + 1))
    expect(only(watched)).toMatchObject({ status: 'ok', failures: [], bytes: expect.any(Number), families: 7 })
  })

  test('slower than the interval is never asked twice at a time', async () => {
    let running = 0
    let most = 0
    const api = await server({
      behaviour: (request, response) => {
        most = Math.max(most, ++running)
        setTimeout(() => {
          running--
          answerPage(() => metricsPage({}))(request, response)
        }, 60)
      },
    })
    const watched = await scrape([api.url()], { intervalMs: 500 })
    await eventually(() => expect(watched.frames.length).toBeGreaterThanOrEqual(3))
    expect(most).toBe(1)
  })

  test('with a page of 50 MB is read in bounded memory', async () => {
    const api = await server({ behaviour: answerHuge(metricsPage({}), 50_000_000) })
    const before = process.memoryUsage().rss
    const watched = await scrape([api.url()], { intervalMs: 60_000 })
    await eventually(() => expect(watched.frames).toHaveLength(1))
    expect(watched.frames[0]?.acquisition?.bytes).toBeGreaterThan(50_000_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
  })

  test('is asked for its version elsewhere when the page does not tell, once per start', async () => {
    let startedAt = 1_700_000_000
    const api = await server({
      behaviour: (request, response) => {
        if (request.url === '/version') answerStatus(200, '{"gitVersion":"v1.30.9"}')(request, response)
        else answerPage(() => metricsPage({ startedAt }).replace(/^kubernetes_build_info.*\n/m, ''))(request, response)
      },
    })
    const watched = await scrape([api.url()])
    await eventually(() => expect(watched.frames.length).toBeGreaterThanOrEqual(3))
    expect(watched.frames.map((frame) => frame.version)).toEqual(watched.frames.map(() => 'v1.30.9'))
    const asked = () => api.requests.filter(({ path }) => path === '/version').length
    expect(asked()).toBe(1)
    startedAt += 100
    await eventually(() => expect(asked()).toBe(2))
  })
})

describe('a server that fails', () => {
  test.each([
    ['breaks off', truncate(metricsPage({ step: 1 }), 'chunks'), 'unreachable'],
    ['sends a web page', answerHtml, 'bad-answer'],
    [
      'sends a page that is damaged',
      answerStatus(200, 'apiserver_flowcontrol_nominal_limit_seats{priority_level="x 1\n'),
      'bad-answer',
    ],
    ['sends something else', answerStatus(200, 'hello\n'), 'unsupported'],
    ['shows no flow control', answerStatus(200, '# TYPE up gauge\nup 1\n'), 'unsupported'],
    ['refuses', answerStatus(403, '{"message":"no"}'), 'forbidden'],
    ['fails', answerStatus(500, 'panic'), 'bad-answer'],
    ['says nothing', saySilent, 'timeout'],
  ] as const)('and %s leaves the last good frame alone', async (_, behaviour, code) => {
    const api = await server()
    const watched = await scrape([api.url()])
    await eventually(() => expect(only(watched)?.status).toBe('ok'))
    const lastGoodAt = only(watched)?.lastGoodAt
    api.behave(behaviour)
    await eventually(() => expect(only(watched)?.status).toBe('failing'))
    const count = watched.frames.length
    const good = only(watched)
    expect(good).toMatchObject({ failures: [{ problem: { code } }], nextTryAt: expect.any(String) })
    expect(Date.parse(good?.lastGoodAt ?? '')).toBeGreaterThanOrEqual(Date.parse(lastGoodAt ?? ''))
    watched.source.tryNow?.()
    await eventually(() => expect(only(watched)?.failures.length).toBeGreaterThanOrEqual(2))
    expect(watched.frames).toHaveLength(count)
    api.behave(answerPage(() => metricsPage({ step: 9 })))
    watched.source.tryNow?.()
    await eventually(() => expect(only(watched)).toMatchObject({ status: 'ok', failures: [] }))
    expect(only(watched)).not.toHaveProperty('nextTryAt')
  })

  test('and dies comes back as another process', async () => {
    const api = await server()
    const watched = await scrape([api.url()])
    await eventually(() => expect(watched.frames.length).toBeGreaterThan(0))
    await api.close()
    await eventually(() => expect(only(watched)?.failures.at(-1)?.problem.message).toMatch(/Nothing listens/))
    await server({ port: api.port, behaviour: answerPage(() => metricsPage({ startedAt: 1_700_009_000 })) })
    await eventually(() => expect(watched.frames.at(-1)?.startedAt).toBe(1_700_009_000))
    expect(only(watched)).toMatchObject({ status: 'ok' })
    expect(only(watched)).not.toHaveProperty('notes')
  })

  test('is left alone for growing pauses, and at least as long as it asks', async () => {
    const api = await server({ behaviour: answerStatus(500) })
    const watched = await scrape([api.url()])
    await eventually(() => expect(only(watched)?.failures.length).toBeGreaterThanOrEqual(3))
    const at = (only(watched)?.failures ?? []).map((failure) => Date.parse(failure.at))
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(1_000)
    expect((at[2] ?? 0) - (at[1] ?? 0)).toBeGreaterThanOrEqual(2_000)

    api.behave(answerStatus(429, '', { 'Retry-After': '77' }))
    watched.source.tryNow?.()
    await eventually(() => expect(only(watched)?.failures.at(-1)?.problem.code).toBe('throttled'))
    const health = only(watched)
    expect(Date.parse(health?.nextTryAt ?? '') - Date.parse(health?.failures.at(-1)?.at ?? '')).toBe(77_000)
  })

  test('does not hold up another', async () => {
    const hung = await server({ behaviour: saySilent })
    const fine = await server()
    const watched = await scrape([hung.url(), fine.url()])
    await eventually(() => expect(watched.frames.length).toBeGreaterThanOrEqual(4))
    expect(new Set(watched.frames.map((frame) => frame.id))).toEqual(new Set([`127.0.0.1:${fine.port}`]))
  })
})

test('several servers behind one address are not mixed', async () => {
  let turn = 0
  const starts = [1_700_000_000, 1_700_005_000, 1_700_001_000]
  const api = await server({
    behaviour: answerPage(() => metricsPage({ startedAt: starts[turn++ % 3] ?? 0 })),
  })
  const watched = await scrape([api.url()])
  await eventually(() => expect(only(watched)?.notes?.[0]).toMatch(/^3 API servers were seen behind/))
  const from = watched.frames.length
  await eventually(() => expect(watched.frames.length).toBeGreaterThanOrEqual(from + 3))
  expect(new Set(watched.frames.slice(from).map((frame) => frame.startedAt)).size).toBe(1)
})

describe('debug dumps', () => {
  const LEVELS =
    'PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests\n' +
    'exempt,            0,            false,  false,       0,               1,                 4,                  0,                0,                0\n'
  const REQUESTS =
    'PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime,                     InitialSeats, FinalSeats, AdditionalLatency, StartTime\n' +
    'exempt,            exempt,         -1,         -1,                  ,                2026-11-21T07:25:46.652825292Z, 1,            0,          0s,                2026-11-21T07:25:46.652825292Z\n'
  const withDumps =
    (dump: Parameters<HostileServer['behave']>[0]) =>
    (...[request, response]: Parameters<Parameters<HostileServer['behave']>[0]>): void => {
      if (request.url === '/metrics') answerPage(() => metricsPage({}))(request, response)
      else dump(request, response)
    }
  const asked = (api: HostileServer): number => api.requests.filter(({ path }) => path.startsWith('/debug/')).length

  test('are read one after the other and told with what could not be read', async () => {
    const api = await server({
      behaviour: withDumps((request, response) => {
        const known = request.url?.endsWith('/dump_priority_levels') === true
        ;(known ? answerStatus(200, LEVELS) : answerStatus(500))(request, response)
      }),
    })
    const watched = await scrape([api.url()], { dumpsEveryMs: 2_000 })
    await eventually(() => expect(watched.dumps.length).toBeGreaterThanOrEqual(2))
    const [dump] = watched.dumps
    expect(dump?.levels).toMatchObject([{ name: 'exempt', executing: 1, dispatched: 4 }])
    expect(dump).not.toHaveProperty('queues')
    expect(dump?.errors.map(({ path }) => path.split('/').at(-1))).toEqual([
      'dump_queues',
      'dump_requests?includeRequestDetails=1',
    ])
    expect(only(watched)?.dumps).toMatchObject({ status: 'ok', problem: { code: 'bad-answer' }, bytes: LEVELS.length })
  })

  test('bear the time of the dump of requests, however long those before it took', async () => {
    const held: (() => void)[] = []
    const api = await server({
      behaviour: withDumps((request, response) => {
        const answer = (): void => answerStatus(200, LEVELS)(request, response)
        if (request.url?.endsWith('/dump_priority_levels') === true) held.push(answer)
        else if (request.url?.includes('dump_requests') === true) answerStatus(200, REQUESTS)(request, response)
        else answerStatus(500)(request, response)
      }),
    })
    const watched = await scrape([api.url()], { dumpsEveryMs: 60_000 })
    await eventually(() => expect(held).toHaveLength(1))
    const releasedAt = environment.now()
    held[0]?.()
    await eventually(() => expect(watched.dumps[0]).toMatchObject({ requests: [{ level: 'exempt' }] }))
    expect(Date.parse(watched.dumps[0]?.at ?? '')).toBeGreaterThanOrEqual(releasedAt)
  })

  test('that are forbidden are tried rarely', async () => {
    const api = await server({ behaviour: withDumps(answerStatus(403, '{"message":"no"}')) })
    const watched = await scrape([api.url()], { dumpsEveryMs: 2_000 })
    await eventually(() => expect(only(watched)?.dumps?.status).toBe('forbidden'))
    // Ten seconds of the source: far more than dumpsEveryMs, far less than the slow retry.
    await new Promise((resolve) => setTimeout(resolve, 10_000 / SPEED))
    expect(asked(api)).toBe(3)
    expect(watched.dumps).toHaveLength(0)
  })

  test('are switched off and on while running', async () => {
    const api = await server({ behaviour: withDumps(answerStatus(404)) })
    const watched = await scrape([api.url()])
    await eventually(() => expect(watched.frames.length).toBeGreaterThan(2))
    expect(asked(api)).toBe(0)
    expect(only(watched)?.dumps).toEqual({ status: 'off' })
    watched.source.setCadence?.({ intervalMs: 1_000, dumpsEveryMs: 2_000 })
    await eventually(() =>
      expect(only(watched)?.dumps).toMatchObject({ status: 'failing', problem: { code: 'not-found' } }),
    )
    watched.source.setCadence?.({ intervalMs: 1_000, dumpsEveryMs: null })
    await eventually(() => expect(only(watched)?.dumps).toEqual({ status: 'off' }))
    const count = asked(api)
    await new Promise((resolve) => setTimeout(resolve, 10_000 / SPEED))
    expect(asked(api)).toBe(count)
  })

  test('are not looked for where the address of the metrics does not tell', async () => {
    const api = await server()
    const watched = await scrape([api.url('/federate')], { dumpsEveryMs: 2_000 })
    await eventually(() => expect(watched.frames.length).toBeGreaterThan(0))
    expect(only(watched)?.dumps).toMatchObject({ status: 'off', problem: { code: 'unsupported' } })
    expect(asked(api)).toBe(0)
  })
})

test('an address with credentials is refused, and they are not repeated', async () => {
  const made = await createScrapeSource(
    {
      target: { kind: 'urls', urls: ['https://someone:s3cr3t@127.0.0.1/metrics?token=t0k'] },
      cadence: { intervalMs: 1_000, dumpsEveryMs: null },
    },
    environment,
    allNamed,
  )
  expect(made).toMatchObject({ ok: false, problem: { code: 'invalid-input' } })
  expect(JSON.stringify(made)).not.toMatch(/s3cr3t|t0k|someone/)
})
