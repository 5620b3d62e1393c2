import { expect, test } from 'vitest'
import { filesOf, textOf } from './sources.ts'

const TESTS = filesOf('{core,main,renderer,test}/**/*.{test,spec}.{ts,tsx}')
  .map((file) => textOf(file))
  .join('\n')
const [, FAULTS = ''] = textOf('docs/screens.md').split('## Faults')

interface Row {
  readonly fault: number
  /** Titles of tests, as the source has them. */
  readonly titles: readonly string[]
}
const ROWS = Array.from(FAULTS.matchAll(/^\| (\d+) +\|[^|]*\|([^|]*)\|$/gm), ([, fault, held = '']): Row => {
  return { fault: Number(fault), titles: Array.from(held.matchAll(/`([^`]+)`/g), ([, title = '']) => title) }
})

test('each of the 46 faults of the first judgement has a row', () => {
  expect(ROWS.map(({ fault }) => fault)).toEqual(Array.from({ length: 46 }, (_, i) => i + 1))
})

test('every fault has a test, and every test that is named for one is there', () => {
  expect(ROWS.filter(({ titles }) => titles.length === 0)).toEqual([])
  const isTest = (title: string): boolean =>
    ["'", '"', '`'].some((quote) => TESTS.includes(`${quote}${title}${quote},`))
  expect(ROWS.flatMap(({ titles }) => titles.filter((title) => !isTest(title)))).toEqual([])
})
