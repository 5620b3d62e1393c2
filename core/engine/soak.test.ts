import { expect, test } from 'vitest'
import { soak } from '../../test/harness/engine/soak.ts'

/** `npm run bench -- soak` does the same with 10⁷ requests. */
test('random requests under random configurations leave every count at zero', () => {
  const result = soak({ requests: 200_000, seed: 20_261_121, reconfigureEvery: 5_000, checkEvery: 1_000 })
  expect(result.leftovers).toEqual([])
  expect(result.arrived).toBe(200_000)
  for (const count of [result.dispatched, result.rejected, result.timedOut, result.bypassed]) {
    expect(count).toBeGreaterThan(0)
  }
  expect(result.dispatched + result.rejected + result.timedOut + result.bypassed).toBe(result.arrived)
})
