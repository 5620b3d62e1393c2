import fc from 'fast-check'
import { expect, test } from 'vitest'
import { breakEven, grantedSeats, listWidth } from './listWidth.ts'

const MODEL = { mostSeats: 10, objectsPerSeat: 100, bytesPerCore: 4e9, objectBytes: 10_000 }

test('4 GB for each core and objects of 10 kB break even at 400,000 objects', () => {
  expect(breakEven(MODEL)).toBe(400_000)
  expect(breakEven({ ...MODEL, objectBytes: 1_000 })).toBe(4_000_000)
  expect(breakEven({ ...MODEL, bytesPerCore: 2e9 })).toBe(200_000)
})

test('CPU stops at A, memory goes on', () => {
  expect(listWidth(50, MODEL)).toEqual({ cpu: 0.5, ram: 0.00125, combined: 0.5, approximate: 1 })
  expect(listWidth(101, MODEL)).toMatchObject({ cpu: 1.01, approximate: 2 })
  expect(listWidth(400_000, MODEL)).toEqual({ cpu: 10, ram: 10, combined: 10, approximate: 10 })
  expect(listWidth(800_000, MODEL)).toEqual({ cpu: 10, ram: 20, combined: 20, approximate: 10 })
})

test('up to the break-even memory changes nothing, and the approximation is at most one seat above', () => {
  fc.assert(
    fc.property(fc.nat({ max: 400_000 }), (objects) => {
      const { cpu, combined, approximate } = listWidth(objects, MODEL)
      expect(combined).toBeCloseTo(cpu, 9)
      expect(approximate).toBeGreaterThanOrEqual(cpu)
      expect(approximate).toBeLessThan(cpu + 1)
    }),
  )
})

test('a request wider than its level is capped or rejected', () => {
  expect(grantedSeats(10, 10, 'reject')).toBe(10)
  expect(grantedSeats(11, 10, 'cap')).toBe(10)
  expect(grantedSeats(11, 10, 'reject')).toBeUndefined()
})
