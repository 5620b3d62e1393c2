import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { equals, matchersOfAll, metric, named, oneOf, selector, timestampsOf } from './promql.ts'

describe('a selector', () => {
  test('of one name and of several, with labels and a range', () => {
    expect(selector([named(['a_total'])])).toBe('{__name__="a_total"}')
    expect(selector([named(['a', 'b']), equals('job', 'x')], 90_000)).toBe('{__name__=~"a|b",job="x"}[90s]')
    expect(selector([equals('job', 'x')], 1_500)).toBe('{job="x"}[1500ms]')
    expect(timestampsOf([equals('job', 'x')])).toBe('timestamp({job="x"})')
  })

  test('takes values literally, in strings and in regular expressions', () => {
    expect(selector([equals('a', 'x"},{b="')])).toBe(String.raw`{a="x\"},{b=\""}`)
    expect(selector([equals('a', 'back\\slash\nline')])).toBe(String.raw`{a="back\\slash\nline"}`)
    expect(selector([oneOf('instance', ['10.0.0.1:6443', '[::1]:6443'])])).toBe(
      String.raw`{instance=~"10\\.0\\.0\\.1:6443|\\[::1\\]:6443"}`,
    )
    expect(selector([equals('my.label', 'x')])).toBe('{"my.label"="x"}')
  })

  test('no value ends its string early, and each alternative matches itself alone', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 4 }), (values) => {
        const text = selector([oneOf('l', values)])
        const inside = /^\{l=~"((?:[^"\\\n]|\\.)*)"\}$/s.exec(text)?.[1]
        expect(inside).toBeDefined()
        const pattern = (inside ?? '').replaceAll(String.raw`\n`, '\n').replaceAll(/\\(["\\])/g, '$1')
        for (const value of values) {
          if (!value.includes('\\n')) expect(new RegExp(`^(?:${pattern})$`, 's').test(value)).toBe(true)
        }
      }),
    )
  })
})

describe('a metric', () => {
  test('has its name before the braces, which are left out where they would be empty', () => {
    expect(metric('up', [])).toBe('up')
    expect(metric('up', [equals('job', 'x')], { rangeMs: 60_000 })).toBe('up{job="x"}[60s]')
    expect(metric('up', [], { rangeMs: 1_500, atMs: 1_700_000_000_001 })).toBe('up[1500ms] @ 1700000000.001')
  })

  test('of several servers has the labels that they share, and any of those in which they differ', () => {
    const labels = (instance: string) => [
      { label: 'cluster', value: 'prod' },
      { label: 'instance', value: instance },
    ]
    expect(selector(matchersOfAll([labels('a:1')]))).toBe('{cluster="prod",instance="a:1"}')
    expect(selector(matchersOfAll([labels('a:1'), labels('b:1')]))).toBe('{cluster="prod",instance=~"a:1|b:1"}')
    expect(matchersOfAll([])).toEqual([])
  })
})
