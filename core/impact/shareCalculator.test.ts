import fc from 'fast-check'
import { expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { sharesForSeats } from './shareCalculator.ts'

const builtIn = builtInObjects('v1.36.3')

const level = (name: string, nominalConcurrencyShares: number) => ({
  metadata: { name },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse: { type: 'Reject' } } },
})

it('finds the least shares for a level, and what all others lose', () => {
  expect(sharesForSeats(builtIn, 600, 'leader-election', 50)).toEqual({
    possible: true,
    sharesBefore: 10,
    sharesAfter: 21,
    nominalAfter: 50,
    othersGain: -24,
  })
})

it('adds a level that does not exist yet', () => {
  expect(sharesForSeats(builtIn, 600, 'batch', 24)).toMatchObject({
    sharesBefore: 0,
    sharesAfter: 10,
    nominalAfter: 24,
  })
})

it('says in a sentence what cannot be had', () => {
  expect(sharesForSeats(builtIn, 600, 'system', 601)).toEqual({
    possible: false,
    why: 'system cannot have 601 nominal seats: the server has 600.',
  })
  const huge = { levels: [level('a', 2 ** 31 - 1)], schemas: [] }
  expect(sharesForSeats(huge, 600, 'b', 400)).toMatchObject({ possible: false })
})

it('finds shares that suffice and no smaller ones, whatever the other levels have', () => {
  const shares = fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(shares, fc.nat({ max: 200 }), fc.integer({ min: 1, max: 200 }), (others, wanted, serverLimit) => {
      const objects = { levels: others.map((one, index) => level(`other-${index}`, one)), schemas: [] }
      const answer = sharesForSeats(objects, serverLimit, 'own', wanted)
      expect(answer.possible).toBe(wanted <= serverLimit)
      fc.pre(answer.possible)
      const sum = others.reduce((all, one) => all + one, 5)
      const nominalOf = (own: number): number => (own === 0 ? 0 : Math.ceil((serverLimit * own) / (sum + own)))
      expect(answer.nominalAfter).toBe(nominalOf(answer.sharesAfter))
      expect(answer.nominalAfter).toBeGreaterThanOrEqual(wanted)
      if (answer.sharesAfter > 0) expect(nominalOf(answer.sharesAfter - 1)).toBeLessThan(wanted)
    }),
    { numRuns: 300 },
  )
})
