import { expect, it } from 'vitest'
import { rfc3339, unixMsOf } from '../units.ts'
import { level, schema, server } from '../verdict/levels.fixture.ts'
import { slowerApartFrom } from './onset.ts'

const START = unixMsOf('2026-11-30T03:00:00Z')
const STEP_MS = 5_000
/** Pages of a server whose requests take ten times as long from an instant on. */
const pagesOf = (slowFrom: number) => {
  const sums = new Map<string, { sum: number; count: number }>()
  return Array.from({ length: 40 }, (_, i) => {
    const at = START + i * STEP_MS
    const levels = ['workload-high', 'workload-low'].map((name) => {
      const { sum, count } = sums.get(name) ?? { sum: 0, count: 0 }
      const next = { sum: sum + 20 * (at >= slowFrom ? 2 : 0.2), count: count + 20 }
      sums.set(name, next)
      const execution = { bounds: [0.5, 5], counts: [at >= slowFrom ? 0 : next.count, next.count], ...next }
      return level({ name, schemas: [schema(`${name}-schema`, { execution })] })
    })
    return server({ at: rfc3339(at), levels })
  })
}

it('does not take what a flood does for slowness before it, though the page that shows the flood shows both', () => {
  const flood = START + 100_000
  expect(slowerApartFrom(pagesOf(flood), [flood])).toBeUndefined()
  // The first dump with a client may be later than the page that shows what it does.
  expect(slowerApartFrom(pagesOf(flood - STEP_MS), [flood])).toBeUndefined()
})

it('finds slowness that came long before a flood, or long after it', () => {
  const flood = START + 100_000
  for (const apart of [-50_000, 50_000]) {
    const found = slowerApartFrom(pagesOf(flood + apart), [flood])
    expect(Math.abs((found ?? 0) - (flood + apart))).toBeLessThanOrEqual(2 * STEP_MS)
  }
})
