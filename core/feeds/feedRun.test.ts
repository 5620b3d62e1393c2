import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { AS_UPSTREAM, profileFor } from '../engine/profiles.ts'
import { type FeedRecord, unreadable } from './request.ts'
import { readAuditEvent } from './auditEvent.ts'
import { type FeedRunOptions, createFeedRun, SeenIds, Timeline } from './feedRun.ts'
import { readHttpLogLine } from './httpLog.ts'
import { shaped } from '../run/run.fixture.ts'

const T0 = Date.UTC(2026, 10, 21, 7)
const NOW = T0 + 86_400_000

function feed(options: Partial<FeedRunOptions> & { readonly seats?: number } = {}) {
  const { seats = 600, ...rest } = options
  const run = createFeedRun({
    engine: {
      maxRequestsInFlight: seats,
      maxMutatingRequestsInFlight: 0,
      profile: profileFor('v1.36.3'),
      corrections: AS_UPSTREAM,
    },
    identity: 'audit',
    startUnixMs: T0,
    kept: 1_000,
    untold: 1_000,
    ...rest,
  })
  run.configure(builtInObjects('v1.36.3'))
  return run
}

interface Said {
  readonly id: string
  readonly atMs: number
  readonly lastsMs?: number
  readonly stage?: string
  readonly uri?: string
  readonly verb?: string
  readonly code?: number
  readonly user?: string
  /** Reported with requests that took more than half a second. */
  readonly waitS?: number
}

const time = (ms: number): string => new Date(T0 + ms).toISOString()
const said = ({
  id,
  atMs,
  lastsMs = 10,
  stage = 'ResponseComplete',
  uri,
  verb,
  code = 200,
  user = 'alice',
  waitS,
}: Said): FeedRecord =>
  readAuditEvent({
    auditID: id,
    stage,
    requestURI: uri ?? '/api/v1/namespaces/default/pods/one',
    verb: verb ?? 'get',
    user: { username: user, groups: ['system:authenticated'] },
    responseStatus: { code },
    ...(waitS !== undefined && { annotations: { 'apiserver.latency.k8s.io/apf-queue-wait': `${waitS}s` } }),
    requestReceivedTimestamp: time(atMs),
    stageTimestamp: time(atMs + lastsMs),
  })
const watch = { uri: '/api/v1/pods?watch=true', verb: 'watch' }

const inUse = ({ engine }: ReturnType<typeof feed>): number =>
  engine.snapshot().levels.reduce((sum, level) => sum + level.seatsInUse + level.waitingRequests, 0)

describe('what a log says of its server', () => {
  it('names requests that ran out of time, and objects that it cannot list', () => {
    const run = feed()
    expect(run.findings).toEqual([])
    run.take(
      [
        said({ id: 'slow', atMs: 0, lastsMs: 60_000, code: 504 }),
        said({ id: 'watch', atMs: 0, lastsMs: 60_000, code: 504, ...watch }),
        { kind: 'unlisted', objects: 'FlowSchema' },
        { kind: 'unlisted', objects: 'FlowSchema' },
      ],
      NOW,
    )
    expect(run.findings).toEqual([
      'The server logged 2 times that it was unable to list FlowSchema objects: until it can, their changes have no effect on it.',
      '1 request ran out of time (504), last get /api/v1/namespaces/default/pods/one: it may have held seats until then.',
    ])
  })
})

