import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { metricsPages, readFixture } from '../../test/fixtures/load.ts'
import { createFrameBuilder } from '../metrics/buildFrame.ts'
import { KIND_FAMILIES, NEEDED_FAMILIES } from '../metrics/catalogue.ts'
import { createParser } from '../metrics/parse.ts'
import type { Page } from '../metrics/page.ts'
import { readAnswer, type PromSeries } from './answer.ts'
import { pastGroups, presentGroups, requestTimeNames } from './asked.ts'
import { createPages } from './pages.ts'

const AT = 1_700_000_000_000
const ADDED = { instance: 'api-1:6443', job: 'apiserver', cluster: 'a' }

/** Prometheus' responses for pages scraped at these times, converted through JSON. */
function scraped(pages: readonly { readonly at: number; readonly page: Page }[], added = ADDED): PromSeries[] {
  interface Written {
    readonly metric: Record<string, string>
    readonly values: [number, string][]
  }
  const series = new Map<string, Written>()
  for (const { at, page } of pages) {
    for (const family of page.families.values()) {
      family.series.forEach(({ name, labels }, i) => {
        const metric = { __name__: name, ...labels, ...added }
        const key = JSON.stringify(metric)
        const found: Written = series.get(key) ?? { metric, values: [] }
        series.set(key, found)
        found.values.push([at / 1_000, String(family.values[i] ?? Number.NaN)])
      })
    }
  }
  const data = { resultType: 'matrix', result: [...series.values()] }
  const answer = readAnswer(JSON.stringify({ status: 'success', data }))
  if (answer.kind !== 'series') throw new Error(answer.kind)
  return [...answer.series]
}

const parse = (text: string): Page => createParser({ keep: NEEDED_FAMILIES }).parse(new TextEncoder().encode(text))

describe('pages', () => {
  test.each(metricsPages)('of %s become the frames that the server itself would give', (path) => {
    const page = parse(readFixture(path).toString('utf8'))
    const [timed] =
      createPages('instance')
        .raw(scraped([{ at: AT, page }]))
        .get(ADDED.instance) ?? []
    const meta = { at: new Date(AT).toISOString() }
    const build = (from: Page) => createFrameBuilder({ id: 'x' })(from, meta)
    expect(timed?.at).toBe(AT)
    expect(timed && build(timed.page)).toEqual(build(page))
  })

  const LIMIT = 'apiserver_flowcontrol_nominal_limit_seats'
  const QUEUED = 'apiserver_flowcontrol_current_inqueue_requests'
  const one = (name: string, labels: Record<string, string>, times: number[], samples: number[]): PromSeries => ({
    labels: { __name__: name, ...labels },
    times,
    samples,
  })
  const valuesOf = (page: Page | undefined, family: string) => Array.from(page?.families.get(family)?.values ?? [])

  test('hold exactly what was scraped together', () => {
    const target = { instance: 'a', replica: '0' }
    const pages = createPages('instance').raw([
      one(LIMIT, { ...target, priority_level: 'catch-all' }, [0, 30], [5, 5]),
      one(LIMIT, { ...target, priority_level: 'gone' }, [0], [7]),
      one(QUEUED, { ...target, priority_level: 'catch-all', flow_schema: 's' }, [30], [2]),
    ])
    const [first, second] = pages.get('a') ?? []
    expect([valuesOf(first?.page, LIMIT), valuesOf(first?.page, QUEUED)]).toEqual([[5, 7], []])
    expect([valuesOf(second?.page, LIMIT), valuesOf(second?.page, QUEUED)]).toEqual([[5], [2]])
  })

  test('of two replicas follow each other and never mix; at steps one replica is followed', () => {
    const at = (replica: string, times: number[], samples: number[]) => [
      one(LIMIT, { instance: 'a', replica, priority_level: 'catch-all' }, times, samples),
      one(QUEUED, { instance: 'a', replica, priority_level: 'catch-all', flow_schema: 's' }, times, samples),
    ]
    const raw = createPages('instance').raw([...at('0', [0, 30], [1, 3]), ...at('1', [7, 37], [2, 4])])
    expect(raw.get('a')?.map(({ at: when, page }) => [when, valuesOf(page, LIMIT), valuesOf(page, QUEUED)])).toEqual([
      [0, [1], [1]],
      [7, [2], [2]],
      [30, [3], [3]],
      [37, [4], [4]],
    ])
    const clock = (replica: string, times: number[], seconds: number[]) =>
      one('', { instance: 'a', replica, priority_level: 'catch-all' }, times, seconds)
    const stepped = createPages('instance').stepped(
      [...at('0', [60_000, 120_000], [1, 3]), ...at('1', [60_000], [2])],
      [clock('0', [60_000, 120_000], [58, 117]), clock('1', [60_000], [59])],
    )
    expect(stepped.get('a')?.map(({ at: when, page }) => [when, valuesOf(page, LIMIT)])).toEqual([
      [58_000, [1]],
      [117_000, [3]],
    ])
  })

  test('that are the newest at several steps are one', () => {
    const target = { instance: 'a', priority_level: 'catch-all' }
    const pages = createPages('instance').stepped(
      [one(LIMIT, target, [60_000, 120_000, 180_000], [1, 1, 2])],
      [one('', target, [60_000, 120_000, 180_000], [50, 50, 170])],
    )
    expect(pages.get('a')?.map(({ at }) => at)).toEqual([50_000, 170_000])
  })

  test('have classic histograms of native ones, unless both were scraped', () => {
    const family = 'apiserver_flowcontrol_request_wait_duration_seconds'
    const flow = { instance: 'a', priority_level: 'p', flow_schema: 's', execute: 'true' }
    const native = (count: number) => ({ count, sum: 6, buckets: [{ left: 1, right: 2, count }] })
    const nativeSeries = { labels: { __name__: family, ...flow }, times: [10], samples: [native(4)] }
    const clock = one(LIMIT, { instance: 'a', priority_level: 'catch-all' }, [10], [1])
    const build = (series: readonly PromSeries[]) => {
      const [timed] = createPages('instance').raw(series).get('a') ?? []
      if (timed === undefined) throw new Error('no page')
      const frame = createFrameBuilder({ id: 'a' })(timed.page, { at: new Date(10).toISOString(), version: 'v1.36.3' })
      return frame.levels.find(({ name }) => name === 'p')?.schemas[0]?.wait
    }
    const alone = build([clock, nativeSeries])
    expect(alone).toMatchObject({ count: 4, sum: 6 })
    expect(alone?.counts[alone.bounds.indexOf(2)]).toBe(4)
    expect(alone?.counts[alone.bounds.indexOf(1)]).toBe(0)
    const classic = [
      one(`${family}_bucket`, { ...flow, le: '0.5' }, [10], [1]),
      one(`${family}_bucket`, { ...flow, le: '+Inf' }, [10], [4]),
      one(`${family}_sum`, flow, [10], [6]),
      one(`${family}_count`, flow, [10], [4]),
    ]
    expect(build([clock, nativeSeries, ...classic])).toEqual({ bounds: [0.5], counts: [1, 4], sum: 6, count: 4 })
  })

  test('put together in any order of the series are the same', () => {
    const page = parse(readFixture(metricsPages[0] ?? '').toString('utf8'))
    const series = scraped([{ at: AT, page }])
    const build = (all: readonly PromSeries[]) => {
      const [timed] = createPages('instance').raw(all).get(ADDED.instance) ?? []
      return timed && createFrameBuilder({ id: 'x' })(timed.page, { at: new Date(AT).toISOString() })
    }
    const whole = build(series)
    fc.assert(
      fc.property(fc.shuffledSubarray(series, { minLength: series.length }), (shuffled) => {
        expect(build(shuffled)).toEqual(whole)
      }),
      { numRuns: 5 },
    )
  })
})

