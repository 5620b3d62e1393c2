import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { metricsPages, readFixture } from '../../../test/fixtures/load.ts'
import { heard } from '../../../test/harness/heard.ts'
import { encodingOf } from '../../../core/text/encoding.ts'
import { decodeText } from '../../files/files.ts'
import { parseRequestsDump } from '../../../core/metrics/dumps.ts'
import { withPresentNames } from '../../../core/metrics/draftNames.ts'
import { createFilesSource } from '../files.ts'

/** Files as people have them: copied, federated, exported, filtered, refused. */

const OWN_ENGINE = expect.stringMatching(
  /^Logs tell requests only: .* own engine .* built-in objects of v1\.37\.2 and 600 seats\./,
)
const NOW = Date.UTC(2026, 10, 28)

async function read(text: string, name = 'page.txt') {
  const result = await createFilesSource([{ name, text }], { now: () => NOW })
  if (!result.ok) return { problem: [result.problem.message, result.problem.details].join(' '), frames: [], notes: [] }
  const { emit, frames, health } = heard()
  result.source.start(new AbortController().signal, emit)
  return { problem: '', frames, notes: [...health.values()].flatMap(({ notes = [] }) => notes) }
}

const level = (frames: Awaited<ReturnType<typeof read>>['frames'], at = 0) => frames[at]?.levels[0]

/** What `curl -v` prints before an answer. */
const CURL = `*   Trying 10.0.0.1:6443...
* Connected to 10.0.0.1 (10.0.0.1) port 6443
} [5 bytes data]
* using HTTP/2
> GET /metrics HTTP/2
> Host: 10.0.0.1:6443
> Accept: */*
>
* Request completely sent off
< HTTP/2 200
< content-type: text/plain; version=0.0.4
<
`
/** What `script` keeps of a command. */
const typed = (command: string, output: string): string => {
  const prompt = '\u001B[?2004h\u001B]0;root@node1: ~\u0007\u001B[01;32mroot@node1\u001B[00m:\u001B[01;34m~\u001B[00m# '
  const lines = `${prompt}${command}\n\u001B[?2004l\r${output}${prompt}exit\n\u001B[?2004l\rexit\n`
  return `Script started on 2026-11-20 10:01:00+00:00 [TERM="xterm" COLUMNS="120"]\n${lines.replaceAll('\n', '\r\n')}\nScript done on 2026-11-20 10:02:00+00:00 [COMMAND_EXIT_CODE="0"]\n`
}

test('a page that tells no time is said to be undated', async () => {
  const limit = 'apiserver_flowcontrol_nominal_limit_seats{priority_level="b"} 40\n'
  const via = async (text: string): Promise<string | undefined> => {
    const result = await createFilesSource([{ name: 'page.txt', text }], { now: () => NOW })
    return result.ok ? result.source.info.via : undefined
  }
  expect(await via(limit)).toBe('one undated page')
  expect(await via(`2026-11-20T10:00:00Z\n${limit}`)).toBe('one page')
})

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
    const declared = await read(page)
    const untyped = await read(bare)
    const without = ({ frames }: typeof declared) => frames.map(({ acquisition: _bytes, ...frame }) => frame)
    expect(without(untyped)).toEqual(without(declared))
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
    expect(result.ok && result.source.info.via).toBe('one undated page')
  })

  it('are rejected in one sentence', async () => {
    await expect(sent(Buffer.from('BZh91AY'))).rejects.toThrow(/^a\.zst is a bzip2 file, which is not read\./)
  })
})

