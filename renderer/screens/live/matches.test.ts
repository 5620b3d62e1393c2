import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { LiveRows } from '../../state/live.logic.ts'
import { liveRequest } from '../../../core/live/live.fixture.ts'
import { Matches } from './matches.ts'
import { Tallies } from './tally.ts'

const rejected = (row: LiveRequest): boolean => row.state === 'rejected'

/** Oldest first. */
function all(matches: Matches): readonly (LiveRequest | undefined)[] {
  const held = matches.hold()
  return Array.from({ length: held.count }, (_, index) => held.at(held.count - 1 - index))
}

function tested(rows: LiveRows): Matches {
  const matches = new Matches(rows, rejected)
  matches.look(Number.POSITIVE_INFINITY)
  return matches
}

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
      const tallies = new Tallies(rows, matches)
      rows.listen(matches)
      rows.listen(tallies)
      for (const [index, { seq, bad, at }] of steps.entries()) {
        rows.put(liveRequest({ seq, at, state: bad ? 'rejected' : 'waiting' }))
        if (index % 7 === 0) tallies.read(50)
      }
      const fresh = tested(rows)
      expect(all(matches)).toEqual(all(fresh))
      expect(matches.count).toBe(fresh.count)
      expect(matches.seqAt(0)).toBe(fresh.seqAt(0))
      expect(matches.after(4_500)).toBe(all(fresh).filter((row) => (row?.seq ?? 0) > 4_500).length)
      expect(tallies.read(50)).toEqual(new Tallies(rows, fresh).read(50))
      expect(tallies.read(50).requests).toBe(all(fresh).filter((row) => (row?.at ?? 0) >= 50).length)
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

it('rows that were there before are tested a few at a time while others come, change and leave', () => {
  const row = fc.record({ seq: fc.integer({ min: 0, max: 5_000 }), bad: fc.boolean() })
  const step = fc.record({ row, look: fc.integer({ min: 0, max: 400 }) })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 60 }), fc.array(step, { maxLength: 60 }), (before, steps) => {
      const rows = new LiveRows(3_000)
      const put = ({ seq, bad }: { seq: number; bad: boolean }): void =>
        rows.put(liveRequest({ seq, at: seq, state: bad ? 'rejected' : 'waiting' }))
      before.forEach(put)
      const matches = new Matches(rows, rejected)
      const tallies = new Tallies(rows, matches)
      rows.listen(matches)
      rows.listen(tallies)
      for (const { row: one, look } of steps) {
        matches.look(look)
        put(one)
        const known = all(tested(rows)).filter((found) => (found?.seq ?? 0) >= matches.testedFrom)
        expect(all(matches)).toEqual(known)
        expect(tallies.read(0).requests).toBe(known.length)
      }
      while (!matches.look(100));
      expect(all(matches)).toEqual(all(tested(rows)))
    }),
  )
})

it('a slice tests no more rows than it is given', () => {
  const rows = new LiveRows(10_000)
  for (let seq = 0; seq < 10_000; seq++) rows.put(liveRequest({ seq }))
  let tests = 0
  const matches = new Matches(rows, () => (tests += 1) > 0)
  expect([matches.look(64), tests, matches.count]).toEqual([false, 64, 64])
})

it('rows that are held stay as they were, and end where they are wanted to', () => {
  const rows = new LiveRows(10)
  const matches = new Matches(rows, rejected)
  rows.listen(matches)
  for (let seq = 0; seq < 8; seq++) rows.put(liveRequest({ seq, state: seq % 2 === 0 ? 'rejected' : 'served' }))
  const held = matches.hold(6)
  // One of them is no longer rejected, the others leave.
  rows.put(liveRequest({ seq: 2, state: 'served' }))
  for (let seq = 8; seq < 30; seq++) rows.put(liveRequest({ seq }))
  expect([held.count, held.at(0)?.seq, held.at(1)?.seq, held.at(2)?.seq, held.at(3)]).toEqual([3, 4, 2, 0, undefined])
})
