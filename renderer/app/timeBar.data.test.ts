import { expect, test } from 'vitest'
import { MS_PER_DAY } from '../../core/units.ts'
import { stripDomain } from './timeBar.data.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const hours = (count: number): number => count * 3_600_000
const extent = (first: number) => ({ first, last: NOW, gaps: [], problems: [] })

test('the strip shows the last recorded day, or all of it where that is less', () => {
  expect(stripDomain(extent(NOW - hours(100)), NOW - hours(3), MS_PER_DAY)).toEqual({ from: NOW - hours(24), to: NOW })
  expect(stripDomain(extent(NOW - hours(2)), NOW - hours(1), MS_PER_DAY)).toEqual({ from: NOW - hours(2), to: NOW })
})

test('of an instant that is longer ago it shows the day around it', () => {
  const at = NOW - hours(60)
  expect(stripDomain(extent(NOW - hours(100)), at, MS_PER_DAY)).toEqual({ from: at - hours(12), to: at + hours(12) })
})

test('an instant that moves by seconds does not move the day around it', () => {
  const at = NOW - hours(60)
  const shown = stripDomain(extent(NOW - hours(100)), at + 1_000, MS_PER_DAY)
  expect(stripDomain(extent(NOW - hours(100)), at + 900_000, MS_PER_DAY)).toEqual(shown)
})

test('an instant outside of what is recorded is shown as well', () => {
  const { from, to } = stripDomain(extent(NOW - hours(2)), NOW - hours(5), MS_PER_DAY)
  expect(from).toBe(NOW - hours(5))
  expect(to).toBe(NOW)
  expect(stripDomain(undefined, NOW, MS_PER_DAY)).toEqual({ from: NOW - hours(24), to: NOW })
})
