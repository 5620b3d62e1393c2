import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { standingClock } from '../../test/harness/standingClock.ts'
import type { Waiting } from '../ports/objectGateway.ts'
import { refusalOf, warningsOf, createPatience } from './objectRequests.ts'
import type { Failed } from './http.ts'

const failed = (body?: string) => ({
  ok: false as const,
  problem: { code: 'bad-answer' as const, message: 'general', details: 'words' },
  ...(body !== undefined && { body }),
})

describe('a refusal', () => {
  it('names fields, and fields of other managers apart', () => {
    const body = JSON.stringify({
      message: 'Apply failed',
      reason: 'Conflict',
      details: {
        causes: [
          { reason: 'FieldManagerConflict', message: 'conflict with "kubectl-edit" using v1', field: '.spec.type' },
          { reason: 'FieldValueInvalid', message: 'must be 1', field: 'spec.matchingPrecedence' },
        ],
      },
    })
    expect(refusalOf(failed(body))).toEqual({
      message: 'Apply failed',
      reason: 'Conflict',
      causes: [{ reason: 'FieldValueInvalid', message: 'must be 1', field: 'spec.matchingPrecedence' }],
      conflicts: [{ manager: 'kubectl-edit', field: 'spec.type', message: 'conflict with "kubectl-edit" using v1' }],
    })
  })

  it('reads fields out of the words of strict decoding', () => {
    const message = 'strict decoding error: unknown field "spec.a", duplicate field "spec.b[0].c"'
    expect(refusalOf(failed(JSON.stringify({ message }))).causes).toEqual([
      { field: 'spec.a', reason: 'FieldUnknown', message: 'unknown field "spec.a"' },
      { field: 'spec.b[0].c', reason: 'Malformed', message: 'duplicate field "spec.b[0].c"' },
    ])
  })

  it.each([undefined, '', 'not JSON', '[]', '{"message":3}'])('is the words of the problem with %j', (body) => {
    expect(refusalOf(failed(body))).toEqual({ message: 'words', reason: '', causes: [], conflicts: [] })
  })
})

describe('warnings', () => {
  it('are the texts of the header', () => {
    expect(warningsOf({})).toEqual([])
    expect(warningsOf({ warning: '299 - "a, b", 299 kube "c \\"d\\"", 199 - "other"' })).toEqual(['a, b', 'c "d"'])
  })
})

const throttled = (retryAfterMs?: number): Failed => ({
  ok: false,
  status: 429,
  problem: { code: 'throttled', message: 'later' },
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})

function patient() {
  const { environment, advance } = standingClock(1_000)
  const told: (Waiting | undefined)[] = []
  const patience = createPatience({ ...environment, onWaiting: (waiting) => told.push(waiting) })
  /** Returns the answers in turn, then repeats the last one. */
  const server = (...answers: (Failed | { readonly ok: true })[]) => {
    let sent = 0
    const send = async () => answers[Math.min(sent++, answers.length - 1)] ?? throttled()
    return { send, sent: () => sent }
  }
  return { patience, told, server, advance }
}
/** Lets settled promises continue. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('patience', () => {
  it('sends again after Retry-After, and reports when', async () => {
    const { patience, told, server, advance } = patient()
    const { send, sent } = server(throttled(2_000), { ok: true })
    const answer = patience.ask(send)
    await settled()
    expect(told).toEqual([{ until: 3_000, attempt: 2, most: 10 }])
    expect(sent()).toBe(1)
    advance(2_000)
    expect(await answer).toEqual({ ok: true })
    expect(sent()).toBe(2)
    expect(told.at(-1)).toBeUndefined()
  })

  it('does not repeat what flow control did not reject', async () => {
    const { patience, told, server } = patient()
    const unavailable: Failed = { ...throttled(1_000), status: 503 }
    for (const answer of [throttled(), throttled(3_600_000), unavailable, { ok: true } as const]) {
      const { send, sent } = server(answer)
      expect(await patience.ask(send)).toBe(answer)
      expect(sent()).toBe(1)
    }
    expect(told).toEqual([])
  })

  it('ends after ten tries, and at once when it is told to', async () => {
    const { patience, told, server, advance } = patient()
    const always = server(throttled(1_000))
    const answer = patience.ask(always.send)
    for (let second = 0; second < 12; second += 1) {
      await settled()
      advance(1_000)
    }
    expect(await answer).toMatchObject({ status: 429 })
    expect(always.sent()).toBe(10)

    const again = server(throttled(30_000))
    const ended = patience.ask(again.send)
    await settled()
    patience.giveUp()
    expect(await ended).toMatchObject({ status: 429 })
    expect(again.sent()).toBe(1)
    expect(told.at(-1)).toBeUndefined()
  })

  it('returns what the server says once it lets the request through, after any number of 429 below ten', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 9 }), async (waits) => {
        const { patience, server, advance } = patient()
        const { send, sent } = server(...waits.map((ms) => throttled(ms)), { ok: true })
        const answer = patience.ask(send)
        for (const ms of waits) {
          await settled()
          advance(ms)
        }
        expect(await answer).toEqual({ ok: true })
        expect(sent()).toBe(waits.length + 1)
      }),
      { numRuns: 30 },
    )
  })
})