describe('a feed', () => {
  it('places each request by its time and gives it its recorded duration', () => {
    const run = feed()
    run.take([said({ id: 'b', atMs: 2_000, lastsMs: 30 }), said({ id: 'a', atMs: 1_000, lastsMs: 1_200 })], NOW)
    run.finish()
    const rows = run.log.before(10)
    expect(rows.map(({ at, state, runMs, waitMs, status }) => [at - T0, state, runMs, waitMs, status])).toEqual([
      [1_000, 'served', 1_200, 0, 200],
      [2_000, 'served', 30, 0, 200],
    ])
    expect(rows[0]).toMatchObject({
      user: 'alice',
      verb: 'get',
      resource: 'pods',
      name: 'one',
      level: 'global-default',
      schema: 'global-default',
      flow: 'alice',
    })
    expect(run.counts).toMatchObject({ arrived: 2, late: 0, repeated: 0, unreadable: 0 })
    expect(inUse(run)).toBe(0)
  })

  it('decides by its own seats', () => {
    const run = feed({ seats: 1 })
    run.take(
      Array.from({ length: 400 }, (_, i) => said({ id: `${i}`, atMs: 1_000 + i, lastsMs: 2_000 })),
      NOW,
    )
    run.finish()
    const states = new Set(run.log.before(1_000).map(({ state }) => state))
    expect(states).toEqual(new Set(['served', 'rejected']))
    expect(run.log.before(1_000).find(({ state }) => state === 'rejected')).toMatchObject({
      reason: expect.any(String),
      status: 200,
    })
  })

  it('assumes its own wait to be that of the server, where an event has only wait and execution together', () => {
    // Global-default keeps to its nominal limit, which is one seat of eight.
    const run = feed({ seats: 8 })
    const { levels, schemas } = builtInObjects('v1.36.3')
    run.configure({
      levels: levels.map((level) =>
        level.metadata.name !== 'global-default' || level.spec.limited === undefined
          ? level
          : {
              ...level,
              spec: { ...level.spec, limited: { ...level.spec.limited, lendablePercent: 0, borrowingLimitPercent: 0 } },
            },
      ),
      schemas,
    })
    const three = [100, 200, 300].map((lastsMs, i) => said({ id: `${i}`, atMs: 1_000 + i, lastsMs: lastsMs - i }))
    run.take(three, NOW)
    run.finish()
    const rows = run.log.before(3).map(({ waitMs = 0, runMs = 0 }) => [Math.round(waitMs), Math.round(runMs)])
    expect(rows).toEqual([
      [0, 100],
      [99, 100],
      [198, 100],
    ])
  })

  it('counts what it processed as passed only once its rows were reported, if somebody listens', () => {
    const run = feed()
    const told = (): number => run.passedMs
    run.log.telling = true
    run.take([said({ id: 'a', atMs: 0 }), said({ id: 'b', atMs: 60_000 })], NOW)
    expect(told()).toBe(Number.NEGATIVE_INFINITY)
    expect(run.log.takeChanges().requests).toHaveLength(1)
    const first = told()
    expect(first).toBeGreaterThan(T0)
    run.take([said({ id: 'c', atMs: 120_000 })], NOW)
    expect(told()).toBe(first)
    run.log.telling = false
    expect(told()).toBeGreaterThan(first)
  })

  it('places events that arrive too late at its present, and reports that', () => {
    const run = feed()
    run.take([said({ id: 'a', atMs: 20_000 }), said({ id: 'slow', atMs: 1_000, lastsMs: 19_500 })], NOW)
    run.finish()
    expect(run.counts).toMatchObject({ arrived: 2, late: 1 })
    expect(run.log.before(10).map(({ state }) => state)).toEqual(['served', 'served'])
  })

  it('puts the stages of a request together', () => {
    const run = feed()
    const stages = [
      said({ id: 'w', atMs: 1_000, lastsMs: 0, stage: 'RequestReceived', ...watch }),
      said({ id: 'w', atMs: 1_000, lastsMs: 4, stage: 'ResponseStarted', ...watch }),
      said({ id: 'g', atMs: 1_100, lastsMs: 0, stage: 'RequestReceived' }),
      said({ id: 'g', atMs: 1_100, lastsMs: 40, stage: 'Panic', code: 500 }),
      said({ id: 'late', atMs: 30_000 }),
    ]
    run.take(stages, NOW)
    expect(run.log.before(10).map(({ state, runMs, status }) => [state, runMs, status])).toEqual([
      ['served', 4, 200],
      ['served', 40, 500],
    ])
    expect(inUse(run)).toBe(0)
    run.take([said({ id: 'w', atMs: 1_000, lastsMs: 60_000, ...watch })], NOW)
    run.finish()
    expect(run.counts).toMatchObject({ arrived: 3, repeated: 0, unfinished: 0 })
  })

  it('uses the impersonated user as soon as a stage contains it', () => {
    const run = feed()
    const event = {
      auditID: 'a',
      requestURI: '/api/v1/namespaces/default/pods/one',
      verb: 'get',
      user: { username: 'operator', groups: ['system:masters', 'system:authenticated'] },
      requestReceivedTimestamp: time(0),
    }
    const impersonatedUser = { username: 'carol', groups: ['system:authenticated'] }
    const responseStatus = { code: 200 }
    run.take(
      [
        readAuditEvent({ ...event, stage: 'RequestReceived', stageTimestamp: time(0) }),
        readAuditEvent({
          ...event,
          stage: 'ResponseComplete',
          stageTimestamp: time(9),
          impersonatedUser,
          responseStatus,
        }),
      ],
      NOW,
    )
    run.finish()
    expect(run.log.before(2)).toMatchObject([{ user: 'carol', level: 'global-default', flow: 'carol', status: 200 }])
  })

  it('gives up requests that never end, and watches at their timeout', () => {
    const run = feed()
    run.take([said({ id: 'g', atMs: 0, lastsMs: 0, stage: 'RequestReceived' }), said({ id: 'x', atMs: 6_000 })], NOW)
    expect(inUse(run)).toBe(1)
    run.take([said({ id: 'y', atMs: 400_000 })], NOW)
    expect(run.counts.unfinished).toBe(1)
    run.finish()
    expect(inUse(run)).toBe(0)
  })

  it('keeps requests that did not reach flow control out of the engine', () => {
    const run = feed()
    const event = {
      auditID: 'anonymous',
      stage: 'ResponseComplete',
      requestURI: '/api/v1/pods?access_token=abc',
      verb: 'list',
      user: {},
      responseStatus: { code: 401 },
      requestReceivedTimestamp: time(10),
      stageTimestamp: time(11),
    }
    run.take([readAuditEvent(event)], NOW)
    run.finish()
    expect(run.log.before(1)).toMatchObject([
      { state: 'bypassed', level: '', user: '', status: 401, url: '/api/v1/pods?access_token=[hidden]' },
    ])
    expect(
      run.engine.snapshot().levels.flatMap(({ lanes }) => lanes.map(({ dispatched }) => dispatched)),
    ).not.toContain(1)
  })

  it('begins anew after a gap of hours and reports that', () => {
    const run = feed()
    const began: number[] = []
    run.subscribe({
      began: (at) => void began.push(at - T0),
      moved: () => undefined,
      arrived: () => undefined,
      lasted: () => undefined,
      watchEnded: () => undefined,
      abandoned: () => undefined,
      onFacts: () => undefined,
    })
    run.take([said({ id: 'a', atMs: 0 }), said({ id: 'b', atMs: 10 * 3_600_000 })], NOW)
    run.finish()
    expect(began).toEqual([0, 10 * 3_600_000 + 10 - 5_000])
    expect(run.log.before(10).map(({ state }) => state)).toEqual(['served', 'served'])
  })

  it('begins with the first event, when it is older than the start', () => {
    const run = feed({ startUnixMs: NOW })
    run.take([said({ id: 'a', atMs: 0 })], NOW)
    run.finish()
    expect(run.counts).toMatchObject({ arrived: 1, late: 0 })
  })

  it('rejects times in the future', () => {
    const run = feed()
    run.take([said({ id: 'a', atMs: 2 * 86_400_000 }), said({ id: 'b', atMs: 0 })], NOW)
    run.finish()
    expect(run.counts).toMatchObject({ arrived: 1, unreadable: 1 })
  })

  it('passes object counts to the engine for as long as they are available', () => {
    const run = feed()
    run.facts({ objects: new Map([['pods', { count: 600, averageSize: 1_000 }]]), watches: [] })
    const list = { uri: '/api/v1/pods', verb: 'list' }
    run.take(
      [0, 100_000, 400_000].map((atMs) => said({ id: `${atMs}`, atMs, ...list })),
      NOW,
    )
    run.finish()
    expect(run.log.before(10).map(({ seats }) => seats.initial)).toEqual([6, 6, 6])
    expect(run.limits.join(' ')).toContain('last scrape')
    expect(feed().limits.join(' ')).toContain('Without a scrape of the server, object counts and sizes are unknown')
  })

  describe('with the watches that the server counts', () => {
    const pods = (total: number) => ({ objects: new Map(), watches: [{ apiGroup: '', resource: 'pods', total }] })
    const change = (id: string, atMs: number): FeedRecord =>
      said({ id, atMs, uri: '/api/v1/namespaces/default/pods', verb: 'create' })
    const later = (atMs: number): FeedRecord => said({ id: `later ${atMs}`, atMs })
    const finalSeats = (run: ReturnType<typeof feed>): readonly number[] =>
      run.log
        .before(1_000)
        .filter(({ verb }) => verb === 'create')
        .map(({ seats }) => seats.final)

    it('estimates notifications of changes for as long as the watches are known', () => {
      const run = feed()
      run.take([change('before', 0), later(10_000)], NOW)
      run.facts(pods(31))
      run.take([change('a', 20_000), change('b', 400_000), change('after a gap', 10 * 3_600_000)], NOW)
      run.finish()
      expect(finalSeats(run)).toEqual([0, 4, 4, 4])
      expect(run.limits.join(' ')).toContain('Watch counts come from the last scrape')
      expect(feed().limits.join(' ')).toContain('Watches that were open before the feed began are not counted')
    })

    it('counts those of the feed among them, and each once however many stages it has', () => {
      const run = feed()
      const five = Array.from({ length: 5 }, (_, i) => [
        said({ id: `w${i}`, atMs: i, lastsMs: 0, stage: 'RequestReceived', ...watch }),
        said({ id: `w${i}`, atMs: i, lastsMs: 2, stage: 'ResponseStarted', ...watch }),
      ])
      run.take([...five.flat(), later(10_000)], NOW)
      run.facts(pods(20))
      run.take([change('a', 20_000), later(30_000)], NOW)
      // Eleven more begin after the scrape; one of the first ends.
      const more = Array.from({ length: 11 }, (_, i) =>
        said({ id: `v${i}`, atMs: 31_000, lastsMs: 2, stage: 'ResponseStarted', ...watch }),
      )
      run.take([...more, said({ id: 'w0', atMs: 0, lastsMs: 32_000, ...watch }), change('b', 33_000)], NOW)
      run.finish()
      expect(finalSeats(run)).toEqual([2, 3])
    })

    it('does not count a watch again if the feed contains only its end', () => {
      for (const identity of ['audit', 'httplog'] as const) {
        const run = feed({ identity })
        run.take([later(200_000)], NOW)
        run.facts(pods(20))
        run.take(
          [said({ id: 'w', atMs: 1_000, lastsMs: 200_000, ...watch }), change('a', 200_500), later(300_000)],
          NOW,
        )
        run.finish()
        expect(finalSeats(run)).toEqual([2])
      }
    })
  })

  describe('requests of a server that is killed and reports no end of them', () => {
    const inNamespace = (query: string) => ({
      uri: `/api/v1/namespaces/default/pods?watch=true${query}`,
      verb: 'watch',
    })
    const open = (atMs: number, query = ''): readonly FeedRecord[] =>
      Array.from({ length: 10 }, (_, i) =>
        said({ id: `${atMs} ${i}`, atMs, lastsMs: 2, stage: 'ResponseStarted', ...inNamespace(query) }),
      )
    const change = (atMs: number): FeedRecord =>
      said({ id: `change ${atMs}`, atMs, uri: '/api/v1/namespaces/default/pods', verb: 'create' })
    const finalSeats = (run: ReturnType<typeof feed>): readonly (readonly number[])[] =>
      run.log
        .before(100)
        .filter(({ verb }) => verb === 'create')
        .map(({ at, seats }) => [at - T0, seats.final])
    const startedAt = (ms: number) => ({ objects: new Map(), watches: [], startedMs: T0 + ms })

    it('end once the start of the next server is known and its time is reached', () => {
      const run = feed()
      run.take([...open(0), said({ id: 'g', atMs: 9_000, lastsMs: 0, stage: 'RequestReceived' }), change(9_500)], NOW)
      run.facts(startedAt(20_000))
      run.take([change(18_000), change(24_000)], NOW)
      expect(inUse(run)).toBe(1)
      run.take([...open(25_000), change(26_000), said({ id: 'last', atMs: 40_000 })], NOW)
      run.passTo(T0 + 36_000)
      expect(inUse(run)).toBe(0)
      // The same start again ends nothing more.
      run.facts(startedAt(20_000))
      run.take([change(50_000), said({ id: '0 0', atMs: 0, lastsMs: 51_000, ...inNamespace('') })], NOW)
      run.finish()
      expect(finalSeats(run)).toEqual([
        [9_500, 1],
        [18_000, 1],
        [24_000, 0],
        [26_000, 1],
        [50_000, 1],
      ])
      expect(run.counts).toMatchObject({ unfinished: 0, repeated: 1 })
    })

    it('remain if they began just before: the start of a process is known to a second', () => {
      const run = feed()
      run.take([...open(19_500), said({ id: 'on', atMs: 30_000 })], NOW)
      run.facts(startedAt(20_000))
      run.take([change(31_000)], NOW)
      run.finish()
      expect(finalSeats(run)).toEqual([[31_000, 1]])
    })

    it('end after the timeout that they requested if they are watches', () => {
      const run = feed()
      run.take([...open(0, '&timeoutSeconds=400'), ...open(1_000, '&timeoutSeconds=0')], NOW)
      for (const event of [change(390_000), said({ id: 'on', atMs: 500_000 }), change(600_000)]) run.take([event], NOW)
      run.finish()
      expect(finalSeats(run)).toEqual([
        [390_000, 2],
        [600_000, 1],
      ])
    })
  })

  it('distinguishes requests with the same audit-ID, which clients may choose', () => {
    const run = feed()
    const first = said({ id: 'mine', atMs: 1_000 })
    run.take([first, said({ id: 'mine', atMs: 2_000 }), first, said({ id: 'mine', atMs: 3_000 })], NOW)
    run.finish()
    expect(run.counts).toMatchObject({ arrived: 3, repeated: 1 })
  })

  it('tolerates impossible times', () => {
    const run = feed({ startUnixMs: NOW })
    const began: number[] = []
    run.subscribe({
      began: (at) => void began.push(at - T0),
      moved: () => undefined,
      arrived: () => undefined,
      lasted: () => undefined,
      watchEnded: () => undefined,
      abandoned: () => undefined,
      onFacts: () => undefined,
    })
    const century = 100 * 365 * 86_400_000
    const records = [
      // Held open for a month, as a port-forward may be: the engine must not process all that time.
      said({ id: 'forward', atMs: -30 * 86_400_000, lastsMs: 30 * 86_400_000, ...watch }),
      said({ id: 'ages', atMs: 1_000 - century, lastsMs: century }),
      said({ id: 'backwards', atMs: 3_000, lastsMs: -1_000 }),
      said({ id: 'watch backwards', atMs: century, lastsMs: 2_500 - century, ...watch }),
    ]
    run.take(records, NOW)
    run.finish()
    expect(began).toEqual([NOW - T0, -5_000])
    expect(run.counts).toMatchObject({ arrived: 3, unreadable: 1, unfinished: 0 })
    expect(run.counts.lastUnreadable).toContain('has a duration')
    expect(run.log.before(2).map(({ at, state }) => [at - T0, state])).toEqual([
      [2_000, 'served'],
      [2_500, 'served'],
    ])
    expect(inUse(run)).toBe(0)
  })

  it('reports when much of the feed comes too late, or has no end', () => {
    const run = feed()
    const late = 'appeared in the feed only after'
    const unfinished = 'never ended'
    const ordinary = Array.from({ length: 60 }, (_, i) => said({ id: `${i}`, atMs: i * 1_000 }))
    run.take(ordinary, NOW)
    // For open watches this is not reported: they appear at their end, and are no longer counted.
    run.take([said({ id: 'w', atMs: 0, lastsMs: 59_000, ...watch })], NOW)
    expect(run.counts).toMatchObject({ late: 0 })
    expect(run.limits.join(' ')).not.toMatch(/appeared in the feed only after|never ended/)
    run.take([said({ id: 'slow', atMs: 1_000, lastsMs: 59_000 })], NOW)
    run.finish()
    expect(run.limits.join(' ')).toContain(late)
    const endless = feed()
    endless.take(
      Array.from({ length: 60 }, (_, i) =>
        said({ id: `${i}`, atMs: i * 10_000, lastsMs: 0, stage: 'RequestReceived' }),
      ),
      NOW,
    )
    expect(endless.limits.join(' ')).toContain(unfinished)
    expect(endless.limits.join(' ')).toContain('omit ResponseComplete')
  })

  it('gives requests that the server rejected the duration of others of their kind', () => {
    const run = feed()
    const refused = said({ id: 'b', atMs: 2_000, lastsMs: 1, code: 429 })
    run.take([said({ id: 'a', atMs: 1_000, lastsMs: 70 }), refused], NOW)
    run.finish()
    expect(run.log.before(10)[1]).toMatchObject({ state: 'served', runMs: 70, status: 429 })
  })

  it('lets a request wait no longer than its client did, even one that appears late', () => {
    // One seat, which is taken for twenty seconds.
    const long = said({ id: 'a', atMs: 4_000, lastsMs: 0, stage: 'RequestReceived' })
    const ended = said({ id: 'a', atMs: 4_000, lastsMs: 20_000 })
    const left = said({ id: 'b', atMs: 4_100, lastsMs: 3_000, code: 429, waitS: 2.9 })
    // Its client stayed: a server lets it wait for 15 s.
    const timedOut = said({ id: 'c', atMs: 4_200, lastsMs: 15_010, code: 429, waitS: 15 })
    // An end carries the time on to seven seconds.
    const later = said({ id: 'd', atMs: 11_990 })
    for (const records of [
      [long, left, later, timedOut, ended],
      [long, later, left, timedOut, ended],
    ]) {
      const run = feed({ seats: 8 })
      run.configure(shaped(1, 50))
      run.take(records, NOW)
      run.finish()
      const waits = new Map(
        run.log.before(10).map(({ server, state, waitMs = 0 }) => [server?.waitMs, [state, Math.round(waitMs)]]),
      )
      expect(waits.get(2_900)).toEqual(['rejected', 3_000])
      expect(waits.get(15_000)?.[0]).toBe('served')
    }
  })

  it('passes everything to a second engine', () => {
    const run = feed()
    const onFacts: string[] = []
    run.subscribe({
      began: () => void onFacts.push('began'),
      moved: () => undefined,
      arrived: ({ seq }, { user }) => void onFacts.push(`arrived ${seq} ${user.name}`),
      lasted: ({ seq }, ns) => void onFacts.push(`lasted ${seq} ${ns / 1e6}`),
      watchEnded: ({ seq }) => void onFacts.push(`ended ${seq}`),
      abandoned: ({ seq }) => void onFacts.push(`left ${seq}`),
      onFacts: () => void onFacts.push('facts'),
    })
    const events = [
      said({ id: 'w', atMs: 0, lastsMs: 3, stage: 'ResponseStarted', ...watch }),
      said({ id: 'w', atMs: 0, lastsMs: 500, ...watch }),
    ]
    run.take(events, NOW)
    run.finish()
    expect(onFacts).toEqual(['began', 'arrived 0 alice', 'lasted 0 3', 'ended 0'])
    // Facts about the server as often as for the first engine, for they expire after minutes.
    onFacts.length = 0
    run.facts({ objects: new Map([['pods', { count: 600, averageSize: 1_000 }]]), watches: [] })
    expect(onFacts).toEqual(['facts'])
    run.take([said({ id: 'x', atMs: 130_000 }), said({ id: 'y', atMs: 200_000 })], NOW)
    run.finish()
    expect(onFacts.filter((what) => what === 'facts').length).toBeGreaterThan(2)
  })
})

