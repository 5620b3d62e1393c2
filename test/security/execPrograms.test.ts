import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { Handlers } from '../../core/contract/contract.ts'
import { toProblem, type Problem } from '../../core/errors.ts'
import { FeedSpecSchema, ProxySpecSchema } from '../../core/contract/live.ts'
import {
  CadenceSchema,
  type Consent as ConsentState,
  type SourceSpec,
  type Target,
} from '../../core/contract/source.ts'
import { createConsent, type Ask } from '../../main/cluster/consent.ts'
import { namedByOperator } from '../../main/cluster/namedByOperator.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { systemAccess } from '../../main/workspace/access.ts'
import { createWorkspace } from '../../main/workspace/workspace.ts'
import { startCommand } from '../harness/command.ts'
import { startHostileServer, type HostileServer } from '../harness/hostileServer.ts'

// A page holds a session; whoever holds a session must not run programs as the operator, nor read files out.

let folder = ''
let api: HostileServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-exec-'))
  api = await startHostileServer()
})
afterAll(async () => {
  await api.close()
  await rm(folder, { recursive: true })
})
const cleanups: (() => unknown)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

let count = 0
const fresh = (name: string): string => join(folder, `${name}-${count++}`)

const token = (marker: string) =>
  `require('node:fs').appendFileSync(${JSON.stringify(marker)}, 'x'); console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status: { token: 't' } }))`
const execUser = (marker: string, more: object = {}): object => ({
  exec: {
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    command: process.execPath,
    args: ['-e', token(marker)],
    ...more,
  },
})

async function kubeconfig(user: object, path = fresh('kubeconfig'), cluster: object = {}): Promise<string> {
  const text = stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: api.url(''), ...cluster } }],
    users: [{ name: 'u', user }],
  })
  await writeFile(path, text, { mode: 0o600 })
  return path
}

interface Console {
  readonly handlers: Handlers
  readonly questions: (readonly string[])[]
  readonly states: ConsentState[]
}

/** A console whose operator gives these answers; without answers it has no terminal. */
function open(
  answers: readonly (boolean | Promise<boolean>)[] | undefined,
  { args = [], env = {} }: { readonly args?: string[]; readonly env?: NodeJS.ProcessEnv } = {},
): Console {
  const stateDir = fresh('state')
  const questions: (readonly string[])[] = []
  const ask: Ask = (lines) => {
    questions.push(lines)
    return Promise.resolve(answers?.[questions.length - 1])
  }
  const consent = createConsent({
    named: namedByOperator(args, { KUBECONFIG: join(folder, 'no-default'), ...env }),
    operator: answers && { where: 'terminal', ask },
    now: Date.now,
  })
  const workspace = createWorkspace({
    stateDir,
    environment: systemEnvironment,
    access: systemAccess('', stateDir, consent),
    version: '0.0.0-test',
    mode: 'memory',
    platform: 'test',
    warn: () => undefined,
  })
  cleanups.push(() => workspace.close())
  const states: ConsentState[] = []
  workspace.handlers.streams.consent(null, (state) => states.push(state), new AbortController().signal)
  return { handlers: workspace.handlers, questions, states }
}

const check = async ({ handlers }: Console, file: string): Promise<Problem | undefined> => {
  const reports = await handlers.procedures['sources.permissions']({ target: { kind: 'kubeconfig', file } }).catch(
    toProblem,
  )
  return Array.isArray(reports) ? reports[0]?.problem : reports
}

