import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contains, glob } from './glob.ts'

/** Whether a pattern covers a text, by a table of all their beginnings. */
function covers(pattern: string, text: string): boolean {
  let row = [true, ...Array.from(text, () => false)]
  for (const symbol of pattern) {
    const next = [symbol === '*' && row[0] === true]
    for (let i = 0; i < text.length; i++)
      next.push(symbol === '*' ? row[i + 1] === true || next[i] === true : row[i] === true && text[i] === symbol)
    row = next
  }
  return row[text.length] === true
}

const few = (letters: string) => fc.string({ unit: fc.constantFrom(...letters.split('')), maxLength: 12 })

it('a pattern covers what a table of all beginnings says', () => {
  fc.assert(
    fc.property(few('ab*'), few('ab'), (pattern, text) => {
      expect(glob(pattern)(text)).toBe(covers(pattern, text))
    }),
    { numRuns: 5_000 },
  )
})

it('a text contains what the language itself finds', () => {
  fc.assert(
    fc.property(few('ab'), few('ab'), (part, text) => {
      expect(contains(part)(text)).toBe(text.includes(part))
    }),
    { numRuns: 2_000 },
  )
})

it.each([
  ['a.c', 'abc', false],
  ['a.*', 'a.\n', true],
  ['(*)', '(x)', true],
  ['*a', 'a', true],
  ['a*a', 'a', false],
  ['**', '', true],
])('%s against %j: %s', (pattern, text, expected) => expect(glob(pattern)(text)).toBe(expected))
