import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_SETTINGS, type QosConfiguration } from '../../core/qos/configuration.ts'
import { readRules } from '../../core/qos/read.ts'
import type { CallCount } from '../../main/etcd/call.ts'
import { AdmissionGate, type Mode } from '../../main/etcd/admissionGate.ts'
import { type EtcdProxy, openEtcdProxy } from '../../main/etcd/etcdProxy.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { DEFAULT_VERSION, ensureBinaries, ensureEtcdctl } from './binaries.ts'
import { etcdArguments } from './cluster.ts'
import { freePort, startServer } from './process.ts'

const log = (line: string): void => console.error(line)

/** A single member on loopback, and its command-line client. */
export interface EtcdServer {
  readonly url: string
  /** What etcdctl prints on both outputs, and its exit code. `at`: where it connects to. */
  etcdctl(at: string, args: readonly string[], input?: string): Promise<string>
  /** kill -9, and a start on the same data. */
  killAndRestart(): Promise<void>
  stop(): Promise<void>
}

/** Paths of programs, and options of etcd besides the usual ones. */
export interface EtcdPrograms {
  readonly etcd: string
  readonly etcdctl: string
  readonly more?: readonly string[]
}

/** etcd 3.4, which has no quota in its status. */
export const DEBIAN: EtcdPrograms = { etcd: '/usr/bin/etcd', etcdctl: '/usr/bin/etcdctl' }

/** Whether it is not installed: for `describe.skipIf`. The reason is printed. */
export const missingDebian = ((): boolean => {
  let version = ''
  try {
    version = execFileSync(DEBIAN.etcd, ['--version'], { encoding: 'utf8' })
  } catch {
    // There is none.
  }
  const missing = !version.includes('etcd Version: 3.4')
  if (missing) console.warn('Tests on Debian’s etcd 3.4 are skipped: apt-get install etcd-server etcd-client.')
  return missing
})()

/** Those that the cluster tests build, unless others are named. */
export async function startEtcd(programs: Partial<EtcdPrograms> = {}): Promise<EtcdServer> {
  const { more = [] } = programs
  const binary = programs.etcd ?? (await ensureBinaries(DEFAULT_VERSION, log)).etcd
  const client = programs.etcdctl ?? (await ensureEtcdctl(log))
  const folder = await mkdtemp(join(tmpdir(), 'apf-etcd-'))
  const [port, peerPort] = [await freePort(), await freePort()]
  const start = () => startServer('etcd', binary, [...etcdArguments(folder, port, peerPort), ...more], folder)
  let server = start()
  const url = `http://127.0.0.1:${port}`
  const etcdctl: EtcdServer['etcdctl'] = (at, args, input = '') =>
    new Promise((resolve) => {
      const child = execFile(
        client,
        ['--endpoints', new URL(at).host, ...args],
        { cwd: folder, maxBuffer: 64 << 20 },
        (error, stdout, stderr) => resolve(`${stdout}${stderr}exit ${error === null ? 0 : String(error.code)}`),
      )
      // A command that reads no input may have ended before it is written.
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(input)
    })
  const untilReady = (): Promise<string> => etcdctl(url, ['endpoint', 'health', '--command-timeout=30s'])
  await untilReady()
  return {
    url,
    etcdctl,
    async killAndRestart() {
      await server.kill()
      server = start()
    },
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Rules of a text that has none wrong. */
export function rulesOf(text: string): QosConfiguration {
  const { configuration, findings } = readRules([{ file: 'rules.yaml', text }])
  if (configuration === undefined) throw new Error(findings.map(({ message }) => message).join('\n'))
  return configuration
}

export interface ProxiedEtcd extends EtcdProxy {
  readonly gate: AdmissionGate
  readonly calls: CallCount
}

export async function proxyBefore(url: string, rules?: string, mode: Mode = 'enforce'): Promise<ProxiedEtcd> {
  const now = (): number => performance.now()
  const configuration = rules === undefined ? { classes: [], rules: [], settings: DEFAULT_SETTINGS } : rulesOf(rules)
  const gate = new AdmissionGate(configuration, mode, { now, after: systemEnvironment.after })
  const calls = { begun: 0, answered: 0, givenUp: 0 }
  const proxy = await openEtcdProxy({ upstream: { url }, port: 0, gate, now, calls })
  return {
    ...proxy,
    gate,
    calls,
    async close() {
      await proxy.close()
      gate.close()
    },
  }
}
