import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distance, nearest } from './nearest.ts'

describe('nearest', () => {
  it('finds the word that was meant', () => {
    expect(nearest('kubconfig', ['kubeconfig', 'context'])).toBe('kubeconfig')
    expect(nearest('snaphsot', ['snapshot', 'watch', 'web'])).toBe('snapshot')
  })
  it('guesses nothing when nothing is near', () => {
    expect(nearest('frobnicate', ['kubeconfig', 'context'])).toBeUndefined()
    expect(nearest('', [])).toBeUndefined()
  })
})

describe('distance', () => {
  const word = fc.string({ maxLength: 8 })
  it('is a metric', () => {
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(distance(a, b) === 0).toBe(a === b)
        expect(distance(a, b)).toBe(distance(b, a))
        expect(distance(a, c)).toBeLessThanOrEqual(distance(a, b) + distance(b, c))
      }),
    )
  })
})
