import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCommand } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'

/** Config E of the QoS specification, 11. */
const RULES = `classes:
  - { name: event, qdisc: lbf, qps: 2 }
  - { name: slow-query, qdisc: tbf, qps: 10, burst: 12 }
  - { name: high-traffic, qdisc: maxinflight, num: 5 }
rules:
  - name: rule-event
    qClassName: event
    priority: 9
    ops: [RequestPut]
    prefixPaths: [registry/events/]
    conditions: [{ kind: ConditionKindPercentDBQuotaUsed, threshold: 0.9 }]
  - name: rule-slowlog
    qClassName: slow-query
    priority: 10
    ops: [Range]
    prefixPaths: [registry/pods/]
    conditions: [{ kind: NumberOfScanKeyNum, threshold: 1000.0 }]
`
const put = (time: number, more: object = {}): string =>
  JSON.stringify({ time, method: 'KV/Put', key: '/registry/events/e1', ...more })
const list = (time: number): string =>
  JSON.stringify({
    time,
    method: 'KV/Range',
    key: '/registry/pods/',
    prefix: true,
    user: 'kcm',
    scannedKeys: 5000,
    latencyMs: 20,
  })
const STREAM = `${[put(0, { storageQuotaUsed: 0.95 }), put(0.2), put(0.5), '', list(0.6), list(0.7)].join('\n')}\n`

let folder: string
const write = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
let rules: string
let stream: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apf-qos-'))
  rules = write('rules.yaml', RULES)
  stream = write('requests.ndjson', STREAM)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('apf-console qos validate', () => {
  it('is silent about good rules but for a summary, and exits with 0', async () => {
    expect(await runHere('qos', 'validate', rules)).toEqual({
      code: 0,
      told: '',
      output: '0 errors, 0 warnings in 2 rules and 3 classes of 1 file.\n',
    })
  })

  it('tells every problem with its place, in each form, and exits with 1', async () => {
    const bad = write(
      'bad.yaml',
      RULES.replace('priority: 9', 'priority: 900').replace('qClassName: slow-query', 'qClassName: slow'),
    )
    const text = await runHere('qos', 'validate', bad)
    expect({ code: text.code, told: text.told }).toEqual({ code: 1, told: '' })
    expect(text.output).toContain(
      ':8:15: error: Rule rule-event: priority must be a whole number from 1 to 100, not 900. [FieldValueInvalid]\n',
    )
    expect(text.output).toContain(':13:17: error: Rule rule-slowlog: There is no class “slow”')
    const json = await runHere('qos', 'validate', '--json', bad)
    expect(json.code).toBe(1)
    expect(JSON.parse(json.output)).toMatchObject({
      files: 1,
      classes: 3,
      rules: 2,
      findings: [
        { line: 8, column: 15, kind: 'Rule', name: 'rule-event', field: 'rules[0].priority', severity: 'error' },
        { line: 13, field: 'rules[1].qClassName' },
      ],
    })
    const github = await runHere('qos', 'validate', '--output', 'github', bad)
    expect(github.output).toMatch(
      /^::error file=[^\n]*bad\.yaml,line=8,col=15,title=FieldValueInvalid rules\[0]\.priority::Rule rule-event: /,
    )
  })

  it('takes folders and files together as one configuration', async () => {
    const [classes = '', more = ''] = RULES.split(/(?=^rules:)/m)
    const parts = [write('part-classes.yaml', classes), write('part-rules.yaml', more)]
    expect((await runHere('qos', 'validate', ...parts)).output).toBe(
      '0 errors, 0 warnings in 2 rules and 3 classes of 2 files.\n',
    )
  })
})

