import { describe, expect, it } from 'vitest'
import { compareValues, nextSorting, tableCsv } from './dataColumns.ts'

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
})

it('exports the columns that have values', () => {
  const columns = [
    { id: 'a', header: 'A', value: (row: { a: number }) => row.a },
    { id: 'b', header: 'B', cell: () => 'drawn' },
  ]
  expect(tableCsv(columns, [{ a: 1 }, { a: 2 }])).toBe('A\r\n1\r\n2\r\n')
})
