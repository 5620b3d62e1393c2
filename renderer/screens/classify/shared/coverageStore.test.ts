import { expect, test } from 'vitest'
import { syntheticStory } from '../../../../test/fixtures/synthetic.ts'
import { viewStore, type View } from '../../../state/view.ts'
import { coverageAt, coverageStore, startCoverage } from './coverageStore.ts'

test('instants of the past that are looked at count nothing', () => {
  const story = [...syntheticStory({ seconds: 60 })]
  const show = (second: number, mode: View['mode']): void => viewStore.setState({ frame: story[second]?.frame, mode })
  const end = startCoverage()
  show(20, 'live')
  show(40, 'live')
  const { coverage } = coverageStore.getState()
  for (const second of [10, 30, 0, 39]) show(second, 'past')
  expect(coverageStore.getState().coverage).toBe(coverage)
  show(50, 'live')
  end()
  const counted = [...coverageStore.getState().coverage.counted.values()].reduce(
    (sum, { requests }) => sum + requests,
    0,
  )
  const total = (second: number): number =>
    [...coverageAt(story[second]?.frame.servers ?? [], undefined).counters.values()]
      .flatMap(({ totals }) => [...totals.values()])
      .reduce((sum, requests) => sum + requests, 0)
  expect(counted).toBe(total(50) - total(20))
  expect(counted).toBeGreaterThan(0)
})