describe('docs/etcd-qos.md', () => {
  it('has rules and requests that are right, and the output that it shows', async () => {
    const page = readFileSync(new URL('../../docs/etcd-qos.md', import.meta.url), 'utf8')
    const blockOf = (opening: string): string => new RegExp(`\`\`\`${opening}[^]*?(?=\`\`\`)`).exec(page)?.[0] ?? ''
    const [yaml, ndjson, shown] = ['yaml\n', 'json\n', '\n0'].map((opening) => blockOf(opening).replace(/^.*\n/, ''))
    const file = write('documented.yaml', yaml ?? '')
    expect((await runHere('qos', 'validate', file)).output).toBe(
      '0 errors, 0 warnings in 3 rules and 3 classes of 1 file.\n',
    )
    const requests = write('documented.ndjson', ndjson ?? '')
    expect(await runHere('qos', 'explain', '--rules', file, '--requests', requests)).toMatchObject({
      code: 0,
      told: '',
    })
    const one = ['--op', 'Range', '--key', '/registry/pods/', '--prefix', '--scan', '5000', '--user', 'alice']
    expect((await runHere('qos', 'explain', '--rules', file, ...one)).output).toBe(shown)
  })
})

describe('apf-console qos explain', () => {
  it('decides about a recorded stream, and counts', async () => {
    const { code, output, told } = await runHere('qos', 'explain', '--rules', rules, '--requests', stream)
    expect({ code, told }).toEqual({ code: 0, told: '' })
    const lines = output.split('\n')
    expect(lines.map((line) => line.split(/ {2,}/).slice(0, 2).join(' '))).toEqual([
      '0.000 s passed',
      '0.200 s LIMITED',
      '0.500 s passed',
      '0.600 s passed',
      '0.700 s passed',
      '',
      '5 requests: 4 passed, 0 delayed, 1 limited.',
      'rule-event: 2 passed, 0 delayed, 1 limited.',
      'rule-slowlog: 1 passed, 0 delayed, 0 limited.',
      '',
    ])
    expect(lines[1]).toContain('rule-event applies; class event: free in 300 ms, at most 2 /s')
    expect(lines[3]).toMatch(/KV\/Range \/registry\/pods\/ \(prefix\) +kcm +No rule matches\.$/)
  })

  it('reads the stream from standard input, and prints NDJSON with --json', async () => {
    const running = startCommand('qos', 'explain', '--rules', rules, '--requests', '-', '--json', '--trace')
    running.input.end(STREAM)
    expect(await running.ended).toBe(0)
    const decisions = running
      .output()
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(decisions).toMatchObject([
      { id: 1, verdict: 'passed', rule: 'rule-event' },
      {
        id: 2,
        verdict: 'limited',
        reason: 'rate',
        rejection: { code: 8, message: 'etcdserver: too many requests' },
        rules: [
          { rule: 'rule-slowlog', outcome: 'no match', reason: 'is about other operations' },
          { rule: 'rule-event', outcome: 'applies', conditions: [{ value: 0.95, threshold: 0.9, holds: true }] },
        ],
      },
      { id: 3, verdict: 'passed' },
      { id: 4, verdict: 'passed', evidence: { retry: 0 } },
      {
        id: 5,
        verdict: 'passed',
        rule: 'rule-slowlog',
        evidence: { prediction: { scannedKeys: 5000 }, predictedBy: 'tracker' },
      },
    ])
    expect(running.told()).toContain('5 requests: 4 passed, 0 delayed, 1 limited.')
  })

  it('explains one request with every rule', async () => {
    const { code, output } = await runHere(
      'qos',
      'explain',
      '--rules',
      rules,
      '--op',
      'Range',
      '--key',
      '/registry/pods/',
      '--prefix',
      '--user',
      'alice',
      '--scan',
      '5000',
    )
    expect(code).toBe(0)
    expect(output).toBe(
      [
        '0.000 s  KV/Range /registry/pods/ (prefix)  alice',
        'passed  rule-slowlog applies; class slow-query: 12 of 12 tokens, refilled at 10 /s; 1 needed (requests).',
        '→  10  rule-slowlog  slow-query  applies: ScanKeyNum 5000 is above 1000 keys',
        '    9  rule-event    event       is about other operations',
        '',
      ].join('\n'),
    )
    const asked = ['--op', 'RequestPut', '--key', 'registry/events/e', '--quota-used', '0.9']
    const near = await runHere('qos', 'explain', '--rules', rules, ...asked, '--json')
    expect(await runHere('qos', 'explain', '--rules', rules, ...asked, '-o', 'json')).toEqual(near)
    expect(JSON.parse(near.output)).toMatchObject({
      verdict: 'passed',
      explanation: 'No rule matches.',
      rules: [{}, { reason: expect.stringContaining('0.9 is not above 0.9') }],
    })
  })

  it.each<[string, string, string]>([
    ['a broken line', `${put(0)}\n{"method":"KV/Put",\n`, ':2:20: This is not valid JSON'],
    [
      'two values on a line',
      `${put(0)}{}\n`,
      `:1:${put(0).length + 1}: A line contains one JSON value; a second one begins here.`,
    ],
    [
      'a wrong method',
      '{"time":1,"method":"KV/Rnge","key":"a"}',
      ':1:20: etcd has no method “KV/Rnge”: did you mean KV/Range?',
    ],
    ['an unknown field', '{"method":"KV/Put","ky":"a"}', ':1:20: There is no field “ky” at the top of the object'],
    ['no object', '[1]', ':1:1: A request is a JSON object with a method.'],
    ['time that goes back', `${put(1)}\n${put(0)}`, ':2:9: time is earlier than that of the previous record'],
  ])('names the place of %s', async (_, text, message) => {
    const { code, told } = await runHere('qos', 'explain', '--rules', rules, '--requests', write('broken.ndjson', text))
    expect(code).toBe(2)
    expect(told).toContain(`apf-console: broken.ndjson${message}`)
  })

  it('does nothing with rules that have errors', async () => {
    const bad = write('worse.yaml', RULES.replace('qps: 2', 'qps: -2'))
    const { code, output, told } = await runHere('qos', 'explain', '--rules', bad, '--requests', stream)
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(told).toMatch(/worse\.yaml:2:37: qps must be a number above 0, not -2\.\n$/)
  })

  it.each([
    [['qos'], 'qos needs a subcommand, such as validate, explain or rule.'],
    [['qos', 'valdate'], 'did you mean validate?'],
    [['qos', 'validate'], 'qos validate needs files or folders to check'],
    [['qos', 'validate', '--rules', 'x', 'y'], '--rules belongs to qos explain.'],
    [['qos', 'explain', 'x'], 'a rule file is given as --rules x.'],
    [['qos', 'explain', '--rules', 'x'], 'qos explain needs requests'],
    [['qos', 'explain', '--op', 'Range', '--key', 'a'], 'qos explain needs --rules FILE.'],
    [
      ['qos', 'explain', '--rules', 'x', '--requests', 'y', '--key', 'a'],
      '--requests contains its own requests; --key does not go with it.',
    ],
    [['qos', 'explain', '--rules', 'x', '--op', 'Rnge'], 'did you mean Range?'],
    [['qos', 'explain', '--rules', 'x', '--op', 'Range'], '--op KV/Range needs --key.'],
    [['qos', 'explain', '--rules', 'x', '--op', 'Compact', '--key', 'a'], '--key does not go with KV/Compact'],
    [
      ['qos', 'explain', '--rules', 'x', '--op', 'Range', '--key', 'a', '--prefix', '--range-end', 'b'],
      '--prefix and --range-end contradict each other.',
    ],
    [['qos', 'explain', '--rules', '-', '--requests', '-'], 'cannot both come from standard input'],
    [['qos', 'explain', '--output', 'github', '--op', 'Range'], 'prints text, or NDJSON with --json'],
    [
      ['qos', 'explain', '--rules', '/nowhere.yaml', '--op', 'Compact'],
      '/nowhere.yaml cannot be read: there is no such file',
    ],
  ])('%j says what is wrong', async (args, message) => {
    const { code, told } = await runHere(...args)
    expect(code).toBe(2)
    expect(told).toContain(message)
  })

  it('predicts nothing of what is not tracked', async () => {
    const { code, told } = await runHere('qos', 'explain', '--rules', rules, '--op', 'Put', '--key', 'a', '--scan', '5')
    expect(code).toBe(2)
    expect(told).toContain('other requests have no predictions')
  })
})
