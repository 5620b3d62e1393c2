import { describe, expect, test } from 'vitest'
import type { Series } from '../../core/history/series.ts'
import { history as levelHistory } from '../../core/verdict/levels.fixture.ts'
import { layoutSparkline } from './Sparkline.tsx'

const history = (points: number, columns: Parameters<typeof levelHistory>[2]) => levelHistory('a', points, columns)
const seriesAt = (times: readonly number[], silent: readonly number[] = [], mergedSeconds = 0): Series => ({
  server: 'a',
  stepSeconds: Math.max(1, mergedSeconds),
  mergedSeconds,
  times: [...times],
  samples: times.map((at) => (silent.includes(at) ? 0 : 1)),
  fairFrac: [],
  levels: [],
})
const times = (n: number) => seriesAt(Array.from({ length: n }, (_, i) => i * 1_000))
const box = { width: 100, height: 22, from: 0, to: 10_000, limits: true }

describe('sparkline', () => {
  test('keeps peaks within a point and scales to the largest of executing, limit and nominal', () => {
    const level = history(3, {
      executing: [1, 1, 1],
      executingMax: [1, 50, 1],
      current: [10, 10, 20],
      nominal: [10, 10, 10],
    })
    const drawn = layoutSparkline(times(3), level, box)
    expect(drawn.max).toBeCloseTo(56)
    expect(drawn.line).toBe('M0 20.6L10 3.1L20 20.6')
    expect(drawn.limit).toMatch(/^M0 [\d.]+H20V[\d.]+$/)
  })

  test('a missing sample breaks the line; the hole is a box, never zero', () => {
    const level = history(8, { executing: [5, 5, null, null, null, 5, 5, 5] })
    const drawn = layoutSparkline(times(8), level, { ...box, to: 7_000 })
    expect(drawn.line.match(/M/g)).toHaveLength(2)
    expect(drawn.gaps).toEqual([{ x: 14.3, width: 57.1 }])
  })

  test('one late sample is bridged: an empty point of the grid is not yet a gap', () => {
    const drawn = layoutSparkline(times(8), history(8, { executing: [5, null, 5, 5, null, 5, 5, 5] }), box)
    expect(drawn.line.match(/M/g)).toHaveLength(1)
  })

  test('samples that stopped leave a box up to the end of the range', () => {
    const drawn = layoutSparkline(times(3), history(3, { executing: [1, 2, 3] }), box)
    expect(drawn.gaps).toEqual([{ x: 20, width: 80 }])
  })

  test('a point that stands for no sample is a gap however short', () => {
    const series = seriesAt([0, 1_000, 2_000, 8_000, 9_000], [2_000])
    const drawn = layoutSparkline(series, history(5, { executing: [1, 1, null, 1, 1] }), box)
    expect(drawn.line.match(/M/g)).toHaveLength(2)
    expect(drawn.gaps).toHaveLength(1)
  })

  test('points of merged samples are no gaps', () => {
    const minutes = seriesAt(
      [1, 2, 3, 4].map((minute) => minute * 60_000),
      [],
      60,
    )
    const drawn = layoutSparkline(minutes, history(4, { executing: [1, 2, 3, 4] }), { ...box, to: 240_000 })
    expect(drawn.line.match(/M/g)).toHaveLength(1)
    expect(drawn.gaps).toEqual([])
  })

  test('nothing known draws nothing, zero draws a line at the bottom', () => {
    expect(layoutSparkline(times(3), history(3, {}), box)).toMatchObject({ line: '', limit: '', gaps: [], max: 0 })
    const idle = layoutSparkline(times(3), history(3, { executing: [0, 0, 0] }), { ...box, to: 2_000 })
    expect(idle.line).toBe('M0 21L50 21L100 21')
  })

  test('has no more points than pixels, and still the highest peak', () => {
    const executing = Array.from({ length: 600 }, (_, i) => (i === 301 ? 90 : 1))
    const drawn = layoutSparkline(times(600), history(600, { executing }), { ...box, to: 600_000 })
    expect(drawn.line.match(/[ML]/g)).toHaveLength(100)
    expect(drawn.max).toBeCloseTo(100.8)
  })

  test('an exempt level is drawn without limits', () => {
    const level = history(2, {
      executing: [1, 2],
      current: [50, 50],
      nominal: [0, 0],
      lower: [0, 0],
      upper: [600, 600],
    })
    const drawn = layoutSparkline(times(2), level, { ...box, to: 1_000, limits: false })
    expect(drawn).toMatchObject({ band: undefined, nominal: undefined, limit: '' })
    expect(drawn.max).toBeCloseTo(2.24)
  })

  test('the band reaches to the top when the upper limit lies beyond the scale', () => {
    const level = history(1, { executing: [1], current: [10], nominal: [10], lower: [5], upper: [610] })
    const band = layoutSparkline(times(1), level, { ...box, to: 0 }).band
    expect(band?.y).toBe(1)
    expect(band?.height).toBeCloseTo(11.1, 1)
  })
})
