import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonValues } from './engine.ts'

const cut = (...pieces: readonly string[]): unknown[] => {
  const values = new JsonValues()
  return [...pieces.flatMap((piece) => values.push(piece)), ...values.end()].map((text) => JSON.parse(text) as unknown)
}

test('a value is told as soon as it is complete', () => {
  const values = new JsonValues()
  expect(values.push(' {"a": [1')).toEqual([])
  expect(values.push(', "}"]}{"b"')).toEqual(['{"a": [1, "}"]}'])
  expect(values.push(':2}')).toEqual(['{"b":2}'])
  expect(values.push('\nnull')).toEqual([])
  expect(values.end()).toEqual(['null'])
})

test('what is no value is left to the reader', () => {
  const values = new JsonValues()
  expect(values.push(']')).toEqual([']'])
  expect(values.push('{"a":')).toEqual([])
  expect(values.end()).toEqual(['{"a":\n'])
})

test('values come out as they went in, however they are laid out and cut', () => {
  const json = fc.jsonValue()
  fc.assert(
    fc.property(fc.array(json), fc.constantFrom(undefined, 1), fc.array(fc.nat(200)), (given, indent, places) => {
      const all = given.map((value) => JSON.stringify(value, undefined, indent)).join('\n')
      const cuts = [0, ...places.map((place) => Math.min(place, all.length)).toSorted((a, b) => a - b), all.length]
      const pieces = cuts.map((from, i) => all.slice(from, cuts[i + 1] ?? all.length))
      expect(cut(...pieces)).toEqual(given.map((value) => JSON.parse(JSON.stringify(value)) as unknown))
    }),
  )
})
