import { describe, expect, it } from 'vitest'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { waitP99 } from './flowWaits.ts'
import { liveRequest } from '../../../core/live/live.fixture.ts'
import { add, count, emptyTally, type Tally } from './tally.ts'

const tallyOf = (...rows: Partial<LiveRequest>[]): Tally => {
  const tally = emptyTally()
  for (const row of rows) count(tally, liveRequest(row))
  return tally
}

const NOW = 1_000_500

describe('what requests come to', () => {
  it('flows are told apart by schema and distinguisher, with seats times seconds', () => {
    const { flows, seatSeconds } = tallyOf(
      {},
      { lingerMs: 500, seats: { initial: 1, final: 3 } },
      { flow: 'alice', schema: 'global-default', state: 'bypassed' },
    )
    expect(seatSeconds).toBeCloseTo(2 * 0.5 + 3 * 1)
    expect([...flows.values()].map(({ flow, requests }) => [flow, requests])).toEqual([
      ['system:serviceaccount:inventory:scanner', 2],
      ['alice', 1],
    ])
  })

  it('requests that were not classified belong to no flow', () => {
    const unclassified = { level: '', schema: '', flow: '', status: 429 } as const
    const { flows, failed, requests } = tallyOf(
      { ...unclassified, state: 'crowded-out' },
      { ...unclassified, state: 'bypassed' },
    )
    expect([flows.size, failed, requests]).toEqual([0, 0, 2])
  })

  it('exempt requests are told by user', () => {
    const { flows, exempt } = tallyOf({ level: 'exempt', schema: 'exempt', flow: '', user: 'system:apiserver' })
    expect(flows.size).toBe(0)
    expect([...exempt.values()]).toMatchObject([{ flow: 'system:apiserver', requests: 1 }])
  })

  it('queues are told by level, with what waits and what holds seats in them', () => {
    const { queues } = tallyOf(
      {},
      { state: 'waiting' },
      { state: 'executing', seats: { initial: 3, final: 0 } },
      { state: 'waiting', queue: 15 },
      { level: 'global-default', state: 'executing', queue: 14 },
    )
    expect(queues.get('workload-low')?.get(14)).toEqual({ requests: 3, waiting: 1, executing: 1, executingSeats: 3 })
    expect(queues.get('workload-low')?.get(15)?.waiting).toBe(1)
    expect(queues.get('global-default')?.get(14)?.executingSeats).toBe(2)
  })

  it('sums of sums are those of all', () => {
    const rows = [{}, { state: 'failed' }, { state: 'waiting' }, { level: 'exempt', flow: '' }] as const
    const total = emptyTally()
    for (const row of rows) add(total, tallyOf(row))
    // Waits are summed up when they are read (flowWaits.test.ts).
    const summed = (flows: Tally['flows']) =>
      [...flows].map(([key, { waits, ...flow }]) => ({ key, ...flow, wait: waitP99(waits, NOW) }))
    const told = ({ flows, exempt, ...tally }: Tally) => ({ ...tally, flows: summed(flows), exempt: summed(exempt) })
    expect(told(total)).toEqual(told(tallyOf(...rows)))
    expect([total.answered, total.failed]).toEqual([2, 1])
  })

  it('compares only what the server said', () => {
    const server = { level: 'workload-low', schema: 'service-accounts' }
    const { agreement } = tallyOf(
      {},
      { server },
      { server: { ...server, initialSeats: 5, waitMs: 1_004 } },
      { server: { ...server, schema: 'probes' }, state: 'rejected', status: 200 },
    )
    expect(agreement.all).toEqual({ compared: 3, same: 1 })
    expect(agreement.schemaAndLevel).toEqual({ compared: 3, same: 2 })
    expect(agreement.width).toEqual({ compared: 1, same: 0 })
    expect(agreement.finalSeats).toEqual({ compared: 0, same: 0 })
    expect(agreement.decision).toEqual({ compared: 3, same: 2 })
    expect(agreement.timing).toEqual({ compared: 1, same: 1 })
  })

  it('a server that tells of waits alone agrees with nothing', () => {
    const { agreement } = tallyOf({ server: { waitMs: 1_000 } })
    expect(agreement.all).toEqual({ compared: 0, same: 0 })
    expect(agreement.timing).toEqual({ compared: 1, same: 1 })
  })
})
