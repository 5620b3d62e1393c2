import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand, startCommand } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'

const GOOD = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: { name: devs }
spec:
  matchingPrecedence: 700
  priorityLevelConfiguration: { name: workload-low }
  rules:
    - subjects: [{ kind: Group, group: { name: devs } }]
      nonResourceRules: [{ verbs: [get], nonResourceURLs: [/healthz] }]
`
const BAD = GOOD.replace('700', '"700"').replace('devs }', 'bad }')

let folder: string
const write = (path: string, text: string | Buffer): string => {
  const file = join(folder, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return file
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apf-validate-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Report {
  readonly kubeVersion: string
  readonly objects: number
  readonly findings: readonly Record<string, unknown>[]
  readonly notes: readonly { readonly message: string }[]
}
const parse = (output: string): Report => JSON.parse(output) as Report

it.each([
  [
    'a Template',
    `apiVersion: template.openshift.io/v1\nkind: Template\nobjects:\n- ${GOOD.replaceAll('\n', '\n  ')}\n`,
  ],
  ['a ConfigMap', `kind: ConfigMap\ndata:\n  a.yaml: |\n    ${GOOD.replaceAll('\n', '\n    ')}\n`],
])('objects within %s are said to be left out', async (name, text) => {
  const file = write(`${name}.yaml`, text)
  const { code, output } = await runHere('validate', file)
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(/note: The objects contain flow-control objects, which were not/),
  ])
  expect((await runHere('impact', '--edit', file)).told).toMatch(/flow-control objects, which were not checked/)
})

it('line ends of one carriage return are read as kubectl does', async () => {
  const { code, output } = await runHere('validate', write('cr.yaml', GOOD.replaceAll('\n', '\r')))
  expect([code, output]).toEqual([0, expect.stringMatching(/^0 errors, 0 warnings in 1 flow-control object /)])
})

describe('apf-console validate', () => {
  it('is silent about good files but for a summary, and exits with 0', async () => {
    const { code, output, told } = await runCommand('validate', write('good.yaml', GOOD))
    expect({ code, told }).toEqual({ code: 0, told: '' })
    expect(output).toMatch(
      /^0 errors, 0 warnings in 1 flow-control object of 1 file, by the rules of Kubernetes v1\.\d+\.\n$/,
    )
  })

  it('tells every problem with its place, and exits with 1', async () => {
    const file = write('bad.yaml', `# first\n${BAD}`)
    const text = await runHere('validate', '--kube-version', 'v1.33.4', file)
    expect({ code: text.code, told: text.told }).toEqual({ code: 1, told: '' })
    expect(text.output).toContain(':6:23: error: FlowSchema bad: spec.matchingPrecedence must be a whole number')
    const json = await runHere('validate', '--json', file)
    expect(json.code).toBe(1)
    expect(parse(json.output)).toMatchObject({
      objects: 1,
      findings: [
        { line: 6, column: 23, kind: 'FlowSchema', name: 'bad', field: 'spec.matchingPrecedence', severity: 'error' },
      ],
    })
  })

  it('judges by the version that is asked for', async () => {
    const file = write('old.yaml', GOOD.replace('/v1', '/v1beta3'))
    const [now, then] = await Promise.all([
      runHere('validate', '--json', file),
      runHere('validate', '--json', '--kube-version', '1.30', file),
    ])
    expect([now.code, then.code]).toEqual([1, 0])
    expect(parse(then.output).kubeVersion).toBe('v1.30')
    expect(parse(now.output).findings).toMatchObject([{ field: 'apiVersion', reason: 'FieldValueNotSupported' }])
  })

  it('reads folders, links to files, standard input and UTF-16, all as one configuration', async () => {
    const target = write('elsewhere.yaml', GOOD.replace('devs }', 'linked }'))
    write('set/b/two.yml', GOOD)
    write('set/a.yaml', GOOD)
    write('set/utf16.yaml', Buffer.from(`\uFEFF${GOOD.replace('devs }', 'wide }')}`, 'utf16le'))
    write('set/.git/x.yaml', '{')
    write('set/notes.txt', '{')
    symlinkSync(target, join(folder, 'set/link.yaml'))
    symlinkSync(folder, join(folder, 'set/circle'))
    const running = startCommand('validate', '--json', join(folder, 'set'), '-')
    running.input.end(BAD)
    expect(await running.ended).toBe(1)
    const { objects, findings, notes } = parse(running.output())
    expect(objects).toBe(5)
    expect(findings).toMatchObject([
      { file: 'standard input', severity: 'error' },
      { file: join(folder, 'set/b/two.yml'), line: 3, reason: 'FieldValueDuplicate', severity: 'warning' },
    ])
    expect(notes).toMatchObject([{ message: expect.stringMatching(/^The file is UTF-16/) }])
  })

  it('writes annotations and SARIF', async () => {
    const file = write('bad.yaml', BAD)
    const github = await runHere('validate', '-o', 'github', file)
    expect(github.code).toBe(1)
    expect(github.output).toMatch(
      /^::error file=[^,:]+bad\.yaml,line=5,col=23,title=Malformed spec\.matchingPrecedence::FlowSchema bad: /,
    )
    const sarif = await runHere('validate', '--output=sarif', file)
    expect(sarif.code).toBe(1)
    expect(JSON.parse(sarif.output)).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          results: [
            { ruleId: 'Malformed', level: 'error', locations: [{ physicalLocation: { region: { startLine: 5 } } }] },
          ],
        },
      ],
    })
  })

  it('says in one sentence why it cannot run, and exits with 2', async () => {
    mkdirSync(join(folder, 'empty'))
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /needs files or folders/],
      [['/nowhere/at/all'], /^apf-console: \/nowhere\/at\/all cannot be read: there is no such file\.\n$/],
      [[join(folder, 'empty')], /contains no \.yaml, \.yml or \.json files/],
      [['--output', 'xml', 'x'], /--output takes text, json, github or sarif, not "xml"/],
      [['--json', '--output', 'sarif', 'x'], /contradict each other/],
      [['--kube-version', 'v1.20', 'x'], /--kube-version takes a version from v1\.29 to v1\.37/],
      [['--kube-version', 'v1.99', 'x'], /to v1\.37, such as v1\.33 or v1\.33\.4, not "v1\.99"/],
      [['--kube-versoin', 'v1.30', 'x'], /did you mean --kube-version\?/],
    ]
    for (const [args, sentence] of cases) {
      const { code, output, told } = await runHere('validate', ...args)
      expect({ args, code, output, lines: told.trim().split('\n').length }).toEqual({
        args,
        code: 2,
        output: '',
        lines: 1,
      })
      expect(told).toMatch(sentence)
    }
  })

  it('does what its documentation shows', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/validate.md'), 'utf8')
    const [, json = ''] = /```json\n(.*?)```/s.exec(page) ?? []
    const [, manifest = ''] = /of this `level.yaml`:\n\n```yaml\n(.*?)```/s.exec(page) ?? []
    const { code, output } = await runHere('validate', '--json', write('level.yaml', manifest))
    expect(code).toBe(1)
    // The words of a message are not documented.
    const stable = ({ findings, ...others }: Report) => ({
      ...others,
      findings: findings.map((finding) => ({ ...finding, file: 'level.yaml', message: typeof finding['message'] })),
    })
    expect(stable(parse(output))).toEqual(stable(parse(json)))
    const help = await runHere('validate', '--help')
    expect(help).toMatchObject({ code: 0, output: expect.stringContaining('docs/validate.md') })
  })
})
