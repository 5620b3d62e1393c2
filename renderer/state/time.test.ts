import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { timeStore } from './time.ts'
import type { TimeWindow } from './time.logic.ts'

const START = timeStore.getState()
afterEach(() => timeStore.setState(START, true))

const HOUR = 3_600_000
const absolute = (hour: number): TimeWindow => ({ kind: 'absolute', from: hour * HOUR, to: (hour + 1) * HOUR })
const shown = (): TimeWindow => timeStore.getState().window

test('goes back to the ranges before, and forward again until another is chosen', () => {
  const { show, back, forward } = timeStore.getState()
  for (const hour of [1, 2, 3]) show(absolute(hour))
  back()
  back()
  expect(shown()).toEqual(absolute(1))
  forward()
  expect(shown()).toEqual(absolute(2))
  forward()
  forward()
  expect(shown()).toEqual(absolute(3))
  back()
  show(absolute(9))
  forward()
  expect(shown()).toEqual(absolute(9))
  back()
  expect(shown()).toEqual(absolute(2))
})

test('as many steps forward as back lead to where one was', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 15 }),
      fc.integer({ min: 0, max: 20 }),
      (hours, steps) => {
        timeStore.setState(START, true)
        const { show, back, forward } = timeStore.getState()
        for (const hour of hours) show(absolute(hour))
        const before = shown()
        const times = Math.min(steps, hours.length)
        for (let step = 0; step < times; step++) back()
        for (let step = 0; step < times; step++) forward()
        expect(shown()).toEqual(before)
      },
    ),
  )
})

test('zooms around an instant, which stays where it is', () => {
  const { show, zoomBy } = timeStore.getState()
  show({ kind: 'absolute', from: 0, to: 100_000 })
  zoomBy(0.5, 25_000)
  expect(shown()).toEqual({ kind: 'absolute', from: 12_500, to: 62_500 })
})
