import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LiveRequest } from '../contract/live.ts'
import { EMPTY_REQUEST } from './live.fixture.ts'
import { type LiveRow, RequestLog } from './requestLog.ts'

const request: LiveRequest = { ...EMPTY_REQUEST, state: 'waiting', level: 'global-default', schema: 'global-default' }
const seqs = (rows: readonly LiveRequest[]): number[] => rows.map(({ seq }) => seq)

describe('the log of requests', () => {
  it('reports each change once, as of that time', () => {
    const log = new RequestLog(10, 10)
    const row = log.begin(request)
    const [first] = log.takeChanges().requests
    row.state = 'served'
    log.touch(row)
    log.touch(row)
    expect(first?.state).toBe('waiting')
    expect(log.takeChanges()).toEqual({
      from: 1,
      event: 2,
      requests: [{ ...request, seq: 0, state: 'served' }],
      dropped: 0,
    })
    expect(log.takeChanges()).toEqual({ from: 2, event: 2, requests: [], dropped: 0 })
  })

  it('keeps the last requests and reports the newest of too many changes', () => {
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

  it('still reports what did not fit when a second listener subscribes', () => {
    const log = new RequestLog(10, 1)
    log.begin(request)
    log.begin(request)
    log.telling = true
    expect(log.takeChanges()).toMatchObject({ requests: [{ seq: 1 }], dropped: 1 })
  })

  it('returns what changed since any event to a reader that missed some, even while nothing was subscribed', () => {
    type Step = { readonly kind: 'begin' | 'touch' | 'take' | 'miss' | 'on' | 'off'; readonly at: number }
    const step: fc.Arbitrary<Step> = fc.record({
      kind: fc.constantFrom('begin', 'touch', 'take', 'miss', 'on', 'off'),
      at: fc.nat(100),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 12 }), (steps, untold) => {
        const log = new RequestLog(30, untold)
        const rows: LiveRow[] = []
        const seen = new Map<number, number>()
        let sound = 0
        let missed = false
        const put = (requests: readonly LiveRequest[]): void => {
          for (const { seq, at } of requests) seen.set(seq, at)
        }
        for (const { kind, at } of steps) {
          if (kind === 'begin') rows.push(log.begin({ ...request, at }))
          else if (kind === 'on' || kind === 'off') log.telling = kind === 'on'
          else if (kind === 'touch') {
            const row = rows[at % Math.max(1, rows.length)]
            if (row === undefined) continue
            row.at = at + 1_000
            log.touch(row)
          } else {
            const { from, event, requests, dropped } = log.takeChanges()
            if (kind === 'miss') continue
            put(requests)
            missed ||= from > sound || dropped > 0
            if (!missed) sound = event
          }
        }
        put(log.before(30, undefined, sound))
        expect(log.before(30).map(({ seq }) => seen.get(seq))).toEqual(log.before(30).map(({ at }) => at))
      }),
    )
  })
})
