import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_SETTINGS, type QosConfiguration } from '../../core/qos/configuration.ts'
import { readRules } from '../../core/qos/read.ts'
import { Door, type Mode } from '../../main/etcd/door.ts'
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

const builtPrograms = async (): Promise<EtcdPrograms> => ({
  etcd: (await ensureBinaries(DEFAULT_VERSION, log)).etcd,
  etcdctl: await ensureEtcdctl(log),
})

/** The one that the cluster tests build, unless others are named. */
export async function startEtcd(programs?: EtcdPrograms): Promise<EtcdServer> {
  const { etcd: binary, etcdctl: client, more = [] } = programs ?? (await builtPrograms())
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
  readonly door: Door
}

export async function proxyBefore(url: string, rules?: string, mode: Mode = 'enforce'): Promise<ProxiedEtcd> {
  const now = (): number => performance.now()
  const configuration = rules === undefined ? { classes: [], rules: [], settings: DEFAULT_SETTINGS } : rulesOf(rules)
  const door = new Door(configuration, mode, { now, after: systemEnvironment.after })
  const proxy = await openEtcdProxy({ upstream: { url }, port: 0, door, now })
  return {
    ...proxy,
    door,
    async close() {
      await proxy.close()
      door.close()
    },
  }
}
