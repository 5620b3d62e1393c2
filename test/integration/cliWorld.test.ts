import { execFileSync } from 'node:child_process'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { runHere } from '../harness/commandHere.ts'

/** Files as people have them, through the commands that read them. */

const folder = mkdtempSync(join(tmpdir(), 'apf-world-'))
const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

const event = (n: number): string =>
  JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    auditID: `id-${n}`,
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/team-a/pods?limit=500',
    verb: 'list',
    user: { username: 'alice', groups: ['system:authenticated'] },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: `2025-11-20T10:00:0${n}.000001Z`,
    stageTimestamp: `2025-11-20T10:00:0${n}.010001Z`,
    annotations: { 'authorization.k8s.io/decision': 'allow' },
  })
const TWO = [event(0), event(1)]
const KLOG = `I1121 07:26:40.078543   16426 httplog.go:134] "HTTP" verb="LIST" URI="/api/v1/pods" latency="21ms" userAgent="kubectl/v1.31.0" audit-ID="id" srcIP="192.0.2.9:43340" apf_pl="global-default" apf_fs="global-default" apf_iseats=1 apf_fseats=0 apf_additionalLatency="0s" apf_execution_time="5.9ms" resp=200`
const GKE = JSON.stringify([
  {
    insertId: 'x',
    labels: { 'authorization.k8s.io/decision': 'allow' },
    protoPayload: {
      '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
      authenticationInfo: { principalEmail: 'alice@example.com' },
      methodName: 'io.k8s.core.v1.pods.list',
      resourceName: 'core/v1/namespaces/team-a/pods',
    },
    timestamp: '2025-11-20T10:00:00.000001Z',
  },
])
const FAMILIES = `# TYPE apiserver_flowcontrol_nominal_limit_seats gauge
apiserver_flowcontrol_nominal_limit_seats{priority_level="catch-all"} 13
# TYPE apiserver_flowcontrol_current_executing_requests gauge
apiserver_flowcontrol_current_executing_requests{flow_schema="catch-all",priority_level="catch-all"} 3
`

