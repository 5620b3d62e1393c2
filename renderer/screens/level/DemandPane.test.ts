import { describe, expect, it } from 'vitest'
import { demandLadder } from './DemandPane.tsx'
import { derivedOf, levelOf, serverOf } from './level.fixture.ts'

const demand = { highWatermark: 928, average: 911.5, stdev: 8.5, smoothed: 950.9, target: 950.9 }
const level = levelOf('workload-low', { demand })
const derived = derivedOf('workload-low', { envelope: 920 })
const values = (rungs: ReturnType<typeof demandLadder>): (number | undefined)[] => rungs.map((rung) => rung.value)

describe('demandLadder', () => {
  it('leads from demand to the limit in the order of the computation', () => {
    const rungs = demandLadder(serverOf([level]), level, derived, false)
    expect(values(rungs)).toEqual([928, 911.5, 8.5, 920, 950.9, 950.9, 0.3229, 307])
    expect(rungs.some((rung) => rung.approximate)).toBe(false)
  })
  it('marks every rung of a torn page', () => {
    const rungs = demandLadder(serverOf([level]), level, derivedOf('workload-low'), true)
    expect(rungs.every((rung) => rung.approximate)).toBe(true)
    expect(rungs.find((rung) => rung.key === 'envelope')?.notApplicable).toBeDefined()
  })
  it('does not show the arbitrary target that the server reports for exempt', () => {
    const exempt = levelOf('exempt', { demand })
    const rungs = demandLadder(serverOf([exempt]), exempt, undefined, false)
    expect(rungs.find((rung) => rung.key === 'target')).toMatchObject({ value: undefined })
    expect(rungs.find((rung) => rung.key === 'target')?.notApplicable).toMatch(/arbitrary/)
    expect(rungs.find((rung) => rung.key === 'high')?.value).toBe(928)
  })
  it('has no factor in the two constrained cases', () => {
    const rungs = demandLadder(serverOf([level], { seatFairFrac: 0 }), level, derived, false)
    expect(rungs.find((rung) => rung.key === 'fair')).toMatchObject({ value: undefined })
  })
})
