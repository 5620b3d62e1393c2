import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { copyModule, go, type GoModule, inCache } from '../harness/goModule.ts'

/** The module that the oracle links. */
const MODULE: GoModule = {
  path: 'k8s.io/apiserver',
  version: 'v0.37.2',
  sum: 'h1:9Jq73PeHAA0RThpW7ou6lBcO2+SxLcPrAgleONSMUNQ=',
}

/** Our accessor files, and the packages of the copy that they are added to. */
const ACCESSORS = [
  ['queueset.go.in', 'pkg/util/flowcontrol/fairqueuing/queueset'],
  ['flowcontrol.go.in', 'pkg/util/flowcontrol'],
] as const
const ACCESSOR_NAME = 'zz_oracle_export.go'

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), 'program')
const run = promisify(execFile)

const cacheFolder = (): string => process.env['ORACLE_CACHE'] ?? inCache('apf-oracle')

/**
 * The path of the oracle, built on first use (a few minutes; afterwards seconds, when its sources have changed), or why
 * there is none on this machine. A build that fails rejects.
 */
export async function oracleBinary(): Promise<{ readonly path: string } | { readonly reason: string }> {
  if (spawnSync('go', ['version']).status !== 0) {
    return { reason: 'Go is not installed (https://go.dev/dl, 1.26 or newer)' }
  }
  const cache = cacheFolder()
  const sources = await sourcesHash()
  const path = join(cache, 'bin', 'apf-console-oracle')
  if ((await builtFrom(path)) !== sources) await build(cache, path, sources)
  return { path }
}

async function sourceFiles(): Promise<readonly string[]> {
  const files = await readdir(PROGRAM, { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .toSorted()
}

async function sourcesHash(): Promise<string> {
  const hash = createHash('sha256').update(`${MODULE.version} ${MODULE.sum}\n`)
  for (const file of await sourceFiles()) hash.update(await readFile(file))
  return hash.digest('hex')
}

/** The hash of the sources that a program reports to be built from. */
async function builtFrom(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ['version'])
    return (JSON.parse(stdout) as { readonly sources?: string }).sources
  } catch {
    return undefined
  }
}

async function build(cache: string, path: string, sources: string): Promise<void> {
  const upstream = join(cache, '.upstream')
  const source = join(cache, `apf-console-${process.pid}`)
  await mkdir(dirname(path), { recursive: true })
  await fetchUpstream(upstream)
  try {
    await cp(PROGRAM, source, { recursive: true })
    const stamp = { apiserverVersion: MODULE.version, apiserverSum: MODULE.sum, sourcesSum: sources }
    const set = Object.entries(stamp).map(([name, value]) => `-X main.${name}=${value}`)
    await go(
      ['build', '-trimpath', '-buildvcs=false', '-ldflags', ['-s -w', ...set].join(' '), '-o', 'oracle', '.'],
      source,
    )
    // Renamed last, so that an interrupted build is never taken for a finished one.
    await rename(join(source, 'oracle'), path)
  } finally {
    await rm(source, { recursive: true, force: true })
  }
}

/**
 * A copy of the published module with our accessor files in it. A copy, because Go refuses overlays on files of its
 * module cache, and the state of queue sets and controllers is unexported. Upstream's own files stay as they are.
 */
async function fetchUpstream(folder: string): Promise<void> {
  await copyModule(MODULE, folder, 'apiserver')
  const copy = join(folder, 'apiserver')
  for (const [name, folderOfPackage] of ACCESSORS) {
    const target = join(copy, folderOfPackage, ACCESSOR_NAME)
    const text = await readFile(join(PROGRAM, 'export', name), 'utf8')
    if ((await readFile(target, 'utf8').catch(() => '')) !== text) await writeFile(target, text)
  }
}