let page = ''
beforeAll(() => {
  page = file('page.txt', FAMILIES)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('feed --once', () => {
  test.each([
    [
      'EventList',
      '--audit-file',
      JSON.stringify({ kind: 'EventList', items: TWO.map((one) => JSON.parse(one) as unknown) }),
    ],
    ['CloudWatch', '--audit-file', JSON.stringify({ events: TWO.map((message) => ({ message })) }, undefined, 1)],
    ['compressed', '--audit-file', gzipSync(TWO.map((log) => JSON.stringify({ log })).join('\n'))],
    [
      'journal',
      '--httplog',
      [0, 1].map((n) => `Nov 21 07:26:40 n kube-apiserver[1]: ${KLOG.replace('"id"', `"id-${n}"`)}`).join('\n'),
    ],
  ])('reads %s', async (name, option, content) => {
    const { code, output } = await runHere('feed', option, file(`${name}.log`, content), '--once')
    expect(output).toMatch(/^2 requests: 2 dispatched/m)
    expect(code).toBe(0)
  })

  test.each([
    [
      'a log whose records lack their times',
      '--audit-file',
      event(0).replaceAll('Timestamp', 'Time'),
      /Line 1: .*stageTimestamp/,
    ],
    ['a log of another kind', '--audit-file', KLOG, /--httplog/],
    ['a log without requests', '--httplog', 'I1121 07:26:40.078543 1 a.go:1] "Started"\n', /-v=3/],
    ['an empty file', '--audit-file', '', /--audit-log-path/],
    ['another format', '--audit-file', Buffer.from(`PAR1\u0000${event(0)}\u0000PAR1`), /The file is no text/],
  ])('of %s fails with the reason', async (name, option, content, reason) => {
    const { code, output } = await runHere('feed', option, file(`${name}.log`, content), '--once')
    expect(output).toMatch(/^No requests in the /m)
    expect(output).toMatch(reason)
    expect(code).toBe(1)
  })

  it.each(['utf16le', 'utf8'] as const)('reads a log in %s', async (encoding) => {
    const log = file(`${encoding}.log`, Buffer.from(`\uFEFF${event(0)}\n`, encoding))
    const { code, output } = await runHere('feed', '--audit-file', log, '--once')
    expect([code, output]).toEqual([0, expect.stringMatching(/^1 request: 1 dispatched/m)])
  })

  it('reads the logs in an archive, beside whatever else is in it', async () => {
    const gathered = join(folder, 'packed')
    mkdirSync(join(gathered, 'audit_logs'), { recursive: true })
    writeFileSync(join(gathered, 'metrics.txt'), FAMILIES)
    writeFileSync(join(gathered, 'audit_logs', 'audit.log.gz'), gzipSync(`${TWO.join('\n')}\n`))
    const archive = join(folder, 'packed.tar')
    execFileSync('tar', ['-cf', archive, '-C', folder, 'packed'])
    const bytes = readFileSync(archive)
    for (const path of [archive, file('packed.tar.gz', gzipSync(bytes)), file('p.tar.zst', zstdCompressSync(bytes))]) {
      const { code, output } = await runHere('feed', '--audit-file', path, '--once')
      expect([code, output]).toEqual([0, expect.stringMatching(/^2 requests: 2 dispatched, (?!.*could not be read)/m)])
    }
  })

  it('says that no request reached flow control, and why that may be', async () => {
    const line =
      'I1121 07:26:45.078543   16426 httplog.go:134] "HTTP" verb="LIST" URI="/api/v1/pods" latency="2ms" userAgent="a/1" audit-ID="a" srcIP="127.0.0.1:1" resp=200\n'
    const { output } = await runHere('feed', '--httplog', file('bare.log', line), '--once')
    expect(output).toMatch(/^1 request: 0 dispatched.*\nNone of them reached flow control: .* name no flow schema/m)
  })

  it('says what the entries of GKE lack', async () => {
    const { code, output } = await runHere('feed', '--audit-file', file('gke.json', GKE), '--once')
    expect(output).toMatch(/^1 request: 1 dispatched/m)
    expect(output).toMatch(/Cloud Audit Logs \(GKE\) leave out groups, URL parameters, durations and waits/)
    expect(code).toBe(0)
  })
})

it('a draft may be a part of an object, and one that a server refuses moves nothing', async () => {
  const log = file('draft.log', `${TWO.join('\n')}\n`)
  const draftOf = (name: string, limited: string): string =>
    file(
      `${name}.yaml`,
      `apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: { name: workload-low }\nspec: { limited: { ${limited} } }\n`,
    )
  const part = draftOf('part', 'lendablePercent: 20')
  expect(await runHere('feed', '--audit-file', log, '--once', '--draft', part)).toMatchObject({ code: 0 })
  expect(await runHere('whatif', log, '--candidate', `n=${part}`)).toMatchObject({ code: 0 })
  const refused = draftOf('refused', 'lendablePercent: 200')
  const sentence = /refused\.yaml:4: spec\.limited\.lendablePercent cannot be 200/
  for (const words of [
    ['feed', '--audit-file', log, '--once', '--draft', refused],
    ['whatif', log, '--candidate', `n=${refused}`],
    ['proxy', '--upstream', 'http://127.0.0.1:1', '--draft', refused],
  ]) {
    const { code, told, output } = await runHere(...words)
    expect([words[0], code, output]).toEqual([words[0], 2, ''])
    expect(told).toMatch(sentence)
  }
})

describe('a page in a file', () => {
  it('has no more samples, so nothing is waited for, and nothing unknown is counted', async () => {
    const [diagnosis, advice, traffic] = [
      await runHere('diagnose', '--file', page),
      await runHere('advise', '--file', page),
      await runHere('classify', '--traffic', '--file', page),
    ]
    expect(diagnosis.output).not.toMatch(/^[^\n]*Most likely/)
    expect(diagnosis.output).toMatch(/Too few samples.*add later pages of the same server/s)
    expect(advice.output).not.toMatch(/inqueue|epoch_advance/)
    expect(traffic.output).not.toMatch(/no request/)
  })

  it('of a folder or an archive is read with the logs in subfolders', async () => {
    const gathered = join(folder, 'must-gather')
    mkdirSync(join(gathered, 'audit_logs'), { recursive: true })
    writeFileSync(join(gathered, 'metrics.txt'), FAMILIES)
    writeFileSync(join(gathered, 'audit_logs', 'audit.log.gz'), gzipSync(`${TWO.join('\n')}\n`))
    writeFileSync(join(gathered, 'version'), 'words')
    const { code, output } = await runHere('snapshot', '--compact', '--file', gathered)
    expect(output).toContain('"via":"one undated page, 2 requests of logs, 1 other file left out: version"')
    expect(code).toBe(0)
  })
})

describe('manifests as people have them', () => {
  const LEVEL =
    'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: { name: batch }\nspec: { type: Limited, limited: { nominalConcurrencyShares: 20, limitResponse: { type: Reject } } }\n'
  test.each<readonly [string, string | Buffer]>([
    ['gzip', gzipSync(LEVEL)],
    ['joined files with byte order marks', `\uFEFF${LEVEL}---\n\uFEFF${LEVEL.replace('batch', 'other')}`],
    ['UTF-16', Buffer.from(`\uFEFF${LEVEL}`, 'utf16le')],
  ])('%s is read', async (name, content) => {
    const path = file(`manifest-${name.replaceAll(' ', '-')}`, content)
    expect(await runHere('validate', path)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^(?:.*note.*\n)?0 errors, 0 warnings in [12] flow/),
    })
    expect(await runHere('impact', '--edit', path)).toMatchObject({
      code: 0,
      output: expect.stringContaining('batch'),
    })
  })

  test.each([
    ['nothing', ''],
    ['a comment', '# later\n'],
    ['an empty list', '{"apiVersion":"v1","kind":"List","items":[]}'],
  ])('%s is not called valid', async (name, content) => {
    const result = await runHere('validate', file(`${name.replaceAll(' ', '-')}.yaml`, content))
    expect(result).toMatchObject({ code: 1, told: expect.stringContaining('Nothing was checked') })
  })

  it('compute nothing from a kustomization without saying that it is not built', async () => {
    mkdirSync(join(folder, 'kust'))
    file('kust/level.yaml', LEVEL)
    file('kust/kustomization.yaml', 'resources: [level.yaml]\npatches: [{ patch: "- op: remove" }]\n')
    const result = await runHere('impact', '--edit', join(folder, 'kust'))
    expect(result.told).toContain('This kustomization changes objects (patches): build it')
  })
})

