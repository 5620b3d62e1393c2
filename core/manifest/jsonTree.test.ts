import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson } from './jsonTree.ts'
import { jsonOf } from './tree.ts'

const valuesOf = (text: string): readonly unknown[] =>
  readJson(text).map(({ tree, problems }) => (tree === undefined ? problems[0]?.message : jsonOf(tree)))

describe('readJson', () => {
  it('reads any JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(
        fc.json({ noUnicodeString: false, maxDepth: 3 }),
        fc.constantFrom(undefined, 2, '\t'),
        (json, space) => {
          const value: unknown = JSON.parse(json)
          const text = JSON.stringify(value, undefined, space)
          expect(valuesOf(text)).toEqual([JSON.parse(text)])
        },
      ),
    )
  })

  it('accepts what JSON.parse accepts, and nothing else', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      '01',
      '1e5',
      '.',
      'true',
      'nul',
      ' ',
      '\n',
      '\u0001',
    )
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        const text = pieces.join('')
        let parsed: { readonly value: unknown } | undefined
        try {
          parsed = { value: JSON.parse(text) }
        } catch {
          parsed = undefined
        }
        const documents = readJson(text)
        const [first, second] = documents
        const read = second === undefined && first?.tree !== undefined ? { value: jsonOf(first.tree) } : undefined
        // Several consecutive values are not valid JSON text.
        if (parsed !== undefined || documents.length === 1) expect(read).toEqual(parsed)
      }),
      { numRuns: 3_000 },
    )
  })

  it('reads one value after another, and stops at the first error', () => {
    expect(valuesOf('{"a": 1}\n[2] "x"')).toEqual([{ a: 1 }, [2], 'x'])
    expect(valuesOf('\uFEFF{}')).toEqual([{}])
    expect(valuesOf('')).toEqual([])
    expect(valuesOf('1 {"a" 2} 3')).toEqual([
      1,
      'This is not valid JSON: there is “2” where a colon after “a” should be.',
    ])
    expect(valuesOf('[1,')).toEqual(['This is not valid JSON: the text ends where a value should be.'])
    expect(valuesOf('{"a": "x\n"}')).toEqual([expect.stringMatching(/^This string does not end/)])
  })

  it('tells keys that stand twice', () => {
    const [document] = readJson('{"a": {"b": 1, "c": 2, "b": 3}}')
    expect(document?.tree && jsonOf(document.tree)).toEqual({ a: { b: 3, c: 2 } })
    expect(document?.problems).toMatchObject([
      { path: ['a', 'b'], reason: 'FieldValueDuplicate', at: { from: 23, to: 26 } },
    ])
  })

  it('survives depth, length and a key like __proto__', () => {
    expect(valuesOf('['.repeat(100_000))).toEqual(['Values are nested more than 100 deep.'])
    expect(valuesOf(`"${'é'.repeat(3_000_000)}"`)[0]).toHaveLength(3_000_000)
    expect(valuesOf('{"__proto__": {"x": 1}}').map((value) => JSON.stringify(value))).toEqual(['{"__proto__":{"x":1}}'])
  })
})
