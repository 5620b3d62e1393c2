import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { ObjectSet } from '../../core/config/objects.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import { byCodeUnits } from '../../core/frame/order.ts'
import { checkSet } from '../../core/manifest/checkSet.ts'
import type { LocatedFinding, ManifestNote, Manifests } from '../../core/manifest/manifest.ts'
import { objectsOf } from '../../core/manifest/objectsOf.ts'
import { readManifests } from '../../core/manifest/read.ts'
import type { Console } from './console.ts'
import type { ReadStdin } from './inputFiles.ts'

export interface ManifestOptions {
  /** Kubernetes version whose rules apply: `v1.36` or `v1.36.3`. */
  readonly version: string
  readonly stdin: ReadStdin
}

export interface Configuration {
  /** The objects whose shape is right, defaulted; of the same object twice, the later one. */
  readonly objects: ObjectSet
  /** Of the files and of all of them together, in the order of the files. */
  readonly findings: readonly LocatedFinding[]
  readonly notes: readonly ManifestNote[]
  readonly files: readonly Manifests[]
}

/** A manifest is a few kilobytes; this is room for a whole cluster's, and an end for a stream that has none. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * Reads a configuration from files, folders (with those in them: .yaml, .yml, .json) and `-` for the standard input.
 *
 * @throws ProblemError in one sentence when a path cannot be read or a folder holds no such file.
 */
export async function readConfiguration(paths: readonly string[], options: ManifestOptions): Promise<Configuration> {
  const files: Manifests[] = []
  for (const path of paths) {
    if (path === '-') files.push(readFileText('standard input', await options.stdin(), options.version))
    else for (const file of await manifestPaths(path)) files.push(await readPath(file, options.version))
  }
  return {
    objects: objectsOf(files.flatMap(({ documents }) => documents)),
    findings: [...files.flatMap(({ findings }) => findings), ...checkSet(files, options)],
    notes: files.flatMap(({ notes }) => notes),
    files,
  }
}

/** Each finding with its place, as editors and terminals know to open it. */
export function tellFindings(findings: readonly LocatedFinding[], console: Pick<Console, 'tell'>): void {
  for (const { file, line, column, message } of findings) console.tell(`${file}:${line}:${column}: ${message}`)
}

/** A file as it is; of a folder its manifests, in the order of their names. */
async function manifestPaths(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((error: unknown) => {
    throw new ProblemError('not-found', `${path} cannot be opened: ${reasonOf(error)}.`)
  })
  if (!found.isDirectory()) return [path]
  const paths = await manifestsBelow(path)
  if (paths.length > 0) return paths
  throw new ProblemError('not-found', `The folder ${path} holds no .yaml, .yml or .json files.`)
}

/** Folders with a leading dot and installed packages hold no manifests of their owner. */
const isSkipped = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

async function manifestsBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw new ProblemError('not-found', `${folder} cannot be read: ${reasonOf(error)}.`)
  })
  const found: string[] = []
  for (const entry of entries.toSorted((a, b) => byCodeUnits(a.name, b.name))) {
    const path = join(folder, entry.name)
    if (isSkipped(entry.name)) continue
    if (entry.isDirectory()) found.push(...(await manifestsBelow(path)))
    else if (/\.(?:ya?ml|json)$/i.test(entry.name) && (entry.isFile() || (await isFile(path)))) found.push(path)
  }
  return found
}

/** Links to files are followed, as a mounted ConfigMap has them; links to folders may lead in circles. */
const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() === true

async function readPath(path: string, version: string): Promise<Manifests> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new ProblemError('not-found', `${path} cannot be read: ${reasonOf(error)}.`)
  })
  return readFileText(fileName(path), bytes, version)
}

/** Files are named from the working directory where they are below it, as CI systems expect. */
function fileName(path: string): string {
  const below = relative('.', path)
  const name = below === '' || below.startsWith('..') ? path : below
  return sep === '/' ? name : name.replaceAll(sep, '/')
}

function readFileText(file: string, bytes: Buffer, version: string): Manifests {
  if (bytes.length > MOST_BYTES)
    throw new ProblemError('bad-answer', `${file} is larger than 64 MB, which no manifest is.`)
  const { text, note } = textOf(bytes)
  const manifests = readManifests(text, { file, version })
  return note === undefined
    ? manifests
    : { ...manifests, notes: [{ file, line: 1, column: 1, about: 'text', message: note }, ...manifests.notes] }
}

/** kubectl, too, reads UTF-16 that begins with its mark, but of several documents only the first. */
function textOf(bytes: Buffer): { readonly text: string; readonly note?: string } {
  const encoding = UTF_16.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte))?.name
  if (encoding === undefined) return { text: bytes.toString('utf8') }
  const note = 'The file is UTF-16, of which most tools read the first document at best; save it as UTF-8.'
  return { text: new TextDecoder(encoding).decode(bytes), note }
}

const UTF_16 = [
  { name: 'utf-16le', mark: [0xff, 0xfe] },
  { name: 'utf-16be', mark: [0xfe, 0xff] },
] as const

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not read it'
  return error instanceof Error ? error.message : String(error)
}
