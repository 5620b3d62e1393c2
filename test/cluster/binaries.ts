import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inCache } from '../harness/goModule.ts'
import { goModFor } from './goMod.ts'

export const DEFAULT_VERSION = 'v1.36.3'

/** A release of every minor that the console supports, oldest first. */
export const VERSIONS = [
  'v1.29.6',
  'v1.30.14',
  'v1.31.0',
  'v1.32.13',
  'v1.33.13',
  'v1.34.4',
  'v1.35.4',
  DEFAULT_VERSION,
  'v1.37.2',
] as const

const HERE = dirname(fileURLToPath(import.meta.url))
/** The module whose main packages are built: servers around upstream’s, and a client. */
const MODULE = join(HERE, 'server')

export interface Binaries {
  readonly version: string
  readonly apiserver: string
  readonly etcd: string
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

export const cacheFolder = (version: string): string => inCache('apf-kube', version)

/** Why the cluster tests cannot run on this machine, or `undefined` when they can. */
export function whyNoCluster(): string | undefined {
  if (process.platform === 'win32') return 'the server harness runs on Linux and macOS only'
  if (spawnSync('openssl', ['version']).status !== 0) return 'openssl is not installed'
  if (spawnSync('go', ['version']).status !== 0) return 'Go is not installed (https://go.dev/dl, 1.26 or newer)'
  return undefined
}

/**
 * Paths of both servers, built on first use (two to four minutes, about 4 GB for Go's caches) into
 * `$XDG_CACHE_HOME/apf-kube/<version>`.
 */
export async function ensureBinaries(version: string, log: (line: string) => void): Promise<Binaries> {
  const folder = cacheFolder(version)
  const binaries = { version, apiserver: join(folder, 'kube-apiserver'), etcd: join(folder, 'etcd') }
  await ensureBuilt({ 'kube-apiserver': binaries.apiserver, etcd: binaries.etcd }, version, log)
  return binaries
}

/**
 * Path of `server/controller`, on the client-go of {@link DEFAULT_VERSION}, built on first use beside the servers and
 * again when its code has changed.
 */
export async function ensureController(log: (line: string) => void): Promise<string> {
  const code = join(MODULE, 'controller')
  const sum = createHash('sha256').update(await readFile(join(MODULE, 'go.mod')))
  for (const name of (await readdir(code)).toSorted()) sum.update(await readFile(join(code, name)))
  const path = join(cacheFolder(DEFAULT_VERSION), `controller-${sum.digest('hex').slice(0, 12)}`)
  await ensureBuilt({ controller: path }, DEFAULT_VERSION, log)
  return path
}

/** Path of etcdctl, of the release that the etcd of {@link DEFAULT_VERSION} has, built on first use. */
export async function ensureEtcdctl(log: (line: string) => void): Promise<string> {
  const path = join(cacheFolder(DEFAULT_VERSION), 'etcdctl')
  await ensureBuilt({ etcdctl: path }, DEFAULT_VERSION, log)
  return path
}

/** Builds main packages of the module, unless all are there: name of the package → path of what is built. */
async function ensureBuilt(
  wanted: Readonly<Record<string, string>>,
  version: string,
  log: (line: string) => void,
): Promise<void> {
  if ((await Promise.all(Object.values(wanted).map(exists))).every(Boolean)) return
  const folder = cacheFolder(version)
  const names = Object.keys(wanted)
  const source = join(folder, `source-${process.pid}`)
  const output = join(folder, `output-${process.pid}`)
  try {
    await mkdir(folder, { recursive: true })
    await cp(MODULE, source, { recursive: true })
    if (version !== DEFAULT_VERSION) {
      await writeFile(join(source, 'go.mod'), await goModFor(version))
      await rm(join(source, 'go.sum'))
    }
    log(`building ${names.join(' and ')} ${version}, once; this takes some minutes`)
    await build(names, source, output, version)
    // Renamed last, so that an interrupted build is never taken for a finished one.
    for (const [name, path] of Object.entries(wanted)) await moveInto(join(output, name), path)
    log('built')
  } finally {
    await rm(source, { recursive: true, force: true })
    await rm(output, { recursive: true, force: true })
  }
}

async function moveInto(from: string, to: string): Promise<void> {
  const beside = `${to}.${process.pid}`
  await copyFile(from, beside)
  await rename(beside, to)
}

async function build(names: readonly string[], source: string, output: string, version: string): Promise<void> {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)\./.exec(version) ?? []
  const stamp = 'k8s.io/component-base/version'
  const flags = [
    '-s -w',
    `-X ${stamp}.gitVersion=${version}`,
    `-X ${stamp}.gitMajor=${major}`,
    `-X ${stamp}.gitMinor=${minor}`,
    `-X ${stamp}.gitTreeState=archive`,
  ].join(' ')
  const args = ['build', '-p', String(availableParallelism()), '-trimpath', '-buildvcs=false']
  const mode = version === DEFAULT_VERSION ? '-mod=readonly' : '-mod=mod'
  // Cloud providers were a part of the server before 1.30; their modules are not to be had, and no test needs them.
  const tags = Number(minor) < 30 ? ['-tags', 'providerless'] : []
  await promisify(execFile)(
    'go',
    [...args, ...tags, mode, '-ldflags', flags, '-o', `${output}/`, ...names.map((name) => `./${name}`)],
    { cwd: source, env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' }, maxBuffer: 64 << 20 },
  )
}
