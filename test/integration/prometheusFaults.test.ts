import { afterEach, expect, test, vi } from 'vitest'
import { PrometheusSpecSchema } from '../../core/contract/prometheus.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { createPicture } from '../../core/source/picture.ts'
import { createPrometheusSource } from '../../main/sources/prometheus.ts'
import { allNamed } from '../harness/consent.ts'
import { startFakePrometheus, type FakePrometheus } from '../harness/fakePrometheus.ts'
import { EPOCH, fastEnvironment as environment, stepOf } from '../harness/fastTime.ts'
import { metricsPage } from '../harness/hostileServer.ts'

/** Responses that are well-formed, with wrong or late content. */

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

const INTERVAL_MS = 10_000
const QUARTER = 900_000

async function watch(page: (at: number) => string | undefined) {
  const api = await startFakePrometheus(environment.now, () => [
    { labels: { job: 'apiserver', instance: '10.0.0.1:6443' }, intervalMs: INTERVAL_MS, page },
  ])
  cleanups.push(() => api.close())
  const spec = PrometheusSpecSchema.parse({ kind: 'prometheus', url: api.url('/'), pastMs: QUARTER })
  const made = await createPrometheusSource(spec, environment, allNamed)
  if (!made.ok) throw new Error(made.problem.message)
  const picture = createPicture()
  const events: SourceEvent[] = []
  const end = new AbortController()
  cleanups.push(() => end.abort())
  made.source.start(end.signal, (event) => {
    events.push(event)
    picture.take(event)
  })
  const read = (): Promise<void> =>
    vi.waitFor(() => expect(picture.health[0]?.past?.state).toBe('done'), { timeout: 20_000, interval: 5 })
  const past = () => {
    const [server] = picture.servers
    const series = server?.history.series({ from: 0, to: Number.MAX_SAFE_INTEGER, maxPoints: 10_000 })
    const rates = series?.levels.find(({ name }) => name === 'workload-low')?.columns.dispatchedRate ?? []
    // A point without samples interrupts the line.
    const known = (series?.times ?? []).flatMap((at, i) =>
      series?.samples[i] === 0 ? [] : [{ at, rate: rates[i] ?? null }],
    )
    return { times: known.map(({ at }) => at), rates: known.map(({ rate }) => rate) }
  }
  return { api, picture, events, read, past, sentence: () => picture.health[0]?.failures.at(-1)?.problem.message }
}

test('a gap in the past stays one: nothing is drawn in it, and the rate after it is the average over it', async () => {
  const [from, to] = [EPOCH - 500_000, EPOCH - 300_000]
  const { read, past } = await watch((at) => (at > from && at < to ? undefined : metricsPage({ step: stepOf(at) })))
  await read()
  const { times, rates } = past()
  expect(times.filter((at) => at > from && at < to)).toEqual([])
  expect(times.some((at) => at <= from) && times.some((at) => at >= to)).toBe(true)
  for (const rate of rates) if (rate !== null) expect(rate).toBeCloseTo(1, 3)
})

test('counters that fall without a restart give no rate below 0, and the next one is right again', async () => {
  const resetAt = EPOCH - 400_000
  const { read, past } = await watch((at) =>
    metricsPage({ step: at < resetAt ? stepOf(at) : Math.round((at - resetAt) / 1_000) }),
  )
  await read()
  const { times, rates } = past()
  expect(rates.every((rate) => rate === null || rate >= 0)).toBe(true)
  const after = times.findIndex((at) => at > resetAt + 2 * INTERVAL_MS)
  expect(rates[after]).toBeCloseTo(1, 3)
})

/** Responds with the body that `change` returns. */
const changed = (api: FakePrometheus, change: (body: string) => string): void =>
  api.fail((_, response) => {
    const end = response.end.bind(response)
    response.end = (body?: unknown) => end(typeof body === 'string' ? change(body) : body)
    return false
  })

test('series and samples that come twice count once', async () => {
  const { api, events, read, past } = await watch((at) => metricsPage({ step: stepOf(at) }))
  changed(api, (body) =>
    body.replace(
      /"result":\[(.*)\]\}/s,
      (_, inside: string) => `"result":[${inside}${inside === '' ? '' : ','}${inside}]}`,
    ),
  )
  await read()
  const { times, rates } = past()
  expect(times).toEqual([...new Set(times)])
  for (const rate of rates) if (rate !== null) expect(rate).toBeCloseTo(1, 3)
  for (const event of events) {
    if (event.kind !== 'frame') continue
    expect(event.frame.levels.map(({ dispatched }) => dispatched)).toEqual(
      event.frame.levels.map(() => stepOf(Date.parse(event.frame.at))),
    )
  }
})

test('a Prometheus that begins an answer and goes silent is given up, with the last frame as it was', async () => {
  const { api, picture, read, sentence } = await watch((at) => metricsPage({ step: stepOf(at) }))
  await read()
  api.fail((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.write('{"status":"success","data":')
    return true
  })
  await vi.waitFor(() => expect(sentence()).toBeDefined(), { timeout: 25_000, interval: 50 })
  expect(sentence()).toMatch(/10 s/)
  expect(picture.servers[0]?.latest.frame.levels).toHaveLength(4)
  api.fail(undefined)
  await vi.waitFor(() => expect(picture.health[0]?.status).toBe('ok'), { timeout: 20_000, interval: 5 })
})
