import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { SeatSeconds, durationPerSeat, goRound, seatsTimesDuration } from './seatSeconds.ts'

interface Question {
  op: 'times' | 'perSeat' | 'text' | 'float'
  seats: number
  ns: string
  raw: string
}
interface Answer {
  raw?: string
  ns?: string
  text?: string
  float?: number
}

test('agrees with every upstream vector', () => {
  for (const { in: question, out } of readVectors<Question, Answer>('seatseconds')) {
    const amount = SeatSeconds.fromBigInt(BigInt(question.raw))
    switch (question.op) {
      case 'times': {
        const made = new SeatSeconds()
        made.addUnits(seatsTimesDuration(question.seats, Number(BigInt(question.ns))))
        expect(made.toBigInt(), JSON.stringify(question)).toBe(BigInt(out.raw ?? '0'))
        break
      }
      case 'perSeat':
        expect(BigInt(durationPerSeat(Number(amount.toBigInt()), question.seats)), JSON.stringify(question)).toBe(
          BigInt(out.ns ?? '0'),
        )
        break
      case 'text':
        expect(amount.toString()).toBe(out.text)
        break
      case 'float':
        expect(amount.toSeconds()).toBe(out.float)
    }
  }
})

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
      const [x, y, z] = [SeatSeconds.fromBigInt(a), SeatSeconds.fromBigInt(b), SeatSeconds.fromBigInt(c)]
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
