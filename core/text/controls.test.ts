import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeControls, jsonText, shownLine } from './controls.ts'

/** C0, DEL and C1, marks of direction, separators of lines and paragraphs: first and last code of each range. */
const RANGES = [
  [0, 0x1f],
  [0x7f, 0x9f],
  [0x61c, 0x61c],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2066, 0x2069],
] as const
const isControl = (code: number): boolean => RANGES.some(([first, last]) => code >= first && code <= last)
const hasControls = (text: string): boolean => text.split('').some((character) => isControl(character.charCodeAt(0)))

describe('text for people', () => {
  it('has no control character of Unicode', () => {
    const wrong: string[] = []
    for (let code = 0; code <= 0xffff; code++) {
      const character = String.fromCharCode(code)
      if ((escapeControls(character) !== character) !== isControl(code)) wrong.push(code.toString(16))
    }
    expect(wrong).toEqual([])
  })

  it('keeps every other character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!hasControls(text) && !/##\w*\[/.test(text))
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
        expect(hasControls(text.replaceAll('\n', ''))).toBe(false)
        expect(indent === undefined && text.includes('\n')).toBe(false)
      }),
    )
  })

  it('escapes what JSON itself leaves', () => {
    expect(jsonText('\u0085\u2028\u202e\u007f')).toBe(String.raw`"\u0085\u2028\u202e\u007f"`)
  })
})
