import { createServer, type Server } from 'node:http'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { escapeControls } from '../../core/text/text.ts'
import { createOutput } from '../../main/cli/console.ts'
import { githubReport } from '../../main/cli/validate.ts'
import { runCommand } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'
import { Random } from '../harness/engine/random.ts'
import { portOf } from '../harness/proxied.ts'

/** Everything but newlines of our own. Tabs are not used at all. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const hasControls = (text: string): boolean => CONTROLS.test(text.replaceAll('\n', ''))
/** What the log of a GitHub, Azure or TeamCity job would carry out. */
const COMMAND = /^\s*::|##\w*\[/m

const LETTERS = [
  ...Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)),
  ...'\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ud800\udc00é漢'.split(''),
  '\u{e0041}',
  '::',
  '##[',
  '::add-mask::',
  '\r\n',
  '\u001b]52;c;',
]

/** `APF_RANDOM_TEXTS=1e6` tries a million. */
const TEXTS = Number(process.env['APF_RANDOM_TEXTS'] ?? 65_000)
const BATCH = 1_000

describe('random texts through the writer', () => {
  let out = ''
  const output = createOutput(
    (text) => (out += text),
    (text) => (out += text),
  )
  const random = new Random(9)
  const textOf = (): string => Array.from({ length: random.below(12) }, () => random.pick(LETTERS)).join('')

  it('leave as lines without control characters and without commands', () => {
    for (let run = 0; run < (TEXTS * 10) / 13; run += BATCH) {
      for (let line = 0; line < BATCH; line++) {
        output.print([textOf()])
        output.tell(textOf())
      }
      expect(out.split('\n').length).toBe(2 * BATCH + 1)
      expect(hasControls(out)).toBe(false)
      expect(COMMAND.test(out)).toBe(false)
      out = ''
    }
  })

  it('leave as JSON that means what it was', () => {
    for (let run = 0; run < (TEXTS * 2) / 13; run++) {
      const text = textOf()
      output.printJson({ [text]: text })
      expect(JSON.parse(out)).toEqual({ [text]: text })
      expect(hasControls(out) || out.indexOf('\n') !== out.length - 1).toBe(false)
      out = ''
    }
  })

  it('leave as annotations of which each is one command, of ours', () => {
    for (let run = 0; run < TEXTS / 13; run++) {
      const text = textOf()
      const finding = { file: text, kind: 'FlowSchema', name: text, field: text, message: text } as const
      output.annotate(
        githubReport({
          findings: [{ ...finding, line: 1, column: 1, reason: 'Malformed', severity: 'error' }],
          notes: [],
          version: 'v1.37',
          objects: 1,
          files: 1,
          tool: '0',
        }),
      )
      expect(out).toMatch(/^::error file=[^,:\n]*,line=1,col=1,title=[^,:\n]*::[^\n]*\n1 error,[^\n]*\n$/)
      expect(hasControls(out)).toBe(false)
      out = ''
    }
  })
})

const HOSTILE = 'x\u001b]52;c;cm0=\u0007\r\n::add-mask::hunter2\n##[error]forged\u0085\u202e\u2028y'
const NAME = JSON.stringify(HOSTILE)

const manifest = (kind: string, spec: string): string =>
  `apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: ${kind}\nmetadata:\n  name: ${NAME}\n  annotations:\n    ${NAME}: ${NAME}\nspec: ${spec}\n`
const SCHEMA = `{ priorityLevelConfiguration: { name: ${NAME} }, matchingPrecedence: 1, distinguisherMethod: { type: ByUser }, rules: [{ subjects: [{ kind: Group, group: { name: 'system:authenticated' } }], resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }] }] }`
const LEVEL = '{ type: Limited, limited: { nominalConcurrencyShares: 5, limitResponse: { type: Reject } } }'

