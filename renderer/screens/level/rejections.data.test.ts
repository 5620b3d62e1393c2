import { describe, expect, it } from 'vitest'
import { derivedOf, levelOf, schemaOf } from './level.fixture.ts'
import { rejectedNow, rejectionRows, schemaRows } from './rejections.data.ts'

const recent = {
  seconds: 10,
  dispatched: 5,
  rejected: { 'queue-full': 118, 'concurrency-limit': 0, 'time-out': 2 },
}

describe('rejectionRows', () => {
  it('explains every reason, with a real 0 where nothing happened', () => {
    const rows = rejectionRows(
      levelOf('x', { rejected: { 'queue-full': 5, 'concurrency-limit': 0, 'time-out': 1 } }),
      derivedOf('x', { recent }),
    )
    expect(rows.map((row) => [row.reason, row.total, row.rate])).toEqual([
      ['queue-full', 5, 11.8],
      ['concurrency-limit', 0, 0],
      ['time-out', 1, 0.2],
    ])
    for (const row of rows) expect(Math.min(row.cause.length, row.remedy.length)).toBeGreaterThan(20)
  })
  it('knows no rate without two samples, and no total without the family', () => {
    const { rejected: _hidden, ...bare } = levelOf('x')
    expect(rejectionRows(bare, undefined)[0]).toMatchObject({ total: undefined, rate: undefined })
    expect(rejectedNow(undefined)).toBeUndefined()
    expect(rejectedNow(derivedOf('x', { recent }))).toBeCloseTo(12)
  })
})

describe('schemaRows', () => {
  it('puts the busiest first and those without a rate last', () => {
    const level = levelOf('x', { schemas: [schemaOf('b'), schemaOf('a'), schemaOf('c')] })
    const derived = derivedOf('x', {
      schemas: [
        { name: 'c', recent: { seconds: 10, dispatched: 90 } },
        { name: 'a', recent: { seconds: 10, dispatched: 0 } },
      ],
    })
    expect(schemaRows(level, derived).map((row) => row.name)).toEqual(['c', 'a', 'b'])
  })
  it('means width over all requests, and is unknown without any', () => {
    const estimatedSeats = { bounds: [1], counts: [2, 4], sum: 10, count: 4 }
    const none = { bounds: [1], counts: [0, 0], sum: 0, count: 0 }
    const level = levelOf('x', {
      schemas: [schemaOf('a', { estimatedSeats }), schemaOf('b', { estimatedSeats: none })],
    })
    expect(schemaRows(level, undefined).map((row) => row.meanSeats)).toEqual([2.5, undefined])
  })
})
