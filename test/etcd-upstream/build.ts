import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyModule, go, type GoModule, inCache } from '../harness/goModule.ts'

/** etcd's own tests, of the release that the cluster tests run. */
const MODULE: GoModule = {
  path: 'go.etcd.io/etcd/tests/v3',
  version: 'v3.6.8',
  sum: 'h1:FUiUGXUhLkU1WZMebKWdwtM7KtzAGuUSQEUV8Sq2+QA=',
}
/** Modules that its go.mod expects in folders of the same repository. */
const REPLACED = ['api', 'client/pkg', 'client', 'etcdctl', 'etcdutl', 'pkg', 'server']
const PROGRAMS = { etcd: 'server', etcdctl: 'etcdctl', etcdutl: 'etcdutl' }
/** Packages with tests, each built as one program. */
export const PACKAGES = {
  common: 'common',
  e2e: 'e2e',
  integration: 'integration',
  client: 'integration/clientv3',
  connectivity: 'integration/clientv3/connectivity',
  lease: 'integration/clientv3/lease',
} as const
export type Package = keyof typeof PACKAGES

/** The only places where its tests make clients. */
const CLIENTS = ['framework/integration/cluster_direct.go', 'framework/integration/testing.go']
const THROUGH = fileURLToPath(new URL('through.go.in', import.meta.url))

export interface UpstreamTests {
  /** Contains etcd, etcdctl, etcdutl and `NAME.test` of each package. */
  readonly programs: string
  /** The copy of the module, in whose folders the tests run. */
  readonly sources: string
}

/** Built on first use (3 to 10 minutes), or why that is not possible on this machine. */
export async function upstreamTests(): Promise<UpstreamTests | { readonly reason: string }> {
  if (spawnSync('go', ['version']).status !== 0)
    return { reason: 'Go is not installed (https://go.dev/dl, 1.24 or newer)' }
  const own = await readFile(THROUGH, 'utf8')
  const hash = createHash('sha256')
    .update(MODULE.sum + own)
    .digest('hex')
    .slice(0, 12)
  const cache = inCache('apf-etcd-upstream')
  const [programs, folder] = [join(cache, hash), join(cache, '.module')]
  const sources = join(folder, 'tests')
  await copyModule(MODULE, folder, 'tests')
  const built = await access(programs).then(
    () => true,
    () => false,
  )
  if (!built) await build(sources, programs, own)
  return { programs, sources }
}

async function build(sources: string, programs: string, own: string): Promise<void> {
  const beside = `${programs}.${process.pid}`
  try {
    await go(['mod', 'edit', ...REPLACED.map((name) => `-dropreplace=go.etcd.io/etcd/${name}/v3`)], sources)
    await writeFile(join(sources, 'framework/integration/zz_apf_console.go'), own)
    for (const file of CLIENTS) {
      const text = await readFile(join(sources, file), 'utf8')
      await writeFile(
        join(sources, file),
        text.replace('return clientv3.New(cfg)', 'return clientv3.New(throughProxy(cfg))'),
      )
    }
    // The sums of the modules that were folders are not in its go.sum; the checksum database has them.
    const common = ['-mod=mod', '-buildvcs=false', '-ldflags', '-s -w', '-o']
    for (const [name, module] of Object.entries(PROGRAMS))
      await go(['build', '-trimpath', ...common, join(beside, name), `go.etcd.io/etcd/${module}/v3`], sources)
    // Not trimmed: the tests find their fixtures by the paths of their sources.
    for (const [name, folder] of Object.entries(PACKAGES))
      await go(['test', '-c', '-tags', 'e2e', ...common, join(beside, `${name}.test`), `./${folder}`], sources)
    await rename(beside, programs)
  } finally {
    await rm(beside, { recursive: true, force: true })
  }
}
