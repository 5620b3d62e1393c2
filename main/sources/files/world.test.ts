import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { metricsPages, readFixture } from '../../../test/fixtures/load.ts'
import { heard } from '../../../test/harness/heard.ts'
import { encodingOf } from '../../../core/text/encoding.ts'
import { decodeText } from '../../files/files.ts'
import { createFilesSource } from '../files.ts'

/** Files as people have them: copied, federated, exported, filtered, refused. */

const NOW = Date.UTC(2026, 10, 28)

async function read(text: string, name = 'page.txt') {
  const result = await createFilesSource([{ name, text }], { now: () => NOW })
  if (!result.ok) return { problem: [result.problem.message, result.problem.details].join(' '), frames: [], notes: [] }
  const { emit, frames, health } = heard()
  result.source.start(new AbortController().signal, emit)
  return { problem: '', frames, notes: [...health.values()].flatMap(({ notes = [] }) => notes) }
}

const level = (frames: Awaited<ReturnType<typeof read>>['frames'], at = 0) => frames[at]?.levels[0]

describe('a page without types', () => {
  const HISTOGRAM = 'apiserver_flowcontrol_request_wait_duration_seconds'
  const labels = 'execute="true",flow_schema="b",priority_level="b"'
  const text = `apiserver_flowcontrol_nominal_limit_seats{priority_level="b"} 40 \t
${HISTOGRAM}_bucket{${labels},le="1"} 6
${HISTOGRAM}_bucket{${labels},le="+Inf"} 9
${HISTOGRAM}_sum{${labels}} 21.5
${HISTOGRAM}_count{${labels}} 9
`
  test.each([
    ['pasted', text],
    ['federated', text.replaceAll(/^(\w+)/gm, '# TYPE $1 untyped\n$1')],
    ['declared untyped as a family', `# TYPE ${HISTOGRAM} untyped\n${text}`],
    ['with help alone', `# HELP ${HISTOGRAM} waits\n${text}`],
    ['CR LF', text.replaceAll('\n', '\r\n')],
  ])('%s has its histograms', async (_name, page) => {
    const { frames } = await read(page)
    expect(level(frames)?.limits.nominal).toBe(40)
    expect(level(frames)?.schemas[0]?.wait).toEqual({ bounds: [1], counts: [6, 9], sum: 21.5, count: 9 })
  })

  it.each(metricsPages)('%s reads as with them', async (path) => {
    const page = readFixture(path).toString('utf8')
    const bare = page.replaceAll(/^#.*\n/gm, '')
    const typed = await read(page)
    const untyped = await read(bare)
    const without = ({ frames }: typeof typed) => frames.map(({ acquisition: _bytes, ...frame }) => frame)
    expect(without(untyped)).toEqual(without(typed))
  })

  it('reads counters by the names of OpenMetrics', async () => {
    const { frames } = await read(`# TYPE apiserver_flowcontrol_dispatched_requests counter
apiserver_flowcontrol_dispatched_requests_total{flow_schema="b",priority_level="b"} 1000
# EOF
`)
    expect(level(frames)?.dispatched).toBe(1_000)
  })
})

describe('files that a page sends as bytes', () => {
  const metrics = 'apiserver_flowcontrol_nominal_limit_seats{priority_level="b"} 40\n'
  const sent = (bytes: Buffer) =>
    createFilesSource([{ name: 'a.zst', base64: bytes.toString('base64') }], { now: () => NOW })

  it.each([
    ['zstd', zstdCompressSync(metrics)],
    ['zstd in parts', Buffer.concat([zstdCompressSync(metrics.slice(0, 9)), zstdCompressSync(metrics.slice(9))])],
    ['gzip in zstd', zstdCompressSync(gzipSync(metrics))],
    ['UTF-16', Buffer.from(`\ufeff${metrics}`, 'utf16le')],
  ])('are read as --file reads them: %s', async (_name, bytes) => {
    const result = await sent(bytes)
    expect(result.ok && result.source.info.via).toBe('one page')
  })

  it('are rejected in one sentence', async () => {
    await expect(sent(Buffer.from('BZh91AY'))).rejects.toThrow(/^a\.zst is a bzip2 file, which is not read\./)
  })
})

describe('several servers in one text', () => {
  const line = (server: string, value: number, label = 'instance') =>
    `apiserver_flowcontrol_dispatched_requests_total{flow_schema="b",priority_level="b",${label}="${server}"} ${value}`

  it('are servers of their own, however they are labelled and ordered', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(fc.constantFrom('a:1', 'b:1', '[::1]:6443', 'c'), fc.nat(1e6)), {
          selector: ([name]) => name,
          minLength: 2,
        }),
        fc.constantFrom('instance', 'exported_instance'),
        fc.constantFrom('', ',job="apiserver"', ',instance="prometheus:9090"'),
        async (servers, label, more) => {
          fc.pre(label !== 'instance' || !more.includes('instance'))
          const text = `${servers.map(([name, value]) => line(name, value, label).replace('"}', `"${more}}`)).join('\n')}\n`
          const { frames } = await read(text)
          expect(frames.map((frame) => [frame.id, frame.levels[0]?.dispatched])).toEqual(
            servers.map(([name, value]) => [`page.txt, ${name}`, value]),
          )
        },
      ),
    )
  })

  it('with one instant for all are servers too, and one server stays a page', async () => {
    const two = await read(`${line('a', 1)} 1000\n${line('b', 2)} 1000\n`)
    expect(two.frames.map(({ levels }) => levels[0]?.dispatched)).toEqual([1, 2])
    const one = await read(`${line('a', 1)}\n`)
    expect(one.frames.map(({ id }) => id)).toEqual(['page.txt'])
  })
})

