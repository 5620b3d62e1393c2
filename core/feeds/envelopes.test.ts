import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { LogUnwrapper } from './envelopes.ts'
import { readAuditBatch, logKindOf, readLog } from './logReader.ts'
import type { FeedArrival, FeedRecord } from './request.ts'

const NOW = Date.UTC(2026, 10, 28)

const eventOf = (n: number, uri = '/api/v1/namespaces/team-a/pods?limit=500') => ({
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: `id-${n}`,
  stage: 'ResponseComplete',
  requestURI: uri,
  verb: 'list',
  user: { username: 'alice', groups: ['system:authenticated'] },
  sourceIPs: ['192.0.2.9'],
  userAgent: 'kubectl/v1.31.0',
  responseStatus: { metadata: {}, code: 200 },
  requestReceivedTimestamp: `2026-11-20T10:00:0${n % 10}.000001Z`,
  stageTimestamp: `2026-11-20T10:00:0${n % 10}.010001Z`,
  annotations: { 'authorization.k8s.io/decision': 'allow' },
})
type Events = readonly object[]

const klogOf = (n: number): string =>
  `I1121 07:26:4${n % 10}.078543   16426 httplog.go:134] "HTTP" verb="LIST" URI="/api/v1/namespaces/team-a/pods?limit=500" latency="21.257404ms" userAgent="kubectl/v1.31.0" audit-ID="id-${n}" srcIP="192.0.2.9:43340" apf_pl="global-default" apf_fs="global-default" apf_iseats=1 apf_fseats=0 apf_additionalLatency="0s" apf_execution_time="5.915741ms" resp=200`
const klogJsonOf = (n: number): string =>
  JSON.stringify({
    ts: 1_795_245_600_000 + n,
    msg: 'HTTP',
    verb: 'LIST',
    URI: '/api/v1/pods',
    latency: '2ms',
    'audit-ID': `id-${n}`,
    resp: 200,
  })

const json = (value: unknown): string => JSON.stringify(value)
const lines = (of: (event: string, n: number) => string) => (events: Events) =>
  events.map((event, n) => of(json(event), n)).join('\n')
/** Rows of the table AKSAudit: members as columns, objects as texts. */
const aksRow = (event: Partial<ReturnType<typeof eventOf>>): object => ({
  AuditId: event.auditID,
  Stage: event.stage,
  Verb: event.verb,
  RequestUri: event.requestURI,
  User: json(event.user),
  SourceIps: json(event.sourceIPs),
  UserAgent: event.userAgent,
  ResponseStatus: json(event.responseStatus),
  RequestReceivedTime: event.requestReceivedTimestamp,
  StageReceivedTime: event.stageTimestamp,
  Annotations: json(event.annotations),
})

