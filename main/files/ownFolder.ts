import { existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf, ProblemError, messageOf } from '../../core/errors.ts'

const ROOT = 0

/**
 * Creates a folder for this user alone, and the folders on the way to it from `root`, where they are missing. Returns
 * its path. Throws `ProblemError` when one cannot be made, or when one or the folder around it belongs to another user
 * (other than root): who owns a folder decides what becomes of the files in it.
 */
export function ownFolder(root: string, ...inside: readonly string[]): string {
  let path = root
  for (const part of ['', ...inside]) {
    path = join(path, part)
    try {
      assertOwnAround(path)
      makeFolder(path)
    } catch (error) {
      throw cannotOpen(path, error)
    }
    assertOwn(path, lstatSync(path).uid)
  }
  return path
}

/** `recursive` reports what does not exist yet, not why it cannot be made. */
function makeFolder(path: string): void {
  const around = dirname(path)
  if (!existsSync(around)) makeFolder(around)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
  }
}

function assertOwnAround(path: string): void {
  const around = dirname(path)
  const found = lstatSync(around, { throwIfNoEntry: false })
  if (found !== undefined && found.uid !== ROOT) assertOwn(around, found.uid)
  // A drive that does not exist is around itself.
  if (found === undefined && around !== path) assertOwnAround(around)
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

/** What to do about a folder that others can change; `undefined` if none can, or there is none. */
export const writableByOthers = (path: string): string | undefined =>
  process.platform === 'win32' || ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o022) === 0
    ? undefined
    : `Others on this machine can replace the files in ${path}; use chmod go-w ${path}.`

/** Why a file or folder of the console cannot be opened, and what to do. A `ProblemError` stays as it is. */
export function cannotOpen(path: string, error: unknown): ProblemError {
  return error instanceof ProblemError
    ? error
    : new ProblemError('forbidden', `Cannot open ${path}: ${reasonOf(error)}. ${REMEDY}`, messageOf(error))
}

/** Why the system refused to make, open or write a file. */
export const reasonOf = (error: unknown): string => WORDS[String(codeOf(error))] ?? messageOf(error)

const REMEDY =
  'Make the file and its folder readable and writable for this user, or name another folder in APF_CONSOLE_STATE, and start the console again.'
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'this user does not have the permission',
  EPERM: 'this user does not have the permission',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
  ELOOP: 'it is a symbolic link',
  EIO: 'the disk reports an error',
}
