import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyChange, changeBetween, type Change, type Data } from './changes.ts'

const data: fc.Arbitrary<Data> = fc.letrec<{ data: Data }>((tie) => ({
  data: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ maxLength: 3 }),
    fc.integer({ min: -5, max: 50 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('data'), { maxLength: 5 }),
    fc.array(fc.integer(), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'from', '0', '__proto__', 'toString'), tie('data')),
  ),
})).data

/** The value after it was stored and read back. */
const stored = <T extends Data | Change>(value: T): T => JSON.parse(JSON.stringify(value))

describe('changes between data', () => {
  test('make the second of the first, exactly, also after they were stored', () => {
    fc.assert(
      fc.property(fc.option(data, { nil: undefined }), data, (before, now) => {
        const [from, to] = [before === undefined ? before : stored(before), stored(now)]
        expect(applyChange(from, stored(changeBetween(from, to)))).toStrictEqual(to)
      }),
      { numRuns: 2_000 },
    )
  })

  test('are nothing where nothing changed', () => {
    fc.assert(
      fc.property(data, (one) => {
        expect(changeBetween(one, structuredClone(one))).toEqual({})
      }),
    )
  })

  test('say what an integer grew by, whatever else is new, and what is gone', () => {
    const before = { counts: [1, 5, 9, 9], levels: ['a', { b: 1 }], rows: [1], name: 'a', half: 0.5, old: 1 }
    const now = { counts: [1, 6, 11, 11], levels: ['a', { b: 3 }], rows: [], name: 'b', half: 1.5 }
    expect(changeBetween(before, now)).toEqual({
      old: [],
      counts: { from: { 1: 1, 2: 1 } },
      levels: { 1: { b: 2 } },
      rows: [[]],
      name: ['b'],
      half: [1.5],
    })
  })

  test.each<[string, Data, Data]>([
    ['a number added to a text', 'a', 1],
    ['members of a number', 1, { a: [1] }],
    ['a list with a hole', [1], { 0: [] }],
    ['a text added to numbers', [1], { from: { 0: 'a' } }],
    ['steps through texts', ['a'], { from: { 0: 1 } }],
  ])('that no data has are refused: %s', (_, before, change) => {
    expect(() => applyChange(before, change)).toThrow(RangeError)
  })

  test('of damaged text end in a RangeError or in data', () => {
    fc.assert(
      fc.property(data, fc.jsonValue(), (before, change) => {
        try {
          applyChange(before, change)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }),
    )
  })
})
