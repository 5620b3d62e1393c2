import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numberOf, NumberScanner } from './scanTail.ts'

const scanner = new NumberScanner()
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The scanner's result for a text that ends with a line feed: the number, or `undefined`. */
function scan(text: string): number | undefined {
  if (!scanner.scan(bytesOf(`${text}\n`), 0)) return undefined
  expect(scanner.end).toBe(text.length)
  return scanner.value
}

const digits = (max: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), minLength: 1, maxLength: max })

const decimal = fc
  .tuple(
    fc.constantFrom('', '+', '-'),
    fc.oneof(
      digits(25),
      fc.tuple(digits(20), digits(25)).map(([whole, part]) => `${whole}.${part}`),
      digits(20).map((whole) => `${whole}.`),
      digits(20).map((part) => `.${part}`),
    ),
    fc.option(
      fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-', 'E+'), digits(3)).map((parts) => parts.join('')),
      {
        nil: '',
      },
    ),
  )
  .map((parts) => parts.join(''))

describe('NumberScanner', () => {
  it.each([
    ['0', 0],
    ['-0', -0],
    ['+17', 17],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740992],
    ['2.8820000000000005e-06', 2.8820000000000005e-6],
    ['1.795246123087e+09', 1795246123.087],
    ['0.1', 0.1],
    ['123456789012345678901234567890', 1.2345678901234568e29],
    ['1e22', 1e22],
    ['1e23', 1e23],
    ['1e-400', 0],
    ['0e99999999999999999999', 0],
    ['.5', 0.5],
    ['5.', 5],
    ['+Inf', Infinity],
    ['-inf', -Infinity],
    ['INFINITY', Infinity],
    ['NaN', Number.NaN],
    ['nan', Number.NaN],
  ])('reads %s', (text, value) => {
    expect(scan(text)).toBe(value)
  })

  it.each([
    '',
    '-',
    '.',
    'e5',
    '1e',
    '1e+',
    '1.2.3',
    '0x10',
    '1_000',
    '1p4',
    '+NaN',
    'Infinit',
    '1e400',
    '-1e309',
    '1,5',
  ])('refuses %j', (text) => {
    expect(scan(text)).toBeUndefined()
  })

  it('ends at a blank, a carriage return, a line feed', () => {
    for (const end of [' ', '\t', '\r', '\n']) {
      expect(scanner.scan(bytesOf(`x12.5${end}7`), 1)).toBe(true)
      expect([scanner.value, scanner.end]).toEqual([12.5, 5])
    }
  })

  it('reads every decimal notation exactly as the language does', () => {
    fc.assert(
      fc.property(decimal, (text) => {
        const value = Number(text)
        expect(scan(text)).toBe(Number.isFinite(value) ? value : undefined)
      }),
      { numRuns: 5000 },
    )
  })

  it('reads back every double', () => {
    const double = fc.double({ noNaN: true, min: -1e308, max: 1e308 })
    fc.assert(
      fc.property(double, fc.integer({ min: 0, max: 20 }), (value, precision) => {
        expect(scan(String(value))).toBe(value === 0 ? 0 : value)
        expect(scan(value.toExponential(precision))).toBe(Number(value.toExponential(precision)))
      }),
      { numRuns: 5000 },
    )
  })

  it('agrees with numberOf on any text', () => {
    const near = fc.string({ unit: fc.constantFrom(...'0159.eE+-infINFatyNx_'.split('')), maxLength: 9 })
    fc.assert(
      fc.property(near, (text) => {
        expect(scan(text)).toBe(numberOf(text))
      }),
      { numRuns: 5000 },
    )
  })
})
