import { expect, it } from 'vitest'
import { isOctal, resolvePlain } from './syntax.ts'

// How `kubectl create --dry-run=server` of v1.36.3 interpreted each word.
it.each([
  ['on', true],
  ['y', true],
  ['No', false],
  ['yEs', 'yEs'],
  ['~', null],
  ['Null', null],
  ['', null],
  ['123', 123],
  ['+700', 700],
  ['-7', -7],
  ['0700', 448],
  ['-0o7', -7],
  ['0o1274', 700],
  ['08', 8],
  ['0b1010', 10],
  ['-0b1', -1],
  ['0b12', '0b12'],
  ['0x2bc', 700],
  ['0X1F', 31],
  ['0x_1g', '0x_1g'],
  ['0x1p4', '0x1p4'],
  ['7_00', 700],
  ['1__0', 10],
  ['_1', '_1'],
  ['7e2', 700],
  ['5E+3', 5000],
  ['700.0', 700],
  ['1.', 1],
  ['.5', 0.5],
  ['._5', '._5'],
  ['1e999', '1e999'],
  ['-.inf', -Infinity],
  ['1,000', '1,000'],
  ['12:30', '12:30'],
  ['2001-01-01', '2001-01-01'],
  ['=', '='],
])('reads %j as %j', (source, value) => {
  expect(resolvePlain(source)).toBe(value)
})

it('knows what looks decimal and is octal', () => {
  expect(['0700', '-07', '0_7', '0', '08', '0o7', '700'].map(isOctal)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})
