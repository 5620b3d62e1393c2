import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createValve } from './backpressure.ts'

const open = (credit: number, ready = () => true) => {
  const sent: number[] = []
  return { sent, valve: createValve<number>({ credit, send: (event) => sent.push(event), ready }) }
}

test('sends up to its credit, then keeps only the newest', () => {
  const { sent, valve } = open(2)
  for (const event of [1, 2, 3, 4, 5]) valve.offer(event)
  expect(sent).toEqual([1, 2])
  expect(valve.merged).toBe(2)
  expect(valve.acknowledge()).toBe(true)
  expect(sent).toEqual([1, 2, 5])
})

test('holds everything while the line is not ready and goes on when asked to', () => {
  let ready = false
  const { sent, valve } = open(2, () => ready)
  valve.offer(1)
  valve.offer(2)
  expect(sent).toEqual([])
  ready = true
  valve.retry()
  expect(sent).toEqual([2])
})

test('reports an acknowledgement of nothing', () => {
  const { valve } = open(2)
  expect(valve.acknowledge()).toBe(false)
  valve.offer(1)
  expect(valve.acknowledge()).toBe(true)
  expect(valve.acknowledge()).toBe(false)
})

test('whatever happens: order is kept, never more than the credit is under way, the newest always gets through', () => {
  const step = fc.constantFrom('offer', 'acknowledge', 'block', 'unblock')
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 1, max: 4 }), (steps, credit) => {
      let ready = true
      let offered = 0
      let acknowledged = 0
      const { sent, valve } = open(credit, () => ready)
      const check = (): void => {
        expect(sent.length - acknowledged).toBeLessThanOrEqual(credit)
        expect(sent).toEqual(sent.toSorted((a, b) => a - b))
        expect(new Set(sent).size).toBe(sent.length)
      }
      for (const action of steps) {
        if (action === 'offer') valve.offer((offered += 1))
        else if (action === 'acknowledge') acknowledged += valve.acknowledge() ? 1 : 0
        else {
          ready = action === 'unblock'
          valve.retry()
        }
        check()
      }
      ready = true
      valve.retry()
      while (valve.acknowledge()) acknowledged += 1
      check()
      expect(sent.at(-1)).toBe(offered === 0 ? undefined : offered)
      expect(sent.length + valve.merged).toBe(offered)
    }),
  )
})
