import { describe, expect, it } from 'vitest'
import type { AdjustmentStep } from '../../../core/frame/derived.ts'
import { levelOrder } from '../../../core/text/levelSlots.ts'
import {
  agreement,
  isKnown,
  markOf,
  mergeSteps,
  roundAtInstant,
  roundLedger,
  roundsOf,
  stepTable,
} from './rounds.data.ts'

const order = levelOrder({})

/** Two levels of 60 and 40 nominal seats; `low` is the reported limit of workload-low, 80 of 100 expected. */
const step = (number: number, low = 80): AdjustmentStep => ({
  number,
  at: number * 10_000,
  since: (number - 1) * 10_000,
  follows: number > 1,
  version: 'v1.36.3',
  levels: [
    {
      name: 'system',
      limits: { nominal: 60, lower: 20, upper: 160, current: 20 },
      demand: { highWatermark: 0, average: 0, stdev: 0, smoothed: 1, target: 20 },
      executing: 3,
      before: { current: 30, smoothed: 2 },
    },
    {
      name: 'workload-low',
      limits: { nominal: 40, lower: 10, upper: 140, current: low },
      demand: { highWatermark: 90, average: 100, stdev: 20, smoothed: 120, target: 120 },
      executing: 80,
      before: { current: 70, smoothed: 118 },
    },
  ],
})
const known = (number: number, low?: number) => {
  const round = roundsOf([step(number, low)]).find(isKnown)
  if (round === undefined) throw new Error('not explained')
  return round
}

describe('rounds', () => {
  it('are merged: one that was completed takes the place of its beginning', () => {
    const merged = mergeSteps([step(1), step(2, 70)], [step(2), step(3)])
    expect(merged.map(({ number, levels }) => [number, levels[1]?.limits.current])).toEqual([
      [1, 80],
      [2, 80],
      [3, 80],
    ])
    expect(mergeSteps(merged, [])).toBe(merged)
    expect(
      mergeSteps(
        merged,
        Array.from({ length: 360 }, (_, i) => step(i + 4)),
      ),
    ).toHaveLength(360)
  })

  it('are chosen by an instant', () => {
    const rounds = roundsOf([step(1), step(2), step(3)])
    expect([undefined, 5, 10_000, 19_999, 20_000, 99_999].map((at) => roundAtInstant(rounds, at)?.step.number)).toEqual(
      [3, 1, 1, 1, 2, 3],
    )
    expect(roundAtInstant([], undefined)).toBeUndefined()
  })

  it('are counted as far as they can be compared', () => {
    const rounds = roundsOf([step(1), step(2, 81), { ...step(3), levels: [] }])
    expect(agreement(rounds)).toEqual({ compared: 2, equal: 1 })
    expect(rounds.map(markOf).map(({ differs }) => differs)).toEqual([false, true, false])
  })

  it('blame no server for a difference that has another explanation', () => {
    const rounds = roundsOf([step(1), { ...step(2, 81), onePage: true }])
    expect(rounds.map(({ cause }) => cause?.kind)).toEqual([undefined, 'one-page'])
    expect(agreement(rounds)).toEqual({ compared: 1, equal: 1 })
    expect(rounds.map(markOf).some(({ differs }) => differs)).toBe(false)
  })
})

describe('the step table', () => {
  it('leads from demand to limit, in the fixed order of levels', () => {
    const { rows, sums } = stepTable(known(2), order)
    expect(rows.map(({ name }) => name)).toEqual(['system', 'workload-low'])
    expect(rows[0]).toMatchObject({ smoothedBefore: 2, limitBefore: 30, verdict: 'raised-to-floor', change: -40 })
    expect(rows[1]).toMatchObject({ envelope: 120, floor: 40, target: 120, verdict: 'at-p', expected: 80, change: 40 })
    expect(sums).toMatchObject({ min: 30, floor: 60, target: 140, limit: 100, expected: 100, nominal: 100 })
  })

  it('has a ledger that accounts for every seat', () => {
    expect(roundLedger(known(1), order)).toMatchObject({ lent: 40, borrowed: 40, used: 83, idle: 17, undistributed: 0 })
  })
})
