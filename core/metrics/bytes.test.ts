import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ByteStore,
  commonLength,
  equalBytes,
  indexOfNewline,
  textOf,
  setLabel,
  StringTable,
  unescapeHelp,
  unescapeLabel,
} from './bytes.ts'

/** Bytes that differ rarely, and in the high bit. */
const bytes = fc.uint8Array({ max: 255, maxLength: 40 })
const few = fc
  .array(fc.constantFrom(0x0a, 0x0b, 0x8a, 0x00, 0x80, 0x61), { maxLength: 40 })
  .map((all) => Uint8Array.from(all))

describe('bytes', () => {
  it('are equal as their items are', () => {
    fc.assert(
      fc.property(few, fc.nat(), fc.nat(), fc.nat(), (all, a, b, most) => {
        const { view } = textOf(all)
        const at = a % (all.length + 1)
        const from = b % (all.length + 1)
        const length = most % (all.length - Math.max(at, from) + 1)
        const same = all.slice(at, at + length).every((byte, i) => byte === all[from + i])
        expect(equalBytes(view, at, view, from, length)).toBe(same)
      }),
      { numRuns: 2000 },
    )
  })

  it('have a common length', () => {
    fc.assert(
      fc.property(few, fc.nat(), fc.nat(), (all, a, most) => {
        const at = a % (all.length + 1)
        const end = Math.min(most % 50, all.length)
        let expected = 0
        while (expected < end && at + expected < all.length && all[at + expected] === all[expected]) expected++
        expect(commonLength(textOf(all).view, at, 0, end)).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })

  it('are searched for line feeds', () => {
    fc.assert(
      fc.property(fc.oneof(few, bytes), fc.nat(), (all, from) => {
        const text = textOf(Uint8Array.of(...all, 0x0a))
        const at = from % (all.length + 1)
        expect(indexOfNewline(text, at, text.bytes.length)).toBe(text.bytes.indexOf(0x0a, at))
      }),
      { numRuns: 2000 },
    )
  })

  it('are read from where the view of a larger buffer begins', () => {
    const { view } = textOf(Uint8Array.of(1, 2, 3, 4, 5).subarray(2, 4))
    expect([view.byteLength, view.getUint8(0)]).toEqual([2, 3])
  })
})

describe('ByteStore', () => {
  it('holds what was added to it', () => {
    fc.assert(
      fc.property(fc.array(bytes), (pieces) => {
        const store = new ByteStore()
        for (const piece of pieces) store.append(piece)
        const expected = pieces.flatMap((piece) => [...piece])
        expect(store.length).toBe(expected.length)
        expect(expected.map((_, i) => store.view.getUint8(i))).toEqual(expected)
        const half = Math.floor(expected.length / 2)
        expect([...new Uint8Array(store.head(half).view.buffer)]).toEqual(expected.slice(0, half))
      }),
    )
  })
})

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
    // With a factor of 31, "Aa" and "BB" have the same hash, and so do all equally long sequences of the two.
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
