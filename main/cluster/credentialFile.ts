import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Kubeconfigs with many embedded certificates are a few hundred kilobytes. */
const MOST_BYTES = 4 * 1024 * 1024
const BLOCK_BYTES = 64 * 1024

export interface CredentialFile {
  readonly content: string
  /** SHA-256 of the content. */
  readonly digest: string
  /** Whether somebody else on this machine can change it. */
  readonly writableByOthers: boolean
}

/** Why a file cannot be read: words that complete `FILE …`. */
export class UnreadableFile extends Error {
  readonly missing: boolean
  constructor(why: string, missing = false) {
    super(why)
    this.missing = missing
  }
}

/**
 * Reads a small file once. What is no regular file is refused, because a device or a pipe would never end; a pipe that the
 * operator gave (`<(command)`) is read with `pipes`. Rejects with `UnreadableFile`, whose words quote nothing of it.
 */
export async function readCredentialFile(path: string, { pipes = false } = {}): Promise<CredentialFile> {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would hold a thread for ever.
  const flags = pipes ? constants.O_RDONLY : constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
  const handle = await open(path, flags).catch((error: unknown) => {
    throw unreadable(error)
  })
  try {
    const about = await handle.stat()
    if (about.isDirectory()) throw new UnreadableFile('is a folder')
    if (!about.isFile() && !(pipes && about.isFIFO())) throw new UnreadableFile('is not a regular file')
    const bytes = await readWithin(handle)
    return {
      content: bytes.toString('utf8'),
      digest: createHash('sha256').update(bytes).digest('hex'),
      writableByOthers: isOpen(about) || isOpenFolder(await stat(dirname(path))),
    }
  } catch (error) {
    throw unreadable(error)
  } finally {
    await handle.close()
  }
}

async function readWithin(handle: FileHandle): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(BLOCK_BYTES), 0, BLOCK_BYTES, null)
    if (bytesRead === 0) return Buffer.concat(pieces)
    size += bytesRead
    if (size > MOST_BYTES) throw new UnreadableFile(`is larger than ${MOST_BYTES / 1024 / 1024} MiB`)
    pieces.push(buffer.subarray(0, bytesRead))
  }
}

interface Modes {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

const OTHERS_WRITE = 0o002
const GROUP_WRITES = 0o020
const STICKY = 0o1000

/** A group of the user's own, as many distributions make it, holds nobody else. */
function isOpen({ mode, uid, gid }: Modes): boolean {
  if (process.platform === 'win32') return false
  return (mode & OTHERS_WRITE) !== 0 || ((mode & GROUP_WRITES) !== 0 && gid !== uid)
}

/** In a folder with the sticky bit (/tmp) others can add files, but not replace this one. */
const isOpenFolder = (folder: Modes): boolean => isOpen(folder) && (folder.mode & STICKY) === 0

function unreadable(error: unknown): UnreadableFile {
  if (error instanceof UnreadableFile) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return new UnreadableFile('does not exist', true)
  if (code === 'EACCES' || code === 'EPERM') return new UnreadableFile('may not be read by this user')
  return new UnreadableFile('cannot be read')
}
