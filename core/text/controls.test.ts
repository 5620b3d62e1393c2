import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeControls, jsonText, shownLine } from './controls.ts'

/** Unicode's own word for them, beside our list. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u

describe('text for people', () => {
  it('has no control character of Unicode', () => {
    const left: string[] = []
    for (let code = 0; code <= 0xffff; code++) {
      const character = String.fromCharCode(code)
      if (CONTROLS.test(escapeControls(character))) left.push(code.toString(16))
    }
    expect(left).toEqual([])
  })

  it('keeps every other character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!CONTROLS.test(text))
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
  it('means the same and has no control character but its own newlines', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = jsonText(value, indent)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(CONTROLS.test(text.replaceAll('\n', ''))).toBe(false)
        expect(indent === undefined && text.includes('\n')).toBe(false)
      }),
    )
  })

  it('escapes what JSON itself leaves', () => {
    expect(jsonText('\u0085\u2028\u202e\u007f')).toBe(String.raw`"\u0085\u2028\u202e\u007f"`)
  })
})
