import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Package, PACKAGES, type UpstreamTests } from './build.ts'

const PROXIES = fileURLToPath(new URL('proxies.ts', import.meta.url))
const MEMBER = fileURLToPath(new URL('memberBehindProxy.ts', import.meta.url))

export interface Suite {
  readonly name: string
  readonly package: Package
  /** Names of tests. */
  readonly run: RegExp
  /** Tests that end otherwise behind the proxy, with the reason. */
  readonly exceptions?: Readonly<Record<string, string>>
}

export type Outcome = 'PASS' | 'FAIL' | 'SKIP'
export type Outcomes = ReadonlyMap<string, Outcome>

/** Where clients of a run connect to: proxies, or etcd itself. */
export interface Ways {
  /** Contains `etcd`, `etcdctl` and `etcdutl`. */
  readonly programs: string
  readonly environment: Readonly<Record<string, string>>
}

export interface Proxies extends Ways {
  /** How the process that started has ended; `undefined` while it runs. */
  ended(): string | undefined
  /** Its resident memory in bytes. */
  memory(): Promise<number>
  close(): Promise<void>
}

export const directly = ({ programs }: UpstreamTests): Ways => ({ programs, environment: {} })

/** Starts the process that opens proxies, with a file of rules. */
export async function startProxies({ programs, sources }: UpstreamTests, rules?: string): Promise<Proxies> {
  const folder = await mkdtemp(join(tmpdir(), 'apf-etcd-upstream-'))
  const rulesFile = join(folder, 'rules.yaml')
  if (rules !== undefined) await writeFile(rulesFile, rules)
  const child = spawn(process.execPath, [PROXIES, ...(rules === undefined ? [] : [rulesFile])], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-10_000)))
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve)
    void over.then(() => reject(new Error(output)))
  })
  const real = join(programs, 'etcd')
  const words = [process.execPath, '--no-warnings', MEMBER, real, url]
  const member = [...words, join(sources, 'fixtures')].map((word) => `'${word}'`).join(' ')
  await writeFile(
    join(folder, 'etcd'),
    `#!/bin/sh\ncase "$*" in\n*--listen-client-urls*) exec ${member} "$@" ;;\nesac\nexec '${real}' "$@"\n`,
  )
  await chmod(join(folder, 'etcd'), 0o755)
  for (const name of ['etcdctl', 'etcdutl']) await symlink(join(programs, name), join(folder, name))
  return {
    programs: folder,
    environment: { APF_ETCD_PROXIES: url },
    ended: () =>
      child.exitCode === null && child.signalCode === null
        ? undefined
        : `ended with ${child.exitCode ?? child.signalCode}: ${output}`,
    memory: async () => Number(await (await fetch(`${url}/memory`)).text()),
    async close() {
      child.kill()
      await over
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Runs those tests of a suite, or all of it. A test that fails may leave something behind, for which etcd's tests skip
 * later ones, or end their process: those run again in another process.
 */
export async function runSuite(
  tests: UpstreamTests,
  { package: name, run }: Suite,
  { programs, environment }: Ways,
  only?: readonly string[],
): Promise<Outcomes> {
  const cwd = join(tests.sources, PACKAGES[name])
  const execute = (args: readonly string[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      const child = spawn(join(tests.programs, `${name}.test`), args, { cwd, env: { ...process.env, ...environment } })
      const lines: string[] = []
      const take = (line: string): void => {
        if (/^(--- |panic: |Test)/.test(line)) lines.push(line)
      }
      createInterface(child.stdout).on('line', take)
      createInterface(child.stderr).on('line', take)
      child.once('error', reject)
      child.once('close', () => resolve(lines))
    })
  const ofE2e = name === 'common' || name === 'e2e' ? ['-bin-dir', programs] : []
  const all = only ?? (await execute(['-test.list', run.source])).filter((line) => line.startsWith('Test'))
  const outcomes = new Map<string, Outcome>()
  for (let left = all; left.length > 0; left = left.filter((test) => !outcomes.has(test))) {
    const args = ['-test.v', '-test.timeout=120m', '-test.run', `^(${left.join('|')})$`, ...ofE2e]
    const before = outcomes.size
    let failing = false
    for (const line of await execute(args)) {
      const [, outcome, test = ''] = /^--- (PASS|FAIL|SKIP): ([^\s/]+)/.exec(line) ?? []
      failing ||= outcome === 'FAIL'
      if (outcome === 'PASS' || outcome === 'FAIL' || (outcome === 'SKIP' && !failing)) outcomes.set(test, outcome)
    }
    // The first one ended the process.
    if (outcomes.size === before) outcomes.set(left[0] ?? '', 'FAIL')
  }
  return outcomes
}

export const failed = (outcomes: Outcomes): readonly string[] =>
  [...outcomes].flatMap(([test, outcome]) => (outcome === 'FAIL' ? [test] : []))

/** As many rules as are allowed, for callers that do not exist. */
export const RULES_WITHOUT_MATCH = [
  'classes: [{ name: few, qdisc: lbf, qps: 0.001 }]',
  'rules:',
  ...Array.from(
    { length: 100 },
    (_, index) =>
      `  - { name: r${index}, qClassName: few, priority: ${index + 1}, subjects: [{ user: nobody-${index} }], prefixPaths: [/${index}/] }`,
  ),
  '',
].join('\n')

const OWN_LIMIT = 'with rules, the proxy itself rejects requests of more than 8 MiB'

export const SUITES: readonly Suite[] = [
  { name: 'common', package: 'common', run: /./ },
  { name: 'CtlV3', package: 'e2e', run: /^TestCtlV3/ },
  { name: 'WatchDelay', package: 'e2e', run: /^TestWatchDelay/ },
  {
    name: 'gRPC',
    package: 'integration',
    run: /^TestV3/,
    exceptions: {
      TestV3AdditionalGRPCOptions: OWN_LIMIT,
    },
  },
  { name: 'client', package: 'client', run: /./, exceptions: { TestKVLargeRequests: OWN_LIMIT } },
  { name: 'connectivity', package: 'connectivity', run: /./ },
  { name: 'lease', package: 'lease', run: /./ },
]
