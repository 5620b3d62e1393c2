import { describe, expect, it } from 'vitest'
import type { LiveRequest } from '../contract/live.ts'
import { DraftTally } from './draftTally.ts'
import { HERE as LEVEL, requestHere as row } from './live.fixture.ts'

const served = { ...LEVEL, state: 'served', waitMs: 0 } as const
const refused = { ...LEVEL, state: 'rejected', waitMs: 0, reason: 'queue-full' } as const
const waiting = { ...LEVEL, state: 'waiting' } as const

function tallyOf(...events: readonly (readonly LiveRequest[])[]) {
  const tally = new DraftTally()
  for (const rows of events) tally.note(rows)
  return tally.read()
}

describe('the comparison of a draft with the current objects', () => {
  it('counts each request once, when both have decided', () => {
    const comparison = tallyOf(
      [row(0, 'executing', { waitMs: 0, candidate: waiting }), row(1, 'waiting', { candidate: refused })],
      [row(0, 'served', { waitMs: 0, runMs: 5, candidate: waiting })],
      [
        row(0, 'served', { waitMs: 0, runMs: 5, candidate: { ...LEVEL, state: 'executing', waitMs: 8.192 } }),
        row(1, 'executing', { waitMs: 4.096, candidate: refused }),
        row(2, 'waiting', { candidate: waiting }),
      ],
      [
        row(0, 'served', { waitMs: 0, runMs: 5, candidate: { ...LEVEL, state: 'served', waitMs: 8.192 } }),
        row(1, 'served', { waitMs: 4.096, runMs: 9, candidate: refused }),
      ],
    )
    expect(comparison).toEqual({
      compared: 2,
      undecided: 1,
      missed: 0,
      a: {
        dispatched: 2,
        rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 },
        waitP99: { here: expect.closeTo(4.096) },
      },
      b: {
        dispatched: 1,
        rejected: { 'queue-full': 1, 'concurrency-limit': 0, 'time-out': 0 },
        waitP99: { here: expect.closeTo(8.192) },
      },
      different: { rejectedByA: 0, rejectedByB: 1, elsewhere: 0 },
    })
  })

  it('reports in which way they differ', () => {
    const elsewhere = { ...served, level: 'there' }
    const { different, a, b } = tallyOf([
      row(0, 'served', { waitMs: 0, candidate: served }),
      row(1, 'served', { waitMs: 0, candidate: elsewhere }),
      row(2, 'rejected', { waitMs: 0, reason: 'time-out', candidate: elsewhere }),
      row(3, 'rejected', { waitMs: 0, reason: 'concurrency-limit', candidate: refused }),
      row(4, 'served', { waitMs: 0, candidate: refused }),
    ])
    expect(different).toEqual({ rejectedByA: 1, rejectedByB: 1, elsewhere: 1 })
    expect([a.rejected['time-out'], a.rejected['concurrency-limit'], b.rejected['queue-full']]).toEqual([1, 1, 2])
    expect([a.waitP99, b.waitP99]).toEqual([{ here: 0 }, { here: 0, there: 0 }])
  })

  it('leaves out requests that do not reach flow control', () => {
    const { compared, undecided, missed } = tallyOf([
      row(0, 'bypassed'),
      row(1, 'bypassed', { candidate: { level: '', schema: '', state: 'bypassed' } }),
    ])
    expect([compared, undecided, missed]).toEqual([0, 0, 0])
  })

  it('waits for nothing when a client left, and counts the decisions up to then', () => {
    const { compared, undecided, a, b, different } = tallyOf([
      // It waited here, and with the draft as well.
      row(0, 'cancelled', { waitMs: 7, candidate: waiting }),
      // It ran.
      row(1, 'failed', { waitMs: 0, runMs: 3, candidate: refused }),
      // An engine that only observes would have refused it.
      row(2, 'cancelled', { waitMs: 0, runMs: 3, reason: 'queue-full', candidate: refused }),
    ])
    expect([compared, undecided]).toEqual([3, 0])
    expect([a.dispatched, a.rejected['queue-full'], b.dispatched, b.rejected['queue-full']]).toEqual([1, 1, 0, 2])
    expect(different).toEqual({ rejectedByA: 0, rejectedByB: 1, elsewhere: 0 })
  })

  it('reports how many requests it did not receive', () => {
    const { compared, missed } = tallyOf(
      [row(2, 'served', { waitMs: 0, candidate: served })],
      [row(1, 'served', { waitMs: 0, candidate: served }), row(4, 'served', { waitMs: 0, candidate: served })],
    )
    expect([compared, missed]).toEqual([2, 3])
  })
})
