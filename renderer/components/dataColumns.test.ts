import { describe, expect, it } from 'vitest'
import { compareValues, moveCursor, nextSorting, tableCsv } from './dataColumns.ts'

const size = { rows: 5, columns: 3, page: 2, ctrl: false }

describe('the cursor of a grid', () => {
  it.each([
    ['ArrowDown', { row: 1, column: 1 }],
    ['ArrowUp', { row: -1, column: 1 }],
    ['ArrowLeft', { row: 0, column: 0 }],
    ['ArrowRight', { row: 0, column: 2 }],
    ['Home', { row: 0, column: 0 }],
    ['End', { row: 0, column: 2 }],
    ['PageDown', { row: 2, column: 1 }],
    ['PageUp', { row: 0, column: 1 }],
  ])('moves by %s', (key, expected) => {
    expect(moveCursor(key, { row: 0, column: 1 }, size)).toEqual(expected)
  })

  it('stays inside, and goes to the corners with Ctrl', () => {
    expect(moveCursor('ArrowDown', { row: 4, column: 0 }, size)).toEqual({ row: 4, column: 0 })
    expect(moveCursor('End', { row: 1, column: 0 }, { ...size, ctrl: true })).toEqual({ row: 4, column: 2 })
    expect(moveCursor('ArrowDown', { row: -1, column: 0 }, { ...size, rows: 0 })).toEqual({ row: -1, column: 0 })
  })

  it('leaves other keys to others', () => {
    expect(moveCursor('x', { row: 0, column: 0 }, size)).toBeUndefined()
  })
})

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
