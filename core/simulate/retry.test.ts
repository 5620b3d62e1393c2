import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { requestInfo } from '../request/requestInfo.ts'
import type { PreparedCall } from './calls.ts'
import { Backoff, sendPersistently } from './retry.ts'
import type { Outcome } from './server.ts'

const target = { path: '/api/v1/pods', query: new Map<string, string>() }
const call: PreparedCall = {
  user: { name: 'somebody', groups: [] },
  info: requestInfo('GET', target).info,
  query: target.query,
  drawExecutionNs: () => 0,
}

/** Lets a client send until it gives up; every answer comes from the list, then it is served. */
function retryAgainst(answers: readonly Outcome[]) {
  const pauses: number[] = []
  let attempts = 0
  let ended: Outcome | undefined
  const due: (() => void)[] = []
  sendPersistently(
    {
      random: () => 0.5,
      nowNs: () => 0,
      after(ns, run) {
        pauses.push(ns / 1e9)
        due.push(run)
      },
      send: (_, watchNs, done) => {
        expect(watchNs).toBe(7)
        done(answers[attempts++] ?? { kind: 'served' })
      },
    },
    call,
    7,
    (outcome) => (ended = outcome),
  )
  for (let next = due.shift(); next !== undefined; next = due.shift()) next()
  return { pauses, attempts, ended }
}

describe('a client that is refused', () => {
  test('waits as long as it was told, each time, ten times at most', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 32 }), { maxLength: 20 }), (seconds) => {
        const { pauses, attempts, ended } = retryAgainst(
          seconds.map((retryAfter) => ({ kind: 'rejected', retryAfter })),
        )
        expect(pauses).toEqual(seconds.slice(0, 10))
        expect(attempts).toBe(Math.min(seconds.length, 10) + 1)
        expect(ended?.kind).toBe(seconds.length > 10 ? 'rejected' : 'served')
      }),
    )
  })

  test('does not try again what took too long', () => {
    expect(retryAgainst([{ kind: 'expired' }])).toEqual({ pauses: [], attempts: 1, ended: { kind: 'expired' } })
  })
})

describe('the backoff of a reflector', () => {
  const SECOND = 1e9
  test('doubles from 0.8 s to 30 s, each up to twice as long', () => {
    const [least, most] = [new Backoff(), new Backoff()]
    const expected = [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30]
    expect(expected.map(() => least.drawNs(0, () => 0) / SECOND)).toEqual(expected)
    expect(expected.map(() => most.drawNs(0, () => 1) / SECOND)).toEqual(expected.map((one) => 2 * one))
  })

  test('begins anew after two quiet minutes', () => {
    const backoff = new Backoff()
    backoff.drawNs(0, () => 0)
    expect(backoff.drawNs(120 * SECOND, () => 0)).toBe(1.6 * SECOND)
    expect(backoff.drawNs(241 * SECOND, () => 0)).toBe(0.8 * SECOND)
  })
})
