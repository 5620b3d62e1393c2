import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { moveCursor, rowWindow, scrollFor } from './grid.tsx'

describe('the mounted part of a long list', () => {
  it('covers what is visible and a little more', () => {
    expect(rowWindow(1_000, 26, 2_600, 260)).toEqual({ first: 90, end: 120 })
    expect(rowWindow(1_000, 26, 0, 0)).toEqual({ first: 0, end: 50 })
    expect(rowWindow(3, 26, 0, 260)).toEqual({ first: 0, end: 3 })
  })

  it('always covers every visible row', () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(200_000), fc.integer({ min: 1, max: 2_000 }), (count, scrolled, height) => {
        const total = count * 26
        const top = Math.min(scrolled, Math.max(0, total - height))
        const { first, end } = rowWindow(count, 26, top, height)
        expect(first).toBeLessThanOrEqual(Math.floor(top / 26))
        expect(end).toBeGreaterThanOrEqual(Math.min(count, Math.ceil((top + height) / 26)))
        expect(end).toBeLessThanOrEqual(count)
      }),
    )
  })

  it('scrolls only as far as a row needs', () => {
    expect(scrollFor(5, 26, 0, 260, 26)).toBe(0)
    expect(scrollFor(20, 26, 0, 260, 26)).toBe(20 * 26 + 52 - 260)
    expect(scrollFor(2, 26, 500, 260, 26)).toBe(52)
  })
})

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
