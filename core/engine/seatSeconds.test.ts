import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FixedSeatSeconds, goRound } from './seatSeconds.ts'

test('rounds half away from zero', () => {
  expect(goRound(-0.5)).toBe(-1)
  expect(goRound(2.5)).toBe(3)
  expect(goRound(0.49999999999999994)).toBe(0)
  expect(goRound(2 ** 52 + 1)).toBe(2 ** 52 + 1)
})

const word = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const wrap = (value: bigint) => BigInt.asUintN(64, value)

test('adds, subtracts and compares modulo 2^64, as big integers do', () => {
  fc.assert(
    fc.property(word, word, word, fc.maxSafeInteger(), (a, b, c, units) => {
      const [x, y, z] = [FixedSeatSeconds.fromBigInt(a), FixedSeatSeconds.fromBigInt(b), FixedSeatSeconds.fromBigInt(c)]
      expect(Math.sign(x.compare(y))).toBe(a < b ? -1 : a > b ? 1 : 0)
      expect((BigInt(x.high) << 32n) | BigInt(x.low)).toBe(a)
      x.add(y)
      expect(x.toBigInt()).toBe(wrap(a + b))
      x.subtract(z)
      expect(x.toBigInt()).toBe(wrap(a + b - c))
      z.addUnits(units)
      expect(z.toBigInt()).toBe(wrap(c + BigInt(units)))
    }),
  )
})
