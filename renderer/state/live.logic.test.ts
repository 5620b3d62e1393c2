import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { liveRequest } from '../../core/live/live.fixture.ts'
import { LiveRows } from './live.logic.ts'

const seqs = (rows: LiveRows): number[] => {
  const found: number[] = []
  for (let seq = rows.first; seq < rows.end; seq++) if (rows.at(seq) !== undefined) found.push(seq)
  return found
}

describe('the newest requests', () => {
  it('replace their rows, and the oldest leave', () => {
    const rows = new LiveRows(3)
    for (const seq of [5, 6, 7, 8]) rows.put(liveRequest({ seq, state: 'waiting' }))
    expect([seqs(rows), rows.count, rows.missing]).toEqual([[6, 7, 8], 3, 0])
    rows.put(liveRequest({ seq: 7, state: 'served' }))
    rows.put(liveRequest({ seq: 2 }))
    expect([seqs(rows), rows.at(7)?.state]).toEqual([[6, 7, 8], 'served'])
  })

  it('takes older ones in as long as there is room', () => {
    const rows = new LiveRows(4)
    for (const seq of [9, 8, 7, 6, 5]) rows.put(liveRequest({ seq }))
    expect(seqs(rows)).toEqual([6, 7, 8, 9])
  })

  it('knows when the oldest that is kept arrived, across gaps', () => {
    const rows = new LiveRows(4)
    expect(rows.oldestAt).toBeUndefined()
    for (const seq of [1, 3, 4, 6]) rows.put(liveRequest({ seq, at: seq * 100 }))
    expect([rows.first, rows.oldestAt]).toEqual([3, 300])
    rows.put(liveRequest({ seq: 8, at: 800 }))
    expect([rows.first, rows.oldestAt]).toEqual([5, 600])
  })

  it('is never fuller than its room, and keeps the newest of what came', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1 }), (numbers) => {
        const rows = new LiveRows(8)
        for (const seq of numbers) rows.put(liveRequest({ seq }))
        const newest = Math.max(...numbers)
        expect(rows.end).toBe(newest + 1)
        expect(rows.count).toBe(seqs(rows).length)
        expect(rows.count + rows.missing).toBe(rows.end - rows.first)
        for (const seq of seqs(rows)) {
          expect(newest - seq).toBeLessThan(8)
          expect(rows.at(seq)?.seq).toBe(seq)
        }
      }),
    )
  })
})
