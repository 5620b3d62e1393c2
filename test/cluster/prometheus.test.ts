import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { PrometheusSpecSchema } from '../../core/contract/prometheus.ts'
import type { ServerHealth } from '../../core/contract/source.ts'
import { createDeriver } from '../../core/frame/derive.ts'
import type { Histogram, LevelFrame, ServerFrame } from '../../core/frame/frame.ts'
import { recordOf, REJECT_REASONS } from '../../core/frame/reading.ts'
import { createFrameBuilder } from '../../core/metrics/buildFrame.ts'
import { KIND_FAMILIES, NEEDED_FAMILIES, REQUEST_TIME_FAMILIES } from '../../core/metrics/catalogue.ts'
import { createParser } from '../../core/metrics/parse.ts'
import { MEASURE_IDS, promqlOf, type MeasureId, type Place } from '../../core/prom/measures.ts'
import { matchersOfAll } from '../../core/prom/promql.ts'
import { recordingRules, rulesYaml } from '../../core/prom/recordingRules.ts'
import { ensureBuilt } from '../../main/bootstrap/build.mjs'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { createPrometheusSource } from '../../main/sources/prometheus.ts'
import { launchChromium } from '../harness/chromium.ts'
import { runCommand, startCommand } from '../harness/command.ts'
import { allNamed } from '../harness/consent.ts'
import { startConsole, type RunningConsole } from '../harness/webConsole.ts'
import { VIEWER } from './identities.ts'
import { labelValues, readSamples, total } from './independent.ts'
import { runLoad } from './load.ts'
import { saturating } from './profiles.ts'
import { startPrometheus } from './prometheusServers.ts'
import { noPrometheus, scrapedCluster, type Scraping } from './scraped.ts'
import { flowsOf, KINDS, shownNumbers, SPAN_MS } from './shownNumbers.ts'
import { noCluster } from './suite.ts'

const WATCHED_SECONDS = 130
/** From the first line of a scrape to its last, through the relay and under load, at most. */
const SCRAPE_MS = 2_000

/** Tolerance for equal numbers, relative. */
const NEAR = { value: 1e-9, rate: 1e-9, quantile: 0.05, share: 1e-9 } as const

/** The part of a range that lies between its first and its last scrape, at least. */
const LEAST_COVERED = 0.5

/** One that scrapes the API server through a relay of its own, and what the console reads of it. */
interface Scraper extends Scraping {
  readonly name: string
  readonly frames: ServerFrame[]
  /** As the console would write expressions about it. */
  readonly place: () => Place
}

/** A page that the test itself read, and between which instants. */
interface DirectPage {
  readonly sentAt: number
  readonly receivedAt: number
  readonly frame: ServerFrame
}

/** All that only grows, by its column. */
function countersOf(level: LevelFrame | undefined): ReadonlyMap<string, number> {
  const counts = (column: string, histogram: Histogram | undefined): [string, number][] =>
    (histogram?.counts ?? []).map((count, i) => [`${column} le ${histogram?.bounds[i] ?? '+Inf'}`, count])
  return new Map<string, number>([
    ['dispatched', level?.dispatched ?? 0],
    ...REJECT_REASONS.map((why): [string, number] => [`rejected ${why}`, level?.rejected?.[why] ?? 0]),
    ...counts('utilization', level?.seatUtilization),
    ...(level?.schemas ?? []).flatMap(({ name, wait, execution }) => [
      ...counts(`wait ${name}`, wait),
      ...counts(`execution ${name}`, execution),
    ]),
  ])
}

const isExact = (name: string): boolean => name.startsWith('Prometheus')

const KEPT_FAMILIES = new Set([...NEEDED_FAMILIES, ...KIND_FAMILIES, ...REQUEST_TIME_FAMILIES])
const frameOf = (body: string, at: string, id = 'direct'): ServerFrame =>
  createFrameBuilder({ id })(createParser({ keep: KEPT_FAMILIES }).parse(new TextEncoder().encode(body)), { at })

/** Significant digits that VictoriaMetrics keeps of a value, at least; Prometheus keeps them all. */
const KEPT_DIGITS = 12

