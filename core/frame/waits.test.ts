import { expect, it } from 'vitest'
import { histogramOf, levelFrame, schemaFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { createDeriver } from './derive.ts'

const bounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]

function waitsOf(events: readonly number[], sum: number) {
  const derive = createDeriver('api')
  const none = histogramOf(
    bounds,
    events.map(() => 0),
  )
  derive(serverFrame(0, [levelFrame('low', [schemaFrame('s', { wait: none })])]))
  const level = levelFrame('low', [schemaFrame('s', { wait: histogramOf(bounds, events, sum) })])
  return derive(serverFrame(1, [level])).levels[0]
}

it('no wait is interpolated beyond the limit at which requests time out', () => {
  // 40 waits, 10 of which timed out at 15 s.
  const derived = waitsOf([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 0, 10, 0], 400)
  expect(derived?.waitP99).toBe(15)
  expect(derived?.waitP99Range).toEqual({ above: 15, upTo: 30 })
})

it('an idle server does not wait for the edge of its first bucket', () => {
  const derived = waitsOf([0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0.000_4)
  expect(derived?.waitP99).toBeLessThanOrEqual(0.000_4)
  expect(derived?.waitP99Range?.upTo).toBeLessThanOrEqual(0.000_4)
})
