import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { UploadedFile } from '../../core/contract/source.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { ProblemError } from '../../core/errors.ts'
import { encodingOf } from '../../core/text/encoding.ts'
import { byCodeUnits } from '../../core/text/text.ts'
import {
  checkSet,
  type LocatedFinding,
  type ManifestNote,
  type Manifests,
  objectsOf,
} from '../../core/manifest/manifest.ts'
import { readManifests } from '../../core/manifest/read.ts'
import { patchesOf } from '../../core/manifest/unrendered.ts'
import { isOfOneFile, MOST_BYTES, type PackedFile, textsOf, unpack } from '../files/archives.ts'
import { decodeText, filesOf, isFolder, readWithin, UnreadableFile, type FoundFile } from '../files/files.ts'
import type { Console } from './console.ts'
import { UsageError } from './usage.ts'

/** The dependencies of reading the files of a command. */
export type Reading = Pick<Console, 'readStdin' | 'signal' | 'stateDir'>

/**
 * Reads files, all files of folders and their subfolders and, for `-`, standard input; archives and compressed files are
 * unpacked. Of what cannot be opened in a folder or an archive, the problem is returned.
 */
export const readFilesFound = (paths: readonly string[], reading: Reading): Promise<UploadedFile[]> =>
  textsOf(filesAt(paths, reading))

/** The same, where each file matters: rejects when one cannot be opened. */
export async function readInputFiles(paths: readonly string[], reading: Reading): Promise<UploadedFile[]> {
  const files = await readFilesFound(paths, reading)
  const problem = files.find((file) => file.problem !== undefined)?.problem
  if (problem !== undefined) throw new ProblemError('bad-answer', problem)
  return files
}

async function* filesAt(
  paths: readonly string[],
  { readStdin, signal }: Reading,
): AsyncGenerator<PackedFile | UploadedFile> {
  for (const path of paths) {
    if (path === '-') yield { name: 'standard input', bytes: await readStdin(MOST_BYTES) }
    else
      for (const { name, path: found } of await listFiles(path, signal)) {
        try {
          yield { name, bytes: await readWithin(found, { mostBytes: MOST_BYTES, signal }) }
        } catch (error) {
          if (found === path || !isOfOneFile(error)) throw error
          yield { name, text: '', problem: error.message }
        }
      }
  }
}

async function listFiles(path: string, signal: AbortSignal): Promise<readonly FoundFile[]> {
  if (!(await isFolder(path))) return [{ name: basename(path), path }]
  const files = await filesOf(path, {
    nested: true,
    skip: (name) => name.startsWith('.'),
    order: (a, b) => a.localeCompare(b, 'en', { numeric: true }),
    signal,
  })
  if (files.length === 0) throw new ProblemError('not-found', `The folder ${path} contains no files.`)
  return files.map((file) => ({ ...file, name: slashed(relative(path, file.path)) }))
}

interface ManifestOptions {
  /** Kubernetes version whose rules apply: `v1.36` or `v1.36.3`. */
  readonly version: string
  readonly reading: Reading
}

export interface Configuration {
  /** The well-formed objects, with defaults; of duplicates, the later one. */
  readonly objects: ObjectSet
  /** Findings in single files and in all of them together, in file order. */
  readonly findings: readonly LocatedFinding[]
  readonly notes: readonly ManifestNote[]
  readonly files: readonly Manifests[]
}

/** A manifest is a few kilobytes; this allows those of a whole cluster, and bounds an endless stream. */
const MOST_MANIFEST_BYTES = 64 * 1024 * 1024

/**
 * Reads a configuration from files, folders (with their subfolders: .yaml, .yml, .json) and `-` for standard input.
 *
 * @throws ProblemError in one sentence when a path cannot be read or a folder has no such file.
 */
export async function readConfiguration(paths: readonly string[], options: ManifestOptions): Promise<Configuration> {
  const { version, reading } = options
  const files: Manifests[] = []
  // One text after the other: nothing of a text is kept but its flow-control objects.
  for await (const one of textsAt(paths, reading)) files.push(readManifestText(one, version))
  return {
    objects: objectsOf(files.flatMap(({ documents }) => documents)),
    findings: [...files.flatMap(({ findings }) => findings), ...checkSet(files, options)],
    notes: files.flatMap(({ notes }) => notes),
    files,
  }
}

/** A text that the operator named. `note`: a peculiarity of its encoding. */
export interface NamedText {
  readonly file: string
  readonly text: string
  readonly note?: string
  /** The folder of the kustomization that the text is a patch of. */
  readonly patchOf?: string
}

/**
 * The texts of files, of folders (with their subfolders: .yaml, .yml, .json) and, for `-`, of standard input.
 *
 * @throws ProblemError in one sentence when a path cannot be read or a folder has no such file.
 */
export async function readTexts(paths: readonly string[], reading: Reading): Promise<readonly NamedText[]> {
  const texts: NamedText[] = []
  for await (const text of textsAt(paths, reading)) texts.push(text)
  return texts
}

async function* textsAt(paths: readonly string[], reading: Reading): AsyncGenerator<NamedText> {
  const known: KnownPatches = new Map()
  for (const path of paths) {
    if (path === '-') yield namedText('standard input', await reading.readStdin(MOST_MANIFEST_BYTES))
    else
      for (const file of await manifestPaths(path, reading.signal)) {
        const bytes = await readWithin(file, { mostBytes: MOST_MANIFEST_BYTES, signal: reading.signal })
        const patchOf = await kustomizationOf(file, known, reading)
        const members = await unpack({ name: fileName(file), bytes }, MOST_MANIFEST_BYTES)
        const manifests = members.length > 1 ? members.filter(({ name }) => MANIFEST.test(name)) : members
        for (const member of manifests)
          yield { ...namedText(member.name, member.bytes), ...(patchOf !== undefined && { patchOf }) }
      }
  }
}

