import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bytesOf,
  type Interval,
  isEmpty,
  keyInterval,
  overlap,
  prefixInterval,
  segmentsOf,
  successor,
  textOf,
  within,
} from './keys.ts'

const LETTERS = ['\0', 'a', '\xfe', '\xff']
const upTo = (length: number): readonly string[] =>
  length === 0 ? [''] : ['', ...upTo(length - 1).flatMap((rest) => LETTERS.map((letter) => letter + rest))]
const KEYS = [...new Set(upTo(3))]
const holds = ({ lo, hi }: Interval, key: string): boolean => lo <= key && (hi === undefined || key < hi)

describe('intervals of keys (QoS specification 3)', () => {
  it('of a prefix hold exactly the keys that begin with it', () => {
    expect(KEYS).toHaveLength(85)
    for (const prefix of KEYS) {
      const interval = prefixInterval(prefix)
      expect(KEYS.filter((key) => holds(interval, key))).toEqual(KEYS.filter((key) => key.startsWith(prefix)))
    }
    expect(successor('a\xff\xff')).toBe('b')
    expect(successor('\xff\xff')).toBeUndefined()
    expect(prefixInterval('')).toEqual({ lo: '' })
  })

  it('of a request hold what etcd reads', () => {
    for (const key of KEYS) {
      expect(KEYS.filter((other) => holds(keyInterval(key), other))).toEqual([key])
      const after = keyInterval(key, '\0')
      expect(KEYS.filter((other) => holds(after, other))).toEqual(KEYS.filter((other) => other >= key))
    }
    expect(isEmpty(keyInterval('b', 'a'))).toBe(true)
    expect(isEmpty(keyInterval('b', 'b'))).toBe(true)
    expect(isEmpty(keyInterval('b', 'c'))).toBe(false)
  })

  it('overlap and lie within as sets of keys do', () => {
    // Bounds of two bytes, members of three: a non-empty range between two bounds has a member.
    const bounds = upTo(2).slice(0, 21)
    const intervals: Interval[] = bounds.flatMap((lo) => [{ lo }, ...bounds.map((hi) => ({ lo, hi }))])
    const members = intervals.map((interval) => KEYS.filter((key) => holds(interval, key)))
    const wrong: string[] = []
    for (const [i, a] of intervals.entries()) {
      for (const [j, b] of intervals.entries()) {
        const [inA, inB] = [members[i] ?? [], new Set(members[j])]
        if (overlap(a, b) !== inA.some((key) => inB.has(key))) wrong.push(`overlap of ${JSON.stringify([a, b])}`)
        const subset = inA.length > 0 && inA.every((key) => inB.has(key))
        // An interval without an end has keys above all of these.
        const endless = a.hi === undefined && b.hi !== undefined
        if (within(a, b) !== (subset && !endless)) wrong.push(`within of ${JSON.stringify([a, b])}`)
      }
    }
    expect(wrong).toEqual([])
  })

  // The key-overlap table (QoS specification 11).
  it.each([
    ['/foo/', 'prefix', '/foo/bar/', true],
    ['/foo/bar/', 'prefix', '/foo/', true],
    ['/foo/x', 'key', '/foo/bar/', false],
    ['/foo/a', '/foo/c', '/foo/bar/', true],
    ['/foo/a', '/foo/bar/', '/foo/bar/', false],
    ['/z', '\0', '/foo/', false],
    ['/a', '\0', '/foo/', true],
  ])('%s (%s) and the rule of %s meet: %s', (key, reach, prefix, meets) => {
    const asked = reach === 'prefix' ? prefixInterval(key) : keyInterval(key, reach === 'key' ? '' : reach)
    expect(overlap(asked, prefixInterval(prefix))).toBe(meets)
  })
})

describe('segments of a key', () => {
  it.each([
    ['/registry/pods/ns/x', 2, '/registry/pods'],
    ['registry/pods/ns/x', 2, 'registry/pods'],
    ['/registry/pods/', 2, '/registry/pods'],
    ['/registry', 2, '/registry'],
    ['', 1, ''],
    ['/a//b', 2, '/a/'],
  ])('of %s, %d: %s', (key, count, expected) => expect(segmentsOf(key, count)).toBe(expected))
})

describe('keys as text', () => {
  it('are UTF-8 with escapes for everything else', () => {
    expect(bytesOf('/a')).toBe('/a')
    expect(bytesOf('é')).toBe('\xc3\xa9')
    expect(bytesOf(String.raw`\xff\x00\\x`)).toBe('\xff\0\\x')
    expect(textOf('\xc3\xa9\0')).toBe(String.raw`é\x00`)
    expect(textOf('\xff\\')).toBe(String.raw`\xff\\`)
  })

  it('come back as the same bytes, and texts without a backslash as the same text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (array) => {
        const bytes = String.fromCharCode(...array)
        expect(bytesOf(textOf(bytes))).toBe(bytes)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('\\'))
        expect(bytesOf(text)).toBe(Buffer.from(text, 'utf8').toString('latin1'))
        expect(bytesOf(textOf(bytesOf(text)))).toBe(bytesOf(text))
      }),
    )
  })
})
