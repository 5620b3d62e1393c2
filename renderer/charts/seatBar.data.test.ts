import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BarSeats } from '../../core/verdict/levelRows.ts'
import { barScale, barSentence, layoutBar } from './seatBar.data.ts'

const unknown: BarSeats = {
  executing: undefined,
  queued: undefined,
  current: undefined,
  nominal: undefined,
  upper: undefined,
  moved: undefined,
  exempt: false,
}
const kinds = (seats: BarSeats) => layoutBar(seats, 100, 100).parts.map((part) => part.kind)

describe('layout of a seat bar', () => {
  test('a borrower executes its own seats solid and the rest as borrowed', () => {
    const layout = layoutBar({ ...unknown, executing: 40, queued: 20, current: 50, nominal: 30, upper: 500 }, 200, 100)
    expect(layout.parts).toEqual([
      { kind: 'free', x: 0, width: 100 },
      { kind: 'executing', x: 0, width: 60 },
      { kind: 'borrowed', x: 60, width: 20 },
      { kind: 'queued', x: 103, width: 40 },
    ])
    expect(layout).toMatchObject({ post: 100, nominal: 60, reach: 200 })
  })

  test('a lender shows what is away between its limit and its nominal', () => {
    const layout = layoutBar({ ...unknown, executing: 5, current: 10, nominal: 30, moved: -20 }, 100, 100)
    expect(layout.parts.find((part) => part.kind === 'lent')).toEqual({ kind: 'lent', x: 10, width: 20 })
  })

  test('seats that are withheld are not drawn as lent', () => {
    expect(kinds({ ...unknown, executing: 5, current: 10, nominal: 30, moved: 0 })).toEqual(['free', 'executing'])
  })

  test('unknown draws nothing and is not zero', () => {
    const layout = layoutBar(unknown, 100, 100)
    expect(layout).toEqual({ parts: [], post: undefined, nominal: undefined, reach: undefined })
    expect(layoutBar({ ...unknown, current: 0, nominal: 0, executing: 0 }, 100, 100).post).toBe(0)
    expect(kinds({ ...unknown, exempt: true })).toEqual([])
  })

  test('an exempt level is an outline without limits, visible even when idle', () => {
    const layout = layoutBar({ ...unknown, exempt: true, executing: 0, current: 7, nominal: 0 }, 100, 100)
    expect(layout).toEqual({
      parts: [{ kind: 'unlimited', x: 0, width: 2 }],
      post: undefined,
      nominal: undefined,
      reach: undefined,
    })
  })

  test('one request wider than the limit is drawn past the post', () => {
    const layout = layoutBar({ ...unknown, executing: 10, current: 2, nominal: 2 }, 100, 100)
    expect(layout.post).toBe(2)
    expect(layout.parts.find((part) => part.kind === 'borrowed')).toEqual({ kind: 'borrowed', x: 2, width: 8 })
  })

  test('a queue beyond the end of the scale is cut, never lost', () => {
    const parts = layoutBar({ ...unknown, executing: 99, queued: 5000, current: 100, nominal: 100 }, 100, 100).parts
    expect(parts.at(-1)).toEqual({ kind: 'queued', x: 96, width: 4 })
  })

  test('nothing leaves the bar, whatever the numbers', () => {
    const seats = fc.option(fc.nat(100_000), { nil: undefined })
    fc.assert(
      fc.property(
        fc.record({
          executing: seats,
          queued: seats,
          current: seats,
          nominal: seats,
          upper: seats,
          moved: seats,
          exempt: fc.boolean(),
        }),
        fc.integer({ min: 20, max: 900 }),
        fc.nat(5_000),
        (bar, width, scale) => {
          for (const part of layoutBar(bar, width, scale).parts) {
            expect(part.x).toBeGreaterThanOrEqual(0)
            expect(part.width).toBeGreaterThan(0)
            expect(part.x + part.width).toBeLessThanOrEqual(width + 1e-9)
          }
        },
      ),
    )
  })
})

test('one scale holds the largest limit of all levels', () => {
  expect(
    barScale([
      { ...unknown, current: 100 },
      { ...unknown, nominal: 200 },
    ]),
  ).toBeCloseTo(216)
  expect(barScale([])).toBeGreaterThan(0)
})

test('the sentence names what is known and says what is not', () => {
  expect(barSentence('a', { ...unknown, executing: 7, current: 9, nominal: 12, moved: -3, queued: 3 })).toBe(
    'a: 7 of 9 seats executing, 3 lent, 3 seats queued',
  )
  expect(barSentence('a', { ...unknown, executing: 7, current: 15, nominal: 12, moved: 3, queued: 0 })).toBe(
    'a: 7 of 15 seats executing, 3 borrowed',
  )
  expect(barSentence('a', { ...unknown, executing: 7, current: 9, nominal: 12, moved: 0 })).toBe(
    'a: 7 of 9 seats executing',
  )
  expect(barSentence('a', unknown)).toBe('a: executing seats unknown, limit unknown')
  expect(barSentence('exempt', { ...unknown, exempt: true, executing: 3 })).toBe('exempt: 3 seats executing, no limit')
})
