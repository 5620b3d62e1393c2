import { describe, expect, it } from 'vitest'
import { textOf } from './bytes.ts'
import { setLabel, StringTable, unescapeHelp, unescapeLabel } from './labels.ts'

const textFrom = (text: string): ReturnType<typeof textOf> => textOf(new TextEncoder().encode(text))

function read(table: StringTable, written: string): string | undefined {
  const text = textFrom(written)
  return table.read(text, 0, text.bytes.length)
}

describe('escapes', () => {
  it.each([
    ['a\\\\b', 'a\\b', 'a\\b'],
    ['a\\nb', 'a\nb', 'a\nb'],
    ['a\\"b', 'a"b', 'a\\"b'],
    ['a\\\\nb', 'a\\nb', 'a\\nb'],
    ['a\\tb\\', 'a\\tb\\', 'a\\tb\\'],
  ])('of %s', (written, label, help) => {
    expect(unescapeLabel(written)).toBe(label)
    expect(unescapeHelp(written)).toBe(help)
  })
})

describe('StringTable', () => {
  it('tells strings apart that have the same hash', () => {
    // With a factor of 31, "Aa" and "BB" have the same hash, and so has any sequence of them of one length.
    const strings = Array.from({ length: 1024 }, (_, bits) =>
      Array.from({ length: 10 }, (_unused, bit) => ((bits >> bit) & 1 ? 'Aa' : 'BB')).join(''),
    )
    const table = new StringTable()
    for (let time = 0; time < 2; time++) expect(strings.map((string) => read(table, string))).toEqual(strings)
  })

  it('holds many strings, and starts again when they are too many bytes', () => {
    const table = new StringTable()
    const strings = Array.from({ length: 20_000 }, (_, i) => `${i}${'x'.repeat(300)}`)
    for (let time = 0; time < 2; time++) expect(strings.map((string) => read(table, string))).toEqual(strings)
  })

  it('gives the empty string, resolves escapes and refuses what is not UTF-8', () => {
    const table = new StringTable()
    expect(read(table, '')).toBe('')
    expect(read(table, 'a\\nb')).toBe('a\nb')
    expect(table.read(textOf(Uint8Array.of(0xc3, 0x28)), 0, 2)).toBeUndefined()
    expect(table.read(textOf(Uint8Array.of(0xef, 0xbb, 0xbf)), 0, 3)).toBe('\ufeff')
  })
})

describe('setLabel', () => {
  it('sets own properties only', () => {
    const labels: Record<string, string> = {}
    setLabel(labels, '__proto__', 'x')
    setLabel(labels, 'level', 'y')
    expect(Object.entries(labels)).toEqual([
      ['__proto__', 'x'],
      ['level', 'y'],
    ])
    expect(Object.getPrototypeOf(labels)).toBe(Object.prototype)
  })
})