describe('a page with the names of the draft of KEP-1040', () => {
  it('has them under their present names', async () => {
    const { frames } = await read(`# TYPE apiserver_dispatched_requests counter
apiserver_dispatched_requests{priority="p",FlowSchema="s"} 5
apiserver_rejected_requests{priority="p",FlowSchema="s",when="timeout"} 2
apiserver_current_inqueue_requests{priority="p",FlowSchema="s"} 3
apiserver_current_inqueue_requests{request_kind="readOnly"} 9
apiserver_wait_duration_bucket{priority="p",FlowSchema="s",le="+Inf"} 7
apiserver_wait_duration_sum{priority="p",FlowSchema="s"} 1
apiserver_wait_duration_count{priority="p",FlowSchema="s"} 7
apiserver_flowcontrol_request_concurrency_limit{priority="p"} 10
apiserver_flowcontrol_request_min_concurrency_limit{priority="p"} 4
apiserver_flowcontrol_request_current_concurrency_limit{priority="p"} 6
apiserver_flowcontrol_smoothed_demand_seats{priority="p"} 2.5
`)
    expect(level(frames)).toMatchObject({
      name: 'p',
      dispatched: 5,
      rejected: { 'time-out': 2 },
      requests: { queued: 3 },
      limits: { nominal: 10, lower: 4, current: 6 },
      demand: { smoothed: 2.5 },
      schemas: [{ name: 's', wait: { count: 7 } }],
    })
    expect(frames[0]?.inQueue).toEqual({ readOnly: 9 })
  })
})

describe('encodings', () => {
  const text = '# TYPE a gauge\na{b="ü→"} 1\n'
  const bytes = (encoding: 'utf8' | 'utf16le', mark: boolean) => Buffer.from(`${mark ? '\uFEFF' : ''}${text}`, encoding)
  test.each([
    ['UTF-8', bytes('utf8', false), 'utf-8'],
    ['UTF-8 with a mark', bytes('utf8', true), 'utf-8'],
    ['UTF-16', bytes('utf16le', true), 'utf-16le'],
    ['UTF-16 without a mark', bytes('utf16le', false), 'utf-16le'],
    ['UTF-16, big endian', bytes('utf16le', true).swap16(), 'utf-16be'],
    ['UTF-16, big endian, without a mark', bytes('utf16le', false).swap16(), 'utf-16be'],
  ])('%s is read', (_name, content, encoding) => {
    expect(encodingOf(content)).toBe(encoding)
    expect(decodeText(content)).toBe(text)
  })
})

describe('something else is said in one sentence, and nothing is shown', () => {
  const STATUS = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: 'forbidden: no',
    reason: 'Forbidden',
    code: 403,
  }
  const TEMPLATE =
    'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: {{ .Values.name }}\n'
  test.each([
    [JSON.stringify(STATUS), /answer of an API server, 403 Forbidden: forbidden: no\. Read it as a user/],
    [
      JSON.stringify({ ...STATUS, code: 500, reason: 'InternalError' }, undefined, 2),
      /500 InternalError.*Save the page again/,
    ],
    [TEMPLATE, /Helm template: render it with helm template/],
    [TEMPLATE.replace('{{ .Values.name }}', '{{- include "a.b" . }}'), /Helm template/],
    [String(gzipSync('a 1')), /binary file: unpack it/],
    [
      'PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests,\nworkload-low,      0,            true,   false,       0,               0,\n',
      /before Kubernetes 1\.26/,
    ],
    [
      '{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"a","stage":"ResponseComplete"}',
      /Nothing could be read from the audit log page\.txt: 1 record left out\. Line 1: /,
    ],
    ['', /is empty/],
  ])('%#', async (text, sentence) => {
    const { problem, frames } = await read(text)
    expect(problem).toMatch(sentence)
    expect(frames).toEqual([])
  })

  it('of a log that can be read in part, the rest is counted with its last reason and place', async () => {
    const event = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      auditID: 'a',
      stage: 'ResponseComplete',
      verb: 'list',
      requestURI: '/api/v1/pods',
      user: { username: 'u' },
      requestReceivedTimestamp: '2026-11-20T10:00:00Z',
      stageTimestamp: '2026-11-20T10:00:01Z',
      annotations: { 'authorization.k8s.io/decision': 'allow' },
    }
    const { frames, notes } = await read(
      `${JSON.stringify(event)}\ngarbage\n${JSON.stringify({ ...event, verb: 7 })}\n`,
    )
    expect(frames).toHaveLength(1)
    expect(notes).toEqual([expect.stringMatching(/^2 records of the audit log page\.txt left out\. Last: Line 3: /)])
  })
})
