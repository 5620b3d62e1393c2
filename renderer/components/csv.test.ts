import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toCsv, cellText, chartCsv, exportName } from './csv.ts'

describe('CSV', () => {
  it('quotes what needs it and leaves unknown values empty', () => {
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

  it('makes text harmless that a spreadsheet would run, and leaves numbers alone', () => {
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

  it('keeps one line a row when nothing breaks lines', () => {
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

describe('the numbers behind a chart', () => {
  it('are exported all, with date and zone', () => {
    const rows = Array.from({ length: 500 }, (_, index) => [Date.UTC(2026, 10, 21, 3, 0, index), index / 3])
    const lines = chartCsv({ columns: ['Time', 'Seats'], rows, times: true })
      .trimEnd()
      .split('\r\n')
    expect(lines).toHaveLength(501)
    expect(lines.slice(0, 3)).toEqual([
      'Time (UTC),Seats',
      '2026-11-21T03:00:00.000Z,0',
      `2026-11-21T03:00:01.000Z,${1 / 3}`,
    ])
  })

  it('are exported with the time of their sample where they are of one instant', () => {
    const table = { columns: ['Level', 'Seats'], rows: [['system', 5]] }
    expect(chartCsv(table, Date.UTC(2026, 10, 21, 3, 0, 0))).toBe(
      'Sample (UTC),Level,Seats\r\n2026-11-21T03:00:00.000Z,system,5\r\n',
    )
    expect(chartCsv(table)).toBe('Level,Seats\r\nsystem,5\r\n')
  })

  it.each([
    [159.128_107_472_400_22, '159'],
    [12.345_678, '12.3'],
    [0.123_456_789, '0.123'],
    [0.000_012_3, '1.2e-5'],
    [10_087, '10 087'],
    [0, '0'],
    ['a', 'a'],
    [undefined, '–'],
  ])('%s is shown as %s', (value, text) => {
    expect(cellText(value)).toBe(text.replace(' ', '\u202f'))
  })

  it('have a file name of their own that every system takes', () => {
    expect(exportName('seats-work/load\n..low', Date.UTC(2026, 10, 21, 3, 4, 5))).toBe(
      'seats-work_load_..low-2026-11-21T03-04-05Z',
    )
  })
})
