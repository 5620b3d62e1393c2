import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, parse } from 'node:path'
import { promisify } from 'node:util'

/** A published module of Go, and the hash that the checksum database has for it. */
export interface GoModule {
  readonly path: string
  readonly version: string
  readonly sum: string
}

/** A folder in the user's cache; an empty variable counts as an unset one, as the specification of XDG says. */
export const inCache = (...names: readonly string[]): string => {
  const { XDG_CACHE_HOME: cache = '' } = process.env
  return join(cache === '' ? join(homedir(), '.cache') : cache, ...names)
}

/** What a Go command prints. */
export async function go(args: readonly string[], cwd: string): Promise<string> {
  const env = { GOFLAGS: '-p=2', ...process.env, GOWORK: 'off', GO111MODULE: 'on' }
  const { stdout } = await promisify(execFile)('go', [...args], { cwd, env, maxBuffer: 64 << 20 })
  return stdout
}

/** Copies a module to `folder/NAME`, unless it is there: Go refuses overlays on files of its module cache. */
export async function copyModule({ path, version, sum }: GoModule, folder: string, name: string): Promise<void> {
  const stamp = join(folder, 'VERSION')
  const wanted = `${version} ${sum}\n`
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return
  const answer = await go(['mod', 'download', '-json', `${path}@${version}`], parse(folder).root)
  const { Dir, Sum } = JSON.parse(answer) as { readonly Dir: string; readonly Sum: string }
  if (Sum !== sum) throw new Error(`${path}@${version} has an unexpected hash: ${Sum}`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await copyWritable(Dir, join(folder, name))
  await writeFile(stamp, wanted)
}

/** Go's module cache is read-only, folders included, so copying it with its modes would end at the first folder. */
async function copyWritable(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyWritable(source, target)
    else if (entry.isFile()) await writeFile(target, await readFile(source))
  }
}
