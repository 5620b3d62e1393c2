import { expect, test } from 'vitest'
import { filesOf, textOf } from './sources.ts'

const TESTS = filesOf('{core,main,renderer,test}/**/*.{test,spec}.{ts,tsx}')
  .map((file) => textOf(file))
  .join('\n')
const [, FAULTS = ''] = textOf('docs/screens.md').split('## Faults')

interface Row {
  readonly fault: number
  /** Titles of tests, as the source has them; empty for `—`. */
  readonly titles: readonly string[]
}
const ROWS = Array.from(FAULTS.matchAll(/^\| (\d+) +\|[^|]*\|([^|]*)\|$/gm), ([, fault, held = '']): Row => {
  return { fault: Number(fault), titles: Array.from(held.matchAll(/`([^`]+)`/g), ([, title = '']) => title) }
})

test('each of the 46 faults of the first judgement has a row', () => {
  expect(ROWS.map(({ fault }) => fault)).toEqual(Array.from({ length: 46 }, (_, i) => i + 1))
})

test('every test that is named for a fault is there', () => {
  const isTest = (title: string): boolean =>
    ["'", '"', '`'].some((quote) => TESTS.includes(`${quote}${title}${quote},`))
  expect(ROWS.flatMap(({ titles }) => titles.filter((title) => !isTest(title)))).toEqual([])
})

test('the faults without a test are those that are said to have none', () => {
  const [, said = ''] = /Without a test of its own: ([\d, ]+)\./.exec(FAULTS) ?? []
  const without = ROWS.filter(({ titles }) => titles.length === 0).map(({ fault }) => fault)
  expect(without).toEqual(said.split(', ').map(Number))
})
