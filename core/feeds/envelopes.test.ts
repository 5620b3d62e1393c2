import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { stringify } from 'yaml'
import { LogUnwrapper } from './unwrapper.ts'
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
const base64 = (text: string): string => Buffer.from(text).toString('base64')
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

const csv = (cells: readonly string[], by = ','): string =>
  cells.map((cell) => (/[",;\t\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(by)
/** A table with the records in one column. */
const table =
  (header: readonly string[], row: (record: string) => readonly string[], by?: string) =>
  (records: readonly string[]) =>
    [header, ...records.map(row)].map((cells) => csv(cells, by)).join('\n')
/** The value as OpenTelemetry writes any value. */
const anyValue = (value: unknown): object =>
  Array.isArray(value)
    ? { arrayValue: { values: value.map(anyValue) } }
    : typeof value === 'object' && value !== null
      ? { kvlistValue: { values: Object.entries(value).map(([key, one]) => ({ key, value: anyValue(one) })) } }
      : typeof value === 'number'
        ? { intValue: String(value) }
        : { stringValue: String(value) }
const resourceLogs = (bodies: readonly object[]): string =>
  json({
    resourceLogs: [{ resource: {}, scopeLogs: [{ logRecords: bodies.map((body) => ({ timeUnixNano: '1', body })) }] }],
  })
const partsOf = (text: string, length: number): readonly string[] =>
  text.match(new RegExp(`.{1,${length}}`, 'gsu')) ?? []

/** Forms of audit events and request lines alike: texts in what collectors and clouds put around them. */
const BOTH: Readonly<Record<string, (records: readonly string[]) => string>> = {
  'Vector, kubernetes_logs': (records) =>
    records
      .map((message) => json({ file: '/var/log/pods/x', kubernetes: { pod_labels: { a: 'b' } }, message }))
      .join('\n'),
  'Datadog search': (records) =>
    json({
      data: records.map((message) => ({ id: '1', type: 'log', attributes: { message, tags: ['a'] } })),
      meta: {},
    }),
  'Datadog table': table(['Date', 'Host', 'Message'], (record) => ['2026-11-20T10:00:00Z', 'n', record]),
  'Grafana table': table(['labels', 'Time', 'Line'], (record) => ['{"job":"audit"}', '1', record]),
  'table with tabs': table(['ts', 'line'], (record) => ['1', record], '\t'),
  'table with semicolons': table(['ts', 'line'], (record) => ['1', record], ';'),
  'Promtail, dry run': (records) =>
    records.map((record) => `2026-11-20T10:00:00+0000{filename="/var/log/a.log", job="a"}\t${record}`).join('\n'),
  OpenTelemetry: (records) => resourceLogs(records.map((stringValue) => ({ stringValue }))),
  'Splunk HEC, joined': (records) => records.map((event) => json({ time: 1, host: 'n', event })).join(''),
  'Splunk results': (records) =>
    json({ preview: false, fields: [{ name: '_raw' }], results: records.map((_raw) => ({ _bkt: 'x', _raw })) }),
  'Splunk table': table(['_raw', '_time', 'host'], (record) => [record, '2026-11-20T10:00:00', 'n']),
  'gcloud, textPayload': (records) =>
    records.map((record) => `---\ninsertId: x\ntextPayload: ${json(record)}\ntimestamp: '2026'\n`).join(''),
  'Logs Insights table': table(['@timestamp', '@message'], (record) => ['2026-11-20 10:00:00.010', record]),
  logfmt: (records) =>
    records.map((record) => `time="2026-11-20T10:00:00Z" level=info msg=${json(record)} job=a`).join('\n'),
  'Firehose, joined': (records) =>
    records.map((message) => json({ messageType: 'DATA_MESSAGE', logEvents: [{ id: '1', message }] })).join(''),
  'Log Analytics query': (records) =>
    json({
      tables: [{ name: 'p', columns: [{ name: 'C' }, { name: 'log_s' }], rows: records.map((one) => ['a', one]) }],
    }),
  'table ContainerLogV2': (records) => json(records.map((LogMessage) => ({ Computer: 'n', LogMessage }))),
  GELF: (records) =>
    records.map((one) => json({ version: '1.1', short_message: one.slice(0, 9), full_message: one })).join('\n'),
  Logstash: (records) =>
    records.map((original) => json({ '@version': '1', event: { original }, message: original })).join('\n'),
  'Elasticsearch, fields': (records) =>
    json({ hits: { hits: records.map((one) => ({ fields: { message: [one] } })) } }),
  'JSON sequence': (records) => records.map((MESSAGE) => `\u001E${json({ MESSAGE })}\n`).join(''),
  'stern with colours': (records) =>
    records.map((one) => `\u001B[31mkube-apiserver-n1\u001B[0m \u001B[91mkube-apiserver\u001B[0m ${one}`).join('\n'),
  'stern in JSON': (records) => records.map((message) => json({ message, podName: 'p' })).join('\n'),
  'joined files with byte order marks': (records) => records.map((one) => `\uFEFF${one}\r\n`).join(''),
  'syslog with structured data': (records) =>
    records.map((one) => `<134>1 2026-11-20T10:00:00Z n app 1 ID47 [x@32473 iut="3"] ${one}`).join('\n'),
  grep: (records) => records.map((one) => `audit/audit.log:12:${one}`).join('\n'),
  'CRI, split': (records) =>
    records
      .flatMap((one) =>
        partsOf(one, 100).map(
          (part, n, all) => `2026-11-20T10:00:00Z stderr ${n < all.length - 1 ? 'P' : 'F'} ${part}\n`,
        ),
      )
      .join(''),
  'Docker, split': (records) =>
    records
      .flatMap((one) =>
        partsOf(`${' '.repeat(16_300)}${one}\n`, 16_384).map((log) => json({ log, stream: 'stderr', time: '2026' })),
      )
      .join('\n'),
}

const eventIn = (text: string): ReturnType<typeof eventOf> => JSON.parse(text)
/** Members as queries select them. */
const flat = (event: ReturnType<typeof eventOf>): Readonly<Record<string, string>> => ({
  auditID: event.auditID,
  stage: event.stage,
  verb: event.verb,
  requestURI: event.requestURI,
  'user.username': event.user.username,
  'user.groups.0': event.user.groups[0] ?? '',
  'responseStatus.code': String(event.responseStatus.code),
  requestReceivedTimestamp: event.requestReceivedTimestamp,
  stageTimestamp: event.stageTimestamp,
  'annotations.authorization.k8s.io/decision': 'allow',
})

/** Every form in which a file of audit events is known to come. */
const AUDIT: Readonly<Record<string, (events: Events) => string>> = {
  'one line each': lines((event) => event),
  'Pub/Sub': lines((event) => json({ message: { data: base64(event), messageId: '1' }, subscription: 's' })),
  'lines in base64': lines(base64),
  'Firehose records in base64': (events) => json({ records: events.map((one) => ({ data: base64(json(one)) })) }),
  'texts of JSON': lines(json),
  'quoted without quotation marks': lines((event) => json(event).slice(1, -1)),
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
  ...Object.fromEntries(
    Object.entries(BOTH).map(([name, wrap]) => [name, (events: Events) => wrap(events.map((event) => json(event)))]),
  ),
  'joined without anything between': (events) => events.map(json).join(''),
  'Vector, parsed': lines((event) => json({ file: '/x', parsed: JSON.parse(event) })),
  'Datadog archive, twice': lines((event) => json({ _id: 'x', attributes: JSON.parse(event), message: event })),
  'Fluent Bit, merged': lines((event) => json({ date: 1.5, ...JSON.parse(event), kubernetes: {} })),
  'Fluent Bit, merged under a key': lines((event) => json({ date: 1.5, audit: JSON.parse(event), kubernetes: {} })),
  'OpenTelemetry, parsed': (events) => resourceLogs(events.map(anyValue)),
  Filebeat: lines((event) => json({ '@timestamp': '2026', kubernetes: { audit: JSON.parse(event) } })),
  'EventLists of a webhook': lines((event) => json({ kind: 'EventList', items: [JSON.parse(event)] })),
  'Logs Insights, selected fields': (events) =>
    json({
      results: events.map((one) =>
        Object.entries(flat(eventIn(json(one)))).map(([field, value]) => ({ field, value })),
      ),
    }),
  'Kibana table of fields': (events) => {
    const rows = events.map((one) => flat(eventIn(json(one))))
    return [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))].map((cells) => csv(cells)).join('\n')
  },
  'AKS table AKSAudit, of the portal': (events) => {
    const inUtc = (time: string): string => time.replace(/^(\d+)-(\d+)-(\d+)T(\d+):(.*)Z$/, '$2/$3/$1, $4:$5 AM')
    const rows = events.map((one) => Object.entries(aksRow(eventIn(json(one)))))
    const header = (rows[0] ?? []).map(([name]) => (name.endsWith('Time') ? `${name} [UTC]` : name))
    const cells = rows.map((row) =>
      row.map(([name, value]) => (name.endsWith('Time') ? inUtc(String(value)) : String(value))),
    )
    return [header, ...cells].map((row) => csv(row)).join('\n')
  },
  'members as texts of JSON, as the log service of Alibaba Cloud indexes them': lines((event) => {
    const members = Object.entries(JSON.parse(event) as object)
    return json(Object.fromEntries(members.map(([name, one]) => [name, typeof one === 'string' ? one : json(one)])))
  }),
  'EventList in YAML': (items) => stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'EventList', items }),
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
    const nested = names.filter((name) => !/AKSAudit|merged|HEC|tail|S3|YAML|gcloud|table|fields/.test(name))
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
  'journal -o export': (line) => `MESSAGE=${line}`,
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

  test.each(Object.entries(BOTH))('%s', (_name, wrap) => {
    const text = wrap([0, 1, 2].map(klogOf))
    expect(logKindOf(text)).toBe('httplog')
    expect(readLog('httplog', text, NOW)).toEqual(readLog('httplog', [0, 1, 2].map(klogOf).join('\n'), NOW))
  })

  test.each([
    ['as one line', (record: object) => json(record)],
    ['pretty-printed', (record: object) => JSON.stringify(record, undefined, 8)],
    ['as a JSON sequence', (record: object) => `\u001E${json(record)}`],
    ['as server-sent events', (record: object) => `data: ${json(record)}\n`],
    ['with blanks', (record: object) => json(record).replaceAll(/[,[]/g, '$& ')],
  ])('that the journal writes as bytes, %s', (_name, written) => {
    const bytes = (text: string) => written({ MESSAGE: [...Buffer.from(text)], _PID: '1' })
    const coloured = (n: number) => `\u001B[32m${klogOf(n).replace('kubectl', 'kubectl-\u00E9')}\u001B[0m`
    for (const lineOf of [klogOf, coloured]) {
      const text = [bytes('hello \u0001'), bytes(lineOf(1)), bytes(lineOf(2))].join('\n')
      expect(logKindOf(text)).toBe('httplog')
      const plain = [lineOf(1), lineOf(2)].join('\n')
      const arrivals = readLog('httplog', text, NOW).filter(({ kind }) => kind === 'arrival')
      expect(arrivals).toEqual(readLog('httplog', plain, NOW))
    }
    const event = json({ ...eventOf(1), user: { username: 'zo\u00EB', groups: [] } })
    expect(logKindOf(bytes(event))).toBe('audit')
    expect(readLog('audit', bytes(event), NOW)).toEqual(readLog('audit', event, NOW))
  })

  it('whose header Cloud Logging keeps as fields', () => {
    const entryOf = (line: string): object => {
      const [, month, day, clock, message] = /^I(\d\d)(\d\d) (\S+) +\d+ [^\]]+\] (.*)$/.exec(line) ?? []
      const timestamp = `2026-${month}-${day}T${clock}123Z`
      return { insertId: 'x', jsonPayload: { message, pid: '1' }, severity: 'INFO', timestamp }
    }
    const entries = [0, 1, 2].map((n) => entryOf(klogOf(n)))
    for (const text of [json(entries), JSON.stringify(entries, undefined, 2), entries.map(json).join('\n')]) {
      expect(logKindOf(text)).toBe('httplog')
      expect(readLog('httplog', text, NOW)).toEqual(readLog('httplog', [0, 1, 2].map(klogOf).join('\n'), NOW))
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
        lacks: ['cloud'],
        inAllMs: undefined,
        executionMs: undefined,
        status: 200,
      },
    ])
    expect((read(entry)[0] as FeedArrival).waitAtMostMs).toBe(undefined)
  })

  it('as gcloud prints them, and as BigQuery exports them', () => {
    const written = [entry, { ...entry, insertId: 'x2' }].map((one) => `---\n${stringify(one)}`).join('')
    expect(logKindOf(written)).toBe('audit')
    for (const text of [written, written.replaceAll('\n', '\r\n'), written.replace('---\n', '')]) {
      expect(summary(readLog('audit', text, NOW))).toEqual(summary(read(entry, entry)))
    }
    const { protoPayload, timestamp, ...others } = entry
    const row = {
      ...others,
      protopayload_auditlog: protoPayload,
      timestamp: timestamp.replace('T', ' ').replace('Z', ' UTC'),
    }
    expect(summary(readLog('audit', json(row), NOW))).toEqual(summary(read(entry)))
    const cells = {
      insertId: 'x1',
      timestamp,
      'operation.id': 'op-1',
      'operation.first': 'true',
      'operation.last': 'true',
      'protoPayload.methodName': protoPayload.methodName,
      'protoPayload.resourceName': protoPayload.resourceName,
      'protoPayload.authenticationInfo.principalEmail': protoPayload.authenticationInfo.principalEmail,
      'protoPayload.status.code': '',
    }
    const rows = [Object.keys(cells), Object.values(cells)].map((one) => csv(one)).join('\n')
    expect(logKindOf(rows)).toBe('audit')
    expect(summary(readLog('audit', rows, NOW))).toEqual(summary(read(entry)))
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
    [json({ awslogs: { data: `H4sI${'A'.repeat(40)}` } }), /gunzip/],
    [json({ Records: [{ kinesis: { data: `H4sI${'A'.repeat(40)}` } }] }), /gunzip/],
    ['2026-11-20T10:00:00.1Z AUDIT: id="a" ip="1.1.1.1" method="list" user="alice"', /--audit-log-format=json/],
    [klogOf(1), /--httplog/],
    ['hello', /^Line 1: A line is not JSON: hello$/],
    [json(eventOf(1)).slice(0, 90), /^Line 1: A line is not JSON/],
    [`{\n  "kind": "Event",\n  "auditID": "a"`, /^Line 1: A JSON value is cut short/],
    [`\n\n${json({ ...eventOf(1), stageTimestamp: undefined })}`, /^Line 3: .*stageTimestamp/],
  ])('%s', (text, reason) => {
    expect(reasons(text)).toEqual([expect.stringMatching(reason)])
  })

  test.each([
    ['a list on one line', (events: Events) => json({ kind: 'EventList', items: events })],
    ['a pretty list', (events: Events) => JSON.stringify(events, undefined, 2)],
    [
      'messages of CloudWatch',
      (events: Events) => JSON.stringify({ events: events.map((one) => ({ message: json(one) })) }, undefined, 1),
    ],
  ])('keep the whole records of %s that is cut', (_name, wrap) => {
    const text = wrap([eventOf(1), eventOf(2), eventOf(3)])
    expect(reasons(text.slice(0, -200))).toEqual(['arrival', 'arrival', expect.stringMatching(/cut short/)])
  })

  it('and too long for a row or YAML cost little', () => {
    const long = 'a: b\n'.repeat(200_000)
    expect(reasons(`---\n${long}`)[0]).toMatch(/^Line 1: A value is too long/)
    expect(reasons(`a,b\n"${long}${long}${long}`)[0]).toMatch(/^Line 2: A value is too long/)
    expect(reasons(`"${'""'.repeat(5_000_000)}`)).toEqual([expect.stringMatching(/^Line 1: A value is too long/)])
  })

  it('count the elements of a list that hold no record', () => {
    const text = json({ events: [{ message: json(eventOf(1)) }, { message: 'hello' }] })
    expect(reasons(text)).toEqual(['arrival', 'Line 1: A record contains no audit event: its members are message.'])
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
