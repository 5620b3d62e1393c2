import { expect, it } from 'vitest'
import { capturedFrames, capturedSeries } from '../../test/fixtures/captured.ts'
import { constant } from '../simulate/random.ts'
import { twinHistory } from './history.ts'
import { CALLS, clients, pagesOf, workloadOf } from './twin.fixture.ts'

it('is refused where the pages do not show the requests of levels', () => {
  const [series] = capturedSeries.filter(({ path }) => path.includes('elephants'))
  if (series === undefined) return expect.fail('there is a series')
  expect(twinHistory(capturedFrames(series), 1_000)?.whole.levels).not.toEqual([])
  const filtered = capturedFrames(series, /^apiserver_flowcontrol_dispatched_requests_total.*\n/gm)
  expect(() => twinHistory(filtered, 1_000)).toThrow(/^A forecast is made from apiserver_flowcontrol_dispatched_/)
  expect(twinHistory([], 1_000)).toBeUndefined()
})

const waves = { firstMs: 10_000, activeMs: 20_000, periodMs: 50_000 }
const crawling = workloadOf(
  clients('crawler', 1, { kind: 'closed', threads: 150, think: constant(0), waves, calls: CALLS }),
)
const spanOf = (history: ReturnType<typeof twinHistory>): number =>
  (history?.whole.untilMs ?? 0) - (history?.whole.fromMs ?? 0)

it('is a whole wave, and its parts are whole waves', () => {
  const history = twinHistory(pagesOf(crawling, { from: 0, until: 230 }), 1_000)
  expect(history?.waves.map(({ level }) => level)).toEqual(['workload-low'])
  expect(history?.waves[0]?.seconds).toBeCloseTo(50, -0.5)
  expect(Math.abs(spanOf(history) - 50_000)).toBeLessThanOrEqual(2_000)
  expect(history?.parts.map(({ seconds }) => Math.round(seconds / 5) * 5)).toEqual([50, 50, 50, 50])
})

it('is a part of a wave that has too many requests, and as many whole waves as a run may have', () => {
  const pages = pagesOf(crawling, { from: 0, until: 230 })
  expect(Math.abs(spanOf(twinHistory(pages, 100_000)) - 200_000)).toBeLessThanOrEqual(4_000)
  // A thousand times as many requests.
  const busy = pages.map((page) => ({
    ...page,
    levels: page.levels.map((level) => ({
      ...level,
      schemas: level.schemas.map((schema) => ({ ...schema, dispatched: 1_000 * (schema.dispatched ?? 0) })),
    })),
  }))
  expect(spanOf(twinHistory(busy, 1_000))).toBe(30_000)
})
