import { expect, test } from 'vitest'
import { scrapesIn } from './scrapes.ts'

test('a text with times is told apart by instant and target', () => {
  const text = `# HELP a b
# TYPE a counter
a{instance="y:1",job="k",x="1"} 3 2000
a{x="1",job="k",instance="y:1"} 1 1000
a{instance="z\\"}:1"} 2 1000
b 7 1000
not a sample
a 1 99999999999999999999
`
  const type = '# TYPE a counter\n'
  expect(scrapesIn(text)).toEqual([
    { instance: 'y:1', at: 1_000, text: `${type}a{x="1"} 1\n` },
    { instance: 'z\\"}:1', at: 1_000, text: `${type}a 2\n` },
    { instance: '', at: 1_000, text: `${type}b 7\n` },
    { instance: 'y:1', at: 2_000, text: `${type}a{x="1"} 3\n` },
  ])
})

test('the marks of series that ended are no samples, and a failed scrape is none', () => {
  const text =
    'a{instance="y"} 1 1000\nb{instance="y"} 2 1000\na{instance="y"} 3 2000\nb{instance="y"} NaN 2000\na{instance="y"} NaN 3000\n'
  expect(scrapesIn(text)).toEqual([
    { instance: 'y', at: 1_000, text: 'a 1\nb 2\n' },
    { instance: 'y', at: 2_000, text: 'a 3\n' },
  ])
})

test('OpenMetrics counts seconds, of which Prometheus cuts fractions of a millisecond off', () => {
  expect(scrapesIn('a 1 1000.25\na 2 1520879607.9678\n# EOF\n')?.map(({ at }) => at)).toEqual([
    1_000_250, 1_520_879_607_967,
  ])
})

test('a page whose times are no dates is one page', () => {
  expect(scrapesIn('a 1 9223372036854775807\nb 2 9223372036854775807\n')).toBeUndefined()
})

test('one instant of one server has its time, and a line that is cut stays', () => {
  const text = 'a 1\nb 2\n'
  expect(scrapesIn('a 1 1000\nb 2 1000\n')).toEqual([{ instance: '', at: 1_000, text }])
  expect(scrapesIn('a 1 1000\nb 2 1000\nc{d="')).toEqual([{ instance: '', at: 1_000, text: `${text}c{d="\n` }])
})

test.each(['a 1\nb 2\n', '# only\n', '', 'a{le="1"} 2\n'])('%j is one page', (text) => {
  expect(scrapesIn(text)).toBeUndefined()
})
