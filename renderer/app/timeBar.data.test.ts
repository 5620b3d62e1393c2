import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MS_PER_DAY, MS_PER_MINUTE, MS_PER_SECOND } from '../../core/units.ts'
import { draggedRange, gripAt, stripDomain, unrecordedMs } from './timeBar.data.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const hours = (count: number): number => count * 3_600_000
const extent = (first: number) => ({ first, last: NOW, gaps: [], problems: [] })

test('the strip shows the last recorded day, or all of it where that is less', () => {
  expect(stripDomain(extent(NOW - hours(100)), NOW - hours(3), MS_PER_DAY, MS_PER_MINUTE)).toEqual({
    from: NOW - hours(24),
    to: NOW,
  })
  expect(stripDomain(extent(NOW - hours(2)), NOW - hours(1), MS_PER_DAY, MS_PER_MINUTE)).toEqual({
    from: NOW - hours(2),
    to: NOW,
  })
})

test('of an instant that is longer ago it shows the day around it', () => {
  const at = NOW - hours(60)
  expect(stripDomain(extent(NOW - hours(100)), at, MS_PER_DAY, MS_PER_MINUTE)).toEqual({
    from: at - hours(12),
    to: at + hours(12),
  })
})

test('an instant that moves by seconds does not move the day around it', () => {
  const at = NOW - hours(60)
  const shown = stripDomain(extent(NOW - hours(100)), at + 1_000, MS_PER_DAY, MS_PER_MINUTE)
  expect(stripDomain(extent(NOW - hours(100)), at + 900_000, MS_PER_DAY, MS_PER_MINUTE)).toEqual(shown)
})

test('the strip of a run is as long as the run', () => {
  expect(stripDomain({ first: 0, last: 20_000, gaps: [], problems: [] }, 0, MS_PER_DAY, MS_PER_SECOND)).toEqual({
    from: 0,
    to: 20_000,
  })
})

test('an instant outside of what is recorded is shown as well', () => {
  const { from, to } = stripDomain(extent(NOW - hours(2)), NOW - hours(5), MS_PER_DAY, MS_PER_MINUTE)
  expect(from).toBe(NOW - hours(5))
  expect(to).toBe(NOW)
  expect(stripDomain(undefined, NOW, MS_PER_DAY, MS_PER_MINUTE)).toEqual({ from: NOW - hours(24), to: NOW })
})

test.each([
  ['all of it is recorded', 3, 2, 0],
  ['a gap', 6, 4, 0.5],
  ['the end of a gap', 4.75, 4, 0.25],
  ['what was before', 12, 9, 2],
  ['what has not happened yet', 1, -1, 0],
])('of a range, what is not recorded: %s', (_, from, to, missing) => {
  const gaps = [{ from: NOW - hours(5), to: NOW - hours(4.5) }]
  const range = { from: NOW - hours(from), to: NOW - hours(to) }
  expect(unrecordedMs({ first: NOW - hours(10), last: NOW, gaps, problems: [] }, range, NOW)).toBe(hours(missing))
})

const PLOT = { width: 1_016, height: 40, left: 8, right: 8, top: 0, bottom: 16 }
const HOUR = { from: NOW - hours(1), to: NOW }
/** The instant at a pixel of the plot, counted from its left edge, on a strip of one hour. */
const at = (x: number): number => HOUR.from + x * 3_600

test.each([
  [200, 400, 195, 'from'],
  [200, 400, 204, 'from'],
  [200, 400, 206, 'body'],
  [200, 400, 397, 'to'],
  [200, 400, 405, 'to'],
  [200, 400, 410, undefined],
  [200, 204, 197, 'from'],
  [200, 204, 202, 'body'],
  [200, 204, 206, 'to'],
  [-10, 1_010, 500, undefined],
])('of a range from %s to %s px, %s px is its %s', (from, to, x, grip) => {
  expect(gripAt(PLOT, HOUR, { from: at(from), to: at(to) }, x + 8)).toBe(grip)
})

test('a range that is dragged keeps its order, its length where it moves, and a place on the strip', () => {
  const places = fc.integer({ min: 0, max: 900 })
  fc.assert(
    fc.property(places, fc.integer({ min: 5, max: 100 }), fc.integer({ min: -2_000, max: 2_000 }), (x, length, dx) => {
      const range = { from: at(x), to: at(x + length) }
      const by = dx * 3_600
      const moved = draggedRange(range, 'body', by, HOUR)
      expect(moved.to - moved.from).toBe(range.to - range.from)
      expect(moved.from <= HOUR.to && moved.to >= HOUR.from).toBe(true)
      const start = draggedRange(range, 'from', by, HOUR)
      expect(start.to).toBe(range.to)
      expect(start.from >= HOUR.from && start.from < start.to).toBe(true)
      const end = draggedRange(range, 'to', by, HOUR)
      expect(end.from).toBe(range.from)
      expect(end.to <= HOUR.to && end.to > end.from).toBe(true)
    }),
  )
})
