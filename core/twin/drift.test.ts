import fc from 'fast-check'
import { expect, test } from 'vitest'
import { driftOf } from './drift.ts'

const partOf = (took: number, level = 'workload-low') => ({
  seconds: 30,
  levels: [{ level, quantities: { arrivalsPerSecond: 12, rejectedPerSecond: 2, seats: 10 * took } }],
})

test('how much execution times change depends on their ratios only, and without any it is what is usual', () => {
  const times = fc.array(fc.double({ min: 0.1, max: 5, noNaN: true }), { maxLength: 10 })
  fc.assert(
    fc.property(times, fc.double({ min: 0.1, max: 10, noNaN: true }), (given, factor) => {
      const drift = driftOf(given.map((took) => partOf(took)))
      expect(driftOf(given.map((took) => partOf(took * factor)))).toBeCloseTo(drift)
      // Two levels that do the same say the same, and more of it.
      const both = driftOf(given.flatMap((took) => [partOf(took), partOf(took * factor, 'system')]))
      expect(Math.abs(both - driftOf([]))).toBeGreaterThanOrEqual(Math.abs(drift - driftOf([])) - 1e-9)
      expect(drift).toBeGreaterThan(0)
    }),
  )
  expect(driftOf([partOf(1), partOf(1), partOf(1)])).toBeLessThan(driftOf([]))
  expect(driftOf([0.8, 1.25, 0.8, 1.25, 0.8, 1.25].map((took) => partOf(took)))).toBeCloseTo(Math.log(1.25), 0.7)
})
