import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holdsWords } from './words.ts'

test('a text holds the words of a query in any case and order', () => {
  expect(holdsWords('pods  ALICE ')('alice LIST pods')).toBe(true)
  expect(holdsWords('pods bob')('alice LIST pods')).toBe(false)
  expect(holdsWords(' ')('')).toBe(true)
})

test('a text holds each part of itself', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme-ascii' })), fc.nat(), (words, at) => {
      expect(holdsWords(words[at % (words.length + 1)] ?? '')(words.join(' '))).toBe(true)
    }),
  )
})
