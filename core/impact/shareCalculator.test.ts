import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { type SharesAnswer, type SharesRow, seatsForShares, sharesForSeats } from './shareCalculator.ts'

const builtIn = builtInObjects('v1.36.3')

const level = (name: string, nominalConcurrencyShares: number) => ({
  metadata: { name },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse: { type: 'Reject' } } },
})
const possible = (answer: SharesAnswer): readonly SharesRow[] => {
  if (!answer.possible) throw new Error(answer.why)
  return answer.rows
}
const find = (rows: readonly SharesRow[], name: string): SharesRow | undefined => rows.find((row) => row.name === name)

describe('sharesForSeats', () => {
  it('finds the least shares for a level, and what all others lose', () => {
    const rows = possible(sharesForSeats(builtIn, 600, [{ name: 'leader-election', nominal: 50 }]))
    expect(find(rows, 'leader-election')).toMatchObject({
      sharesBefore: 10,
      sharesAfter: 21,
      nominalAfter: 50,
      wanted: 50,
    })
    expect(find(rows, 'workload-low')).toMatchObject({
      sharesAfter: 100,
      nominalBefore: 245,
      nominalAfter: 235,
      wanted: undefined,
    })
    const less = seatsForShares(builtIn, 600, new Map([['leader-election', 20]]))
    expect(find(less, 'leader-election')?.nominalAfter).toBeLessThan(50)
  })

  it('adds a level that does not exist yet, and says whose a level is', () => {
    const rows = possible(sharesForSeats(builtIn, 600, [{ name: 'batch', nominal: 24 }]))
    expect(find(rows, 'batch')).toMatchObject({ thirdParty: true, sharesBefore: 0, sharesAfter: 10, nominalAfter: 24 })
    expect(find(rows, 'system')?.thirdParty).toBe(false)
  })

  it('says in a sentence what cannot be had', () => {
    expect(sharesForSeats(builtIn, 600, [{ name: 'system', nominal: 601 }])).toEqual({
      possible: false,
      why: 'system cannot have 601 nominal seats: the server has 600.',
    })
    expect(
      sharesForSeats(builtIn, 600, [
        { name: 'system', nominal: 300 },
        { name: 'node-high', nominal: 302 },
      ]),
    ).toMatchObject({
      possible: false,
      why: expect.stringMatching(/^The 2 levels cannot have 602 nominal seats/) as string,
    })
    const huge = { levels: [level('a', 2 ** 31 - 1)], schemas: [] }
    expect(sharesForSeats(huge, 600, [{ name: 'b', nominal: 400 }])).toMatchObject({ possible: false })
  })

  const shares = fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 5 })
  const wanted = fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 3 })

  it('finds shares that suffice and no smaller ones, whatever the other levels have', () => {
    fc.assert(
      fc.property(shares, wanted, fc.integer({ min: 1, max: 200 }), (others, seats, serverLimit) => {
        const objects = { levels: others.map((one, index) => level(`other-${index}`, one)), schemas: [] }
        const targets = seats.map((nominal, index) => ({ name: `w-${index}`, nominal }))
        const answer = sharesForSeats(objects, serverLimit, targets)
        const least = seats.reduce((sum, nominal) => sum + Math.max(0, nominal - 1), 0)
        expect(answer.possible || seats.some((nominal) => nominal > serverLimit) || least >= serverLimit).toBe(true)
        fc.pre(answer.possible)
        const found = new Map(targets.map(({ name }) => [name, find(answer.rows, name)?.sharesAfter ?? -1]))
        const seatsWith = (given: ReadonlyMap<string, number>) => {
          const rows = seatsForShares(objects, serverLimit, given)
          return targets.map(({ name }) => find(rows, name)?.nominalAfter ?? 0)
        }
        expect(seatsWith(found).every((nominal, index) => nominal >= (seats[index] ?? 0))).toBe(true)
        // Fewer shares for one give it too few seats, regardless of how far the others are lowered.
        for (const [index, { name, nominal }] of targets.entries()) {
          const own = found.get(name) ?? 0
          if (own === 0) continue
          expect(seatsWith(new Map([...found, [name, own - 1]]))[index]).toBeLessThan(nominal)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('agrees with trying all shares of two levels', () => {
    fc.assert(
      fc.property(fc.nat({ max: 12 }), fc.nat({ max: 12 }), fc.nat({ max: 10 }), (a, b, other) => {
        const objects = { levels: [level('other', other)], schemas: [] }
        const targets = [
          { name: 'a', nominal: a },
          { name: 'b', nominal: b },
        ]
        const answer = sharesForSeats(objects, 20, targets)
        let best: readonly [number, number] | undefined
        for (let x = 0; x <= 60 && best === undefined; x++) {
          for (let y = 0; y <= 60 && best === undefined; y++) {
            const rows = seatsForShares(
              objects,
              20,
              new Map([
                ['a', x],
                ['b', y],
              ]),
            )
            const enough = (find(rows, 'a')?.nominalAfter ?? 0) >= a && (find(rows, 'b')?.nominalAfter ?? 0) >= b
            if (enough) best = [x, y]
          }
        }
        const found = answer.possible
          ? [find(answer.rows, 'a')?.sharesAfter ?? 0, find(answer.rows, 'b')?.sharesAfter ?? 0]
          : undefined
        // Shares above those that were tried are not found by trying.
        fc.pre(found === undefined || Math.max(...found) <= 60)
        expect(found).toEqual(best)
      }),
      { numRuns: 60 },
    )
  })
})
