import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAuditEvent } from './auditEvent.ts'
import { readAuditBatch, readLog } from './logReader.ts'

const event = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: 'one',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/default/pods?limit=500',
  verb: 'list',
  user: { username: 'alice', groups: ['devs', 'system:authenticated'] },
  sourceIPs: ['10.0.0.7'],
  userAgent: 'kubectl/v1.36.3 (linux/amd64)',
  responseStatus: { metadata: {}, code: 200 },
  requestReceivedTimestamp: '2026-11-21T07:30:23.451268Z',
  stageTimestamp: '2026-11-21T07:30:23.460370Z',
}
const receivedMs = Date.parse('2026-11-21T07:30:23.451Z') + 0.268

describe('an audit event', () => {
  it('is a request with user, times and the server’s reading of its address', () => {
    const read = readAuditEvent(event)
    expect(read).toMatchObject({
      kind: 'arrival',
      auditId: 'one',
      stage: 'complete',
      user: { name: 'alice', groups: ['devs', 'system:authenticated'] },
      client: 'kubectl/v1.36.3 at 10.0.0.7',
      status: 200,
      refused: false,
      outside: undefined,
      isWatch: false,
      line: { ok: true, info: { verb: 'list', resource: 'pods', namespace: 'default' } },
    })
    if (read.kind !== 'arrival') throw new Error('no arrival')
    expect(read.executionMs).toBe(undefined)
    expect(read.receivedMs).toBeCloseTo(receivedMs, 3)
    expect(read.inAllMs).toBeCloseTo(9.102, 2)
  })

  it('has the impersonated user', () => {
    const impersonatedUser = { username: 'system:serviceaccount:batch:crawler', groups: ['system:serviceaccounts'] }
    expect(readAuditEvent({ ...event, impersonatedUser })).toMatchObject({
      user: { name: 'system:serviceaccount:batch:crawler', groups: ['system:serviceaccounts'] },
    })
  })

  it('subtracts the queue wait from the execution, where the server reports it', () => {
    const annotations = { 'apiserver.latency.k8s.io/apf-queue-wait': '5ms' }
    const read = readAuditEvent({ ...event, annotations })
    expect(read).toMatchObject({ server: { waitMs: 5 } })
    if (read.kind === 'arrival') expect(read.executionMs).toBeCloseTo(4.102, 2)
    // A long request would have it among its latencies.
    const long = { ...event, stageTimestamp: '2026-11-21T07:30:24.451268Z' }
    const latencies = { 'apiserver.latency.k8s.io/total': '1s' }
    const told = readAuditEvent({ ...long, annotations: latencies })
    if (told.kind === 'arrival') expect(told.executionMs).toBeCloseTo(1_000, 2)
    expect(told).toMatchObject({ waitAtMostMs: 0 })
    // Without any, they were left out.
    const untold = readAuditEvent(long)
    expect(untold).toMatchObject({ executionMs: undefined, lacks: ['latencies'] })
    if (untold.kind === 'arrival') expect([untold.inAllMs, untold.waitAtMostMs]).toEqual([1_000, 1_000])
  })

  it('without groups has those that follow from the name, and says so', () => {
    const of = (user: object) => readAuditEvent({ ...event, user })
    expect(of({ username: 'system:node:n1' })).toMatchObject({
      user: { groups: ['system:nodes', 'system:authenticated'] },
      lacks: ['groups'],
    })
    expect(of({ username: 'alice', groups: [] })).toMatchObject({ user: { groups: [] } })
    expect(of(event.user)).not.toHaveProperty('lacks')
  })

  it('without a user is unreadable, unless nobody was authenticated', () => {
    const { user: _left, ...nobody } = event
    expect(readAuditEvent(nobody)).toMatchObject({ kind: 'unreadable', problem: expect.stringMatching(/has no user/) })
    expect(readAuditEvent({ ...nobody, user: {}, responseStatus: { code: 401 } })).toMatchObject({
      outside: expect.stringMatching(/could not authenticate/),
    })
  })

  it.each([
    ['get', '/api/v1/namespaces/default/pods/one'],
    ['list', '/api/v1/pods?fieldSelector=metadata.name%3Done'],
    ['watch', '/api/v1/pods?watch=1'],
    ['watch', '/api/v1/watch/pods'],
    ['create', '/api/v1/namespaces/default/pods'],
    ['update', '/api/v1/namespaces/default/pods/one/status'],
    ['patch', '/apis/apps/v1/namespaces/default/deployments/one'],
    ['delete', '/api/v1/namespaces/default/pods/one'],
    ['deletecollection', '/api/v1/namespaces/default/pods'],
    ['get', '/healthz'],
    ['post', '/apis/authorization.k8s.io'],
    ['head', '/version'],
    ['proxy', '/api/v1/proxy/namespaces/default/services/web'],
    ['', '/api/v1/pods'],
  ])('%s %s is placed as the server did', (verb, requestURI) => {
    const read = readAuditEvent({ ...event, verb, requestURI })
    expect(read).toMatchObject({ kind: 'arrival', line: { ok: true, info: { verb } } })
  })

  it('gives the reason for a rejection before flow control', () => {
    const anonymous = { ...event, user: {}, responseStatus: { code: 401 } }
    expect(readAuditEvent(anonymous)).toMatchObject({
      outside: expect.stringContaining('could not authenticate the client'),
    })
    const unreadable = { ...event, requestURI: '/api/v1/pods?timeout=soon', responseStatus: { code: 400 } }
    expect(readAuditEvent(unreadable)).toMatchObject({ outside: expect.stringContaining('before flow control') })
  })

  it('distinguishes 429 of flow control from that of evictions and the like, which were authorized before', () => {
    const responseStatus = { code: 429 }
    const eviction = { requestURI: '/api/v1/namespaces/default/pods/one/eviction', verb: 'create', responseStatus }
    const annotations = { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' }
    expect(readAuditEvent({ ...event, responseStatus })).toMatchObject({ refused: true, executionMs: undefined })
    expect(readAuditEvent({ ...event, ...eviction })).toMatchObject({ refused: true, executionMs: undefined })
    expect(readAuditEvent({ ...event, responseStatus, annotations })).toMatchObject({ refused: false })
    expect(readAuditEvent({ ...event, ...eviction, annotations })).toMatchObject({ refused: false })
  })

  it('recognizes a forbidden impersonation, which is rejected before flow control', () => {
    const responseStatus = { code: 403 }
    const forbidden = { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' }
    expect(readAuditEvent({ ...event, responseStatus, annotations: forbidden })).toMatchObject({ outside: undefined })
    expect(readAuditEvent({ ...event, responseStatus })).toMatchObject({
      outside: expect.stringContaining('impersonate'),
    })
  })

  it('accepts times of any precision, in UTC as servers write it', () => {
    for (const [text, ms] of [
      ['2026-11-21T07:30:23Z', 0],
      ['2026-11-21T07:30:23.5Z', 500],
      ['2026-11-21T07:30:23.000250Z', 0.25],
      ['2026-11-21T07:30:23.000250999Z', 0.250_999],
    ] as const) {
      const read = readAuditEvent({ ...event, requestReceivedTimestamp: text, stageTimestamp: text })
      if (read.kind !== 'arrival') throw new Error(text)
      expect(read.receivedMs - Date.parse('2026-11-21T07:30:23Z')).toBeCloseTo(ms, 3)
      expect(read.inAllMs).toBe(0)
    }
    expect(readAuditEvent({ ...event, stageTimestamp: '2026-11-21T09:00:23.5+01:30' })).toMatchObject({
      problem: expect.stringContaining('stageTimestamp'),
    })
  })

  it('may have unknown fields, or only those of a Metadata policy', () => {
    const user = { ...event.user, uid: 'u', extra: { 'authentication.kubernetes.io/credential-id': ['X509SHA256=1'] } }
    const more = { future: { a: [1] }, requestObject: { kind: 'Pod' }, objectRef: { resource: 'nodes', name: 'x' } }
    const plain = readAuditEvent(event)
    expect(plain).toMatchObject({ address: '10.0.0.7' })
    expect(readAuditEvent({ ...event, ...more, user })).toEqual(plain)
    const { kind: _kind, level: _level, sourceIPs: _addresses, userAgent: _agent, ...least } = event
    expect(readAuditEvent(least)).toEqual({ ...plain, client: ' at ', address: undefined })
    expect(readAuditEvent({ ...event, stage: 'ResponseFlushed' })).toMatchObject({
      kind: 'unreadable',
      problem: expect.stringContaining('ResponseFlushed'),
    })
  })

  it('is unreadable with a reason when something is missing or contradicts itself', () => {
    for (const part of ['auditID', 'stage', 'requestURI', 'verb', 'stageTimestamp', 'requestReceivedTimestamp']) {
      const read = readAuditEvent({ ...event, [part]: undefined })
      expect(read, part).toMatchObject({ kind: 'unreadable', problem: expect.stringMatching(/\.$/) })
    }
    expect(readAuditEvent({ ...event, verb: 'watch' })).toMatchObject({
      problem:
        'The audit event one has the verb watch, but a server reads /api/v1/namespaces/default/pods?limit=500 as list.',
    })
  })
})

describe('lines and batches', () => {
  it('are read one by one, and garbage is returned as a value', () => {
    expect(readLog('audit', `\n${JSON.stringify(event)}\r\n\n{"kind":"Event","audit`, 0)).toMatchObject([
      { kind: 'arrival' },
      { kind: 'unreadable', problem: 'Line 4: A line is not JSON: {"kind":"Event","audit' },
    ])
    expect(readAuditBatch(JSON.stringify({ kind: 'EventList', items: [event, { kind: 'Pod' }] }))).toMatchObject([
      { kind: 'arrival' },
      { kind: 'unreadable' },
    ])
    expect(readAuditBatch(JSON.stringify(event))).toMatchObject([{ kind: 'arrival' }])
    for (const text of ['', '[]', '{}', '{"kind":"EventList"}', '{"kind":"Pod"}'])
      expect(readAuditBatch(text)).toBe(undefined)
  })

  it('never throw', () => {
    const part = fc.constantFrom(...Object.keys(event))
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), part, (text, value, name) => {
        readLog('audit', text, 0)
        readAuditBatch(text)
        readAuditEvent(value)
        expect(['arrival', 'unreadable']).toContain(readAuditEvent({ ...event, [name]: value }).kind)
        expect(['arrival', 'unreadable']).toContain(readAuditEvent({ ...event, user: { [text]: value } }).kind)
      }),
    )
  })
})
