import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type OpenOptions, openRegular, readOpened } from '../files/boundedFile.ts'

/** Kubeconfigs with many embedded certificates are a few hundred kilobytes; tokens, keys and certificates are smaller. */
const MOST_BYTES = 4 * 1024 * 1024

export interface CredentialFile {
  readonly content: string
  /** SHA-256 of the content. */
  readonly digest: string
  /** Whether other users of this machine can change it; always false where files have no such modes. */
  readonly writableByOthers: boolean
  /** Whether other users of this machine can read or change it; always false where files have no such modes. */
  readonly openToOthers: boolean
}

/** Reads a small file once. Rejects with `UnreadableFile`, whose words quote nothing of it. */
export async function readCredentialFile(path: string, options: OpenOptions = {}): Promise<CredentialFile> {
  const handle = await openRegular(path, options)
  try {
    const about = await handle.stat()
    const bytes = await readOpened(path, handle, { mostBytes: MOST_BYTES })
    return {
      content: bytes.toString('utf8'),
      digest: createHash('sha256').update(bytes).digest('hex'),
      writableByOthers: isOpen(about) || isOpenFolder(await stat(dirname(path))),
      openToOthers: process.platform !== 'win32' && (about.mode & OTHERS) !== 0,
    }
  } finally {
    await handle.close()
  }
}

interface Modes {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

const OTHERS = 0o077
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
