import { describe, expect, it } from 'vitest'
import { roundAt, roundBars } from './RoundHistory.tsx'

const marks = (...fractions: (number | undefined)[]) => fractions.map((p, i) => ({ number: i + 1, p, differs: false }))

describe('the strip of rounds', () => {
  it('ends with the newest, as wide as ten minutes at least', () => {
    const bars = roundBars(marks(2, 1, 0, undefined), 240, 20)
    expect(bars.map(({ x }) => x)).toEqual([224, 228, 232, 236])
    expect(bars.map(({ height }) => height)).toEqual([20, 10, 2, 2])
    for (const { y, height } of bars) expect(y + height).toBe(20)
  })

  it('holds an hour', () => {
    const bars = roundBars(marks(...Array.from({ length: 360 }, () => 1)), 240, 20)
    expect(bars[0]?.x).toBeCloseTo(0)
    expect((bars.at(-1)?.x ?? 0) + (bars.at(-1)?.width ?? 0)).toBeCloseTo(240)
  })

  it('finds the round under the pointer', () => {
    const bars = roundBars(marks(1, 1, 1), 240, 20)
    expect([0, 229, 233, 999].map((x) => roundAt(bars, x)?.number)).toEqual([1, 1, 2, 3])
    expect(roundAt([], 4)).toBeUndefined()
  })
})
