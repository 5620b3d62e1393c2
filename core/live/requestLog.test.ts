import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LiveRequest } from '../contract/live.ts'
import { RequestLog } from './requestLog.ts'

const request: Omit<LiveRequest, 'seq'> = {
  at: 0,
  user: 'alice',
  groups: [],
  verb: 'get',
  url: '/api/v1/pods',
  resource: 'pods',
  namespace: '',
  name: '',
  state: 'waiting',
  level: 'global-default',
  schema: 'global-default',
  flow: 'alice',
  seats: { initial: 1, final: 0 },
}
const seqs = (rows: readonly LiveRequest[]): number[] => rows.map(({ seq }) => seq)

describe('the log of requests', () => {
  it('tells each change once, as it was at that time', () => {
    const log = new RequestLog(10, 10)
    const row = log.begin(request)
    const [first] = log.takeChanges().requests
    row.state = 'served'
    log.touch(row)
    log.touch(row)
    expect(first?.state).toBe('waiting')
    expect(log.takeChanges()).toEqual({ requests: [{ ...request, seq: 0, state: 'served' }], dropped: 0 })
    expect(log.takeChanges()).toEqual({ requests: [], dropped: 0 })
  })

  it('keeps the last ones and tells the newest of too many changes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), fc.nat(200), (kept, untold, n) => {
        const log = new RequestLog(kept, untold)
        for (let i = 0; i < n; i++) log.begin(request)
        const { requests, dropped } = log.takeChanges()
        expect(requests.length + dropped).toBe(n)
        expect(requests).toHaveLength(Math.min(n, untold))
        expect(seqs(log.before(1_000))).toEqual(
          Array.from({ length: Math.min(n, kept) }, (_, i) => i + Math.max(0, n - kept)),
        )
        expect(log.count).toBe(n)
      }),
    )
  })

  it('goes back page by page', () => {
    const log = new RequestLog(10, 10)
    for (let i = 0; i < 25; i++) log.begin(request)
    expect(seqs(log.before(4))).toEqual([21, 22, 23, 24])
    expect(seqs(log.before(4, 21))).toEqual([17, 18, 19, 20])
    expect(seqs(log.before(4, 17))).toEqual([15, 16])
    expect(seqs(log.before(4, 15))).toEqual([])
  })
})
