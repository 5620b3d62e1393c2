import { afterEach, expect, test, vi } from 'vitest'
import { PrometheusPastSchema } from '../../core/contract/prometheus.ts'
import { CadenceSchema } from '../../core/contract/source.ts'
import { createPicture, type Picture } from '../../core/source/picture.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { createScrapeSource } from '../../main/sources/scrape.ts'
import { allNamed } from '../harness/consent.ts'
import { refuse, startFakePrometheus, type FakePrometheus } from '../harness/fakePrometheus.ts'
import { fastEnvironment as environment, stepOf } from '../harness/fastTime.ts'
import { answerPage, metricsPage, startHostileServer } from '../harness/hostileServer.ts'

const INTERVAL_MS = 10_000
const PAST_MS = 900_000

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

const startedOtherwise = (page: string, startedAt: string): string =>
  page.replace(/^(process_start_time_seconds) .*$/m, `$1 ${startedAt}`)

/** A server that is scraped directly, and by a Prometheus beside another server. */
async function scrape(page = (text: string) => text, spec: { readonly pastMs?: number } = {}) {
  const direct = await startHostileServer({
    behaviour: answerPage(() => page(metricsPage({ step: stepOf(environment.now()) }))),
  })
  const scraped = (instance: string, startedAt?: string) => ({
    labels: { job: 'apiserver', instance },
    intervalMs: INTERVAL_MS,
    page: (at: number) => {
      const text = metricsPage({ step: stepOf(at) })
      return startedAt === undefined ? text : startedOtherwise(text, startedAt)
    },
  })
  const prometheus = await startFakePrometheus(environment.now, () => [
    scraped('other:6443', '1.6e9'),
    scraped('control-plane:6443'),
  ])
  cleanups.push(
    () => direct.close(),
    () => prometheus.close(),
  )
  return { ...(await watch(direct.url('/metrics'), prometheus, spec)), prometheus }
}

async function watch(url: string, prometheus: FakePrometheus, { pastMs = PAST_MS }: { readonly pastMs?: number }) {
  const made = await createScrapeSource(
    {
      target: { kind: 'urls', urls: [url] },
      cadence: CadenceSchema.parse({ intervalMs: 1_000, dumpsEveryMs: null }),
      past: PrometheusPastSchema.parse({ url: prometheus.url('/'), pastMs }),
    },
    environment,
    allNamed,
  )
  if (!made.ok) throw new Error(made.problem.message)
  const events: SourceEvent[] = []
  const picture: Picture = createPicture()
  const end = new AbortController()
  cleanups.push(() => end.abort())
  made.source.start(end.signal, (event) => {
    events.push(event)
    picture.take(event)
  })
  return { source: made.source, events, picture }
}

const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 30_000, interval: 10 })

test('the time before a direct scrape is that which a Prometheus kept of the same process, without a gap', async () => {
  const { events, picture } = await scrape()
  await eventually(() => expect(picture.health[0]?.past?.state).toBe('done'))
  const frames = events.flatMap((event) => (event.kind === 'frame' ? [event] : []))
  // By the name of the server that is read directly, and of that process alone.
  expect(new Set(frames.map(({ frame }) => frame.id)).size).toBe(1)
  expect(new Set(frames.map(({ frame }) => frame.startedAt))).toEqual(new Set([1_700_000_000]))
  const [first] = frames.filter(({ past }) => past !== true)
  const past = frames.filter(({ past: isPast, lead }) => isPast === true && lead !== true)
  const firstAt = Date.parse(first?.frame.at ?? '')
  const joined = past.filter(({ seam }) => seam === true)
  expect(joined.map(({ frame }) => frame.at)).toEqual([first?.frame.at])
  const times = past
    .filter(({ seam }) => seam !== true)
    .map(({ frame }) => Date.parse(frame.at))
    .toSorted((a, b) => a - b)
  expect(times).toEqual(times.map((_, i) => (times[0] ?? 0) + i * INTERVAL_MS))
  expect(firstAt - (times[0] ?? 0)).toBeGreaterThan(PAST_MS - 2 * INTERVAL_MS)
  expect(firstAt - (times.at(-1) ?? 0)).toBeLessThanOrEqual(INTERVAL_MS)
  // The history is one, with the numbers of both where each was read, and no instant without data.
  const [server] = picture.servers
  const series = server?.history.series({ from: times[0] ?? 0, to: firstAt, maxPoints: 10_000 })
  for (const { frame, seam } of past)
    if (seam !== true) expect(frame.levels[0]?.dispatched).toBe(stepOf(Date.parse(frame.at)))
  expect(series?.samples).not.toContain(0)
  // The first sample of the present has rates as well, because the last one before it is available.
  const seam = series?.times.indexOf(firstAt) ?? -1
  expect(series?.levels[0]?.columns.dispatchedRate[seam]).toEqual(expect.any(Number))
  expect(series?.times.length).toBeGreaterThan(PAST_MS / INTERVAL_MS - 2)
})

test('another process of that name is not taken for it, and the present goes on', async () => {
  const { picture } = await scrape((text) => startedOtherwise(text, '1.75e9'))
  await eventually(() => expect(picture.health[0]?.past?.state).toBe('failed'))
  expect(picture.health[0]?.past?.problem?.message).toMatch(
    /has no server that started when .* did \(2025-06-15 15:06:40 UTC\), so its past is not read; check that this Prometheus scrapes it/,
  )
  await eventually(() => expect(picture.health[0]?.status).toBe('ok'))
})

test('a Prometheus that refuses is said to do so, and the present goes on', async () => {
  const { picture, prometheus } = await scrape()
  prometheus.fail((_, response) => refuse(response, 422, 'query processing would load too many samples'))
  await eventually(() => expect(picture.health[0]?.past?.state).toBe('failed'))
  expect(picture.health[0]?.past?.problem?.message).toContain('could not run the query (422)')
  const { lastGoodAt } = picture.health[0] ?? {}
  await eventually(() => expect(picture.health[0]?.lastGoodAt).not.toBe(lastGoodAt))
})

test('nothing is asked of a Prometheus whose past is not wanted', async () => {
  const { picture, prometheus } = await scrape(undefined, { pastMs: 0 })
  await eventually(() => expect(picture.health[0]?.status).toBe('ok'))
  expect(prometheus.queries()).toEqual([])
  expect(picture.health[0]?.past).toBeUndefined()
})