describe('a kubeconfig that a page names', () => {
  const ways: readonly (readonly [string, (console: Console, file: string) => Promise<unknown>])[] = [
    [
      'a permission check',
      ({ handlers }, file) => handlers.procedures['sources.permissions']({ target: { kind: 'kubeconfig', file } }),
    ],
    [
      'reading the objects of another cluster',
      ({ handlers }, file) =>
        handlers.procedures['objects.elsewhere']({ from: { kind: 'cluster', target: { kind: 'kubeconfig', file } } }),
    ],
    [
      'connecting',
      (console, file) =>
        connect(console, { kind: 'scrape', target: { kind: 'kubeconfig', file }, cadence: CadenceSchema.parse({}) }),
    ],
    [
      'a proxy',
      (console, file) =>
        connect(console, ProxySpecSchema.parse({ kind: 'proxy', upstream: { kind: 'kubeconfig', file } })),
    ],
    [
      'a feed',
      (console, file) =>
        connect(console, FeedSpecSchema.parse({ kind: 'feed', feed: { kind: 'audit-webhook' }, cluster: { file } })),
    ],
  ]
  const connect = ({ handlers }: Console, spec: SourceSpec) => handlers.procedures['sources.connect']({ spec })

  test.each(ways)('runs no program by %s where there is no terminal, and says how it may', async (_, act) => {
    const marker = fresh('ran')
    const file = await kubeconfig(execUser(marker))
    const problem = await act(open(undefined), file).then(() => undefined, toProblem)
    expect(problem).toMatchObject({ code: 'credentials', message: expect.stringContaining(`--kubeconfig ${file}`) })
    expect(existsSync(marker)).toBe(false)
  })

  test.each(ways)('runs it by %s once the operator has confirmed', async (_, act) => {
    const marker = fresh('ran')
    const file = await kubeconfig(execUser(marker))
    const console = open([true])
    await act(console, file).catch(() => undefined)
    await expect.poll(() => existsSync(marker), { timeout: 10_000 }).toBe(true)
    expect(console.questions).toHaveLength(1)
  })

  test('shows the operator the whole command, its variables, the file and the context, and the page that it waits', async () => {
    const marker = fresh('ran')
    const env = [
      { name: 'LD_PRELOAD', value: '/tmp/evil.so' },
      { name: 'MY_TOKEN', value: 's3cr3t' },
    ]
    const args = ['-e', token(marker), 'a b', 'x\u001b[2J\u202eevil\nmore']
    const file = await kubeconfig({
      exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', command: process.execPath, args, env },
    })
    const console = open([false])
    expect(await check(console, file)).toMatchObject({
      code: 'credentials',
      message: expect.stringMatching(/^You refused .*--kubeconfig/),
    })
    const shown = (console.questions[0] ?? []).join('\n')
    for (const part of [
      process.execPath,
      "'a b'",
      'LD_PRELOAD=/tmp/evil.so',
      'MY_TOKEN=[hidden]',
      file,
      'context     c',
    ]) {
      expect(shown).toContain(part)
    }
    expect(shown).toContain(String.raw`x\u001b[2J\u202eevil\u000amore`)
    expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]|s3cr3t/u)
    expect(console.states.map(({ waiting }) => waiting?.where)).toEqual([undefined, 'terminal', undefined])
    expect(existsSync(marker)).toBe(false)
    // The refusal is kept: no second question.
    await check(console, file)
    expect(console.questions).toHaveLength(1)
  })

  test('is asked about anew when the file has changed', async () => {
    const [first, second] = [fresh('ran'), fresh('ran')]
    const file = await kubeconfig(execUser(first))
    const console = open([true, false])
    await check(console, file)
    await check(console, file)
    expect(console.questions).toHaveLength(1)
    await kubeconfig(execUser(second), file)
    expect(await check(console, file)).toMatchObject({ message: expect.stringMatching(/^You refused/) })
    expect(existsSync(second)).toBe(false)
  })

  test('runs what was confirmed, although the file changes while the question is open', async () => {
    const [shown, swapped] = [fresh('ran'), fresh('ran')]
    const file = await kubeconfig(execUser(shown))
    const { promise, resolve: answer } = Promise.withResolvers<boolean>()
    const console = open([promise])
    const checking = check(console, file)
    await expect.poll(() => console.questions.length).toBe(1)
    await kubeconfig(execUser(swapped), file)
    answer(true)
    await checking
    expect(existsSync(shown)).toBe(true)
    expect(existsSync(swapped)).toBe(false)
  })

  test('one question waits at a time, so that nobody is worn down by many', async () => {
    const files = await Promise.all([fresh('ran'), fresh('ran')].map((marker) => kubeconfig(execUser(marker))))
    const { promise, resolve: answer } = Promise.withResolvers<boolean>()
    const console = open([promise])
    const first = check(console, files[0] ?? '')
    await expect.poll(() => console.questions.length).toBe(1)
    expect(await check(console, files[1] ?? '')).toMatchObject({ message: expect.stringMatching(/^Another question/) })
    answer(false)
    await first
  })

  test('does not choose the program by a PATH of its own', async () => {
    const evil = fresh('bin')
    await mkdir(evil)
    const marker = fresh('ran')
    await writeFile(join(evil, 'node'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 })
    const user = {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1beta1',
        command: 'node',
        args: ['-e', '1'],
        env: [{ name: 'PATH', value: evil }],
      },
    }
    const console = open([true])
    await check(console, await kubeconfig(user))
    expect(console.questions[0]?.join('\n')).toMatch(/program +\/.*\/node$/m)
    expect(existsSync(marker)).toBe(false)
  })

  test('does not have its token file sent anywhere without a confirmation', async () => {
    const secret = fresh('secret')
    await writeFile(secret, 's3cr3t', { mode: 0o600 })
    const file = await kubeconfig({ tokenFile: secret })
    const before = api.requests.length
    const problem = await check(open(undefined), file)
    expect(problem).toMatchObject({ code: 'credentials', message: expect.stringContaining(secret) })
    expect(JSON.stringify(problem)).not.toContain('s3cr3t')
    expect(api.requests).toHaveLength(before)
  })

  test.each(['client-certificate', 'client-key'])('does not hang on a %s that never ends', async (field) => {
    // A key is read only beside a certificate.
    const certificate = { 'client-certificate-data': Buffer.from('a certificate').toString('base64') }
    const file = await kubeconfig({ ...(field === 'client-key' && certificate), [field]: '/dev/zero' })
    expect(await check(open(undefined), file)).toMatchObject({
      code: 'credentials',
      message: expect.stringMatching(/\/dev\/zero is a device, not a file/),
    })
  })

  test('that never ends is refused itself', async () => {
    expect(await check(open(undefined), '/dev/zero')).toMatchObject({
      message: expect.stringMatching(/is a device, not a file/),
    })
  })
})