describe('a log without users', () => {
  it('places requests as in the log, and compares with it', () => {
    const run = feed({ identity: 'httplog' })
    const line = (id: string, schema: string, level: string, seats: number): string =>
      `I1121 07:00:01.000000 1 httplog.go:134] "HTTP" verb="GET" URI="/api/v1/namespaces/default/pods/one" latency="5ms" userAgent="x" audit-ID="${id}" srcIP="10.0.0.7:1" apf_pl="${level}" apf_fs="${schema}" apf_iseats=${seats} apf_fseats=0 apf_additionalLatency="0s" apf_execution_time="4ms" resp=200`
    const lines = [
      line('a', 'service-accounts', 'workload-low', 1),
      line('b', 'global-default', 'global-default', 3),
      line('c', 'of-theirs', 'global-default', 1),
      line('d', 'global-default', 'of-theirs', 1),
    ]
    run.take(
      lines.map((text) => readHttpLogLine(text, NOW)),
      NOW,
    )
    run.finish()
    expect(run.log.before(10).map(({ schema }) => schema)).toEqual([
      'service-accounts',
      'global-default',
      'global-default',
      'global-default',
    ])
    expect(run.agreement()).toMatchObject({ compared: 4, schemaAndLevel: 2, widthCompared: 4, width: 3 })
  })
})

