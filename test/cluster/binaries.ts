import { execFile, spawnSync } from 'node:child_process'
import { access, copyFile, cp, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { goModFor } from './goMod.ts'

export const DEFAULT_VERSION = 'v1.36.3'

const HERE = dirname(fileURLToPath(import.meta.url))
const NAMES = ['kube-apiserver', 'etcd'] as const

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

const cacheFolder = (version: string): string =>
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'apf-kube', version)

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
  const binaries = { version, apiserver: join(folder, NAMES[0]), etcd: join(folder, NAMES[1]) }
  if ((await exists(binaries.apiserver)) && (await exists(binaries.etcd))) return binaries
  const source = join(folder, `source-${process.pid}`)
  const output = join(folder, `output-${process.pid}`)
  try {
    await mkdir(folder, { recursive: true })
    await cp(join(HERE, 'server'), source, { recursive: true })
    if (version !== DEFAULT_VERSION) {
      await writeFile(join(source, 'go.mod'), await goModFor(version))
      await rm(join(source, 'go.sum'))
    }
    log(`building ${NAMES.join(' and ')} ${version}, once; this takes some minutes`)
    await build(source, output, version)
    // Renamed last, so that an interrupted build is never taken for a finished one.
    for (const name of NAMES) await moveInto(join(output, name), join(folder, name))
    log('built')
    return binaries
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

async function build(source: string, output: string, version: string): Promise<void> {
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
  await promisify(execFile)(
    'go',
    [...args, mode, '-ldflags', flags, '-o', `${output}/`, ...NAMES.map((name) => `./${name}`)],
    { cwd: source, env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' }, maxBuffer: 64 << 20 },
  )
}
