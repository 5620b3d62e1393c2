import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ServerHealth } from '../contract/source.ts'
import type { DerivedLevel } from '../frame/derived.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { createFormat } from '../text/format.ts'
import { byCodeUnits } from '../text/text.ts'
import { unixMsOf } from '../units.ts'
import { derivedLevel, derivedServer, level, rejected, scannerFlood, server } from './levels.fixture.ts'
import { levelRows, type RejectionRow } from './levelRows.ts'
import { headline, leftOut, levelHeadline, staleServersLine, staleLine } from './headline.ts'
import { evidenceOf, type NowRange, type NowServer } from './levelStatements.ts'

const format = createFormat('screen')
const nowLine = (servers: readonly NowServer[]) => headline(servers, format)
const judged = (frame: ServerFrame, levels: DerivedLevel[] = [], rejections: RejectionRow[] = []): NowServer => ({
  id: frame.id,
  rows: levelRows(frame, derivedServer(frame, levels), byCodeUnits),
  recent: { seconds: 10, rows: rejections },
})
const calm = (name: string) => level({ name, executing: 10, nominal: 50, current: 50 })
const refusing = (name: string, perSecond: number) =>
  derivedLevel(name, { rejectedPerSecond: rejected({ 'queue-full': perSecond }) })

describe('the worst true statement, by rule order', () => {
  test('1. a level that nodes or the control plane need rejects, however little', () => {
    const frame = server({ levels: [calm('system'), calm('workload-low')] })
    const said = nowLine([judged(frame, [refusing('system', 0.1), refusing('workload-low', 50)])])
    expect(said).toMatchObject({ tone: 'trouble', level: 'system', title: 'system is rejecting.' })
    expect(said.evidence).toMatch(/Also waiting or rejecting: workload-low\./)
  })

  test('2. rejecting, with reasons, share of the main schema and cause', () => {
    const frame = scannerFlood()
    const by = rejected({ 'queue-full': 11.7, 'time-out': 0.1 })
    const schemas = [
      { schema: 'service-accounts', count: 117 },
      { schema: 'other', count: 1 },
    ].map(({ schema, count }): RejectionRow => {
      return { server: frame.id, level: 'workload-low', schema, reason: 'queue-full', count, perSecond: count / 10 }
    })
    const said = nowLine([judged(frame, [derivedLevel('workload-low', { rejectedPerSecond: by })], schemas)])
    expect(said.title).toBe('workload-low is full and rejecting.')
    expect(said.evidence).toMatch(
      /^queue-full 11\.7 \/s, time-out 0\.100 \/s, 99 % from flow schema service-accounts\./,
    )
    expect(said.details).toMatch(
      /^queue-full 11\.7 \/s, time-out 0\.100 \/s answered 429 in the last 10 s, 99 % from flow schema service-accounts\./,
    )
    const alone = nowLine([
      judged(frame, [derivedLevel('workload-low', { rejectedPerSecond: by })], schemas.slice(0, 1)),
    ])
    expect(alone.details).toMatch(/429 in the last 10 s, all from flow schema service-accounts\./)
    expect(said.details).toMatch(/Flows with another hand are not affected\./)
    expect(said.actions).toEqual([
      { kind: 'open-level', level: 'workload-low', server: 'apiserver-a' },
      { kind: 'explain-limit', level: 'workload-low', server: 'apiserver-a' },
    ])
  })

  test('2. rejecting for two reasons: shares are of schemas, whatever the reason', () => {
    const frame = scannerFlood()
    const rows = (['queue-full', 'time-out'] as const).map((reason, i): RejectionRow => {
      const count = i === 0 ? 78 : 22
      return { server: frame.id, level: 'workload-low', schema: 'service-accounts', reason, count, perSecond: count }
    })
    const by = rejected({ 'queue-full': 7.8, 'time-out': 2.2 })
    const said = nowLine([judged(frame, [derivedLevel('workload-low', { rejectedPerSecond: by })], rows)])
    expect(said.details).toMatch(/in the last 10 s, all from flow schema service-accounts\./)
  })

  test('2. rejecting: how many the range saw, and the flow that a dump shows', () => {
    const frame = scannerFlood()
    const at = Date.parse(frame.at)
    const levels = [{ name: 'workload-low', rejected: 2_742, lastRejectedAt: at, lastQueuedAt: at }]
    const range = { from: at - 600_000, to: at, approximate: false, follows: true, gaps: [], levels }
    const flow = { level: 'workload-low', name: 'inventory:crawler', count: 94, of: 100, waits: true, at }
    const now = judged(frame, [refusing('workload-low', 11.7)])
    const { evidence, details } = nowLine([{ ...now, range, flow: flow }])
    expect(evidence).toMatch(
      /inventory:crawler had 94 % of the 100 waiting requests at [\d:]+\. .* 2\u202f742 requests rejected in the last 10 min\./,
    )
    expect(details).toMatch(/of the 100 waiting requests \(dump of 03:12:43\)\./)
    const all = nowLine([{ ...now, range, flow: { ...flow, count: 100 } }])
    expect(all.details).toMatch(/inventory:crawler had all 100 waiting requests \(dump of 03:12:43\)\./)
  })

  test('the evidence is whole sentences within two lines; the rest is in the details', () => {
    const sentence = fc.string({ minLength: 1, maxLength: 120 }).map((text) => `${text}.`)
    fc.assert(
      fc.property(fc.array(sentence, { minLength: 1, maxLength: 8 }), (sentences) => {
        const { evidence = '', details = evidence } = evidenceOf(sentences)
        expect(evidence.length).toBeLessThanOrEqual(185)
        expect(evidence.startsWith(sentences[0] ?? '')).toBe(true)
        expect(details).toBe(sentences.join(' '))
      }),
    )
  })

  test('8. a calm moment does not hide what the range saw, nor when', () => {
    const frame = server({ levels: [calm('system'), calm('workload-low')] })
    const at = Date.parse(frame.at)
    const range = (rejectedThen: number, queuedAt?: number): NowRange => ({
      from: at - 600_000,
      to: at,
      approximate: false,
      follows: true,
      gaps: [],
      levels: [
        {
          name: 'workload-low',
          rejected: rejectedThen,
          lastRejectedAt: rejectedThen > 0 ? at - 60_000 : undefined,
          lastQueuedAt: queuedAt,
        },
      ],
    })
    const evidence = (of: ReturnType<typeof range>) => nowLine([{ ...judged(frame), range: of }]).evidence
    expect(evidence(range(2_742))).toBe(
      '2\u202f742 requests rejected in the last 10 min, last by workload-low at 03:11:43.',
    )
    expect(evidence(range(0, at - 30_000))).toBe(
      'No request was rejected in the last 10 min; workload-low last queued at 03:12:13.',
    )
    expect(evidence(range(0))).toBe('No request was rejected in the last 10 min, and none waited in any sample.')
    expect(evidence({ ...range(0), follows: false })).toMatch(/^No request was rejected from 03:02:43 to 03:12:43/)
    expect(evidence({ ...range(0), gaps: [{ from: at - 300_000, to: at - 100_000 }] })).toMatch(
      / and none waited in any sample\. The server has no samples from 03:07:43 to 03:11:03 \(3 min 20 s\)\.$/,
    )
  })

  test('8. the range of several servers is one sentence, and silent while one of them is unknown', () => {
    const frame = server({ levels: [calm('system')] })
    const at = Date.parse(frame.at)
    const range = (count: number, lastRejectedAt: number | undefined) => ({
      from: at - 600_000,
      to: at,
      approximate: false,
      follows: true,
      gaps: [],
      levels: [{ name: 'system', rejected: count, lastRejectedAt, lastQueuedAt: undefined }],
    })
    const a = { ...judged({ ...frame, id: 'a' }), range: range(3, at - 60_000) }
    const b = { ...judged({ ...frame, id: 'b' }), range: range(4, at - 30_000) }
    expect(nowLine([a, b]).evidence).toBe('7 requests rejected in the last 10 min, last by system on b at 03:12:13.')
    expect(nowLine([a, { ...b, range: undefined }]).evidence).toBe('No request was rejected in the last 10 s.')
  })

  test('names no flow of a dump of a quieter moment', () => {
    const row = level({ name: 'a', executing: 5, current: 5, nominal: 5, queued: 64, queuedRequests: 64 })
    const flow = { level: 'a', name: 'mouse-03', count: 1, of: 2, waits: true, at: 0 } as const
    const said = (of: number) => nowLine([{ ...judged(server({ levels: [row] })), flow: { ...flow, of } }]).evidence
    expect(said(2)).not.toMatch('mouse-03')
    expect(said(60)).toMatch('mouse-03')
  })

  test('3. a lender with a queue, before any other queue', () => {
    const lender = level({ name: 'system', executing: 50, queued: 12, nominal: 74, current: 50, lower: 50 })
    const larger = level({ name: 'zeta', executing: 60, queued: 500, nominal: 50, current: 60 })
    const said = nowLine([judged(server({ levels: [lender, larger] }))])
    expect(said.title).toBe('system lends 24 seats while 12 requests wait.')
    expect(said.evidence).toMatch(
      /Its limit is at its floor: 50 of 74 nominal seats\. It gets lent seats back within 10 s/,
    )
  })

  test('3. a level that lends a seat of many only queues', () => {
    const lender = level({ name: 'a', executing: 12, queued: 20, nominal: 13, current: 12 })
    expect(nowLine([judged(server({ levels: [lender] }))]).title).toMatch(/^a queues\./)
  })

  test('3. seats that are withheld are not lent: the level only queues', () => {
    const withheld = level({ name: 'system', executing: 50, queued: 12, nominal: 74, current: 50, lower: 40 })
    const said = nowLine([judged(server({ levels: [withheld], seatFairFrac: 0 }))])
    expect(said.title).toBe('system queues. 12 requests wait.')
    expect(said.details ?? said.evidence).not.toMatch(/lent|lends/)
  })

  test('4. queueing: the longest queue; free seats are explained by width', () => {
    const frame = scannerFlood()
    expect(nowLine([judged(frame)]).title).toBe('workload-low queues. 338 requests wait for 587 seats.')
    const wide = level({ name: 'a', executing: 48, queued: 4, queuedRequests: 1, nominal: 50, current: 50 })
    const said = nowLine([judged(server({ levels: [wide] }), [derivedLevel('a', { waitP99: 6.42 })])])
    expect(said.title).toBe('a queues. 1 request waits for 4 seats.')
    expect(said.evidence).toMatch(/48 of 50 seats are taken\. 2 seats free: .* Wait p99 of the last 30 s: ≈ 6\.42 s\./)
  })

  test('5. at max and short of seats', () => {
    const capped = level({ name: 'ci', executing: 40, nominal: 30, current: 40, upper: 40, smoothed: 61 })
    expect(nowLine([judged(server({ levels: [capped, calm('system')] }))]).title).toBe(
      'ci is at its max of 40 seats and would use 61.',
    )
  })

  test('6. imbalance of servers that really are busy', () => {
    const busy = (id: string, executing: number) =>
      judged(server({ id, levels: [level({ name: 'a', executing, nominal: 100, current: 100 })] }))
    const said = nowLine([busy('one', 60), busy('two', 5), busy('three', 5)])
    expect(said.title).toBe('one executes 2.6 times the mean of the 3 servers.')
    expect(nowLine([busy('one', 3), busy('two', 0), busy('three', 0)]).tone).toBe('ok')
    expect(nowLine([busy('one', 60), busy('two', 50)]).tone).toBe('ok')
  })

  test('7. catch-all used', () => {
    const stray = level({ name: 'catch-all', executing: 2, nominal: 13, current: 13 })
    expect(nowLine([judged(server({ levels: [calm('system'), stray] }))]).title).toBe('catch-all executes 2 seats.')
    const served = level({ name: 'catch-all', nominal: 13 })
    const rate = derivedLevel('catch-all', { dispatchedPerSecond: 3 })
    expect(nowLine([judged(server({ levels: [served] }), [rate])]).title).toBe('catch-all serves requests.')
  })

  test('8. otherwise everything flows', () => {
    const one = server({
      levels: [level({ name: 'exempt', executing: 1, nominal: 0 }), level({ name: 'system', nominal: 3 })],
    })
    expect(nowLine([judged(one)]).title).toBe('No request waits or is rejected. 1 of 3 seats in use.')
    const frame = server({ levels: [calm('system'), level({ name: 'exempt', executing: 1, nominal: 0 })] })
    expect(nowLine([judged(frame)])).toEqual({
      tone: 'ok',
      title: 'No request waits or is rejected. 11 of 50 seats in use.',
      evidence: 'No request was rejected in the last 10 s.',
      actions: [],
    })
    expect(nowLine([judged(frame), judged({ ...frame, id: 'b' })]).title).toBe(
      'No request waits or is rejected. 22 of 100 seats in use, sum of 2 servers.',
    )
  })

  test('begins with the instant of the past that is shown', () => {
    const instant = unixMsOf('2026-11-20T03:12:47Z')
    const calmThen = nowLine([{ ...judged(server({ levels: [calm('system')] })), instant }])
    expect(calmThen.title).toBe('At 03:12:47: No request waits or is rejected. 10 of 50 seats in use.')
    const rejects = { ...judged(scannerFlood(), [refusing('workload-low', 5)]), instant }
    expect(nowLine([rejects]).title).toBe('At 03:12:47: workload-low is full and rejecting.')
    expect(levelHeadline(rejects, 'workload-low', format)?.title).toBe(nowLine([rejects]).title)
    // Once: a dump of the same second has its time from there.
    const flow = { level: 'workload-low', name: 'crawler', count: 94, of: 100, waits: true }
    const told = (at: number) => nowLine([{ ...rejects, flow: { ...flow, at } }])
    expect(told(instant + 400).evidence).toContain('crawler had 94 % of the 100 waiting requests.')
    expect(told(instant - 3_000).evidence).toContain('crawler had 94 % of the 100 waiting requests at 03:12:44.')
  })

  test('with several servers the server is named, and idle seats elsewhere do not help', () => {
    const queue = server({
      id: 'a',
      levels: [level({ name: 'x', executing: 90, queued: 282, nominal: 90, current: 90 })],
    })
    const idle = server({ id: 'b', levels: [level({ name: 'x', executing: 10, nominal: 90, current: 90 })] })
    const said = nowLine([judged(idle), judged(queue)])
    expect(said.title).toBe('x queues on a. 282 requests wait.')
    expect(said.evidence).toMatch(/The other server has 80 seats idle, but limits are per server/)
    expect(said.actions).toEqual([
      { kind: 'open-level', level: 'x', server: 'a' },
      { kind: 'explain-limit', level: 'x', server: 'a' },
    ])
  })
})