/** Every form in which a file of audit events is known to come. */
const AUDIT: Readonly<Record<string, (events: Events) => string>> = {
  'one line each': lines((event) => event),
  'CR LF, blank lines, no last newline': lines((event) => `${event}\r\n\r`),
  'byte order mark': (events) => `\uFEFF${lines((event) => event)(events)}`,
  EventList: (items) => json({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items }),
  'EventList, other order': (items) => json({ items, metadata: {}, kind: 'EventList' }),
  'pretty EventList': (items) => JSON.stringify({ kind: 'EventList', items }, undefined, 2),
  'JSON array': json,
  'pretty JSON array': (events) => JSON.stringify(events, undefined, 2),
  'JSON array with an event on each line': (events) => `[\n${events.map(json).join(',\n')}\n]\n`,
  'pretty JSON': (events) => events.map((event) => JSON.stringify(event, undefined, 4)).join('\n'),
  'pretty JSON with tabs and CR LF': (events) =>
    events.map((event) => JSON.stringify(event, undefined, '\t').replaceAll('\n', '\r\n')).join('\r\n'),
  'aws logs filter-log-events': (events) =>
    JSON.stringify(
      {
        events: events.map((event) => ({ logStreamName: 'kube-apiserver-audit-1', message: json(event) })),
        searchedLogStreams: [],
      },
      undefined,
      4,
    ),
  'aws logs get-log-events, other order': (events) =>
    json({ nextForwardToken: 'f/1', events: events.map((event) => ({ message: json(event), ingestionTime: 1 })) }),
  'aws logs tail': lines((event, n) => `2026-11-20T10:00:0${n % 10}.010000+00:00 kube-apiserver-audit-1 ${event}`),
  'CloudWatch export to S3': lines((event) => `2026-11-20T10:00:00.010Z ${event}`),
  'CloudWatch subscription': (events) =>
    json({
      messageType: 'DATA_MESSAGE',
      owner: '1',
      logGroup: '/aws/eks/c/cluster',
      logEvents: events.map((event) => ({ id: '1', timestamp: 1, message: json(event) })),
    }),
  'CloudWatch Logs Insights': (events) =>
    json({
      results: events.map((event) => [
        { field: '@timestamp', value: '2026' },
        { field: '@message', value: json(event) },
        { field: '@ptr', value: 'x' },
      ]),
      status: 'Complete',
    }),
  'AKS diagnostic record': lines((event) =>
    json({
      category: 'kube-audit',
      operationName: 'Microsoft.ContainerService/managedClusters/diagnosticLogs/Read',
      properties: { log: event, stream: 'stdout', pod: 'p' },
      time: '2026',
    }),
  ),
  'AKS event hub': (events) =>
    json({ records: events.map((event) => ({ category: 'kube-audit', properties: { log: `${json(event)}\n` } })) }),
  'AKS table AzureDiagnostics': (events) =>
    json(events.map((event) => ({ Category: 'kube-audit', log_s: json(event), TimeGenerated: '2026' }))),
  'AKS table AKSAudit': (events) => json(events.map(aksRow)),
  'Loki query': (events) =>
    json({
      status: 'success',
      data: {
        resultType: 'streams',
        result: [{ stream: { job: 'audit' }, values: events.map((event, n) => [String(n), json(event)]) }],
      },
    }),
  'Loki push': (events) =>
    json({ streams: [{ stream: {}, values: events.map((event, n) => [String(n), json(event)]) }] }),
  'logcli --output=jsonl': lines((event) => json({ labels: { job: 'audit' }, line: event, timestamp: '2026' })),
  'logcli --output=default': lines((event) => `2026-11-20T10:00:00Z {job="audit"} ${event}`),
  'Fluentd file': lines((event) => `2026-11-20T10:00:00+00:00\tkube.audit\t${event}`),
  'Fluentd file, unparsed': lines((event) => `2026-11-20T10:00:00+00:00\tkube.audit\t${json({ message: event })}`),
  'Fluent Bit': lines((event) => json({ date: 1_795_168_800.1, log: event })),
  'Fluent Bit with merged fields': lines((event) =>
    json({ log: 'x', log_processed: JSON.parse(event), kubernetes: {} }),
  ),
  'Fluent Bit array': (events) => json(events.map((event) => ({ date: 1.5, log: json(event) }))),
  'Fluent Bit on standard output': lines(
    (event, n) => `[${n}] kube.audit: [[1795168800.1, {}], {"log"=>${json(event)}}]`,
  ),
  Vector: lines((event) => json({ file: '/var/log/audit.log', host: 'n', message: event, source_type: 'file' })),
  Elasticsearch: (events) =>
    json({ took: 1, hits: { total: 2, hits: events.map((event) => ({ _id: '1', _source: event })) } }),
  'Elasticsearch, unparsed': (events) =>
    json({ hits: { hits: events.map((event) => ({ _source: { message: json(event) } })) } }),
  'Splunk export': lines((event) => json({ preview: false, result: { _raw: event } })),
  'Splunk HEC': lines((event) => json({ time: 1, event: JSON.parse(event) })),
  'Docker JSON': lines((event) => json({ log: `${event}\n`, stream: 'stdout', time: '2026' })),
  'CRI log': lines((event) => `2026-11-20T10:00:00.010000000Z stdout F ${event}`),
  'oc adm node-logs': lines((event) => `ip-10-0-1-2.ec2.internal ${event}`),
  'kubectl logs --prefix': lines((event) => `[pod/kube-apiserver-n/kube-apiserver] ${event}`),
  'Docker JSON around CloudWatch': lines((event) => json({ log: json({ message: event }) })),
}

const summary = (records: readonly FeedRecord[]) =>
  records.map((record) =>
    record.kind === 'arrival'
      ? [
          record.auditId,
          record.requestURI,
          record.user?.name,
          record.status,
          record.receivedMs,
          record.endedMs,
          record.inAllMs,
        ]
      : record,
  )

