import { lstat } from 'node:fs/promises'
import { ProblemError, toProblem } from '../../core/errors.ts'
import { readCredentialFile } from '../cluster/kubeconfigFile.ts'
import { writeAtomically } from '../files/files.ts'
import { reasonOf } from '../files/ownFolder.ts'

export interface SmallFile {
  readonly text: string
  /** Whether other users of this machine can read it; always false where files have no such modes. */
  readonly openToOthers: boolean
}

/** Reads a file that the operator named; error sentences call it `what`. Rejects with `ProblemError`. */
export async function readSmall(path: string, what: string): Promise<SmallFile> {
  try {
    const { content, openToOthers } = await readCredentialFile(path)
    return { text: content, openToOthers }
  } catch (error) {
    throw new ProblemError('invalid-input', `${what} ${toProblem(error).message}`)
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

/** What is at a path: nothing, a plain file, or something that must not be touched: a link, a device, a folder. */
type Found = { readonly kind: 'nothing' | 'other' } | ({ readonly kind: 'file' } & SmallFile)

/** Rejects with `ProblemError` for a file that cannot be read. */
export async function lookAt(path: string): Promise<Found> {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return { kind: 'nothing' }
  if (!found.isFile()) return { kind: 'other' }
  return { kind: 'file', ...(await readSmall(path, 'The file')) }
}
