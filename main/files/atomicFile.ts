import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** `O_NOFOLLOW` does not exist on Windows; `O_EXCL` refuses a link there too. */
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/**
 * Replaces a file as a whole, so that a crash at any moment leaves the old content or the new one. Only this user can read
 * the result; a link at `path` is replaced and never followed. When it resolves, the content is on the disk. The folder must
 * exist. Rejects with the system's error and leaves nothing behind.
 */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
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

/** Without this the new name itself could be lost with the power. Windows cannot open folders, and needs no such call. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, constants.O_RDONLY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