describe('what is not known is not concluded', () => {
  test('rates before the second sample', () => {
    const frame = server({ levels: [calm('system')] })
    const early = judged(frame, [derivedLevel('system', { rejectedPerSecond: undefined })])
    expect(nowLine([early])).toMatchObject({ title: 'No request waits. 10 of 50 seats in use.' })
    expect(nowLine([early]).evidence).toMatch(/until two samples count/)
  })

  test('a queue whose limit, or number of requests, is unknown', () => {
    const own = level({
      name: 'system',
      executing: 5,
      queued: 12,
      queuedRequests: 6,
      nominal: 74,
      current: 50,
      lower: 50,
    })
    const unlimited = { ...own, limits: { ...own.limits, current: undefined } }
    const said = nowLine([judged(server({ levels: [unlimited] }))])
    expect(said.title).toBe('system queues. 6 requests wait for 12 seats.')
    expect(said.evidence).toMatch(/^5 seats are taken\./)
    const single = { ...unlimited, seats: { ...own.seats, executing: 1 } }
    expect(nowLine([judged(server({ levels: [single] }))]).evidence).toMatch(/^1 seat is taken\./)
    const uncounted = { ...own, requests: { ...own.requests, queued: undefined } }
    expect(nowLine([judged(server({ levels: [uncounted] }))]).title).toBe('system lends 24 seats while requests wait.')
    const neither = { ...uncounted, limits: unlimited.limits, seats: { executing: undefined, queued: 12 } }
    const blind = nowLine([judged(server({ levels: [neither] }))])
    expect(blind.title).toBe('system queues. Requests wait for 12 seats.')
    expect(blind.evidence ?? '').not.toContain('taken')
  })

  test('queues not reported, seats not reported, no level at all', () => {
    const blind = {
      ...calm('system'),
      seats: { executing: undefined, queued: undefined },
      requests: { executing: undefined, queued: undefined },
    }
    const said = nowLine([judged(server({ levels: [blind] }))])
    expect(said).toMatchObject({ tone: 'withheld' })
    expect(said.title).toBe('Whether requests wait is unknown. Seats in use are unknown.')
    expect(nowLine([judged(server({ levels: [] }))])).toMatchObject({
      tone: 'withheld',
      title: 'This server reports no priority level.',
    })
  })

  test('stale: age, last good time, next try, who is current', () => {
    const now = Date.parse('2026-11-21T03:12:47.000Z')
    const health = (id: string, status: 'ok' | 'failing'): ServerHealth => ({ id, status, failures: [] })
    const failing: ServerHealth = { ...health('b', 'failing'), nextTryAt: new Date(now + 2_000).toISOString() }
    const said = staleLine({
      server: 'b',
      stale: new Set(['b']),
      ageMs: 14_000,
      lastAt: now - 14_000,
      health: [health('a', 'ok'), failing, health('c', 'ok')],
      now,
      format,
    })
    expect(said.title).toBe('No sample from b for 14 s.')
    expect(said.evidence).toBe('Showing the last values from 03:12:33. Next try in 2 s. a and c are current.')
    expect(said.actions).toEqual([
      { kind: 'try-now', server: 'b' },
      { kind: 'show-server', server: 'a' },
    ])
    const then = staleLine({
      server: 'b',
      stale: new Set(['b']),
      ageMs: 14_000,
      lastAt: now - 14_000,
      health: [failing],
      isPast: true,
      now,
      format,
    })
    // For the past, there is no next attempt.
    expect(then).toMatchObject({ evidence: 'Showing the last values from 03:12:33.', actions: [] })
    const alone = staleLine({ server: 'b', stale: new Set(['b']), ageMs: 4_000, lastAt: now, health: [], now, format })
    expect(alone.actions).toHaveLength(1)
    const queued = levelRows(
      server({ levels: [level({ name: 'global-default', executing: 5, queued: 9, queuedRequests: 7 })] }),
      undefined,
      byCodeUnits,
    )
    const facts = { server: 'b', stale: new Set(['b']), ageMs: 8_600, lastAt: now, now, format }
    const own = queued[0]
    const overloaded = staleLine({ ...facts, health: [health('b', 'ok')], own })
    expect(overloaded.title).toBe('The console itself is queued in global-default: no sample from b for 8.6 s.')
    expect(overloaded.evidence).toMatch(
      /7 requests waited there at 03:12:47\. A separate level for the console keeps samples coming/,
    )
    expect(overloaded.actions[0]).toEqual({ kind: 'own-level', server: 'b' })
    const last = { tone: 'trouble', title: 'workload-low is full and rejecting.' } as const
    const diagnosed = staleLine({ ...facts, health: [health('b', 'ok')], own, last: { ...overloaded, ...last } })
    expect(diagnosed.evidence).toMatch(/ At 03:12:47: workload-low is full and rejecting\./)
    const several = (own2?: typeof own) =>
      staleServersLine(
        ['a', 'b'].map((id) => ({
          ...facts,
          server: id,
          stale: new Set(['a', 'b']),
          health: [health('a', 'ok'), health('b', 'ok')],
          ...(id === 'b' && { own: own2 }),
          last: { ...overloaded, ...last },
        })),
      )
    expect(several(own)?.title).toBe(
      'The console itself is queued in global-default: no sample from any of 2 servers for 8.6 s.',
    )
    expect(several(own)?.evidence).toMatch(/ At 03:12:47: workload-low is full and rejecting\./)
    expect(several(own)?.actions[0]).toEqual({ kind: 'own-level', server: 'b' })
    expect(several()?.title).toBe('No sample from any of 2 servers for 8.6 s.')
    const failed = (code: 'throttled' | 'unreachable'): ServerHealth => ({
      ...health('b', 'failing'),
      failures: [{ at: '2026-11-21T03:12:34.000Z', problem: { code, message: 'It failed.' } }],
    })
    expect(staleLine({ ...facts, health: [failed('throttled')] }).title).toMatch(/^The console itself is rejected: /)
    expect(staleLine({ ...facts, health: [failed('unreachable')], own }).title).toBe('No sample from b for 8.6 s.')
    const none = staleLine({
      server: 'a',
      stale: new Set(['a', 'b', 'c']),
      ageMs: 4_000,
      lastAt: now,
      health: [health('a', 'ok'), health('b', 'ok'), health('c', 'ok')],
      now,
      format,
    })
    expect(none.title).toBe('No sample from any of 3 servers for 4.0 s.')
    expect(none.evidence).not.toMatch(/current/)
    expect(leftOut(new Set(['a', 'b', 'c', 'd']))).toMatch(/from a and 3 others: left out/)
    expect(leftOut(new Set())).toBe('')
  })
})