/** The same data, where numbers differ by no more than the last of the digits that are kept. */
function isSame(a: unknown, b: unknown, exact: boolean): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    return a === b || (!exact && Math.abs(a - b) <= 10 ** (1 - KEPT_DIGITS) * Math.max(Math.abs(a), Math.abs(b)))
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [own, other] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
  return [...new Set([...own.keys(), ...other.keys()])].every((key) => isSame(own.get(key), other.get(key), exact))
}

const numbers = ({ levels, startedAt, seatFairFrac, version, inFlight, inQueue }: ServerFrame) => ({
  levels,
  startedAt,
  seatFairFrac,
  version,
  inFlight,
  inQueue,
})

/** The values of an instant query by the label that distinguishes its series. */
async function instantVector(
  url: string,
  query: string,
  each: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(`${url}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query }) })
  const body = await answer.text()
  if (!answer.ok) throw new Error(`${query}: ${body}`)
  const { data } = InstantSchema.parse(JSON.parse(body))
  const found = new Map<string, number>()
  for (const { metric, value } of data.result) {
    const bound = metric['le'] === undefined || metric['le'] === '+Inf' ? metric['le'] : String(Number(metric['le']))
    const key = bound ?? metric['line'] ?? each.map((label) => metric[label] ?? '').join(' ')
    expect(found.has(key), `${query}: ${key} once`).toBe(false)
    const number = Number(value[1])
    if (!Number.isNaN(number)) found.set(key, number)
  }
  return found
}

const InstantSchema = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
})

describe.skipIf(noCluster || noPrometheus)('an API server under load, read through what scrapes it', () => {
  const { cluster, folder, scrape, scrapeByVictoria } = scrapedCluster()
  const end = new AbortController()
  const scrapers: Scraper[] = []
  const direct: DirectPage[] = []
  const known = new Map<string, ServerHealth['prometheus']>()
  let load: Promise<unknown> | undefined

  const add = (name: string, scraping: Scraping): void => {
    const frames: ServerFrame[] = []
    const place = (): Place => {
      const { labels = [], intervalMs } = known.get(name) ?? {}
      return { version: frames.at(-1)?.version, matchers: matchersOfAll([labels]), intervalMs }
    }
    scrapers.push({ name, ...scraping, frames, place })
  }
  const follow = async ({ server, frames, name }: Scraper): Promise<void> => {
    const spec = PrometheusSpecSchema.parse({ kind: 'prometheus', url: server.url, pastMs: 0 })
    const made = await vi.waitFor(
      async () => {
        const source = await createPrometheusSource(spec, systemEnvironment, allNamed)
        if (!source.ok) throw new Error(`${name}: ${source.problem.message}`)
        return source
      },
      { timeout: 60_000, interval: 1_000 },
    )
    made.source.start(end.signal, (event) => {
      if (event.kind === 'frame' && event.past !== true) frames.push(event.frame)
      if (event.kind === 'health' && event.health.prometheus !== undefined) known.set(name, event.health.prometheus)
    })
  }

  beforeAll(async () => {
    for (const seconds of [5, 30]) {
      const log = join(folder(), `queries-${seconds}.log`)
      const started = await scrape((target) => startPrometheus(folder(), target, seconds, log))
      add(`Prometheus every ${seconds} s`, started)
    }
    const victoria = await scrapeByVictoria(5)
    if (victoria !== undefined) add('VictoriaMetrics every 5 s', victoria)
    load = runLoad(cluster(), saturating, WATCHED_SECONDS + 60, end.signal)
    const over = Date.now() + WATCHED_SECONDS * 1_000
    await Promise.all([
      ...scrapers.map(follow),
      (async () => {
        while (Date.now() < over) {
          const sentAt = Date.now()
          const { status, body } = await cluster().call('/metrics', VIEWER)
          const receivedAt = Date.now()
          if (status === 200) direct.push({ sentAt, receivedAt, frame: frameOf(body, new Date(sentAt).toISOString()) })
          await sleep(Math.max(0, sentAt + 1_000 - Date.now()))
        }
      })(),
    ])
  })
  afterAll(async () => {
    end.abort()
    await load
  })

  it('gives every page that was scraped as it was, number for number, and leaves none out', () => {
    for (const { name, relay, frames } of scrapers) {
      const pages = relay.bodies('/metrics').map((body) => numbers(frameOf(body, new Date(0).toISOString())))
      const exact = isExact(name)
      const first = pages.findIndex((page) => isSame(page, frames[0] && numbers(frames[0]), exact))
      expect(first, `${name}: the first frame is a page that was scraped`).toBeGreaterThanOrEqual(0)
      expect(frames.length, name).toBeGreaterThanOrEqual(name.includes('30 s') ? 3 : 15)
      frames.forEach((frame, i) => {
        if (exact) expect(numbers(frame), `${name}, frame ${i}`).toEqual(pages[first + i])
        else expect(isSame(numbers(frame), pages[first + i], false), `${name}, frame ${i}`).toBe(true)
      })
    }
    // Of the newest scrape of each reading.
    for (const { name, relay, frames } of scrapers.filter(({ name: one }) => isExact(one))) {
      const pages = relay.bodies('/metrics').map((body) => frameOf(body, new Date(0).toISOString()))
      const timed = frames.flatMap(({ requests }) => requests ?? [])
      expect(timed.length, name).toBeGreaterThanOrEqual(name.includes('30 s') ? 2 : 12)
      const all = new Map(pages.map(({ requests }) => [requests?.duration.count, requests]))
      // Prometheus sums in another order.
      for (const one of timed) expect(isSame(one, all.get(one.duration.count), false), name).toBe(true)
    }
    const busy = scrapers[0]?.frames.some(({ levels }) => levels.some((level) => (level.requests.queued ?? 0) > 0))
    expect(busy).toBe(true)
  })

  /** The direct pages that were read wholly before a scrape began, and after it had ended. */
  const around = ({ at }: ServerFrame): readonly [DirectPage, DirectPage] | undefined => {
    const when = Date.parse(at)
    const before = direct.findLast(({ receivedAt }) => receivedAt <= when)
    const after = direct.find(({ sentAt }) => sentAt >= when + SCRAPE_MS)
    return before === undefined || after === undefined ? undefined : [before, after]
  }
  const levelOf = (frame: ServerFrame, name: string): LevelFrame | undefined =>
    frame.levels.find((level) => level.name === name)

  /**
   * Counters only grow, so at the scrape they lie between what was read directly before and after it: dispatched and
   * rejected requests, and with them Overview's and Level's rates over a scrape interval; each bucket of waits,
   * executions and utilization, and with them quantiles and means. Limits and demand change every 10 s at most, so they
   * are those of one of both. Executing and queued are of the instant: the test before shows that they are the page's,
   * and two instants cannot be compared any further.
   */
  it('agrees with direct readings around each scrape, column by column', () => {
    let compared = 0
    const columns = new Map<string, number>()
    for (const { name, frames } of scrapers) {
      const derive = createDeriver('x')
      let earlier: readonly [DirectPage, DirectPage] | undefined
      for (const frame of frames) {
        const derived = derive(frame)
        const both = around(frame)
        for (const level of both === undefined ? [] : frame.levels) {
          const [before, after] = both?.map(({ frame: other }) => levelOf(other, level.name)) ?? []
          const where = `${name}, ${frame.at}, ${level.name}`
          const [own, least, most] = [level, before, after].map(countersOf)
          for (const [counter, value] of own ?? []) {
            expect(value, `${where}, ${counter}`).toBeGreaterThanOrEqual(least?.get(counter) ?? 0)
            expect(value, `${where}, ${counter}`).toBeLessThanOrEqual(most?.get(counter) ?? Number.POSITIVE_INFINITY)
            const column = counter.split(' ', 1)[0] ?? ''
            columns.set(column, (columns.get(column) ?? 0) + 1)
          }
          // A recomputation between both may make a torn page: each number by itself is of one of them.
          for (const column of ['nominal', 'lower', 'upper', 'current'] as const) {
            expect([before?.limits[column], after?.limits[column]], where).toContain(level.limits[column])
            columns.set(column, (columns.get(column) ?? 0) + 1)
          }
          for (const column of ['highWatermark', 'average', 'stdev', 'smoothed', 'target'] as const) {
            const values = [before?.demand[column], after?.demand[column]]
            expect(
              values.some((value) => isSame(value, level.demand[column], isExact(name))),
              `${where}, ${column}`,
            ).toBe(true)
            columns.set(column, (columns.get(column) ?? 0) + 1)
          }
          const rate = derived.levels.find((one) => one.name === level.name)?.dispatchedPerSecond
          const dispatched = (page: DirectPage | undefined): number =>
            (page && levelOf(page.frame, level.name)?.dispatched) ?? 0
          if (earlier !== undefined && rate !== undefined) {
            const events = rate * (derived.intervalSeconds ?? 0)
            expect(events, where).toBeGreaterThanOrEqual(dispatched(both?.[0]) - dispatched(earlier[1]) - 1e-6)
            expect(events, where).toBeLessThanOrEqual(dispatched(both?.[1]) - dispatched(earlier[0]) + 1e-6)
          }
          compared++
        }
        earlier = both
      }
    }
    expect(compared).toBeGreaterThan(100)
    console.info(`Compared with direct readings: ${JSON.stringify(Object.fromEntries(columns))}`)
    for (const column of ['dispatched', 'rejected', 'wait', 'execution', 'utilization', 'nominal', 'smoothed']) {
      expect(columns.get(column), column).toBeGreaterThan(100)
    }
  })

  /**
   * Of the same scrape, so what is compared has no interval in between: values are equal, and so are most of the
   * others. `rate()` extends what it saw to the ends of its range, but never to before a counter was 0, which also
   * moves quantiles; and the console bounds some quantiles further than their bucket does. VictoriaMetrics counts rates
   * from the scrape before a range, so of these only the series are compared.
   */
  it('offers PromQL that gives what the screens show', async () => {
    const compared = recordOf(KINDS, () => 0)
    const same = { ...compared }
    const measured = new Set<MeasureId>()
    for (const { name, frames, server, place } of scrapers) {
      const { intervalMs = 0 } = place()
      const derive = createDeriver('x')
      const all = frames.map((frame) => ({ frame, derived: derive(frame), at: Date.parse(frame.at) }))
      const sinceOf =
        (at: number) =>
        (ms: number): ServerFrame | undefined =>
          all.find((one) => Math.abs(one.at - (at - ms)) < intervalMs / 2)?.frame
      // A counter that appears counts from 0 for the console, and from its first sample for Prometheus.
      const settled = all.slice(0, -1).filter(({ frame, at }) => {
        const before = sinceOf(at)(SPAN_MS - intervalMs)
        return before !== undefined && flowsOf(before) === flowsOf(frame)
      })
      expect(settled.length, name).toBeGreaterThan(0)
      for (const { frame, derived, at } of [settled[0], settled.at(-1)].filter((one) => one !== undefined)) {
        for (const { shown, kind, values } of shownNumbers({ frame, derived, since: sinceOf(at) }, intervalMs)) {
          const query = promqlOf({ ...shown, atMs: at }, place())
          if (query === undefined) throw new Error(`nothing gives ${JSON.stringify(shown)}`)
          for (const id of [shown.measures].flat()) measured.add(id)
          const found = await instantVector(server.url, query, shown.each ?? [])
          const where = `${name}, ${frame.at}: ${query}`
          for (const [key, value] of values) {
            const got = found.get(key)
            // The screens show 0 of what has not happened yet.
            if (value === undefined || (value === 0 && got === undefined)) continue
            expect(got, `${where}, ${key}`).toBeDefined()
            if (got === undefined || (!isExact(name) && kind !== 'value')) continue
            compared[kind]++
            if (Math.abs(got - value) <= NEAR[kind] * Math.max(1e-3, Math.abs(value))) {
              same[kind]++
              continue
            }
            expect(kind, `${where}, ${key}: ${got} for ${value}`).not.toBe('value')
            expect(got, `${where}, ${key}`).toBeGreaterThanOrEqual(value * (LEAST_COVERED - 1e-9))
            // Both parts of a quotient may be extended less than wholly; a late scrape may move the console's own
            // window.
            if (kind !== 'quantile') expect(got, `${where}, ${key}`).toBeLessThanOrEqual(value / LEAST_COVERED)
          }
          if (kind !== 'share')
            expect(
              [...found.keys()].filter((key) => !values.has(key)),
              where,
            ).toEqual([])
        }
      }
    }
    console.info(
      `Numbers beside the answers to their PromQL: ${JSON.stringify(compared)}, the same: ${JSON.stringify(same)}`,
    )
    expect(MEASURE_IDS.filter((id) => !measured.has(id))).toEqual([])
    for (const kind of KINDS) {
      expect(compared[kind], kind).toBeGreaterThan(20)
      expect(same[kind] / compared[kind], kind).toBeGreaterThan(0.5)
    }
  })

  it('suggests recording rules that promtool accepts and that find series', async () => {
    const [scraper] = scrapers
    const { version, intervalMs } = scraper?.place() ?? { version: undefined, intervalMs: undefined }
    const rules = recordingRules({ version, intervalMs })
    const file = join(folder(), 'rules.yml')
    await writeFile(file, rulesYaml(rules, intervalMs))
    const { stdout } = await promisify(execFile)('promtool', ['check', 'rules', file])
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`)
    for (const { expr, record } of rules) {
      expect((await instantVector(scraper?.server.url ?? '', expr, ['priority_level'])).size, record).toBeGreaterThan(0)
    }
  })

  it('is read by snapshot and watch', async () => {
    for (const { name, server } of scrapers) {
      const done = await runCommand('snapshot', '--prometheus', server.url)
      expect(done.code, `${name}: ${done.told}`).toBe(0)
      expect(JSON.parse(done.output), name).toMatchObject({
        source: { kind: 'prometheus', name: 'apf-kube' },
        servers: [{ version: expect.stringMatching(/^v1\./) }],
      })
      const seconds = name.includes('30 s') ? 30 : 5
      expect(done.told, name).toContain(`scrapes this server every ${seconds} s`)
    }
    const watching = startCommand('watch', '--prometheus', scrapers.at(-1)?.server.url ?? '', '--count', '3')
    const times = [await watching.nextFrame(), await watching.nextFrame(), await watching.nextFrame()].map(({ at }) =>
      Date.parse(at),
    )
    expect(await watching.ended).toBe(0)
    times.slice(1).forEach((at, i) => expect((at - (times[i] ?? 0)) / 1_000).toBeCloseTo(5, 0))
  })

  describe('on the Overview', () => {
    let running: RunningConsole | undefined
    let browser: Browser | undefined
    afterAll(async () => {
      await browser?.close()
      await running?.stop()
    })

    it('shows the numbers of an independent reading of the same page, at the cost of at most 20 queries', async () => {
      const [scraper] = scrapers
      if (scraper === undefined) throw new Error('no Prometheus')
      await ensureBuilt()
      const queries = async (): Promise<number> =>
        (await readFile(join(folder(), 'queries-5.log'), 'utf8')).split('\n').filter((line) => line !== '').length
      scraper.relay.freeze()
      // Two scrapes of the frozen page; the source of this test sends queries as well until it is stopped.
      end.abort()
      await sleep(11_000)
      const samples = readSamples(scraper.relay.bodies('/metrics').at(-1) ?? '')
      browser = await launchChromium()
      const before = await queries()
      running = await startConsole(['--prometheus', scraper.server.url])
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      await page.goto(running.address)
      const grid = page.getByRole('grid', { name: /Priority levels/ })
      await grid.waitFor()
      const asked = (await queries()) - before
      const headers = (await grid.getByRole('columnheader').allInnerTexts()).map((text) => text.trim())
      const shown: Record<string, (string | undefined)[]> = {}
      for (const row of await grid.getByRole('row').all()) {
        const cells = (await row.getByRole('gridcell').allInnerTexts()).map((text) => text.trim())
        if (cells.length === 0) continue
        shown[cells[0]?.split('\n').at(-1) ?? ''] = ['Executing', 'Limit', 'Nominal', 'Queued'].map(
          (header) => cells[headers.indexOf(header)],
        )
      }
      const wanted = Object.fromEntries(
        labelValues(samples, 'priority_level').map((name) => {
          const of = (family: string): string => String(total(samples, family, { priority_level: name }) ?? 0)
          const limit = name === 'exempt' ? 'none' : of('current_limit_seats')
          return [
            name,
            [of('current_executing_seats'), limit, of('nominal_limit_seats'), of('current_inqueue_requests')],
          ]
        }),
      )
      expect(shown).toEqual(wanted)
      console.info(`The Overview cost ${asked} queries, the last hour included.`)
      expect(asked).toBeGreaterThan(0)
      expect(asked).toBeLessThanOrEqual(20)
      // It requested an hour, and reports that there are a few minutes only.
      await page.goto(new URL('#/connection', page.url()).href)
      await page.getByText(/^Prometheus has no scrape between .*; the history begins then\.$/).waitFor()
      await page.getByText(/scrapes this server every 5 s\. Seats and queues are those at the scrape/).waitFor()
    })
  })
})
