import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { LiveRows } from '../../state/live.logic.ts'
import { liveRequest } from './live.fixture.ts'
import { Matches } from './matches.ts'
import { Tallies } from './tallies.ts'

const rejected = (row: LiveRequest): boolean => row.state === 'rejected'

it('what passes is kept in step with the rows, whatever comes, changes and leaves', () => {
  const step = fc.record({
    seq: fc.integer({ min: 0, max: 9_000 }),
    bad: fc.boolean(),
    at: fc.integer({ min: 0, max: 100 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const rows = new LiveRows(3_000)
      const matches = new Matches(rows, rejected)
      const tallies = new Tallies(rows, rejected)
      rows.listen(matches)
      rows.listen(tallies)
      for (const [index, { seq, bad, at }] of steps.entries()) {
        rows.put(liveRequest({ seq, at, state: bad ? 'rejected' : 'waiting' }))
        if (index % 7 === 0) tallies.read(50)
      }
      const fresh = new Matches(rows, rejected)
      expect(matches.snapshot()).toEqual(fresh.snapshot())
      expect(matches.count).toBe(fresh.count)
      expect(matches.seqAt(0)).toBe(fresh.seqAt(0))
      expect(matches.after(4_500)).toBe(fresh.snapshot().filter(({ seq }) => seq > 4_500).length)
      expect(tallies.read(50)).toEqual(new Tallies(rows, rejected).read(50))
      expect(tallies.read(50).requests).toBe(fresh.snapshot().filter(({ at }) => at >= 50).length)
    }),
  )
})

it('older rows are put in front of the newer', () => {
  const rows = new LiveRows(10_000)
  const matches = new Matches(rows, () => true)
  rows.listen(matches)
  for (let seq = 5_000; seq >= 0; seq--) rows.put(liveRequest({ seq }))
  expect([matches.count, matches.seqAt(0), matches.seqAt(5_000)]).toEqual([5_001, 5_000, 0])
})
