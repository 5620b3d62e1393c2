import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { lstat, mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { ProblemError } from '../../core/contract/errors.ts'
import { writeAtomically } from '../files/atomicFile.ts'
import { TOKEN_MINUTES } from './sessions.ts'
import type { OneTimeAddress } from './webServer.ts'

const NAME = /^apf-console-[\da-f]{16}\.html$/

/** Rejects unless the folder is one that only this user can list and change. Creates it when it is missing. */
async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await lstat(folder)
  if (!found.isDirectory()) throw new Error('it is not a folder')
  if (process.getuid === undefined) return
  if (found.uid !== process.getuid()) throw new Error('it belongs to another user')
  if ((found.mode & 0o077) !== 0) throw new Error('other users have access to it')
}

const pageTo = (url: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>APF Console</title>
<meta http-equiv="refresh" content="0; url=${url}"><a href="${url}">Open APF Console</a>\n`

/** Files that a killed console left behind; their tokens have expired or died with it. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    const found = NAME.test(name) ? await lstat(file).catch(() => undefined) : undefined
    if (found !== undefined && Date.now() - found.mtimeMs > TOKEN_MINUTES * 60_000) await rm(file, { force: true })
  }
}

/**
 * Writes a page that only this user can read and that sends a browser to a one-time address. The arguments of a browser,
 * which every user of the machine can read, then hold the path of the file instead of the address. The file is removed
 * when the address is spent. Takes the first of the folders that is private; rejects with a `ProblemError` when none is.
 */
export async function writeAddressFile(folders: readonly string[], { url, spent }: OneTimeAddress): Promise<string> {
  const reasons: string[] = []
  for (const folder of folders) {
    const file = path.join(folder, `apf-console-${randomBytes(8).toString('hex')}.html`)
    try {
      await ownFolder(folder)
      await sweep(folder)
      await writeAtomically(file, pageTo(url))
    } catch (error) {
      reasons.push(`${folder}: ${error instanceof Error ? error.message : String(error)}`)
      continue
    }
    // At once, because the process may be about to exit.
    void spent.then(() => rmSync(file, { force: true })).catch(() => undefined)
    return file
  }
  throw new ProblemError(
    'forbidden',
    'The file with the address of the console cannot be written. Run it in a terminal, or set APF_CONSOLE_STATE to a folder of your own.',
    reasons.join('; '),
  )
}
