import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shortNames } from './SeveralServers.tsx'

const of = (...ids: string[]) => [...shortNames(ids).values()]

test('what all names share is left out', () => {
  expect(of('apiserver-a:6443', 'apiserver-b:6443')).toEqual(['a', 'b'])
  expect(of('10.0.0.1:6443', '10.0.0.12:6443')).toEqual(['10.0.0.1:6443', '10.0.0.12:6443'])
  expect(of('one:1', 'two:2')).toEqual(['one:1', 'two:2'])
  expect(of('alone')).toEqual(['alone'])
  expect(of()).toEqual([])
})

test('different names stay different', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { maxLength: 6 }), (ids) => {
      expect(new Set(shortNames(ids).values()).size).toBe(ids.length)
    }),
  )
})