test('lines of JSON are requests to classify', async () => {
  const request = (user: string): string => JSON.stringify({ user, verb: 'LIST', url: '/api/v1/pods' })
  const path = file('requests.ndjson', `${request('alice')}\n${request('bob')}\n`)
  const { code, output } = await runHere('classify', '--request', path)
  expect(code).toBe(0)
  expect(output).toMatch(/alice {2}GET .*bob {2}GET /s)
})

describe('classify --request reads what --text reads', () => {
  const WAITED =
    'Waited for 1.19s due to client-side throttling, not priority and fairness, request: GET:https://10.0.0.1:6443/apis/batch/v1'
  const URL = 'https://10.0.0.1:6443/api/v1/nodes?limit=500'
  test.each([
    [`I1120 10:01:00.123456   12345 request.go:697] ${WAITED}\n`, /GET \/apis\/batch\/v1[^]*in the client/],
    [JSON.stringify({ level: 'info', msg: WAITED }), /GET \/apis\/batch\/v1[^]*in the client/],
    [`time="2026-11-20T10:01:00Z" level=info msg="${WAITED}"\n`, /GET \/apis\/batch\/v1[^]*in the client/],
    [
      `I1120 10:01:00.1 1 loader.go:395] Config loaded\nI1120 10:01:00.2 1 round_trippers.go:553] GET ${URL} 200 OK in 88 milliseconds\n`,
      /GET \/api\/v1\/nodes\?limit=500/,
    ],
    [
      `I0620 10:01:00.2 1 helper.go:113] "Response" verb="GET" url="${URL}" status="200 OK" milliseconds=12\n`,
      /nodes\?limit/,
    ],
    [`curl -k '${URL}'\n`, /nodes\?limit/],
  ])('%j', async (text, expected) => {
    const { code, output, told } = await runHere('classify', '--user', 'alice', '--request', file('request.txt', text))
    expect(output + told).toMatch(expected)
    expect(code).toBe(0)
  })
})

describe('what tools save instead', () => {
  const HTML = '<!DOCTYPE html><html><head><title>Sign in</title></head></html>\n'
  const HELM = 'classes:\n- name: {{ .Values.name }}\n'
  const REFUSED = 'Error from server (Forbidden): pods is forbidden: no\n'
  test.each<readonly [string, string, RegExp, number]>([
    ['qos validate', HTML, /error: The text is a web page: save the answer/, 1],
    ['qos validate', HELM, /error: This is a Helm template, not a manifest/, 1],
    ['qos validate', REFUSED, /error: The text contains an error instead of an answer/, 1],
    ['qos validate', '\n \n', /Nothing was checked: /, 1],
    ['qos advise --requests', HTML, /\.txt is a web page: /, 2],
    ['qos advise --requests', REFUSED, /\.txt contains an error instead of an answer/, 2],
    ['whatif', HTML, /contain no request.*\.txt is a web page: /, 2],
    ['whatif', REFUSED, /contain no request.*\.txt contains an error instead of an answer/, 2],
    ['simulate', HTML, /The text is a web page: /, 2],
    ['sweep', HELM, /This is a Helm template/, 2],
    ['classify --request', HTML, /\.txt is a web page: /, 2],
    ['snapshot --kubeconfig', HTML, /The kubeconfig .*\.txt is a web page: /, 2],
    ['snapshot --kubeconfig', Buffer.from(FAMILIES).toString('base64'), /\.txt is in base64: decode it/, 2],
    ['feed --once --audit-file', HTML, /Line 1: The text is a web page: /, 1],
  ])('is said in one sentence by %s: %j', async (command, text, sentence, exit) => {
    const { code, output, told } = await runHere(...command.split(' '), file('saved.txt', text))
    expect(output + told).toMatch(sentence)
    expect(code).toBe(exit)
  })

  it.each(['status', 'diagnose', 'advise', 'classify --traffic', 'explain catch-all'])(
    'in part is told by %s, with its place',
    async (command) => {
      const cut = file('cut.txt', `${FAMILIES}apiserver_flowcontrol_dispatched_requests_total`)
      const { told } = await runHere(...command.split(' '), '--file', cut)
      expect(told).toMatch(/cut\.txt, line 5, column 48: .*What comes before it is shown/)
    },
  )
})
