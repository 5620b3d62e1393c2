import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyChanges, changesBetween } from './pageChanges.ts'

const number = fc.oneof(fc.integer(), fc.double(), fc.maxSafeNat()).map(String)
const page = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 30 }), number), { selector: ([key]) => key })
  .map((lines) => lines.toSorted(([a], [b]) => a - b).map(([key, value]) => `m{i="${key} x"} ${value}`))
const withComments = page.map((lines) => ['# TYPE m counter', ...lines, ''].join('\n'))

const values = (text: string): unknown[] =>
  text
    .split('\n')
    .map((line) =>
      line.startsWith('m')
        ? [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]
        : line,
    )

describe('page changes', () => {
  it('make the second page of the first, number by number', () => {
    fc.assert(
      fc.property(withComments, withComments, (before, now) => {
        const changes = changesBetween(before, now)
        expect(values(applyChanges(before, changes ?? 'lines changed places'))).toEqual(values(now))
      }),
    )
  })
  it('say what a counter grew by, and nothing of what stayed', () => {
    expect(changesBetween('# TYPE m counter\na 1\nb 4.5\nc 7\n', '# TYPE m counter\na 3\nb 4.75\nc 7\nd 1\n')).toBe(
      '\n2\n=4.75\n\n+d 1\n',
    )
  })
  it('keep integers that the server wrote with an exponent', () => {
    expect(applyChanges('a 1.5e+10', changesBetween('a 1.5e+10', 'a 1.5000000007e+10') ?? '')).toBe('a 15000000007')
  })
  it('are whole values where the difference is too large to be exact', () => {
    const [before, now] = ['m 9007199254740971', 'm -682815456']
    expect(applyChanges(before, changesBetween(before, now) ?? '')).toBe(now)
  })
  it('are not offered when lines changed places', () => {
    expect(changesBetween('a 1\nb 1', 'b 1\na 1')).toBeUndefined()
  })
})
