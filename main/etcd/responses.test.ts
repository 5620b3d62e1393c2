import { BinaryWriter } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ScanCount } from './responses.ts'

const range = (count: number, values: readonly string[]): Uint8Array => {
  const writer = new BinaryWriter()
  for (const value of values) writer.tag(2, 2).bytes(Buffer.from(value))
  return writer.tag(4, 0).int64(count).finish()
}
const nested = (field: number, bytes: Uint8Array): Uint8Array => new BinaryWriter().tag(field, 2).bytes(bytes).finish()
const joined = (...parts: readonly Uint8Array[]): Buffer => Buffer.concat(parts)

const count = (method: string, bytes: Uint8Array, cuts: number): number => {
  const scan = ScanCount.of(method)
  for (let at = 0; at < bytes.length; at += cuts) scan.push(bytes.subarray(at, at + cuts))
  return scan.keys
}

test('the count of a Range is read wherever its bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 2 ** 31 }),
      fc.array(fc.string({ maxLength: 300 }), { maxLength: 5 }),
      fc.integer({ min: 1, max: 400 }),
      (keys, values, cuts) => {
        expect(count('KV/Range', range(keys, values), cuts)).toBe(keys)
      },
    ),
  )
})

test('a Txn counts its elements, nested ones too', () => {
  const element = (field: number, bytes: Uint8Array): Uint8Array => nested(3, nested(field, bytes))
  const deleted = new BinaryWriter().tag(2, 0).int64(7).finish()
  const inner = joined(element(1, range(30, ['x'])), element(2, new Uint8Array()))
  const all = joined(
    element(1, range(100, ['a', 'b'])),
    element(3, deleted),
    element(4, inner),
    element(2, nested(1, inner)),
  )
  for (let cuts = 1; cuts < 20; cuts++) expect(count('KV/Txn', all, cuts)).toBe(100 + 7 + 30 + 1 + 1)
})

test('any bytes are passed over without an end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.integer({ min: 1, max: 50 }), (bytes, cuts) => {
      expect(count('KV/Txn', bytes, cuts)).toBeGreaterThanOrEqual(0)
    }),
  )
})

test('a Put is one key, and what answers nothing about keys is none', () => {
  expect(count('KV/Put', range(9, []), 3)).toBe(1)
  expect(count('Maintenance/Status', range(9, []), 3)).toBe(0)
})