const KUSTOMIZATIONS = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']
/** Patches are usually beside the kustomization or in a folder below it. */
const MOST_FOLDERS_ABOVE = 3
const MOST_KUSTOMIZATION_BYTES = 256 * 1024

/** By kustomization, the paths of the patches that it names. */
type KnownPatches = Map<string, readonly string[]>

/** The folder of the kustomization that names a file as a patch; `undefined` when there is none. */
async function kustomizationOf(file: string, known: KnownPatches, { signal }: Reading): Promise<string | undefined> {
  let folder = dirname(file)
  for (let above = 0; above < MOST_FOLDERS_ABOVE; above++) {
    for (const name of KUSTOMIZATIONS) {
      const path = join(folder, name)
      const patches = known.get(path) ?? (await patchesIn(path, signal))
      known.set(path, patches)
      if (patches.includes(resolve(file))) return folder
    }
    folder = join(folder, '..')
  }
  return undefined
}

async function patchesIn(kustomization: string, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const bytes = await readWithin(kustomization, { mostBytes: MOST_KUSTOMIZATION_BYTES, signal })
    return patchesOf(decodeText(bytes)).map((patch) => resolve(dirname(kustomization), patch))
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return []
  }
}

/** The text of one file. Throws for a folder of several files; `instead` is what the message suggests. */
export async function oneText(path: string, reading: Reading, instead: string): Promise<NamedText> {
  const [text, more] = await readTexts([path], reading)
  if (text !== undefined && more === undefined) return text
  throw new UsageError(`${path} is a folder; name ${instead}.`)
}

/** Throws `not-found` for files without flow-control objects, with the first problem that was found in them. */
export function refuseEmpty(
  { objects: { levels, schemas }, findings, notes }: Omit<Configuration, 'files'>,
  files: readonly string[],
): void {
  if (levels.length + schemas.length > 0) return
  const why = (findings[0] ?? notes.find(({ about }) => about === 'text'))?.message
  throw new ProblemError(
    'not-found',
    why ?? `${files.join(', ')} contains no FlowSchema or PriorityLevelConfiguration.`,
  )
}

export const isError = ({ severity }: LocatedFinding): boolean => severity === 'error'

/** Prints each finding with its location, in the format that editors and terminals can open. */
export function tellFindings(findings: readonly LocatedFinding[], console: Pick<Console, 'tell'>): void {
  for (const { file, line, column, message } of findings) console.tell(`${file}:${line}:${column}: ${message}`)
}

/** A file itself; for a folder its manifests, sorted by name. */
async function manifestPaths(path: string, signal: AbortSignal): Promise<readonly string[]> {
  if (!(await isFolder(path))) return [path]
  const files = await filesOf(path, { nested: true, skip: isSkipped, order: byCodeUnits, signal })
  if (files.length > 0) return files.map((file) => file.path)
  throw new ProblemError('not-found', `The folder ${path} contains no .yaml, .yml or .json files.`)
}

/** Folders with a leading dot and installed packages contain no manifests of their owner. */
const isSkipped = (name: string, folder: boolean): boolean =>
  name.startsWith('.') || (folder ? name === 'node_modules' : !MANIFEST.test(name))
const MANIFEST = /\.(?:ya?ml|json)$/i

/** Files below the working directory are named relative to it, as CI systems expect. */
function fileName(path: string): string {
  const below = relative('.', path)
  const name = below === '' || below.startsWith('..') ? path : below
  return slashed(name)
}

const slashed = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'))

function readManifestText({ file, text, note, patchOf }: NamedText, version: string): Manifests {
  if (patchOf !== undefined) {
    const message = `This is a patch of the kustomization in ${fileName(patchOf)}, a part of an object that is not judged alone: build it with kustomize build (or kubectl kustomize), and read the result (- is standard input).`
    return { file, documents: [], findings: [], notes: [{ file, line: 1, column: 1, about: 'text', message }] }
  }
  const manifests = readManifests(text, { file, version })
  const isNothing = manifests.documents.length === 0 && manifests.findings.length === 0
  const notes = [note, isNothing && CONTAINED.test(text) ? INSIDE : undefined].filter((one) => one !== undefined)
  const own = notes.map((message) => ({ file, line: 1, column: 1, about: 'text' as const, message }))
  return { ...manifests, notes: [...own, ...manifests.notes] }
}

/** In the text or a field of another object, such as a ConfigMap, a Template or a ManifestWork. */
const CONTAINED = /apiVersion[\\"']*: ?[\\"']*flowcontrol\.apiserver\.k8s\.io\/v/
const INSIDE =
  'The objects contain flow-control objects, which were not checked: render them (a Template with oc process), or save what is inside as files of its own.'

/** kubectl also reads UTF-16 that begins with a byte order mark, but only the first of several documents. */
function namedText(file: string, bytes: Buffer): NamedText {
  // Joined files have byte order marks in the middle; kubectl reads each document on its own.
  // A carriage return alone ends a line of YAML.
  const text = decodeText(bytes)
    .replaceAll(/^\uFEFF/gm, '')
    .replaceAll(/\r(?!\n)/g, '\n')
  const note = 'The file is UTF-16, and most tools read its first document at best; save it as UTF-8.'
  return encodingOf(bytes) === 'utf-8' ? { file, text } : { file, text, note }
}
