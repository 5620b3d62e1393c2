import { constants, readdirSync, type Stats } from 'node:fs'
import { open, opendir, stat, type FileHandle, rename, rm } from 'node:fs/promises'
import { join, dirname } from 'node:path'
import { randomUUID } from 'node:crypto'
import { codeOf, ProblemError, messageOf } from '../../core/errors.ts'
import { encodingOf } from '../../core/text/encoding.ts'
import { byCodeUnits } from '../../core/text/text.ts'

/** Limits for reading a file that the operator named. */
export interface ReadLimits {
  readonly mostBytes: number
  /** Stops reading; its reason is thrown. */
  readonly signal?: AbortSignal
}

/** What may be opened besides regular files: a pipe that the operator named (`<(command)`). */
export interface OpenOptions {
  readonly pipes?: boolean
}

/** A file that cannot be opened or read. */
export class UnreadableFile extends ProblemError {
  /** The cause without the path, completing `FILE …`. */
  readonly why: string
  readonly reason: 'missing' | 'forbidden' | 'kind' | 'size' | 'other'

  constructor(path: string, reason: UnreadableFile['reason'], why: string, remedy = '') {
    super(reason === 'kind' || reason === 'size' ? 'invalid-input' : 'not-found', `${path} ${why}.${remedy}`)
    this.why = why
    this.reason = reason
  }
}

const CHUNK_BYTES = 256 * 1024

/**
 * Opens a regular file for reading. Devices and pipes may have no end, and opening a pipe would wait for its writer.
 * Rejects with `UnreadableFile`.
 */
export async function openRegular(path: string, { pipes = false }: OpenOptions = {}): Promise<FileHandle> {
  try {
    // Opening a device may already have an effect; what is at the path may change until it is open.
    refuseOthers(path, await stat(path), pipes)
    const handle = await open(path, pipes ? constants.O_RDONLY : constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      refuseOthers(path, await handle.stat(), pipes)
    } catch (error) {
      await handle.close()
      throw error
    }
    return handle
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** Throws `UnreadableFile` for anything but a regular file, or a pipe where those are allowed. */
export function refuseOthers(path: string, found: Stats, pipes = false): void {
  if (found.isFile() || (pipes && found.isFIFO())) return
  const what = found.isDirectory() ? 'a folder' : found.isFIFO() ? 'a pipe' : found.isSocket() ? 'a socket' : 'a device'
  const remedy = found.isDirectory() ? ' Name a file in it.' : ' Name a file, or - for standard input.'
  throw new UnreadableFile(path, 'kind', `is ${what}, not a file`, remedy)
}

/** A whole regular file. Rejects with `UnreadableFile`, or with the reason of the signal. */
export async function readWithin(path: string, limits: ReadLimits): Promise<Buffer> {
  const handle = await openRegular(path)
  try {
    return await readOpened(path, handle, limits)
  } finally {
    await handle.close()
  }
}

/** An open file from its position to its end. Rejects as `readWithin` does. */
export async function readOpened(path: string, handle: FileHandle, limits: ReadLimits): Promise<Buffer> {
  try {
    return await gather(path, chunksOf(handle, limits), limits)
  } catch (error) {
    limits.signal?.throwIfAborted()
    throw unreadable(path, error)
  }
}

/** A file of a known size comes as one piece, which `gather` needs not copy. */
async function* chunksOf(handle: FileHandle, { mostBytes }: ReadLimits): AsyncGenerator<Buffer> {
  let bytes = Math.max(CHUNK_BYTES, Math.min((await handle.stat()).size, mostBytes) + 1)
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(bytes))
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    bytes = CHUNK_BYTES
  }
}

/** The complete content of a stream; `name` is used in messages. Rejects as `readWithin` does. */
export async function gather(name: string, pieces: AsyncIterable<Buffer>, limits: ReadLimits): Promise<Buffer> {
  const { mostBytes, signal } = limits
  const parts: Buffer[] = []
  let bytes = 0
  for await (const piece of pieces) {
    signal?.throwIfAborted()
    parts.push(piece)
    bytes += piece.length
    if (bytes > mostBytes) throw new UnreadableFile(name, 'size', `is larger than ${megabytes(mostBytes)}`)
  }
  const [first = Buffer.alloc(0), ...others] = parts
  return others.length === 0 ? first : Buffer.concat(parts, bytes)
}