describe('envelopes of audit events', () => {
  test.each(Object.entries(AUDIT))('%s', (_name, wrap) => {
    const events = [eventOf(1), eventOf(2), eventOf(3)]
    const text = wrap(events)
    expect(logKindOf(text)).toBe('audit')
    expect(summary(readLog('audit', text, NOW))).toEqual(summary(readLog('audit', events.map(json).join('\n'), NOW)))
    expect(readLog('audit', text, NOW)).toHaveLength(3)
    expect(readAuditBatch(text)).toHaveLength(3)
  })

  it('read the same events as without an envelope, and as with two of them', () => {
    const names = Object.keys(AUDIT)
    const nested = names.filter((name) => !/AKSAudit|merged|HEC|tail|S3/.test(name))
    const word = fc.string({ unit: 'grapheme', maxLength: 20 })
    const event = fc.record({ n: fc.nat(99), name: word, path: word }).map(({ n, name, path }) => {
      const uri = `/api/v1/namespaces/team-a/pods?labelSelector=${encodeURIComponent(path)}`
      return { ...eventOf(n, uri), user: { username: `u${name}`, groups: [name] }, objectRef: { name: `${path}{"[` } }
    })
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...names),
        fc.constantFrom(...nested),
        (events, outer, inner) => {
          const plain = summary(readLog('audit', events.map(json).join('\n'), NOW))
          expect(summary(readLog('audit', AUDIT[outer]?.(events) ?? '', NOW))).toEqual(plain)
          const twice = lines((one) => AUDIT[inner]?.([JSON.parse(one)]) ?? '')(events)
          const thrice =
            twice.split('\n').length === events.length
              ? lines((one) => json({ message: AUDIT[inner]?.([JSON.parse(one)]) }))(events)
              : twice
          expect(summary(readLog('audit', thrice, NOW))).toEqual(plain)
        },
      ),
      { numRuns: 300 },
    )
  })
})

/** Every form in which lines of a kube-apiserver log are known to come. */
const REQUESTS: Readonly<Record<string, (line: string, n: number) => string>> = {
  plain: (line) => line,
  'kubectl logs --timestamps': (line) => `2026-11-21T07:26:40.079543123Z ${line}`,
  'kubectl logs --prefix': (line) => `[pod/kube-apiserver-node1/kube-apiserver] ${line}`,
  'kubectl logs --prefix --timestamps': (line) =>
    `[pod/kube-apiserver-node1/kube-apiserver] 2026-11-21T07:26:40.079543123Z ${line}`,
  journal: (line) => `Nov 21 07:26:40 node1 kube-apiserver[16426]: ${line}`,
  'journal -o short-iso': (line) => `2026-11-21T07:26:40+0000 node1 kube-apiserver[16426]: ${line}`,
  'journal -o short-full': (line) => `Sat 2026-11-21 07:26:40 UTC node1 k3s[16426]: ${line}`,
  'journal -o json': (line) => json({ __REALTIME_TIMESTAMP: '1', MESSAGE: line, _PID: '1' }),
  'syslog, RFC 3164': (line) => `<134>Nov 21 07:26:40 node1 kube-apiserver[16426]: ${line}`,
  'syslog, RFC 5424': (line) => `<134>1 2026-11-21T07:26:40Z node1 kube-apiserver 16426 - - ${line}`,
  'Docker JSON': (line) => json({ log: `${line}\n`, stream: 'stderr', time: '2026-11-21T07:26:40Z' }),
  CRI: (line) => `2026-11-21T07:26:40.079543123Z stderr F ${line}`,
  stern: (line) => `kube-apiserver-node1 kube-apiserver ${line}`,
  'docker compose': (line) => `apiserver-1  | ${line}`,
  'Fluent Bit': (line) => json({ date: 1.5, log: line }),
  'CR LF': (line) => `${line}\r`,
}