describe('others’ words in every command', () => {
  let folder = ''
  let server: Server | undefined
  let url = ''
  const file = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'apf-terminal-'))
    mkdirSync(join(folder, 'manifests'))
    file('manifests/::add-mask::level.yaml', manifest('PriorityLevelConfiguration', LEVEL))
    file('manifests/##[error]schema.yaml', manifest('FlowSchema', SCHEMA))
    file('broken\u001b[31m\n::error::.yaml', `a: [\u001b${NAME}`)
    // A server whose every answer is hostile.
    server = createServer((_, response) => {
      response.writeHead(403, { 'Content-Type': 'application/json', Warning: '299 - "\u009b31mwarned"' })
      response.end(JSON.stringify({ kind: 'Status', status: 'Failure', message: HOSTILE, reason: HOSTILE, code: 403 }))
    })
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${portOf(server)}`
    file(
      'config',
      `apiVersion: v1\nkind: Config\ncurrent-context: ${NAME}\ncontexts: [{ name: ${NAME}, context: { cluster: ${NAME}, user: ${NAME} } }]\nclusters: [{ name: ${NAME}, cluster: { server: '${url}' } }]\nusers: [{ name: ${NAME}, user: { token: t } }]\n`,
    )
    file(
      'tests.json',
      JSON.stringify([
        {
          label: HOSTILE,
          request: { user: HOSTILE, url: '/api/v1/pods' },
          expect: { flowSchema: HOSTILE, priorityLevel: HOSTILE },
        },
      ]),
    )
    file('metrics.txt', `apiserver_flowcontrol_nominal_limit_seats{priority_level="a\u001b]0;b\u0007::add-mask::"} 1\n`)
    file(
      'audit.log',
      `${JSON.stringify({ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata', auditID: HOSTILE, stage: 'ResponseComplete', requestURI: '/api/v1/pods', verb: 'list', user: { username: HOSTILE }, requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z', stageTimestamp: '2026-01-01T00:00:01.000000Z' })}\n\u001b[31m${HOSTILE}\n`,
    )
  })
  afterAll(() => {
    server?.close()
    rmSync(folder, { recursive: true })
  })

  const commands: readonly (readonly string[])[] = [
    ['validate', '--output', 'github', '@manifests'],
    ['validate', '--json', '@manifests'],
    ['validate', '--output', 'sarif', '@manifests'],
    ['validate', '@broken\u001b[31m\n::error::.yaml'],
    ['classify', '--user', HOSTILE, '--url', '/api/v1/pods', '--config', '@manifests', '--with-built-in'],
    ['classify', '--user', HOSTILE, '--url', '/api/v1/pods', '--config', '@manifests', '--json'],
    ['classify', '--user', 'u', '--url', `/${HOSTILE}`],
    ['classify', '--test', '@tests.json', '--config', '@manifests', '--with-built-in'],
    ['classify', '--user', 'u', '--url', '/api', '--kubeconfig', '@config'],
    ['impact', '--edit', '@manifests'],
    ['impact', '--edit', '@manifests', '--json'],
    ['impact', '--edit', '@manifests', '--kubeconfig', '@config'],
    ['diff', '@manifests', '@other.yaml'],
    ['diff', '@manifests', '@other.yaml', '-o', 'patch'],
    ['diff', '@manifests', '@other.yaml', '--json'],
    ['drift', '--config', '@manifests'],
    ['drift', '--kubeconfig', '@config'],
    ['drift', '--kubeconfig', '@config', '--context', `no${HOSTILE}`],
    ['permissions', '--kubeconfig', '@config'],
    ['permissions', '--kubeconfig', '@config', '--json'],
    ['snapshot', '--kubeconfig', '@config'],
    ['snapshot', '--kubeconfig', '@config', '--context', `no${HOSTILE}`],
    ['snapshot', '--file', '@metrics.txt'],
    ['snapshot', '--file', '@broken\u001b[31m\n::error::.yaml'],
    ['shard', '--queues', '8', '--hand', '2', '--flow', `${HOSTILE}/${HOSTILE}`],
    ['feed', '--once', '--audit-file', '@audit.log'],
    ['feed', '--once', '--audit-file', '@audit.log', '--json', '--config', '@manifests', '--draft', '@manifests'],
    ['proxy', '--upstream', HOSTILE],
    ['engine', HOSTILE],
    ['validate', `--${HOSTILE}`],
  ]
  /** In a process of their own, through its standard output and standard error; all others write the same way. */
  const whole: readonly (readonly string[])[] = [
    ['validate', '@manifests'],
    ['validate', `/nowhere/${HOSTILE.replaceAll('\0', '')}`],
    [HOSTILE],
  ]
  const tried = [
    ...whole.map((words) => ({ words, of: runCommand })),
    ...commands.map((words) => ({ words, of: runHere })),
  ]
  it.each(tried.map((one) => [escapeControls(one.words.join(' ')), one] as const))('%s', async (_, { words, of }) => {
    file('other.yaml', manifest('PriorityLevelConfiguration', LEVEL).replace('type: Reject', 'type: Queue'))
    const { code, output, told } = await of(...words.map((word) => word.replace(/^@/, `${folder}/`)))
    expect({ code, controls: hasControls(output) || hasControls(told) }).toEqual({ code, controls: false })
    expect([0, 1, 2]).toContain(code)
    expect(`${output}${told}`).not.toBe('')
    // The annotations are commands, and ours.
    expect(
      `${output}\n${told}`.replaceAll(/^::(?:error|warning) file=[^,:]*,line=\d+,col=\d+,title=[^,:]*::/gm, ''),
    ).not.toMatch(COMMAND)
    // Every sentence on standard error begins as ours do.
    expect(told.split('\n').filter((line) => line !== '' && !line.startsWith('apf-console: '))).toEqual([])
  })

  it('every patch can be applied, whatever the names are', async () => {
    const { output } = await runHere(
      'diff',
      '-o',
      'patch',
      join(folder, 'manifests'),
      file('empty.yaml', manifest('FlowSchema', SCHEMA).replaceAll('x\\u001b', 'z')),
    )
    expect(output).not.toBe('')
    expect(hasControls(output)).toBe(false)
  })
})
