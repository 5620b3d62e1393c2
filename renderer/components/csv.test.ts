import { describe, expect, it } from 'vitest'
import { cellText, chartCsv, exportName } from './csv.ts'

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

  it('of a run are exported with the seconds since its start', () => {
    expect(chartCsv({ columns: ['Time', 'Seats'], rows: [[12_500, 3]], times: true })).toBe(
      'Time (s),Seats\r\n12.5,3\r\n',
    )
    expect(chartCsv({ columns: ['Level'], rows: [['system']] }, 0)).toBe('Sample (s),Level\r\n0,system\r\n')
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
