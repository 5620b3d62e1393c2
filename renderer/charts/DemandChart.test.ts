import { describe, expect, it } from 'vitest'
import { demandChartData, demandRounds, roundDomain, sameRounds } from './DemandChart.tsx'
import { seriesOf } from './seatChart.fixture.ts'

const repeat = (values: readonly number[], each: number): number[] =>
  values.flatMap((value) => Array.from({ length: each }, () => value))

describe('demandRounds', () => {
  it('makes one round of the ten samples that repeat it', () => {
    const series = seriesOf(
      { x: { average: repeat([10, 20, 30], 10), stdev: repeat([1, 2, 40], 10), smoothed: repeat([11, 22, 70], 10) } },
      30,
    )
    const rounds = demandRounds(series, 'x')
    expect(rounds.map((round) => round.t)).toEqual([0, 10_000, 20_000])
    expect(rounds[1]?.deviation).toEqual([18, 22])
    // A deviation larger than the average does not make demand negative.
    expect(rounds[2]?.deviation).toEqual([0, 70])
  })

  it('counts figures that arrive a sample later into the same round', () => {
    const series = seriesOf(
      { x: { average: [10, 20, 20, 20], stdev: [1, 1, 1, 1], smoothed: [11, 11, 21, 21] } },
      4,
      100_000,
    )
    const rounds = demandRounds(series, 'x')
    expect(rounds).toHaveLength(1)
    expect(rounds[0]?.smoothed).toBe(21)
  })

  it('leaves a hole where nothing was reported', () => {
    const smoothed = [...repeat([5], 10), ...Array.from({ length: 20 }, () => null), ...repeat([6], 5)]
    const rounds = demandRounds(seriesOf({ x: { smoothed } }, 35), 'x')
    expect(rounds.map((round) => round.smoothed)).toEqual([5, null, 6])
  })
})

describe('demandChartData', () => {
  it('holds the largest figure on its axis', () => {
    const data = demandChartData(seriesOf({ x: { highWatermark: [928], smoothed: [950.9], current: [307] } }, 1), 'x')
    expect(data.axis.max).toBeGreaterThanOrEqual(950.9)
  })
  it('keeps a burst from flattening the limit, and names it', () => {
    const data = demandChartData(seriesOf({ x: { highWatermark: [5_000], smoothed: [40], current: [50] } }, 1), 'x')
    expect(data.axis.max).toBeLessThanOrEqual(150)
    expect(data.above).toBe(5_000)
    const calm = demandChartData(seriesOf({ x: { highWatermark: [60], current: [50] } }, 1), 'x')
    expect([calm.axis.max >= 60, calm.above]).toEqual([true, undefined])
  })
  it('is the same picture while the round lasts, another with the next', () => {
    const of = (values: number[]) => demandChartData(seriesOf({ x: { smoothed: values } }, values.length), 'x')
    expect(sameRounds(of(repeat([5], 8)), of(repeat([5], 9)))).toBe(true)
    expect(sameRounds(of(repeat([5], 10)), of([...repeat([5], 10), 6]))).toBe(false)
  })
  it('knows the stretch without a sample, and is another picture with it', () => {
    const series = seriesOf({ x: { smoothed: [5, null, 5] } }, 3)
    const data = demandChartData({ ...series, samples: [1, 0, 1] }, 'x')
    expect(data.gaps).toEqual([{ from: series.times[0], to: series.times[2] }])
    expect(sameRounds(data, { ...data, gaps: [] })).toBe(false)
  })
  it('widens the range to whole rounds', () => {
    expect(roundDomain({ from: 12_345, to: 54_321 })).toEqual({ from: 10_000, to: 60_000 })
  })
})
