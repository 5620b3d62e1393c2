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

it('tells which levels have waves, longer than what a run can show', () => {
  const waves = { firstMs: 10_000, activeMs: 20_000, periodMs: 50_000 }
  const workload = workloadOf(
    clients('crawler', 1, { kind: 'closed', threads: 150, think: constant(0), waves, calls: CALLS }),
  )
  const history = twinHistory(pagesOf(workload, { from: 0, until: 200 }), 1_000)
  expect(history?.waves.map(({ level }) => level)).toEqual(['workload-low'])
  expect(history?.waves[0]?.seconds).toBeCloseTo(50, -0.5)
  const span = (history?.whole.untilMs ?? 0) - (history?.whole.fromMs ?? 0)
  expect(span).toBe(30_000)
})