describe('what is asked', () => {
  const all = (...versions: (string | undefined)[]) => new Set(presentGroups(versions, 1).flat())

  test('is every family that the version has and no other, in a few queries', () => {
    expect(presentGroups(['v1.36.3'], 3)).toHaveLength(2)
    expect(presentGroups(['v1.36.3'], 30)).toHaveLength(4)
    // Requests by kind are read only for a few servers.
    const many = new Set(presentGroups(['v1.36.3'], 30).flat())
    expect(new Set([...many, ...KIND_FAMILIES])).toEqual(all('v1.36.3'))
    expect(KIND_FAMILIES.filter((name) => many.has(name))).toEqual([])
    expect(all('v1.36.3')).toContain('apiserver_flowcontrol_request_wait_duration_seconds_bucket')
    expect(all('v1.36.3')).toContain('process_start_time_seconds')
    expect(all('v1.37.0')).not.toContain('apiserver_flowcontrol_request_concurrency_limit')
    expect(all('v1.27.1')).not.toContain('apiserver_flowcontrol_current_executing_seats')
    // For several versions, the families that any of them has; for an unknown one, all.
    expect(all('v1.27.1', 'v1.36.3')).toContain('apiserver_flowcontrol_current_executing_seats')
    expect(all()).toEqual(all(undefined))
  })

  test('of the past is what a history is made of', () => {
    const past = new Set(pastGroups(['v1.36.3']).flat())
    expect(past).toContain('apiserver_flowcontrol_priority_level_seat_utilization_sum')
    expect(past).toContain('apiserver_flowcontrol_request_execution_seconds_bucket')
    expect(past).not.toContain('apiserver_flowcontrol_work_estimated_seats_bucket')
    expect([...past].filter((name) => !all('v1.36.3').has(name))).toEqual([])
  })

  test('of the times of requests is the name that the versions have', () => {
    const NEW = 'apiserver_request_sli_duration_seconds_bucket'
    const EARLIER = 'apiserver_request_slo_duration_seconds_bucket'
    const asked = (...versions: (string | undefined)[]) =>
      [NEW, EARLIER].filter((name) => requestTimeNames(versions).includes(name))
    expect(asked('v1.36.3')).toEqual([NEW])
    expect(asked('v1.27.1')).toEqual([NEW, EARLIER])
    expect(asked('v1.25.0')).toEqual([EARLIER])
    expect(asked('v1.22.0')).toEqual([])
    expect(asked('v1.25.0', 'v1.36.3')).toEqual([NEW, EARLIER])
    expect(asked()).toEqual([NEW, EARLIER])
    expect(requestTimeNames(['v1.22.0'])).toContain('apiserver_request_duration_seconds_bucket')
  })
})
