import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flowName, maxMinShares } from './flow.ts'

describe('flowName', () => {
  it('drops the common prefix of service accounts and names a flow without distinguisher', () => {
    expect(flowName('system:serviceaccount:inventory:scanner', 's')).toBe('inventory:scanner')
    expect(flowName('alice', 's')).toBe('alice')
    expect(flowName('', 'exempt')).toBe('all of exempt')
  })
})

describe('maxMinShares', () => {
  it('gives the small what they want and divides the rest evenly among the large', () => {
    expect(maxMinShares([100, 2, 40, 4], 30)).toEqual([12, 2, 12, 4])
  })
  it('gives everybody what they want when there is enough', () => {
    expect(maxMinShares([3, 1, 2], 100)).toEqual([3, 1, 2])
  })
  it('divides nothing among nobody, and nothing when there is nothing', () => {
    expect(maxMinShares([], 10)).toEqual([])
    expect(maxMinShares([3, 4], 0)).toEqual([0, 0])
  })

  const demands = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 40 })
  const limit = fc.integer({ min: 0, max: 2_000 })

  it('wastes no seat, exceeds neither limit nor demand', () => {
    fc.assert(
      fc.property(demands, limit, (wants, seats) => {
        const shares = maxMinShares(wants, seats)
        const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
        expect(sum(shares)).toBeCloseTo(Math.min(seats, sum(wants)), 6)
        shares.forEach((share, i) => expect(share).toBeLessThanOrEqual(wants[i] ?? 0))
      }),
    )
  })
  it('gives nobody who still wants more less than anybody else', () => {
    fc.assert(
      fc.property(demands, limit, (wants, seats) => {
        const shares = maxMinShares(wants, seats)
        const most = Math.max(...shares)
        shares.forEach((share, i) => {
          if (share < (wants[i] ?? 0)) expect(share).toBeCloseTo(most, 6)
        })
      }),
    )
  })
  it('does not depend on the order', () => {
    fc.assert(
      fc.property(demands, limit, (wants, seats) => {
        const reversed = maxMinShares(wants.toReversed(), seats).toReversed()
        maxMinShares(wants, seats).forEach((share, i) => expect(reversed[i]).toBeCloseTo(share, 6))
      }),
    )
  })
})
