import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toCsv } from './csv.ts'

describe('CSV', () => {
  it('quotes where necessary and leaves unknown values empty', () => {
    expect(
      toCsv(
        ['a', 'b,c'],
        [
          ['x"y', 1.5],
          [null, undefined],
          ['line\nbreak', Number.NaN],
        ],
      ),
    ).toBe('a,"b,c"\r\n"x""y",1.5\r\n,\r\n"line\nbreak",\r\n')
  })

  it('neutralizes text that a spreadsheet would run, and leaves numbers alone', () => {
    expect(toCsv(['h'], [['=1+1'], ['@x'], ['-cmd'], ['-5'], [-5]])).toBe("h\r\n'=1+1\r\n'@x\r\n'-cmd\r\n-5\r\n-5\r\n")
  })

  it.each(['-1+cmd|/c calc', '\n=1+1', '\r=1', '\t=1', ' =1+1', '+1-1', '\u00a0@x', '－1', '-', '+'])(
    'makes %j harmless',
    (text) => {
      expect(
        toCsv(['h'], [[text]])
          .slice(3)
          .replace(/^"/, '')
          .startsWith("'"),
      ).toBe(true)
    },
  )

  it.each(['-1', '+1.5', '-1e5', '12', 'a-b', 'x=1'])('leaves %j as it is', (text) => {
    expect(toCsv(['h'], [[text]])).toBe(`h\r\n${text}\r\n`)
  })

  it('writes one line for each row when no text has line breaks', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[^\r\n]*$/)), (values) => {
        expect(
          toCsv(
            ['h'],
            values.map((value) => [value]),
          ).split('\r\n'),
        ).toHaveLength(values.length + 2)
      }),
    )
  })
})
