import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeControls, escapeLines, jsonText, shownLine, holdsWords, distance, nearest } from './text.ts'

const hasUnseen = (text: string): boolean => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)

describe('text for people', () => {
  it('has no invisible character, on one line or several', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(hasUnseen(escapeControls(text))).toBe(false)
        expect(hasUnseen(escapeLines(text).replaceAll('\n', ''))).toBe(false)
      }),
    )
  })

  // One of each range that acts on a line or is invisible in it, and the ends of the ranges.
  it.each([0, 0x1f, 0x7f, 0x9f, 0xad, 0x61c, 0x200b, 0x200d, 0x200e, 0x2028, 0x202e, 0x2066, 0x2069, 0xfeff, 0xe0041])(
    'escapes U+%x',
    (code) => {
      const character = String.fromCodePoint(code)
      expect(escapeControls(character)).toMatch(/^(?:\\u[\da-f]{4}){1,2}$/)
      expect(JSON.parse(`"${escapeControls(character)}"`)).toBe(character)
    },
  )

  it('keeps the lines of a text', () => {
    expect(escapeLines('a\r\nb\tc')).toBe(String.raw`a
b\u0009c`)
  })

  it('keeps every other character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!hasUnseen(text) && !/##\w*\[/.test(text))
        expect(escapeControls(text)).toBe(text)
      }),
    )
  })

  it.each([
    ['\u001b]52;c;cm0=\u0007', String.raw`\u001b]52;c;cm0=\u0007`],
    ['a\r\nb\tc', String.raw`a\u000d\u000ab\u0009c`],
    ['::add-mask::x', String.raw`\u003a:add-mask::x`],
    ['  ::error::x', String.raw`  \u003a:error::x`],
    ['a.yaml:1:1: ##[error]x', String.raw`a.yaml:1:1: \u0023#[error]x`],
    ['##vso[task.setvariable variable=a]b', String.raw`\u0023#vso[task.setvariable variable=a]b`],
    ['system::node # ## [a]', 'system::node # ## [a]'],
  ])('%j is shown as %s', (text, shown) => expect(shownLine(text)).toBe(shown))
})

describe('JSON', () => {
  it('means the same and has no invisible character except its own newlines', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = jsonText(value, indent)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(hasUnseen(text.replaceAll('\n', ''))).toBe(false)
        expect(indent === undefined && text.includes('\n')).toBe(false)
      }),
    )
  })

  it('escapes what JSON itself leaves', () => {
    expect(jsonText('\u0085\u2028\u202e\u007f')).toBe(String.raw`"\u0085\u2028\u202e\u007f"`)
  })
})

describe('nearest', () => {
  it('finds the intended word', () => {
    expect(nearest('kubconfig', ['kubeconfig', 'context'])).toBe('kubeconfig')
    expect(nearest('snaphsot', ['snapshot', 'watch', 'web'])).toBe('snapshot')
  })
  it('suggests nothing when nothing is close', () => {
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

describe('words of a query', () => {
  it('a text matches the words of a query in any case and order', () => {
    expect(holdsWords('pods  ALICE ')('alice LIST pods')).toBe(true)
    expect(holdsWords('pods bob')('alice LIST pods')).toBe(false)
    expect(holdsWords(' ')('')).toBe(true)
  })

  it('a text matches each part of itself', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme-ascii' })), fc.nat(), (words, at) => {
        expect(holdsWords(words[at % (words.length + 1)] ?? '')(words.join(' '))).toBe(true)
      }),
    )
  })
})
