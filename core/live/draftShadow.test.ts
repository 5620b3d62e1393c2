import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../config/builtInByVersion.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { LiveRequest } from '../contract/live.ts'
import { AS_UPSTREAM } from '../engine/corrections.ts'
import { readRequestLine } from '../engine/digest.ts'
import { profileFor } from '../engine/profiles.ts'
import { DraftShadow } from './draftShadow.ts'
import { type Followed, Follower } from './follower.ts'
import { type LiveRow, RequestLog } from './requestLog.ts'

const MS = 1e6
const LEVEL = 'global-default'
const OBJECTS = builtInObjects('v1.36.3')

/** Everybody in one level of so many seats of 226, and so many places in one queue. */
const shaped = (shares: number, queueLengthLimit: number): ObjectSet => ({
  ...OBJECTS,
  levels: OBJECTS.levels.map((level) =>
    level.metadata.name === LEVEL
      ? {
          ...level,
          spec: {
            type: 'Limited',
            limited: {
              nominalConcurrencyShares: shares,
              lendablePercent: 0,
              borrowingLimitPercent: 0,
              limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit } },
            },
          },
        }
      : level,
  ),
})

const ENGINE = {
  mode: 'priority-and-fairness',
  maxRequestsInFlight: 226,
  maxMutatingRequestsInFlight: 0,
  profile: profileFor('v1.36.3'),
  corrections: AS_UPSTREAM,
  startUnixMs: 0,
} as const

const empty: Omit<LiveRequest, 'seq'> = {
  at: 0,
  user: 'alice',
  groups: [],
  verb: 'get',
  url: '/',
  resource: 'pods',
  namespace: '',
  name: '',
  state: 'bypassed',
  level: '',
  schema: '',
  flow: '',
  seats: { initial: 1, final: 0 },
}

/** Two engines on the same arrivals; the first one's requests take as long as is told. */
function both(first: ObjectSet, draft: ObjectSet, holdsBack: boolean) {
  const log = new RequestLog(10_000, 10_000)
  const follower = new Follower(ENGINE)
  follower.configure(first)
  const shadow = new DraftShadow({
    engine: ENGINE,
    configuration: draft,
    first: follower.engine,
    holdsBack,
    touch: (row) => log.touch(row),
  })
  const show = (row: LiveRow, { decision }: Followed): void => {
    row.state = decision.kind === 'done' ? 'served' : decision.kind
  }
  return {
    shadow,
    engine: follower.engine,
    moveTo: (ms: number): void => {
      follower.moveTo(ms * MS)
      shadow.settle()
    },
    arrive: (lastsMs: number): LiveRow => {
      const line = readRequestLine('GET', '/api/v1/namespaces/default/pods/one')
      if (!line.ok) throw new Error(line.problem)
      const request = { user: { name: 'alice', groups: ['system:authenticated'] }, ...line }
      const row = log.begin(empty)
      const followed = follower.arrive(request, (changed) => {
        const before = row.state
        show(row, changed)
        if (before === 'waiting') shadow.decided(row)
        if (changed.decision.kind === 'done') shadow.lasted(row, lastsMs * MS)
      })
      row.level = followed.ticket?.lane.level.plan.name ?? ''
      row.schema = followed.ticket?.lane.schema ?? ''
      show(row, followed)
      shadow.arrived(row, request)
      follower.lasted(followed, lastsMs * MS)
      return row
    },
  }
}

describe('a draft beside the first engine', () => {
  it('decides the same with the same objects, and nothing differs', () => {
    const calls = fc.array(fc.record({ afterMs: fc.nat(50), lastsMs: fc.nat(200) }), { maxLength: 60 })
    fc.assert(
      fc.property(calls, (list) => {
        // Requests that the first engine lets run at once: of the others it is only guessed how long they take.
        const { arrive, moveTo, shadow } = both(shaped(100, 50), shaped(100, 50), true)
        let ms = 0
        const rows = list.map(({ afterMs, lastsMs }) => {
          ms += afterMs
          moveTo(ms)
          return arrive(lastsMs)
        })
        moveTo(ms + 10_000)
        expect(rows.map(({ state }) => state)).toEqual(rows.map(({ shadow: other }) => other?.state))
        const { a, b, different } = shadow.report()
        expect(b).toEqual(a)
        expect(different).toBe(0)
        expect(a).toMatchObject({ arrived: list.length, rejected: 0, executingSeats: 0, queued: 0 })
      }),
      { numRuns: 30 },
    )
  })

  it('does not count the wait at the first engine as work', () => {
    // One seat: ten requests of 100 ms wait for each other. With ten seats nobody would.
    const { arrive, moveTo, shadow } = both(shaped(1, 50), shaped(40, 50), true)
    const learn = arrive(100)
    moveTo(1_000)
    expect(learn.state).toBe('served')
    const rows = Array.from({ length: 10 }, () => arrive(100))
    expect(rows.map(({ state }) => state)).toEqual(['executing', ...Array.from({ length: 9 }, () => 'waiting')])
    moveTo(1_150)
    expect(rows.every(({ shadow: other }) => other?.state === 'served' && other.waitMs === 0)).toBe(true)
    moveTo(5_000)
    const { a, b, different } = shadow.report()
    expect(b.waitP99[LEVEL]).toBe(0)
    expect(a.waitP99[LEVEL]).toBeGreaterThan(800)
    expect(a.waitP99[LEVEL]).toBeLessThan(1_000)
    expect(different).toBe(0)
  })

  it('counts what it refuses and the first one lets run', () => {
    const { arrive, moveTo, shadow } = both(shaped(40, 50), shaped(1, 1), false)
    const rows = Array.from({ length: 5 }, () => arrive(100))
    expect(rows.map(({ shadow: other }) => other?.state)).toEqual([
      'executing',
      'waiting',
      'rejected',
      'rejected',
      'rejected',
    ])
    expect(shadow.report()).toMatchObject({ b: { executingSeats: 1, queued: 1, rejected: 3 }, different: 3 })
    moveTo(1_000)
    expect(rows[1]?.shadow).toMatchObject({ state: 'served', waitMs: 100 })
    expect(shadow.report()).toMatchObject({ a: { rejected: 0 }, b: { executingSeats: 0, queued: 0 }, different: 3 })
    moveTo(400_000)
    expect(shadow.report()).toMatchObject({ a: { arrived: 0 }, b: { arrived: 0, rejected: 0 }, different: 0 })
  })

  it('begins to count anew with another draft, and ends', () => {
    const { arrive, moveTo, shadow } = both(shaped(40, 50), shaped(1, 1), false)
    for (let i = 0; i < 5; i++) arrive(100)
    shadow.configure(shaped(40, 50))
    expect(shadow.report()).toMatchObject({ a: { arrived: 0 }, different: 0 })
    moveTo(1_000)
    expect(arrive(10).shadow?.state).toBe('executing')
    shadow.close()
    const late = arrive(10)
    expect(late.shadow).toBeUndefined()
  })
})
