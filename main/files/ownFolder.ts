import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ProblemError } from '../../core/contract/errors.ts'

/**
 * Creates a folder for this user alone, and the folders on the way to it from `root`, where they are missing. Returns
 * its path. Throws `ProblemError` when one of them belongs to another user: who owns a folder decides what becomes of
 * the files in it.
 */
export function ownFolder(root: string, ...inside: readonly string[]): string {
  let path = root
  for (const part of ['', ...inside]) {
    path = join(path, part)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    assertOwn(path, lstatSync(path).uid)
  }
  return path
}

/**
 * Refuses what belongs to another user: root writing into the folder of a user would lock that user out. Throws
 * `ProblemError`.
 */
export function assertOwn(path: string, uid: number): void {
  const own = process.getuid?.()
  if (own === undefined || own === uid) return
  throw new ProblemError(
    'forbidden',
    `Cannot use ${path}: it belongs to another user (uid ${uid}, this process runs as ${own}). Run the console as that user, or name a folder of your own in APF_CONSOLE_STATE.`,
  )
}

/** What to do about a folder that others can change; `undefined` if none can. */
export const writableByOthers = (path: string): string | undefined =>
  process.platform === 'win32' || (lstatSync(path).mode & 0o022) === 0
    ? undefined
    : `Others on this machine can replace the files in ${path}; use chmod go-w ${path}.`
