import { createReadStream } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import { ProblemError } from '../../core/contract/errors.ts'
import { writeAtomically } from '../store/atomicFile.ts'

/** Certificates, keys and tokens are far smaller. */
const MOST_BYTES = 256 * 1024

export interface SmallFile {
  readonly text: string
  /** Whether other users of this machine can read it; never said where files have no such modes. */
  readonly openToOthers: boolean
}

/** Reads a file that the operator named; `what` it is meant to be stands in the sentences. Rejects with `ProblemError`. */
export async function readSmall(path: string, what: string): Promise<SmallFile> {
  try {
    const { mode } = await stat(path)
    let text = ''
    for await (const piece of createReadStream(path, { encoding: 'utf8', end: MOST_BYTES - 1 })) text += String(piece)
    return {
      text,
      openToOthers: process.platform !== 'win32' && (mode & 0o077) !== 0,
    }
  } catch (error) {
    throw new ProblemError('invalid-input', `${what} ${path} cannot be read: ${reasonOf(error)}.`)
  }
}

/** Replaces a file by one that only this user can read (`writeAtomically`). Rejects with `ProblemError`. */
export async function writePrivate(path: string, text: string): Promise<void> {
  try {
    await writeAtomically(path, text)
  } catch (error) {
    throw new ProblemError('invalid-input', `${path} cannot be written: ${reasonOf(error)}.`)
  }
}

/** What is at a path: nothing, a plain file, or something that is better left alone: a link, a device, a folder. */
type Found = { readonly kind: 'nothing' | 'other' } | ({ readonly kind: 'file' } & SmallFile)

/** Rejects with `ProblemError` for a file that cannot be read. */
export async function lookAt(path: string): Promise<Found> {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return { kind: 'nothing' }
  if (!found.isFile()) return { kind: 'other' }
  return { kind: 'file', ...(await readSmall(path, 'The file')) }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file or folder'
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not do that'
  if (code === 'EISDIR') return 'it is a folder'
  if (code === 'ENOSPC') return 'the disk is full'
  return error instanceof Error ? error.message : String(error)
}
