import { describe, expect, it } from 'vitest'
import { floorNote, floorsData } from './fairFractionFloors.data.ts'
import { shareBarsData } from './shareBars.data.ts'

describe('what each level got of what it asked', () => {
  const { bars, axis } = shareBarsData(
    [
      { name: 'workload-low', target: 950.9, limit: 307, decided: 'p', bound: 245 },
      { name: 'workload-high', target: 88.9, limit: 75, decided: 'floor', bound: 75 },
      { name: 'capped', target: 500, limit: 100, decided: 'max', bound: 100 },
      { name: 'nothing', target: 0, limit: 0, decided: 'floor', bound: 0 },
      { name: 'tiny', target: 0.01, limit: 4, decided: 'floor', bound: 4 },
    ],
    0.3229,
  )

  it('says it in words beside each bar', () => {
    expect(bars.map(({ note }) => note)).toEqual([
      'exactly p: 951 × p = 307',
      '84 %, floor 75',
      '20 %, max 100',
      'asked for nothing, got 0',
      '40000 %, floor 4',
    ])
    expect(bars[3]?.ratio).toBeUndefined()
  })

  it('is not squeezed by a level that asked for next to nothing', () => {
    expect(axis.max).toBeLessThanOrEqual(4)
  })

  it('keeps all of what was asked in sight when everybody got little', () => {
    expect(shareBarsData([], undefined).axis.max).toBeGreaterThanOrEqual(1)
  })
})

describe('from min to floor', () => {
  const rows = [
    { name: 'a', min: 24, floor: 245, limit: 100 },
    { name: 'b', min: 13, floor: 13, limit: 13 },
    { name: 'c', min: 50, floor: 74, limit: 50 },
  ]
  it('says how far each limit came', () => {
    expect(rows.map(floorNote)).toEqual(['100, 34 % of 221 above min', '13, floor is min', '50, its min; floor 74'])
  })
  it('has an axis that holds all floors', () => {
    expect(floorsData(rows).axis.max).toBeGreaterThanOrEqual(245)
    expect(floorsData([]).axis.max).toBeGreaterThan(0)
  })
})