describe('the order of a feed', () => {
  const request = fc.record({
    atMs: fc.nat(30_000),
    lastsMs: fc.integer({ min: 1, max: 1_500 }),
    kind: fc.constantFrom('get', 'list', 'watch', 'refused'),
    user: fc.constantFrom('alice', 'bob', 'system:serviceaccount:batch:crawler'),
    /** How much later than in order of time it is written, and how often it is repeated. */
    delayMs: fc.nat(2_000),
    again: fc.nat(2),
    garbage: fc.boolean(),
  })

  const eventsOf = (
    { atMs, lastsMs, kind, user }: { atMs: number; lastsMs: number; kind: string; user: string },
    i: number,
  ) => {
    const common = { id: `id-${i}`, atMs, user }
    if (kind === 'watch') {
      const started = { ...common, lastsMs: 1, stage: 'ResponseStarted', ...watch }
      return [started, { ...common, lastsMs, ...watch }]
    }
    if (kind === 'list') return [{ ...common, lastsMs, uri: '/api/v1/pods', verb: 'list' }]
    return [{ ...common, lastsMs, ...(kind === 'refused' && { code: 429 }) }]
  }

  it('within the window, repeats and garbage change nothing in the result', () => {
    const outcome = (records: readonly (readonly FeedRecord[])[]) => {
      const run = feed({ seats: 3 })
      for (const batch of records) run.take(batch, NOW)
      run.finish()
      const { arrived, late, unfinished } = run.counts
      const levels = run.engine
        .snapshot()
        .levels.map(({ name, lanes }) => [
          name,
          lanes.map(({ schema, dispatched, rejected }) => ({ schema, dispatched, rejected })),
        ])
      return { rows: run.log.before(1_000), arrived, late, unfinished, levels, inUse: inUse(run) }
    }
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (all, size) => {
        const events = all.flatMap((one, i) =>
          eventsOf(one, i).map((event) => ({ ...one, event, endMs: one.atMs + event.lastsMs })),
        )
        const inOrder = events.toSorted((a, b) => a.endMs - b.endMs).map(({ event }) => said(event))
        const written = events.flatMap((one) =>
          Array.from({ length: one.again + 1 }, (_, i) => ({ ...one, writtenMs: one.endMs + one.delayMs + i * 700 })),
        )
        const disturbed = written
          .toSorted((a, b) => a.writtenMs - b.writtenMs)
          .flatMap(({ event, garbage }) => [...(garbage ? [unreadable('Garbage.')] : []), said(event)])
        const batches = Array.from({ length: Math.ceil(disturbed.length / size) }, (_, i) =>
          disturbed.slice(i * size, (i + 1) * size),
        )
        const expected = outcome([inOrder])
        expect(outcome(batches)).toEqual(expected)
        expect(expected.arrived).toBe(all.length)
        expect(expected.late).toBe(0)
        expect(expected.inUse).toBe(0)
      }),
      { numRuns: 150 },
    )
  })
})

