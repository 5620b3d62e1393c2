import { describe, expect, it } from 'vitest'
import { readRecorded } from './recorded.ts'
import { variantOf } from './whatif.fixture.ts'

const NOW = Date.UTC(2026, 10, 23)
const baseline = variantOf('baseline')
const read = (text: string, file = 'log') => readRecorded([{ file, text }], baseline, NOW)

const row = (seq: number, more: object = {}): string =>
  JSON.stringify({
    seq,
    at: NOW + seq,
    user: 'ann',
    groups: ['system:authenticated'],
    verb: 'get',
    url: '/api/v1/namespaces/default/pods/one',
    resource: 'pods',
    namespace: 'default',
    name: 'one',
    state: 'served',
    level: 'global-default',
    schema: 'global-default',
    flow: 'ann',
    seats: { initial: 1, final: 0 },
    waitMs: 0,
    runMs: 20,
    ...more,
  })

describe('lines of --json', () => {
  it('are requests, in the order of their arrival', () => {
    const result = read([row(2, { runMs: 40 }), row(1), '{"waits":{"here":0}}', ''].join('\n'))
    if (!result.ok) return expect.fail(result.problem)
    expect(result.arrivals).toMatchObject({ startUnixMs: NOW + 1, endNs: 41e6, notes: [] })
    expect(result.arrivals.list.map(({ atNs, executionNs, client }) => ({ atNs, executionNs, client }))).toEqual([
      { atNs: 0, executionNs: 20e6, client: 'ann' },
      { atNs: 1e6, executionNs: 40e6, client: 'ann' },
    ])
    return undefined
  })

  it('come to an engine that began when the one that placed them did, as far as its recomputations go', () => {
    const result = read(
      [row(1, { engineMs: 12_345.5 }), row(2, { at: NOW + 1 }), row(3, { engineMs: 12_347.5 })].join('\n'),
    )
    if (!result.ok) return expect.fail(result.problem)
    expect(result.arrivals).toMatchObject({ startUnixMs: NOW + 1 - 2_345.5, fromNs: 2_345.5e6, endNs: 2_367.5e6 })
    expect(result.arrivals.list.map(({ atNs }) => atNs)).toEqual([2_345.5e6, 2_345.5e6, 2_347.5e6])
    // Instants since 1970 have a resolution of a quarter of a microsecond; still, the period begins with the first
    // request.
    const odd = read(row(1, { at: 1_795_707_452_115.9963, engineMs: 68.996363 }))
    if (!odd.ok) return expect.fail(odd.problem)
    expect(odd.arrivals.fromNs).toBe(odd.arrivals.list[0]?.atNs)
    return undefined
  })

  it('take the usual time where they never ran, and are left out where they cannot be read again', () => {
    const rejected = row(2, { state: 'rejected', reason: 'queue-full', runMs: undefined })
    const long = row(3, { url: `/api/v1/pods?x=… (9 more characters)` })
    const result = read([row(1), rejected, long, row(4, { state: 'crowded-out' })].join('\n'))
    if (!result.ok) return expect.fail(result.problem)
    expect(result.arrivals.list.map(({ executionNs }) => executionNs)).toEqual([20e6, 20e6])
    expect(result.arrivals.notes).toEqual([
      '1 request never ran or never ended in the recording: if a variant executes them, they take as long as others of their kind.',
      '1 request left out: the log shortened their address or groups.',
      '1 request left out: the proxy rejected them for lack of room.',
    ])
    return undefined
  })

  it('are refused with file and line where one is none', () => {
    const result = read(`${row(1)}\n{"seq":1}\n`, 'rows.ndjson')
    expect(result).toEqual({
      ok: false,
      problem: expect.stringMatching(/^rows\.ndjson:2: This is not a line of proxy --json or feed --json: /),
    })
  })
})

const event = (id: number, ms: number, lastsMs: number): string =>
  JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    auditID: `id-${id}`,
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/default/pods/one',
    verb: 'get',
    user: { username: 'bob', groups: ['system:authenticated'] },
    requestReceivedTimestamp: new Date(NOW + ms).toISOString(),
    stageTimestamp: new Date(NOW + ms + lastsMs).toISOString(),
    responseStatus: { code: 200 },
    annotations: { 'authorization.k8s.io/decision': 'allow' },
  })

describe('an audit log', () => {
  it('is read as a feed reads it', () => {
    const result = read([event(1, 0, 30), event(2, 10, 30)].join('\n'))
    if (!result.ok) return expect.fail(result.problem)
    expect(result.arrivals.list.map(({ atNs, executionNs, client }) => [atNs, executionNs, client])).toEqual([
      [0, 30e6, 'bob'],
      [10e6, 30e6, 'bob'],
    ])
    expect(result.arrivals.notes[0]).toMatch(/audit log/)
    return undefined
  })

  it('does not go together with another kind', () => {
    const texts = [
      { file: 'a', text: event(1, 0, 30) },
      { file: 'b', text: row(1) },
    ]
    expect(readRecorded(texts, baseline, NOW)).toMatchObject({ ok: false })
  })
})

it('says that there is nothing in a file that holds no request', () => {
  expect(read('hello\n')).toEqual({ ok: false, problem: expect.stringMatching(/^The files contain no request/) })
  expect(read('')).toMatchObject({ ok: false })
})

describe('logs of several files', () => {
  const eventAt = (minute: number, second: number): string =>
    JSON.stringify({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      auditID: `${minute}-${second}`,
      stage: 'ResponseComplete',
      verb: 'list',
      requestURI: '/api/v1/pods',
      user: { username: 'ann', groups: ['system:authenticated'] },
      requestReceivedTimestamp: new Date(NOW + minute * 60_000 + second * 1_000).toISOString(),
      stageTimestamp: new Date(NOW + minute * 60_000 + second * 1_000 + 9).toISOString(),
      annotations: { 'authorization.k8s.io/decision': 'allow' },
    })
  const minutes = Array.from({ length: 30 }, (_, minute) => minute)
  const lines = (second: number): readonly string[] => minutes.map((minute) => eventAt(minute, second))

  it('are requests in the order of time, whatever the order of the files', () => {
    const one = read(minutes.flatMap((minute) => [eventAt(minute, 1), eventAt(minute, 2)]).join('\n'))
    const texts = [lines(2), lines(1)].map((all, n) => ({ file: `${n}`, text: all.join('\n') }))
    const two = readRecorded(texts, baseline, NOW)
    if (!one.ok || !two.ok) return expect.fail()
    expect(two.arrivals.list.map(({ atNs }) => atNs)).toEqual(one.arrivals.list.map(({ atNs }) => atNs))
    return undefined
  })

  it('are read from among other files, which are named', () => {
    const log = { file: 'audit.log', text: eventAt(0, 1) }
    const result = readRecorded([{ file: 'metrics.txt', text: '# TYPE a gauge\na 1\n' }, log], baseline, NOW)
    if (!result.ok) return expect.fail(result.problem)
    expect(result.arrivals.list).toHaveLength(1)
    expect(result.arrivals.notes.at(-1)).toBe('1 other file left out: metrics.txt.')
    return undefined
  })
})
