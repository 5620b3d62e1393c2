import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashFromBigInt, hashToBigInt } from '../request/match.ts'
import { isLegalDealer } from '../config/shape.ts'
import { deal } from './dealer.ts'

test('a legal hand has distinct cards of the deck, as dealt with big integers', () => {
  const dealer = fc
    .record({ deck: fc.integer({ min: 1, max: 2 ** 26 }), hand: fc.integer({ min: 1, max: 15 }) })
    .filter(({ deck, hand }) => isLegalDealer(deck, hand))
  fc.assert(
    fc.property(dealer, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), ({ deck, hand }, hash) => {
      const cards = new Int32Array(hand)
      deal(hashFromBigInt(hash), deck, hand, cards)
      expect(new Set(cards).size).toBe(hand)
      expect(cards.every((card) => card >= 0 && card < deck)).toBe(true)
      let rest = hash
      const remainders = Array.from({ length: hand }, (_, i) => {
        const remainder = Number(rest % BigInt(deck - i))
        rest /= BigInt(deck - i)
        return remainder
      })
      const expected = remainders.map((raw, i) =>
        remainders.slice(0, i).reduceRight((card, other) => (card >= other ? card + 1 : card), raw),
      )
      expect([...cards]).toEqual(expected)
      expect(hashToBigInt(hashFromBigInt(hash))).toBe(hash)
    }),
  )
})
