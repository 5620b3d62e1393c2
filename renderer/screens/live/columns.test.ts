import { describe, expect, it } from 'vitest'
import { liveRequest } from '../../../core/live/live.fixture.ts'
import { clockOf, coveredSeconds, flowOf } from './columns.tsx'

describe('a row', () => {
  it('names the flow by what tells it from others', () => {
    expect(flowOf(liveRequest())).toBe('inventory:scanner')
    expect(flowOf(liveRequest({ flow: 'unknown user: kubectl/v1.36' }))).toBe('kubectl/v1.36 (user unknown)')
    expect(flowOf(liveRequest({ level: 'exempt', flow: '', user: 'system:apiserver' }))).toBe('system:apiserver')
  })

  it('rates are over the time of which rows tell', () => {
    expect(coveredSeconds(undefined, 50_000, 10)).toBe(1)
    expect(coveredSeconds(49_900, 50_000, 10)).toBe(1)
    expect(coveredSeconds(46_000, 50_000, 10)).toBe(4)
    expect(coveredSeconds(0, 50_000, 10)).toBe(10)
    expect(coveredSeconds(0, 50_000, Number.POSITIVE_INFINITY)).toBe(50)
  })

  it('the clock is that of the rows where they are of another time', () => {
    expect(clockOf(undefined, 1_000_000, false)).toBe(1_000_000)
    expect(clockOf(900_000, 1_000_000, false)).toBe(1_000_000)
    expect(clockOf(500_000, 1_000_000, false)).toBe(500_000)
  })

  it('the clock of what stands is its newest row, however far it is behind', () => {
    expect(clockOf(986_000, 1_000_000, true)).toBe(986_000)
    expect(clockOf(undefined, 1_000_000, true)).toBe(1_000_000)
  })
})
