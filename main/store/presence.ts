import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPrivateFile } from './database.ts'

/** Tells consoles that run from those that ended, however they did. */
export interface Presence {
  /** Id of this console; from now on others see it run. Throws `ProblemError` where that cannot be arranged. */
  own(): string
  /** Whether the console with this id still runs. */
  runs(id: string): boolean
  close(): void
}

/**
 * Each console holds a lock on a file of its own for as long as it lives; the system releases it with the process. Unlike
 * a process id it cannot be used again by another process, and it is the same seen from two containers.
 */
export function createPresence(folder: string | undefined): Presence {
  const id = randomUUID()
  const pathOf = (of: string): string => join(folder ?? '', `console-${of}.lock`)
  let held: DatabaseSync | undefined
  return {
    own() {
      if (folder === undefined || held !== undefined) return id
      for (const name of readdirSync(folder)) if (LOCK_FILE.test(name)) removeIfFree(join(folder, name))
      held = hold(pathOf(id))
      return id
    },
    runs(of) {
      if (of === id) return true
      // An id comes from the journal: it must not lead out of the folder.
      if (folder === undefined || !/^[0-9a-f-]{36}$/.test(of) || !existsSync(pathOf(of))) return false
      return !removeIfFree(pathOf(of))
    },
    close() {
      held?.close()
      held = undefined
      if (folder !== undefined) rmSync(pathOf(id), { force: true })
    },
  }
}

/** Nothing is ever written, so that no journal has to be kept beside the file. */
const LOCK = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'
const LOCK_FILE = /^console-[0-9a-f-]{36}\.lock$/

function hold(path: string): DatabaseSync {
  for (;;) {
    createPrivateFile(path)
    const connection = new DatabaseSync(path, { timeout: 1_000 })
    connection.exec(LOCK)
    // Another console may have removed the file before it was locked.
    if (existsSync(path)) return connection
    connection.close()
  }
}

/** Removes the file of a console that ended; `false` when it still runs. */
function removeIfFree(path: string): boolean {
  let connection: DatabaseSync | undefined
  try {
    connection = new DatabaseSync(path, { timeout: 0 })
    connection.exec(LOCK)
    rmSync(path, { force: true })
    return true
  } catch {
    return false
  } finally {
    connection?.close()
  }
}
