import fc from 'fast-check'
import { expect, test } from 'vitest'
import { meanOf } from './observe.ts'
import { type TwinFlow, sentInWaves } from './waves.ts'

const STEP_MS = 5_000
const STEPS = 28
/** Steps of which the crawler is there. */
const ACTIVE = 11
const EVEN = { narrow: 1, wide: 1 }

/** Two operators and a crawler: dumps meet half of the requests of each operator, as they take half a second. */
const flowsWith = (crawler: number, shares: readonly [number, number, number]): readonly TwinFlow[] => [
  {
    share: shares[0],
    present: (crawler * ACTIVE) / STEPS,
    course: { everySeconds: 5, present: (crawler * ACTIVE) / STEPS, waiting: 0.9, moved: 0 },
    counts: Array.from({ length: STEPS }, (_, step) => ({
      atMs: (step + 0.5) * STEP_MS,
      count: step < ACTIVE ? crawler : 0,
    })),
  },
  { share: shares[1], present: 10 },
  { share: shares[2], present: 10 },
]
const ratesWith = (crawler: number, others: number): readonly number[] =>
  Array.from({ length: STEPS }, (_, step) => others + (step < ACTIVE ? crawler : 0))
const steps = (rates: readonly number[]) => ({ rates, stepMs: STEP_MS, fromMs: 0 })

test('who comes in waves sends what comes beyond the rest, whatever dumps say of the shares', () => {
  const rate = fc.double({ min: 5, max: 500, noNaN: true })
  const share = fc.double({ min: 0.05, max: 0.9, noNaN: true })
  fc.assert(
    fc.property(rate, rate, share, (crawler, others, part) => {
      const flows = flowsWith(400, [part, (1 - part) / 2, (1 - part) / 2])
      const sent = sentInWaves(flows, steps(ratesWith(crawler, others)), EVEN) ?? []
      const means = sent.map(({ rates }) => meanOf(rates) ?? 0)
      expect(means[0]).toBeCloseTo((crawler * ACTIVE) / STEPS, 6)
      expect(means[1]).toBeCloseTo(others / 2, 6)
      expect(sent[0]?.rates[ACTIVE]).toBe(0)
      expect(sent[0]?.present.slice(ACTIVE - 1, ACTIVE + 1)).toEqual([400, 0])
      // By Little's law: of the crawler's requests a tenth executes.
      const execution = (flow: number, executing: number): number => executing / (means[flow] ?? 0)
      const ratio = execution(0, (40 * ACTIVE) / STEPS) / execution(1, 10)
      expect((sent[0]?.slowness ?? 0) / (sent[1]?.slowness ?? 1)).toBeCloseTo(ratio, 6)
    }),
  )
})

test('wide requests that execute longer are met more often than they arrive', () => {
  const flows = flowsWith(400, [0.5, 0.25, 0.25]).map((flow) => ({ ...flow, wide: 0.9 }))
  const sent = sentInWaves(flows, steps(ratesWith(80, 60)), { narrow: 0.5, wide: 2 })
  // 9 wide requests for each narrow one, which execute four times as long.
  expect(sent?.[1]?.wide).toBeCloseTo(0.9 / (0.9 + 4 * 0.1), 6)
  // Of the crawler's requests most wait, as long as the narrow ones.
  expect(sent?.[0]?.wide).toBeGreaterThan(sent?.[1]?.wide ?? 1)
})

test('nothing is known without waves, or without time between them', () => {
  const flows = flowsWith(400, [0.5, 0.25, 0.25])
  const steady = flows.map((flow) => {
    const { counts: _, ...rest } = flow
    return rest
  })
  expect(sentInWaves(steady, steps(ratesWith(80, 60)), EVEN)).toBeUndefined()
  const always = flows.map(({ counts, ...flow }) => ({
    ...flow,
    ...(counts && { counts: counts.map((one) => ({ ...one, count: 400 })) }),
  }))
  expect(sentInWaves(always, steps(ratesWith(80, 60)), EVEN)).toBeUndefined()
})
