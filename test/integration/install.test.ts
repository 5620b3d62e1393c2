import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { ensureBuilt } from '../../main/bootstrap/build.mjs'
import { root } from '../../main/bootstrap/runtime.mjs'

/*
 * The package as npm packs, installs and removes it, without a network, and the callers of its commands: shells,
 * kubectl, the action, hooks of pre-commit. It runs on the Node of this test. `npm run package:check` installs it with
 * its bundled Node.
 */
const SCHEMA = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: { name: devs }
spec: { matchingPrecedence: "700" }
`
const GOOD = SCHEMA.replace('"700" }', '700, priorityLevelConfiguration: { name: workload-low } }')
const ActionSchema = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string() })),
  runs: z.object({ steps: z.array(z.object({ run: z.string(), env: z.record(z.string(), z.string()) })) }),
})
const HooksSchema = z.array(z.object({ id: z.string(), entry: z.string(), args: z.array(z.string()).default([]) }))
const KrewSchema = z.object({
  spec: z.object({ version: z.string(), platforms: z.array(z.object({ sha256: z.string() })) }),
})
const windows = process.platform === 'win32'

let folder: string
let tarball: string
const at = (...names: readonly string[]): string => path.join(folder, ...names)

interface Ran {
  readonly code: number | null
  readonly output: string
  readonly told: string
}

/** Without this user's home, caches and npm. */
function call(command: string, args: readonly string[], cwd = folder, ...paths: readonly string[]): Ran {
  const env = {
    PATH: [...paths, path.dirname(process.execPath), process.env['PATH']].join(path.delimiter),
    HOME: at('home'),
    npm_config_cache: at('cache'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
  }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env, shell: windows })
  return { code: status, output: stdout, told: stderr }
}
function done(ran: Ran): Ran {
  if (ran.code !== 0) throw new Error(ran.told)
  return ran
}
const installed = (name: string): string => at('prefix', ...(windows ? [`${name}.cmd`] : ['bin', name]))
const npm = (...args: readonly string[]): Ran => call('npm', ['--prefix', at('prefix'), ...args])

beforeAll(async () => {
  await ensureBuilt()
  folder = mkdtempSync(path.join(tmpdir(), 'apf-install-'))
  for (const name of ['home', 'prefix', 'work']) mkdirSync(at(name))
  // `prepack` would build once more.
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]
  tarball = done(call('npm', pack, root)).output.trim()
  done(npm('install', '--global', '--omit=optional', at(tarball)))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('npm pack prints the name of the tarball and nothing else, as tools that call it expect', () => {
  expect(tarball).toMatch(/^apf-console-\d+\.\d+\.\d+\.tgz$/)
})

test('both commands run from any folder, and read paths relative to it', () => {
  writeFileSync(at('work', 'devs.yaml'), SCHEMA)
  const validated = call(installed('kubectl-apf'), ['validate', './devs.yaml'], at('work'))
  expect(validated).toMatchObject({ code: 1, told: '' })
  expect(validated.output).toMatch(/^devs\.yaml:4:29: error: FlowSchema devs: spec\.matchingPrecedence /)
  expect(call(installed('apf-console'), ['snapshot', '--demo', '--compact'], at('work')).output).toMatch(/^\{"/)
})

test('help names the command that was called', () => {
  const [own, plugin] = ['apf-console', 'kubectl-apf'].map((name) => call(installed(name), ['validate', '--help']))
  expect(own?.output).toContain('Usage: apf-console validate FILE')
  expect(plugin?.output).toContain('Usage: kubectl apf validate FILE')
  expect(plugin?.output).not.toContain('apf-console ')
})

/** What a shell prints after it ran a script with the installed commands in its `PATH`. */
const inShell = (shell: string, ...args: readonly string[]): string =>
  call(shell, args, at('work'), path.join(at('prefix'), 'bin')).output
const has = (program: string): boolean => !windows && spawnSync(program, ['--version']).status === 0

test.skipIf(!has('bash'))('bash completes, where it is installed', () => {
  const completed = (...words: readonly string[]): readonly string[] =>
    inShell(
      'bash',
      '--norc',
      '-c',
      `source <(apf-console completion bash); COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _apf_console 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`,
    )
      .trim()
      .split('\n')
  expect(completed('kubectl-apf', 'val')).toEqual(['validate'])
  expect(completed('apf-console', 'validate', '--output', '')).toEqual(['text', 'json', 'github', 'sarif'])
})

test.skipIf(!has('bash') || !has('shellcheck'))('shellcheck, where it is installed, accepts what bash sources', () => {
  expect(inShell('bash', '--norc', '-c', 'apf-console completion bash | shellcheck --shell bash -')).toBe('')
})

test.skipIf(!has('fish'))('fish completes, where it is installed', () => {
  const script = 'apf-console completion fish | source; complete -C "apf-console validate --output "'
  expect(inShell('fish', '--no-config', '-c', script).trim().split('\n')).toEqual(['github', 'json', 'sarif', 'text'])
})

test.skipIf(!has('zsh'))('zsh completes, where it is installed', () => {
  const shown = 'compdef() { : }; _files() { print files }; _describe() { print -l -- ${(P)2} }'
  const completed = (words: string): string =>
    inShell(
      'zsh',
      '-f',
      '-c',
      `${shown}; source <(apf-console completion zsh); words=(${words}); CURRENT=$#words; _apf_console`,
    )
  expect(completed('apf-console val')).toBe('validate:problems in flow-control manifests, with their locations\n')
  expect(completed("apf-console snapshot --kubeconfig ''")).toContain('files\n')
})

test.skipIf(windows)('kubectl completes the plugin', () => {
  const said = inShell('kubectl_complete-apf', 'validate', '--kube')
  expect(said).toBe('--kube-version\tthe version whose rules apply, v1.29 to v1.37 (the newest by default)\n:4\n')
})

