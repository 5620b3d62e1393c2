import { expect, test } from 'vitest'
import { keyBars } from './keyAxis.ts'

const rule = (name: string, document: Record<string, string[] | { key: string; rangeEnd: string }[]>) => ({
  name,
  document,
})

test('bars stand in the order of bytes, half-open, and say whether they meet the request', () => {
  const bars = keyBars({ key: '/registry/pods/', prefix: true }, [
    rule('pods', { prefixPaths: ['/registry/pods/'] }),
    rule('events', { prefixPaths: ['/registry/events/'] }),
    rule('rest', { ranges: [{ key: '/registry/pods0', rangeEnd: '\\x00' }] }),
    rule('no keys', { ops: ['Put'] }),
  ])
  expect(bars.map(({ name, text, meets }) => [name, text, meets])).toEqual([
    ['request', '[/registry/pods/, /registry/pods0)', undefined],
    ['pods', '[/registry/pods/, /registry/pods0)', true],
    ['events', '[/registry/events/, /registry/events0)', false],
    ['rest', '[/registry/pods0, ∞)', false],
  ])
  expect(bars.map(({ from, to }) => [from, to])).toEqual([
    [0.5, 0.75],
    [0.5, 0.75],
    [0, 0.25],
    [0.75, 1],
  ])
})

test('a single key is a bar too, and no more than twelve selectors are drawn', () => {
  const many = Array.from({ length: 50 }, (_, index) => `/p${index}/`)
  const bars = keyBars({ key: '/a', prefix: false }, [rule('many', { prefixPaths: many })])
  expect(bars).toHaveLength(13)
  expect(bars[0]).toMatchObject({ text: '[/a, /a\\x00)', from: 0 })
})
