import { describe, expect, it } from 'vitest'
import { compareValues, nextSorting, sortedRows, tableCsv } from './dataColumns.ts'

describe('sorting', () => {
  it('starts numbers with the largest and text with A, and ends with the given order', () => {
    const numeric = nextSorting(undefined, 'n', true)
    expect(numeric).toEqual({ column: 'n', descending: true })
    expect(nextSorting(numeric, 'n', true)).toEqual({ column: 'n', descending: false })
    expect(nextSorting({ column: 'n', descending: false }, 'n', true)).toBeUndefined()
    expect(nextSorting(numeric, 'text', false)).toEqual({ column: 'text', descending: false })
  })

  it('compares numbers as numbers, also inside text', () => {
    expect(compareValues(10, 9)).toBeGreaterThan(0)
    expect(compareValues('q10', 'q9')).toBeGreaterThan(0)
  })

  it('keeps the given order among equals and puts unknown values last in either direction', () => {
    const columns = [
      { id: 'n', header: 'N', value: (row: { n?: number; name: string }) => row.n },
      { id: 'name', header: 'Name', value: (row: { name: string }) => row.name, sortable: false },
    ]
    const rows = [{ name: 'a', n: 1 }, { name: 'b' }, { name: 'c', n: 2 }, { name: 'd', n: 1 }, { name: 'e' }]
    const order = (column: string, descending: boolean): string =>
      sortedRows(columns, rows, { column, descending })
        .map(({ name }) => name)
        .join('')
    expect(order('n', false)).toBe('adcbe')
    expect(order('n', true)).toBe('cadbe')
    expect(order('name', true)).toBe('abcde')
    expect(order('gone', true)).toBe('abcde')
    expect(sortedRows(columns, rows, undefined)).toBe(rows)
  })
})

it('exports the columns that have values', () => {
  const columns = [
    { id: 'a', header: 'A', value: (row: { a: number }) => row.a },
    { id: 'b', header: 'B', cell: () => 'drawn' },
  ]
  expect(tableCsv(columns, [{ a: 1 }, { a: 2 }])).toBe('A\r\n1\r\n2\r\n')
})