test.skipIf(windows)('the manual pages are where man finds them', () => {
  const pages = at('prefix', 'share', 'man', 'man1')
  expect(readdirSync(pages)).toEqual(['apf-console.1', 'kubectl-apf.1'])
  expect(readFileSync(path.join(pages, 'apf-console.1'), 'utf8')).toMatch(/^\.TH APF-CONSOLE 1/)
})

/** A step of the action or a hook of pre-commit, as they run it: its output for the manifests in the folder `work`. */
const inBash = (script: string, env: Readonly<Record<string, string>> = {}): Ran => {
  const given = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`)
  return call('bash', ['--norc', '-c', [...given, script].join('\n')], at('work'), path.join(at('prefix'), 'bin'))
}
const TABLE = [
  {
    label: 'health',
    request: { user: 'alice', verb: 'get', url: '/healthz' },
    expect: { flowSchema: 'exempt', priorityLevel: 'exempt' },
  },
]

test.skipIf(!has('bash'))('the action annotates problems, and fails for those of any of its checks', () => {
  const action = ActionSchema.parse(parse(readFileSync(path.join(root, 'action.yml'), 'utf8')))
  const { run: check = '', env = {} } = action.runs.steps[1] ?? {}
  const run = (inputs: Readonly<Record<string, string>>): Ran =>
    inBash(
      check,
      Object.fromEntries(
        Object.entries(env).map(([name, expression]) => {
          const input = /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(expression)?.[1] ?? ''
          return [name, inputs[input] ?? action.inputs[input]?.default ?? `no input ${input}`]
        }),
      ),
    )
  writeFileSync(at('work', 'devs.yaml'), SCHEMA)
  writeFileSync(at('work', 'tests.json'), JSON.stringify(TABLE))
  const validated = run({ manifests: 'devs.yaml\n' })
  expect(validated).toMatchObject({ code: 1, told: '' })
  expect(validated.output).toMatch(/^::error file=devs\.yaml,line=4,col=29,title=Malformed/)
  writeFileSync(at('work', 'devs.yaml'), GOOD)
  expect(run({ manifests: 'devs.yaml', impact: 'true', 'kube-version': 'v1.33' }).code).toBe(0)
  expect(run({ manifests: 'devs.yaml', tests: 'tests.json' })).toMatchObject({ code: 1, told: '' })
  // Whoever may change a manifest may name it, too; whether the file is still there or not.
  const user = {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'Never',
      command: 'touch',
      args: [at('ran')],
    },
  }
  const evil = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://127.0.0.1:9' } }],
    users: [{ name: 'u', user }],
  }
  writeFileSync(at('work', 'evil.yaml'), JSON.stringify(evil))
  writeFileSync(at('work', '--kubeconfig=evil.yaml'), GOOD)
  for (const manifests of ['devs.yaml\n--kubeconfig=evil.yaml', 'devs.yaml\n--kubeconfig=./evil.yaml']) {
    run({ manifests, impact: 'true', tests: 'tests.json' })
    expect(existsSync(at('ran'))).toBe(false)
  }
  rmSync(at('work', '--kubeconfig=evil.yaml'))
})

test.skipIf(!has('bash'))('each hook of pre-commit runs its check', () => {
  const hooks = HooksSchema.parse(parse(readFileSync(path.join(root, '.pre-commit-hooks.yaml'), 'utf8')))
  const table = '--test tests.json --with-built-in --config devs.yaml'
  const ran = hooks.map(({ id, entry, args }) => {
    const given = id === 'apf-requests' ? table : [...args, 'devs.yaml'].join(' ')
    return [id, inBash(`${entry} ${given}`).code]
  })
  expect(ran).toEqual([
    ['apf-validate', 0],
    ['apf-impact', 0],
    ['apf-requests', 1],
  ])
})

test('the manifest for krew takes the sums of a release, and none is left out', () => {
  const script = path.join(root, 'main', 'bootstrap', 'krew.mjs')
  const krew = (...args: readonly string[]): Ran => call(process.execPath, [script, ...args])
  const version = tarball.slice('apf-console-'.length, -'.tgz'.length)
  const sums = (platform: string, digit: string): void =>
    writeFileSync(at(`SHA256SUMS-${platform}`), `${digit.repeat(64)}  apf-console-${version}-cli-${platform}.tar.gz\n`)
  sums('linux-x64', '1')
  expect(krew('https://example.com/apf', folder)).toMatchObject({ code: 2, output: '' })
  sums('darwin-arm64', '2')
  sums('win32-x64', '3')
  const { spec } = KrewSchema.parse(parse(krew('https://example.com/apf', folder).output))
  expect(spec.version).toBe(`v${version}`)
  expect(spec.platforms.map(({ sha256 }) => sha256[0])).toEqual(['1', '2', '3'])
  for (const name of ['linux-x64', 'darwin-arm64', 'win32-x64']) rmSync(at(`SHA256SUMS-${name}`))
})

test('an uninstalled console leaves nothing but the state folder', () => {
  expect(call(installed('apf-console'), ['recordings'], at('work'))).toMatchObject({ code: 0 })
  expect(npm('uninstall', '--global', 'apf-console')).toMatchObject({ code: 0 })
  const left = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const file = path.relative(folder, path.join(entry.parentPath, entry.name))
    return entry.isDirectory() || /^(?:cache|work)\b/.test(file) || file === tarball ? [] : [file]
  })
  const state = path.join('home', '.local', 'state', 'apf-console')
  expect(left.filter((file) => !file.startsWith(state))).toEqual([])
  expect(existsSync(installed('apf-console'))).toBe(false)
})