describe('envelopes of request logs', () => {
  const forms = Object.entries(REQUESTS)
  test.each(forms)('%s', (_name, wrap) => {
    for (const form of [klogOf, klogJsonOf]) {
      const text = [0, 1, 2].map((n) => wrap(form(n), n)).join('\n')
      expect(logKindOf(text)).toBe('httplog')
      const read = readLog('httplog', text, NOW)
      expect(read).toEqual(readLog('httplog', [0, 1, 2].map(form).join('\n'), NOW))
      expect(read).toMatchObject([0, 1, 2].map((n) => ({ kind: 'arrival', auditId: `id-${n}` })))
    }
  })

  it('of a collector and around a list of CloudWatch', () => {
    const text = json({ events: [{ message: klogOf(1) }, { message: 'I1121 07:26:40.078543 1 other.go:1] "Other"' }] })
    expect(readLog('httplog', text, NOW).map(({ kind }) => kind)).toEqual(['arrival', 'other'])
  })

  it('do not mistake the middle of another line for a header', () => {
    const text = `I1121 07:26:40.078543 1 a.go:1] "Sent" body="${klogOf(1).replaceAll('"', String.raw`\"`)}"`
    expect(readLog('httplog', text, NOW)).toEqual([{ kind: 'other' }])
  })
})

describe('entries of Cloud Audit Logs', () => {
  const entry = {
    insertId: 'x1',
    labels: { 'authorization.k8s.io/decision': 'allow' },
    logName: 'projects/p/logs/cloudaudit.googleapis.com%2Fdata_access',
    operation: { first: true, id: 'op-1', last: true, producer: 'k8s.io' },
    protoPayload: {
      '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
      authenticationInfo: { principalEmail: 'system:serviceaccount:team-a:robot' },
      methodName: 'io.k8s.apps.v1.deployments.list',
      requestMetadata: { callerIp: '192.0.2.9', callerSuppliedUserAgent: 'kubectl/v1.31.0' },
      resourceName: 'apps/v1/namespaces/team-a/deployments',
    },
    timestamp: '2026-11-20T10:00:00.000001Z',
  }
  const core = (methodName: string, resourceName: string) => ({
    ...entry,
    protoPayload: { ...entry.protoPayload, methodName, resourceName },
  })
  const read = (...entries: readonly object[]): readonly FeedRecord[] => readLog('audit', json(entries), NOW)

  it('are read without the durations, groups and parameters that they lack', () => {
    expect(logKindOf(JSON.stringify([entry], undefined, 2))).toBe('audit')
    expect(read(entry)).toMatchObject([
      {
        auditId: 'op-1',
        verb: 'list',
        requestURI: '/apis/apps/v1/namespaces/team-a/deployments',
        user: {
          name: 'system:serviceaccount:team-a:robot',
          groups: ['system:serviceaccounts', 'system:serviceaccounts:team-a', 'system:authenticated'],
        },
        isReduced: true,
        inAllMs: undefined,
        executionMs: undefined,
        status: 200,
      },
    ])
    expect((read(entry)[0] as FeedArrival).waitAtMostMs).toBe(undefined)
  })

  it('of the core group, with their status, and of several parts', () => {
    const created = core('io.k8s.core.v1.pods.create', 'core/v1/namespaces/team-a/pods/web-0')
    expect(read(core('io.k8s.core.v1.nodes.list', 'core/v1/nodes'))).toMatchObject([{ requestURI: '/api/v1/nodes' }])
    expect(read(created)).toMatchObject([{ kind: 'arrival', verb: 'create' }])
    const denied = { ...entry, protoPayload: { ...entry.protoPayload, status: { code: 7 } } }
    expect(read(denied)).toMatchObject([{ status: 403 }])
    expect(read({ ...entry, operation: { id: 'op-2', first: true } })).toMatchObject([{ stage: 'started' }])
  })
})

describe('texts that are damaged or something else', () => {
  const reasons = (text: string): readonly string[] =>
    readLog('audit', text, NOW).map((record) => (record.kind === 'unreadable' ? record.problem : record.kind))

  test.each([
    [
      '{"kind":"Status","status":"Failure","message":"no","reason":"Forbidden","code":403}',
      /^Line 1: .*403 Forbidden: no/,
    ],
    ['{"awslogs":{"data":"H4sI"}}', /gunzip/],
    [klogOf(1), /--httplog/],
    ['hello', /^Line 1: A line is not JSON: hello$/],
    [json(eventOf(1)).slice(0, 90), /^Line 1: A line is not JSON/],
    [`{\n  "kind": "Event",\n  "auditID": "a"`, /^Line 1: A JSON value is cut short/],
    [`\n\n${json({ ...eventOf(1), stageTimestamp: undefined })}`, /^Line 3: .*stageTimestamp/],
  ])('%s', (text, reason) => {
    expect(reasons(text)).toEqual([expect.stringMatching(reason)])
  })

  it('lose only the record that is cut', () => {
    const cut = `{\n  "kind": "Event",\n`
    const text = `${json(eventOf(1))}\n${cut}${json(eventOf(2))}\n${json(eventOf(3)).slice(0, 50)}\n${json(eventOf(4))}`
    expect(reasons(text)).toEqual([
      'arrival',
      expect.stringMatching(/^Line 2: /),
      'arrival',
      expect.stringMatching(/^Line 5: /),
      'arrival',
    ])
  })

  it('are never recognised as a log, and never throw', () => {
    for (const text of ['', '[]', '{}', '# TYPE a gauge\na 1\n', 'kind: Policy\napiVersion: audit.k8s.io/v1\n']) {
      expect(logKindOf(text)).toBe(undefined)
    }
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.json(), fc.constantFrom('[', '{', '},', ']', '"auditID"'))),
        (parts) => {
          const unwrapper = new LogUnwrapper()
          for (const part of parts) unwrapper.push(part)
          unwrapper.end()
          logKindOf(parts.join('\n'))
        },
      ),
    )
  })
})
