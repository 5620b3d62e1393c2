import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { flowHash, hashToBigInt } from './match.ts'

/** Specification 2.7, word by word. */
const plainly = (name: string, distinguisher: string): bigint =>
  new DataView(sha256(utf8ToBytes(`${name}\0${distinguisher}`)).buffer).getBigUint64(0, true)

const hash = (name: string, distinguisher: string): bigint => hashToBigInt(flowHash(name, distinguisher))

test.each([
  ['global-default', 'alice', 17644606172554983095n],
  ['service-accounts', 'system:serviceaccount:default:builder', 6620097910960460477n],
  ['catch-all', '', 7733929212674924205n],
])('the flow %s/%s has the hash that upstream computes', (name, distinguisher, expected) => {
  expect(hash(name, distinguisher)).toBe(expected)
})

test('the hash of any text is the start of its SHA-256', () => {
  const text = (unit: 'grapheme' | 'binary' | 'binary-ascii') => fc.string({ unit, maxLength: 400 })
  // Among `binary` are lone surrogates, which UTF-8 replaces.
  const any = fc.oneof(text('binary-ascii'), text('binary'), text('grapheme'))
  fc.assert(
    fc.property(fc.oneof(fc.constant('service-accounts'), any), any, (name, distinguisher) => {
      expect(hash(name, distinguisher)).toBe(plainly(name, distinguisher))
    }),
    { numRuns: 2000 },
  )
})
