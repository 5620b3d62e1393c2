import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { LiveRows } from '../../state/live.logic.ts'
import { waitP99 } from './flowWaits.ts'
import { liveRequest } from '../../../core/live/live.fixture.ts'
import { Matches } from './matches.ts'
import { count, emptyTally, type Tally, Tallies } from './tally.ts'

const NOW = 200_000

/** As plain values; the internal parts that hold waits are left out. */
const told = ({ flows, exempt, ...tally }: Tally) => {
  const plain = (of: Tally['flows']) =>
    [...of]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { waits, ...flow }]) => ({
        key,
        ...flow,
        waits: [waits.ended, waits.waiting, waits.reported, waitP99(waits, NOW)],
      }))
  return { ...tally, flows: plain(flows), exempt: plain(exempt) }
}

function whole(rows: LiveRows, passes: (row: LiveRequest) => boolean, since: number): Tally {
  const tally = emptyTally()
  for (let seq = rows.first; seq < rows.end; seq++) {
    const row = rows.at(seq)
    if (row !== undefined && passes(row) && row.at >= since) count(tally, row)
  }
  return tally
}

// Numbers are far apart, so that sums of every height are created, kept and dropped; whole seat-seconds add up exactly.
const arrival = fc.record({
  seq: fc.integer({ min: 0, max: NOW }),
  at: fc.integer({ min: 0, max: NOW }),
  user: fc.constantFrom('a', 'b', 'c'),
  level: fc.constantFrom('workload-low', 'exempt', ''),
  state: fc.constantFrom<LiveRequest['state'][]>('served', 'waiting', 'rejected', 'executing'),
  waitMs: fc.integer({ min: 0, max: 20_000 }),
  runMs: fc.constantFrom(1_000, 3_000),
})

it('the sum that is kept is the sum of all, whatever comes, changes and leaves', () => {
  fc.assert(
    fc.property(fc.array(arrival, { minLength: 1, maxLength: 60 }), fc.boolean(), (arrivals, filtered) => {
      const rows = new LiveRows(150_000)
      const passes = (row: LiveRequest): boolean => !filtered || row.user !== 'a'
      const matches = new Matches(rows, passes)
      matches.look(Number.POSITIVE_INFINITY)
      const tallies = new Tallies(rows, matches)
      rows.listen(matches)
      rows.listen(tallies)
      for (const [index, { user, ...row }] of arrivals.entries()) {
        rows.put(liveRequest({ ...row, user, flow: user }))
        // Not every time: sums that were not read in between must be correct too.
        for (const since of index % 5 === 0 ? [Number.NEGATIVE_INFINITY, NOW / 2] : [])
          expect(told(tallies.read(since))).toEqual(told(whole(rows, passes, since)))
      }
      rows.clear()
      expect(told(tallies.read(0))).toEqual(told(emptyTally()))
    }),
  )
})

it('asking again costs what changed', () => {
  const rows = new LiveRows(100_000)
  const matches = new Matches(rows, () => true)
  const tallies = new Tallies(rows, matches)
  rows.listen(matches)
  rows.listen(tallies)
  for (let seq = 0; seq < 100_000; seq++) rows.put(liveRequest({ seq }))
  tallies.read(0)
  rows.put(liveRequest({ seq: 100_000 }))
  const each = vi.spyOn(matches, 'each')
  expect(tallies.read(0).requests).toBe(100_000)
  // The newest rows, and the oldest ones, of which one left.
  expect(each).toHaveBeenCalledTimes(2)
})