/** The text of a file, without its byte order mark. */
export const decodeText = (bytes: Uint8Array): string => new TextDecoder(encodingOf(bytes)).decode(bytes)

export const megabytes = (bytes: number): string => `${Math.round(bytes / (1024 * 1024))} MB`

/** A real folder has fewer entries, and is less deep. */
const MOST_ENTRIES = 100_000
const MOST_NESTED = 32

/** One entry of a folder: a regular file, or a link to one. */
export interface FoundFile {
  readonly name: string
  readonly path: string
}

export interface FolderOptions {
  /** Whether subfolders are read too. Links to folders are not followed: they may form cycles. */
  readonly nested: boolean
  /** Names of files and folders to skip. */
  readonly skip: (name: string, folder: boolean) => boolean
  readonly order: (a: string, b: string) => number
  readonly signal: AbortSignal
}

/** The files of a folder. Rejects with `ProblemError`, or with the reason of the signal. */
export async function filesOf(folder: string, options: FolderOptions): Promise<readonly FoundFile[]> {
  let entries = 0
  const read = async (path: string, depth: number): Promise<readonly FoundFile[]> => {
    if (depth > MOST_NESTED)
      throw new ProblemError('invalid-input', `${folder} contains folders nested more than ${MOST_NESTED} deep.`)
    const found: { readonly name: string; readonly path: string; readonly folder: boolean }[] = []
    for await (const entry of await opendir(path)) {
      options.signal.throwIfAborted()
      entries += 1
      if (entries > MOST_ENTRIES)
        throw new ProblemError(
          'invalid-input',
          `${folder} contains more than ${MOST_ENTRIES} files; name the files to read.`,
        )
      const directory = entry.isDirectory()
      if (directory ? !options.nested : !entry.isFile() && !entry.isSymbolicLink()) continue
      if (options.skip(entry.name, directory)) continue
      found.push({ name: entry.name, path: join(path, entry.name), folder: directory })
    }
    const files: FoundFile[] = []
    for (const one of found.toSorted((a, b) => options.order(a.name, b.name))) {
      if (one.folder) for (const added of await read(one.path, depth + 1)) files.push(added)
      else if (await isFile(one.path)) files.push({ name: one.name, path: one.path })
    }
    return files
  }
  try {
    return await read(folder, 0)
  } catch (error) {
    options.signal.throwIfAborted()
    throw unreadable(folder, error)
  }
}

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() === true

/** Whether a path is a folder. Rejects with `ProblemError` when it does not exist. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  const code = codeOf(error)
  const message = messageOf(error)
  const [reason, why] =
    code === 'ENOENT' || code === 'ENOTDIR'
      ? (['missing', 'there is no such file'] as const)
      : code === 'EACCES' || code === 'EPERM'
        ? (['forbidden', 'this user may not read it'] as const)
        : (['other', code === 'ELOOP' ? 'its links form a loop' : message] as const)
  return new UnreadableFile(path, reason, `cannot be read: ${why}`)
}

/** `O_NOFOLLOW` does not exist on Windows; `O_EXCL` refuses a link there too. */
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/**
 * Replaces a file atomically: a crash at any moment leaves the old content or the new one. Only this user can read the
 * result; a link at `path` is replaced and never followed. When it resolves, the content is on disk. The folder must
 * exist. Rejects with the system's error, or that of the content, and leaves nothing behind.
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  const beside = `${path}.${randomUUID()}.new`
  try {
    const file = await open(beside, NEW_FILE, 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined)
    throw error
  }
  await syncFolder(dirname(path))
}

/**
 * Without this the new name itself could be lost in a power failure. Windows cannot open folders, and needs no such
 * call.
 */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, constants.O_RDONLY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Names in a folder, in the order of their code units; none where it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted(byCodeUnits)
  } catch {
    return []
  }
}
