import { expect, it } from 'vitest'
import { capturedFrames, capturedSeries } from '../../test/fixtures/captured.ts'
import { twinHistory } from './history.ts'

it('is refused where the pages do not show the requests of levels', () => {
  const [series] = capturedSeries.filter(({ path }) => path.includes('elephants'))
  if (series === undefined) return expect.fail('there is a series')
  expect(twinHistory(capturedFrames(series), 1_000)?.whole.levels).not.toEqual([])
  const filtered = capturedFrames(series, /^apiserver_flowcontrol_dispatched_requests_total.*\n/gm)
  expect(() => twinHistory(filtered, 1_000)).toThrow(/^A forecast is made from apiserver_flowcontrol_dispatched_/)
  expect(twinHistory([], 1_000)).toBeUndefined()
})