it('what cannot be opened is said beside what could be read', async () => {
  const event =
    '{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"a","stage":"ResponseComplete","verb":"list","requestURI":"/api/v1/pods","user":{"username":"u"},"requestReceivedTimestamp":"2026-11-20T10:00:00Z","stageTimestamp":"2026-11-20T10:00:01Z"}'
  for (const text of ['apiserver_flowcontrol_nominal_limit_seats{priority_level="b"} 40\n', event]) {
    const files = [
      { name: 'a', text },
      { name: 'b.xz', text: '', problem: 'b.xz is an xz file.' },
    ]
    const result = await createFilesSource(files, { now: () => NOW })
    if (!result.ok) return expect.fail(result.problem.message)
    const { emit, frames, health } = heard()
    result.source.start(new AbortController().signal, emit)
    expect([...health.values()].flatMap(({ notes = [] }) => notes)).toEqual([
      ...(text === event ? [OWN_ENGINE] : []),
      'b.xz is an xz file.',
    ])
    // Logs do not tell the version of their server.
    expect(frames.map(({ version }) => version)).toEqual([undefined])
    expect(result.source.info.name).toBe('a')
  }
  return undefined
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

  it.each([
    'node',
    'pod',
    'host',
    'exported_node',
    'cluster',
    'k8s_cluster_name',
    'kubernetes_node',
    'apiserver',
    'exported_endpoint',
  ])('are told apart by %s too, where instance does not', async (label) => {
    for (const more of ['', 'instance="10.0.0.1:6443",', 'job="a",']) {
      const text = `${line('a', 1, `${more}${label}`)}\n${line('b', 2, `${more}${label}`)}\n`
      const { frames } = await read(text)
      expect(frames.map(({ levels }) => levels[0]?.dispatched)).toEqual([1, 2])
      expect(frames.every(({ id }, index) => id.includes(['a', 'b'][index] ?? '?'))).toBe(true)
    }
  })

  it('are told apart by their jobs alone, and one server of two jobs stays one', async () => {
    const two = await read(`${line('a', 1, 'job')}\n${line('b', 2, 'job')}\n`)
    expect(two.frames.map(({ levels }) => levels[0]?.dispatched)).toEqual([1, 2])
    const one = await read(`${line('a', 1, 'instance="x",job')}\n${line('b', 1, 'instance="x",job')}\n`)
    expect(one.frames.map(({ levels }) => levels[0]?.dispatched)).toEqual([1])
  })

  it('of two clusters with servers of the same names are four', async () => {
    const text = ['a', 'b'].flatMap((cluster) =>
      ['1', '2'].map((server) => line(server, 1, `cluster="${cluster}",node="n${server}",instance`)),
    )
    const { frames } = await read(`${text.join('\n')}\n`)
    expect(frames.map(({ id }) => id)).toEqual(['page.txt, a 1', 'page.txt, a 2', 'page.txt, b 1', 'page.txt, b 2'])
  })

  it('with one instant for all are servers too, and one server stays a page', async () => {
    const two = await read(`${line('a', 1)} 1000\n${line('b', 2)} 1000\n`)
    expect(two.frames.map(({ levels }) => levels[0]?.dispatched)).toEqual([1, 2])
    const one = await read(`${line('a', 1)}\n`)
    expect(one.frames.map(({ id }) => id)).toEqual(['page.txt'])
    const timed = await read(
      `# TYPE apiserver_flowcontrol_dispatched_requests_total untyped\n${line('a', 1)} 1732096860000\n`,
    )
    expect(timed.frames.map(({ at }) => at)).toEqual(['2024-11-20T10:01:00.000Z'])
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

  it('has those of releases before it too, microseconds as seconds', () => {
    const labels = 'verb="LIST",resource="pods"'
    const page = (name: string, [first, last, sum]: readonly [string, string, string]) =>
      `${name}_bucket{${labels},le="${first}"} 1\n${name}_bucket{${labels},le="+Inf"} 2\n${name}_sum{${labels}} ${sum}\n${name}_count{${labels}} ${last}\n`
    expect(withPresentNames(page('apiserver_request_latencies', ['125000', '2', '3.5e+06']))).toBe(
      page('apiserver_request_duration_seconds', ['0.125', '2', '3.5']),
    )
    expect(withPresentNames('# TYPE apiserver_longrunning_gauge gauge\napiserver_longrunning_gauge{a="b"} 4\n')).toBe(
      '# TYPE apiserver_longrunning_requests gauge\napiserver_longrunning_requests{a="b"} 4\n',
    )
    expect(withPresentNames('apiserver_request_count{code="200"} 7\n')).toBe('apiserver_request_total{code="200"} 7\n')
  })
})

describe('a page that was copied from elsewhere', () => {
  const page = `# HELP apiserver_flowcontrol_nominal_limit_seats [BETA] seats
# TYPE apiserver_flowcontrol_nominal_limit_seats gauge
apiserver_flowcontrol_nominal_limit_seats{priority_level="b"} 40
# TYPE apiserver_flowcontrol_dispatched_requests_total counter
apiserver_flowcontrol_dispatched_requests_total{flow_schema="b",priority_level="b"} 1000
`
  const lines = page.trimEnd().split('\n')
  const each = (of: (line: string, n: number) => string): string => `${lines.map(of).join('\n')}\n`
  test.each([
    ['indented', each((line) => `    ${line}`)],
    ['a quotation', each((line) => `> ${line}`)],
    ['a value in YAML', `metrics: |\n${each((line) => `  ${line}`)}`],
    ['a block of Markdown that was cut', `\`\`\`text\n${page}`],
    ['after very many comments', `${'# HELP a b\n'.repeat(200_000)}${page}`],
    ['a block of Markdown', `The page:\n\n\`\`\`text\n${page}\`\`\`\nthanks`],
    ['colours', each((line) => `\u001B[01;31m${line.slice(0, 9)}\u001B[m${line.slice(9)}\u001B[K`)],
    ['grep', each((line) => `dumps/metrics-1.txt:${line}`)],
    ['grep -n', each((line, n) => `${n + 1}:${line}`)],
    ['cat -n', each((line, n) => `${String(n + 8).padStart(6)}\t${line}`)],
    [
      'a type before each sample',
      page.replace(/.*\} 40\n/, '$&# TYPE apiserver_flowcontrol_nominal_limit_seats gauge\n'),
    ],
    ['curl -i', `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: now\r\n\r\n${page}`],
    ['a warning of kubectl', `Warning: x is deprecated\n${page}`],
    [
      'kubectl -v=6',
      `I1128 10:00:00.000000   12345 loader.go:395] Config loaded\nI1128 10:00:00.100000   12345 a.go:6] "Response"\n${page}`,
    ],
    ['byte order marks in the middle', `\uFEFF${each((line) => line)}\uFEFF# end\n`],
    ['curl -v', `${CURL}${page}* Connection #0 to host 10.0.0.1 left intact\n`],
    ['curl -v over CR LF', `${CURL}${page}* Connection #0 to host 10.0.0.1 left intact\n`.replaceAll('\n', '\r\n')],
    ['curl -v into one file', `${CURL}${page.slice(0, 99)}{ [8192 bytes data]\n${page.slice(99)}`],
    [
      'curl with its progress',
      `  % Total    % Received % Xferd  Average Speed\n                                 Dload  Upload\n  0     0    0 --:--:-- --:--:-- --:--:--     0\r100  1234    0 --:--:-- --:--:-- --:--:--  5678\n${page}`,
    ],
    ['a prompt', `$ curl -sk https://10.0.0.1:6443/metrics | grep flowcontrol\n${page}$ \n`],
    ['the prompt of root', `# kubectl get --raw /metrics\n${page}# exit\n`],
    ['a prompt at the end', `[root@node-1 ~]# oc get --raw /metrics\n${page}[root@node-1 ~]# `],
    ['set -x', `+ kubectl get --raw /metrics\n${page}+ exit 0\n`],
    ['PowerShell', `PS C:\\Users\\me> kubectl get --raw /metrics\r\n${page}PS C:\\Users\\me> exit`],
    ['script', typed('kubectl get --raw /metrics', page)],
    ['script with a correction', typed('kub\b\b\b\u001B[Kkubectl get --raw /metrics', page)],
    ['script of curl -v', typed('curl -v -k https://10.0.0.1:6443/metrics', CURL + page)],
    ['script of curl -i', typed('curl -i -k https://10.0.0.1/metrics', `HTTP/2 200 \naudit-id: 1\n\n${page}`)],
  ])('%s is read as it was', async (_name, text) => {
    const { frames, notes, problem } = await read(text)
    expect([problem, notes, frames.length]).toEqual(['', [], 1])
    expect(level(frames)).toMatchObject({ limits: { nominal: 40 }, dispatched: 1_000 })
  })

  const later = page.replace(' 1000', ' 1010')
  test.each([
    ['date', 'Sat Nov 28 10:00:00 UTC 2026\n', 'Sat Nov 28 10:00:10 UTC 2026\n'],
    ['date -u +%FT%TZ', '2026-11-28T10:00:00Z\n', '2026-11-28T10:00:10Z\n'],
    ['echo', '=== 2026-11-28 10:00:00 ===\n\n', '=== 2026-11-28 10:00:10 ===\n\n'],
    ['date with a zone', '2026-11-28T11:00:00+01:00\n', '2026-11-28T11:00:10+01:00\n'],
  ])('several pages after what %s printed are samples of that time', async (_name, one, two) => {
    for (const text of [one + page + two + later, (one + page + two + later).replaceAll(/^# .*\n/gm, '')]) {
      const { frames, notes } = await read(text)
      expect(notes).toEqual([])
      expect(frames.map(({ at, levels }) => [Date.parse(at), levels[0]?.dispatched])).toEqual([
        [Date.UTC(2026, 10, 28, 10), 1_000],
        [Date.UTC(2026, 10, 28, 10, 0, 10), 1_010],
      ])
    }
  })

  test.each([
    ['appended to the same file', page + later],
    ['with times in a zone that needs a table', `Sat Nov 28 10:00:00 CET 2026\n${page}x\n${later}`],
    ['without comments', (page + later).replaceAll(/^#.*\n/gm, '')],
    ['joined files with marks', `\uFEFF${page}\uFEFF${later}`],
  ])('of several pages %s the last is shown, because nobody knows how far they are apart', async (_name, text) => {
    const { frames, notes } = await read(text)
    expect(frames.map(({ levels }) => levels[0]?.dispatched)).toEqual([1_010])
    expect(notes.join(' ')).toContain('2 pages have no time, so nothing can be said about rates between them.')
  })

  const metric = { __name__: 'apiserver_flowcontrol_nominal_limit_seats', priority_level: 'b', instance: 'a' }
  const at = Date.UTC(2026, 10, 20)
  test.each([
    [
      'an answer of Prometheus',
      JSON.stringify({
        status: 'success',
        data: {
          resultType: 'vector',
          result: [
            { metric, value: [at / 1_000, '40'] },
            { metric: { ...metric, priority_level: 'c' }, value: [at / 1_000, '41'] },
          ],
        },
      }),
      [at],
    ],
    [
      'a range of Prometheus',
      JSON.stringify({
        status: 'success',
        data: {
          resultType: 'matrix',
          result: [
            {
              metric,
              values: [
                [at / 1_000, '40'],
                [at / 1_000 + 10, '41'],
              ],
            },
          ],
        },
      }),
      [at, at + 10_000],
    ],
    [
      'an export of VictoriaMetrics',
      `${JSON.stringify({ metric, values: [40, 41], timestamps: [at, at + 10_000] })}\n`,
      [at, at + 10_000],
    ],
    [
      'dump-openmetrics without its end',
      `apiserver_flowcontrol_nominal_limit_seats{instance="a",priority_level="b"} 40 ${at / 1_000}.000\napiserver_flowcontrol_nominal_limit_seats{instance="a",priority_level="b"} 41 ${at / 1_000 + 10}.000\n`,
      [at, at + 10_000],
    ],
    [
      'promtool tsdb dump',
      `{__name__="apiserver_flowcontrol_nominal_limit_seats", instance="a", priority_level="b"} 40 ${at}\n{__name__="apiserver_flowcontrol_nominal_limit_seats", instance="a", priority_level="b"} 41 ${at + 10_000}\n`,
      [at, at + 10_000],
    ],
    ['a page with quoted names', '{"apiserver_flowcontrol_nominal_limit_seats",priority_level="b"} 40\n', [at]],
    [
      'promtool query',
      `apiserver_flowcontrol_nominal_limit_seats{instance="a", priority_level="b"} => 40 @[${at / 1_000}]\napiserver_flowcontrol_nominal_limit_seats{instance="a", priority_level="b"} => 41 @[${at / 1_000 + 10}]\n`,
      [at, at + 10_000],
    ],
    [
      'promtool query range',
      `apiserver_flowcontrol_nominal_limit_seats{instance="a", priority_level="b"} =>\n40 @[${at / 1_000}]\n41 @[${at / 1_000 + 10}]\n`,
      [at, at + 10_000],
    ],
  ])('%s is read', async (_name, text, times) => {
    const { frames } = await read(text)
    expect(level(frames)?.limits.nominal).toBe(40)
    if (times.length > 1) expect(frames.map((frame) => Date.parse(frame.at))).toEqual(times)
  })

  it('shows no number for a value that is not one', async () => {
    const name = 'apiserver_flowcontrol_current_executing_requests'
    for (const value of ['NaN', '+Inf']) {
      const { frames } = await read(
        `${name}{flow_schema="s",priority_level="b"} ${value}\n${name}{flow_schema="t",priority_level="b"} 3\n`,
      )
      expect(level(frames)?.requests.executing).toBe(undefined)
    }
  })

  it('says that several servers are several servers', async () => {
    const line = (instance: string) =>
      `apiserver_flowcontrol_nominal_limit_seats{priority_level="b",instance="${instance}"} 1\n`
    const result = await createFilesSource([{ name: 'a', text: line('x') + line('y') }], { now: () => NOW })
    expect(result.ok && result.source.info.via).toBe('2 undated pages of 2 servers')
  })
})

describe('dumps of earlier releases, and as people keep them', () => {
  const row = (cells: readonly string[], widths: readonly number[]) =>
    `${cells.map((cell, n) => (n < cells.length - 1 ? `${cell},`.padEnd(widths[n] ?? 0) : cell)).join('')}\n`
  const table = (...rows: readonly string[]) => {
    const cells = rows.map((one) => one.split(' '))
    const widths = (cells[0] ?? []).map((_, n) => Math.max(...cells.map((one) => (one[n] ?? '').length + 2)))
    return cells.map((one) => row(one, widths)).join('')
  }
  const levels = table(
    'PriorityLevelName ActiveQueues IsIdle IsQuiescing WaitingRequests ExecutingRequests',
    'exempt <none> <none> <none> <none> <none>',
    'b 1 false false 7 3',
  )
  const queues = table(
    'PriorityLevelName Index PendingRequests ExecutingRequests VirtualStart',
    'exempt <none> <none> <none> <none>',
    'b 0 7 3 12.3456',
  )
  const requests = table(
    'PriorityLevelName FlowSchemaName QueueIndex RequestIndexInQueue FlowDistingsher ArriveTime',
    'b s 0 0 alice 2020-07-23T15:26:57.179170694Z',
  )

  test.each([
    ['levels of 1.20', levels, { requests: { executing: 3, queued: 7 }, dispatched: undefined }],
    ['levels with commas at the end', levels.replaceAll(/(\S)$/gm, '$1,'), { requests: { executing: 3, queued: 7 } }],
    ['queues of 1.20', queues, { seats: { executing: 3, queued: 7 } }],
    ['requests of 1.20, which are those that wait', requests, { requests: { executing: undefined, queued: 1 } }],
    [
      'all three in one file',
      levels + queues + requests,
      { requests: { executing: 3, queued: 7 }, seats: { executing: 3 } },
    ],
    ['with blank lines between', `${levels}\n\n${queues}\n${requests}\n`, { requests: { executing: 3, queued: 7 } }],
    ['below a warning, indented', `Warning: x\n${levels.replaceAll(/^(?=.)/gm, '  ')}`, { requests: { executing: 3 } }],
    ['as a table without padding', levels.replaceAll(/, +/g, ','), { requests: { executing: 3, queued: 7 } }],
  ])('%s', async (_name, text, expected) => {
    const { frames, problem, notes } = await read(text)
    expect([problem, notes]).toEqual(['', []])
    expect(level(frames)).toMatchObject({ name: 'b', ...expected })
  })

  it.each([levels, queues, requests])('in a transcript of a terminal are read as they were', async (text) => {
    const plain = await read(text)
    const { frames, problem, notes } = await read(typed('kubectl get --raw /debug/api_priority_and_fairness/x', text))
    expect([problem, notes]).toEqual(['', []])
    expect(frames).toEqual(plain.frames)
  })

  it('without the end of the last row are read where it has all its cells', async () => {
    for (const [text, number] of [
      [levels.trimEnd(), 3],
      [levels.trimEnd().slice(0, -3), undefined],
    ] as const) {
      const { frames } = await read(text)
      expect(level(frames, 0)?.requests.executing).toBe(number)
    }
  })

  it.each([levels, queues, requests])('without a row show nothing', async (text) => {
    const { frames, problem } = await read(text.slice(0, text.indexOf('\n') + 1))
    expect([frames, problem]).toEqual([[], expect.stringContaining('without a row')])
  })

  it('of 1.23 to 1.26 have seats, and requests that wait', async () => {
    const text = table(
      'PriorityLevelName FlowSchemaName QueueIndex RequestIndexInQueue FlowDistingsher ArriveTime InitialSeats FinalSeats AdditionalLatency',
      'b s 0 0 alice 2020-07-23T15:26:57.179170694Z 3 0 0s',
    )
    const { rows } = parseRequestsDump(text)
    expect(rows).toMatchObject([{ initialSeats: 3, finalSeats: 0, additionalLatencyMs: 0 }])
    expect(rows[0]?.startedAt).toBe(undefined)
  })
})

describe('a page without the end of its last line', () => {
  const page = 'apiserver_flowcontrol_nominal_limit_seats{priority_level="b"} 40\n'
  const last = 'apiserver_flowcontrol_current_executing_requests{flow_schema="b",priority_level="b"} 3'

  it.each([last, `${last}  `, `${page.trimEnd()}\n${last}`])('is read, and says that it may be cut', async (text) => {
    const { frames, problem, notes } = await read(text)
    expect([problem, notes]).toEqual(['', []])
    expect(level(frames)?.requests.executing).toBe(3)
    const result = await createFilesSource([{ name: 'a', text }], { now: () => NOW })
    expect(result.ok && result.source.info.via).toBe(
      'one undated page (its last line has no end, so its value may be cut)',
    )
  })

  it('whose last line is cut before its value is read without it', async () => {
    for (const cut of [last.slice(0, -2), last.slice(0, 30), last.slice(0, 70)]) {
      const { frames, notes } = await read(page + cut)
      expect(level(frames)).toMatchObject({ limits: { nominal: 40 }, requests: {} })
      expect(notes).toEqual([expect.stringMatching(/^page\.txt, line 2, .*What comes before it is shown/)])
    }
  })

  it.each(['# TYPE apiserver_flowcontrol_nominal_limit_seats gauge\n', page.replaceAll('"', '\u201D'), `1f4\n${page}`])(
    'without a sample that can be read shows nothing: %j',
    async (text) => {
      const { frames, problem } = await read(text)
      expect(frames).toEqual([])
      expect(problem).not.toBe('')
      expect(problem).not.toContain('is shown')
    },
  )
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
    ['PriorityLevelName, ActiveQueues, IsIdle,\nworkload-low,      0,            true,\n', /has no column IsQuiescing/],
    [
      'Error from server (Forbidden): forbidden: User "a" cannot get path "/metrics"\n',
      /error instead of an answer: Error from server \(Forbidden\).*Correct it/,
    ],
    [
      'The connection to the server localhost:8080 was refused - did you specify the right host or port?',
      /localhost:8080 was refused/,
    ],
    ['error: You must be logged in to the server (Unauthorized)\n', /must be logged in/],
    ['Unauthorized\n', /error instead of an answer: Unauthorized/],
    ['404 page not found\n', /404 page not found/],
    ['upstream connect error or disconnect/reset before headers', /upstream connect error/],
    ['{"message":"Forbidden"}', /error instead of an answer: Forbidden/],
    ['{"status":"error","errorType":"bad_data","error":"parse error"}', /parse error/],
    [`HTTP/1.1 403 Forbidden\r\nA: b\r\n\r\n${JSON.stringify(STATUS)}`, /answer of an API server, 403/],
    [CURL.replace('2 200', '2 403') + JSON.stringify(STATUS, undefined, 2), /answer of an API server, 403/],
    [typed('kubectl get --raw /metrics', `${JSON.stringify(STATUS)}\n`), /answer of an API server, 403/],
    ['k8s\0\n\f\n\u0002v1\u0012\u0006Status', /is protobuf of Kubernetes: save it with -o yaml/],
    [
      'apiVersion: v1\ncode: 403\nkind: Status\nmessage: no\nreason: Forbidden\nstatus: Failure\n',
      /answer of an API server, 403 Forbidden: no/,
    ],
    ['<!-- a -->\n<HTML><body>Sign in</body>', /is a web page/],
    ['\uFEFF<html>', /is a web page/],
    ['version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n', /git lfs pull/],
    ['NAME     PRIORITYLEVEL   MATCHINGPRECEDENCE\nexempt   exempt          1\n', /save the objects with -o yaml/],
    ['No resources found\n', /It begins: No resources found/],
    ['apiVersion: v1\nkind: Config\nclusters: []\n', /is a kubeconfig.*--kubeconfig/],
    ['apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: []\n', /is a Policy of audit\.k8s\.io\/v1: name metrics/],
    ['{"kind":"List","apiVersion":"v1","items":[{"kind":"Event","apiVersion":"v1"}]}', /is a List of v1: name/],
    ['{"gitVersion":"v1.36.3"}', /contain only the version of a server, v1\.36\.3: add a metrics page/],
    ['apiserver_flowcontrol_nominal_limit_seats,priority_level=b gauge=4 17\n', /flow control in a form that is not/],
    ['go_goroutines 5\n', /none of API Priority and Fairness/],
    ['{"awslogs":{"data":"H4sIAAAAAAAAAA/gAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}', /compressed.*gunzip/],
    ['I1121 07:26:40.078543   16426 controller.go:134] "Started"\n', /without lines of requests.*-v=3/],
    ['{"status":"success","data":{"resultType":"vector","result":[]}}', /Prometheus without samples of flow control/],
    ['{\n "events": [],\n "searchedLogStreams": []\n}\n', /export without records/],
    ['[]\n', /export without records/],
    ['\nAn error occurred (AccessDeniedException) when calling the FilterLogEvents operation: no\n', /AccessDenied/],
    ['ERROR: (gcloud.logging.read) PERMISSION_DENIED: no\n', /error instead of an answer: ERROR: \(gcloud/],
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
    // What is shown of levels is not what the server had.
    expect(notes).toEqual([
      OWN_ENGINE,
      expect.stringMatching(/^2 records of the audit log page\.txt left out\. Last: Line 3: /),
    ])
  })
})