describe('requests that are held back', () => {
  it('count the texts of a request once, though a later stage has other ones', () => {
    const run = feed()
    const administrator = 'a'.repeat(1_000_000)
    // Only the later stages contain the impersonation.
    for (let i = 0; i < 40; i++) {
      const atMs = i * 10_000
      run.take([said({ id: `${i}`, atMs, lastsMs: 0, stage: 'RequestReceived', user: administrator })], NOW)
      run.take([said({ id: `${i}`, atMs })], NOW)
    }
    const user = administrator
    run.take([said({ id: 'next', atMs: 401_000, user }), said({ id: 'before it', atMs: 400_000, user })], NOW)
    run.finish()
    expect(run.counts).toMatchObject({ arrived: 42, late: 0 })
  })

  it('come out in the order of time, order and id, whatever the order of insertion', () => {
    const happening = fc.record({ atMs: fc.nat(50), order: fc.nat(1), id: fc.string({ maxLength: 2 }) })
    const key = ({ atMs, order, id }: { atMs: number; order: number; id: string }): string => `${atMs}/${order}/${id}`
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 200 }), fc.nat(50), (all, until) => {
        const timeline = new Timeline<{ atMs: number; order: number; id: string }>()
        for (const one of all) timeline.put(one)
        const out: string[] = []
        for (let one = timeline.take(until); one; one = timeline.take(until)) out.push(key(one))
        const sorted = all
          .filter(({ atMs }) => atMs <= until)
          .toSorted((a, b) => a.atMs - b.atMs || a.order - b.order || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
        expect(out).toEqual(sorted.map(key))
        expect(timeline.size).toBe(all.length - out.length)
      }),
    )
  })

  it('are released', () => {
    const timeline = new Timeline<{ atMs: number; order: number; id: string }>()
    for (let i = 0; i < 20_000; i++) {
      timeline.put({ atMs: i, order: 0, id: '' })
      if (i % 2 === 1) expect(timeline.take(i)?.atMs).toBe((i - 1) / 2)
    }
    expect(timeline.size).toBe(10_000)
  })
})

describe('ids that were seen', () => {
  it('are kept up to a number, and dropped after twice as many', () => {
    const seen = new SeenIds(10)
    for (let i = 0; i < 100; i++) {
      seen.add(`${i}`)
      for (let j = 0; j < 10 && j <= i; j++) expect(seen.has(`${i - j}`)).toBe(true)
      expect(seen.has(`${i - 20}`)).toBe(false)
    }
  })
})