describe('auth-provider', () => {
  test('with a command is refused at once, and blocks nothing', async () => {
    const marker = fresh('ran')
    const config = { 'cmd-path': '/bin/sh', 'cmd-args': `-c "touch ${marker}; sleep 20"` }
    // No program is asked for credentials without TLS, so the cluster must have it.
    const cluster = { server: api.url('').replace(/^http:/, 'https:') }
    const file = await kubeconfig({ 'auth-provider': { name: 'gcp', config } }, undefined, cluster)
    let beats = 0
    const beat = setInterval(() => beats++, 5)
    cleanups.push(() => clearInterval(beat))
    for (const args of [[], ['--kubeconfig', file]]) {
      const problem = await check(open([true], { args }), file)
      expect(problem).toMatchObject({ message: expect.stringMatching(/auth-provider "gcp".*gke-gcloud-auth-plugin/) })
    }
    await expect.poll(() => beats).toBeGreaterThan(0)
    expect(existsSync(marker)).toBe(false)
  })
})

describe('a kubeconfig that the operator named', () => {
  test('on the command line runs its program without a question, also when a page names it by a link', async () => {
    const marker = fresh('ran')
    const file = await kubeconfig(execUser(marker))
    const console = open([], { args: ['web', '--kubeconfig', file] })
    await check(console, file)
    expect(existsSync(marker)).toBe(true)
    const link = fresh('link')
    await symlink(file, link)
    await check(console, link)
    expect(console.questions).toEqual([])
  })

  test('does not run the program beside a link of the page', async () => {
    const [home, elsewhere] = [fresh('home'), fresh('elsewhere')]
    await Promise.all([home, elsewhere].map((path) => mkdir(path, { mode: 0o700 })))
    const [ours, theirs] = [fresh('ran'), fresh('ran')]
    await writeFile(join(home, 'plugin'), `#!/bin/sh\ntouch ${ours}\n`, { mode: 0o755 })
    await writeFile(join(elsewhere, 'plugin'), `#!/bin/sh\ntouch ${theirs}\n`, { mode: 0o755 })
    const file = await kubeconfig(
      { exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', command: './plugin' } },
      join(home, 'config'),
    )
    await symlink(file, join(elsewhere, 'config'))
    await check(open([], { args: [`--kubeconfig=${file}`] }), join(elsewhere, 'config'))
    expect(existsSync(theirs)).toBe(false)
    expect(existsSync(ours)).toBe(true)
  })

  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  test.skipIf(process.platform === 'win32').each(signals)('has its program ended by %s', async (signal) => {
    const marker = fresh('ran')
    const hangs = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, String(process.pid)); setInterval(() => {}, 1e3)`
    const file = await kubeconfig(execUser(marker, { args: ['-e', hangs] }))
    const command = startCommand('watch', '--kubeconfig', file)
    await expect.poll(() => existsSync(marker) && readFileSync(marker, 'utf8')).toMatch(/^\d+$/)
    const program = Number(readFileSync(marker, 'utf8'))
    command.signal(signal)
    await command.ended
    await expect.poll(() => isRunning(program)).toBe(false)
  })

  test('by default runs it too, unless others can write the file', async () => {
    const marker = fresh('ran')
    const home = fresh('home')
    await mkdir(home, { mode: 0o700 })
    const file = await kubeconfig(execUser(marker), join(home, 'config'))
    await check(open([], { env: { KUBECONFIG: file } }), file)
    expect(existsSync(marker)).toBe(true)

    await rm(marker)
    await chmod(file, 0o666)
    const console = open([false], { env: { KUBECONFIG: file } })
    expect(await check(console, file)).toMatchObject({ message: expect.stringMatching(/chmod go-w/) })
    expect(console.questions[0]?.join('\n')).toContain('Others on this machine can write')
    expect(existsSync(marker)).toBe(false)
  })

  test('does not send its credentials to any address that a page names', async () => {
    const file = await kubeconfig({ token: 's3cr3t' }, undefined, { server: 'https://api.example' })
    const target: Target = { kind: 'kubeconfig', file, servers: [api.url('')] }
    const console = open([false], { args: ['--kubeconfig', file] })
    const before = api.requests.length
    await expect(console.handlers.procedures['sources.permissions']({ target })).rejects.toThrow(/You refused/)
    expect(api.requests).toHaveLength(before)
    const named = open([], { args: ['--kubeconfig', file, '--server', api.url('')] })
    await named.handlers.procedures['sources.permissions']({ target })
    expect(api.requests.length).toBeGreaterThan(before)
  })
})

describe('files for metrics addresses', () => {
  test('are not sent because a page names them', async () => {
    const secret = fresh('secret')
    await writeFile(secret, 's3cr3t', { mode: 0o600 })
    const target: Target = { kind: 'urls', urls: [api.url()], credentials: { tokenFile: secret } }
    const before = api.requests.length
    await expect(open(undefined).handlers.procedures['sources.permissions']({ target })).rejects.toThrow(/--token-file/)
    expect(api.requests).toHaveLength(before)
    const named = open([], { args: ['web', '--token-file', secret] })
    await named.handlers.procedures['sources.permissions']({ target })
    expect(api.requests.at(-1)?.headers.authorization).toBe('Bearer s3cr3t')
  })
})
