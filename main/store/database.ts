import {
  chmodSync,
  closeSync,
  lstatSync,
  openSync,
  existsSync,
  readdirSync,
  rmSync,
  type Stats,
  statfsSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { codeOf, ProblemError } from '../../core/errors.ts'
import { assertOwn, cannotOpen, ownFolder } from '../files/ownFolder.ts'

/** One SQLite file that any number of processes read and change at the same time. */
export interface Database {
  /** `undefined` in memory. */
  readonly path: string | undefined
  /** Runs `work` on the current content of the file. Rejects with `ProblemError`. */
  read<T>(work: (connection: DatabaseSync) => T): Promise<T>
  /**
   * Runs `work` as one transaction on the current content: whole or not at all, never between two statements of another
   * process. When it resolves, the change is on the disk. Rejects with `ProblemError`, or with what `work` throws.
   */
  write<T>(work: (connection: DatabaseSync) => T): Promise<T>
  close(): void
}

export interface DatabaseOptions {
  /** File of the database; `undefined` keeps everything in memory. The folder is created when it is missing. */
  readonly path: string | undefined
  /** SQL of each schema version, oldest first. A published one never changes; new ones are appended. */
  readonly migrations: readonly string[]
  /**
   * What a change survives once `write` resolves: a power failure, or only the end of the process. The latter costs a
   * writer that writes every second next to nothing.
   */
  readonly survives?: 'power' | 'process'
}

/** How long a lock of another process blocks this thread, milliseconds. */
const BLOCKING_MS = 20
/** How long to wait for a lock in total. */
const LONGEST_WAIT_MS = 15_000

/**
 * Opens or creates a database. Rejects with `ProblemError` when the file cannot be used: it belongs to another user, is
 * damaged, or was written by a newer version. Such a file is left exactly as it is.
 */
export async function openDatabase({ path, migrations, survives = 'power' }: DatabaseOptions): Promise<Database> {
  if (path !== undefined) {
    createPrivateFile(path)
    assertRoom(path)
  }
  const connection = translating(path, () => new DatabaseSync(path ?? ':memory:', { timeout: BLOCKING_MS }))
  try {
    const version = await patiently(path, () => schemaVersion(connection))
    if (version > migrations.length) throw newerVersion(path ?? '', version, migrations.length)
    await patiently(path, () => {
      const synchronous = survives === 'power' ? 'FULL' : 'NORMAL'
      connection.exec(`PRAGMA trusted_schema = OFF; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`)
      assertSound(path ?? '', connection)
    })
    await patiently(path, () => transaction(connection, () => migrate(connection, migrations)))
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    path,
    read: (work) => patiently(path, () => work(connection)),
    write: (work) =>
      patiently(path, () => {
        if (path !== undefined) assertRoom(path)
        return transaction(connection, () => work(connection))
      }),
    close: () => {
      if (connection.isOpen) connection.close()
    },
  }
}

function transaction<T>(connection: DatabaseSync, work: () => T): T {
  // Takes the write lock immediately, so that the content cannot change between reading and writing.
  connection.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

function migrate(connection: DatabaseSync, migrations: readonly string[]): void {
  const version = schemaVersion(connection)
  for (const sql of migrations.slice(version)) connection.exec(sql)
  if (version < migrations.length) connection.exec(`PRAGMA user_version = ${migrations.length}`)
}

const schemaVersion = (connection: DatabaseSync): number =>
  Number(connection.prepare('PRAGMA user_version').get()?.['user_version'])

function assertSound(path: string, connection: DatabaseSync): void {
  const found = connection.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
  if (found !== 'ok') throw damaged(path, String(found))
}

/** Retries what found the database locked, letting everything else run in between. */
async function patiently<T>(path: string | undefined, work: () => T): Promise<T> {
  const end = performance.now() + LONGEST_WAIT_MS
  for (;;) {
    try {
      return translating(path, work)
    } catch (error) {
      if (!(error instanceof LockedError)) throw error
      if (performance.now() > end) {
        throw new ProblemError(
          'timeout',
          `Cannot use ${path}: another process has kept it locked for 15 s. End that process, and try again.`,
        )
      }
    }
    await pause(1 + Math.random() * BLOCKING_MS)
  }
}

class LockedError extends Error {}

/** Primary result codes of SQLite. */
const CODE = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const

function translating<T>(path: string | undefined, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') throw error
    const file = path ?? 'the memory'
    const words = error.message
    switch (error.errcode & 0xff) {
      case CODE.busy:
      case CODE.locked:
        throw new LockedError(words)
      case CODE.corrupt:
      case CODE.notADatabase:
        throw damaged(file, words)
      case CODE.full:
        throw full(file, words)
      case CODE.readOnly:
        throw new ProblemError(
          'forbidden',
          `Cannot write ${file}: it is read-only for this user. Make the file and its folder writable, and start the console again.`,
          words,
        )
      case CODE.cannotOpen:
        throw new ProblemError(
          'forbidden',
          `Cannot open ${file}: ${words}. Make the file and its folder readable and writable for this user, and start the console again.`,
          words,
        )
      case CODE.io:
        throw new ProblemError(
          'internal',
          `Cannot read or write ${file}: the disk reports an error. Check the disk, and start the console again.`,
          words,
        )
      default:
        throw new ProblemError('internal', `Cannot use ${file}: ${words}.`, words)
    }
  }
}

const full = (path: string, words?: string): ProblemError =>
  new ProblemError('internal', `Cannot use ${path}: the disk is full. Free some space, and try again.`, words)

/** What a database takes to open or change, with much to spare. */
const ROOM_BYTES = 1024 * 1024

/**
 * Throws `ProblemError` for a disk that is full, or nearly. SQLite maps the index of its log into memory, as a file with
 * holes where blocks are smaller than pages, such as 1 KiB; the system answers a write into a hole on a full disk with
 * SIGBUS, which ends the process, instead of with an error.
 */
export function assertRoom(path: string): void {
  if (freeBytes(dirname(path)) < ROOM_BYTES) throw full(path)
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize, blocks } = statfsSync(folder)
    // Some file systems do not say how large they are.
    return blocks > 0 ? bavail * bsize : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const damaged = (path: string, words: string): ProblemError =>
  new ProblemError(
    'bad-answer',
    `Cannot read ${path}: the file is damaged. Move it and the files beside it that begin with its name away, and start the console again; "sqlite3 FILE .recover" extracts what is left of it.`,
    words,
  )

const newerVersion = (path: string, found: number, known: number): ProblemError =>
  new ProblemError(
    'unsupported',
    `Cannot read ${path}: a newer version of APF Console has written it (schema ${found}, this version reads up to ${known}). Update this one, or name another folder in APF_CONSOLE_STATE.`,
  )

/**
 * Creates the file with a mode that excludes other users; SQLite applies it to its companion files as well. Throws
 * `ProblemError`, also for a file or folder of another user.
 */
function createPrivateFile(path: string): void {
  try {
    ownFolder(dirname(path))
    let found: Stats | undefined
    // Another console may remove a lock before it is held.
    while (found === undefined) {
      createIfMissing(path)
      found = lstatSync(path, { throwIfNoEntry: false })
    }
    assertOwn(path, found.uid)
    if (found.isSymbolicLink()) throw Object.assign(new Error('symbolic link'), { code: 'ELOOP' })
    if (found.isDirectory()) throw Object.assign(new Error('folder'), { code: 'EISDIR' })
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) chmodSync(path, 0o600)
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

/** Never opens an existing file: closing it would release the locks that SQLite holds on it in this process. */
function createIfMissing(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Distinguishes running consoles from those that ended, however they ended. */
export interface Presence {
  /**
   * Id of this console; from now on it counts as running for other consoles. Throws `ProblemError` where that is
   * impossible.
   */
  own(): string
  /** Whether the console with this id still runs. */
  runs(id: string): boolean
  close(): void
}

/**
 * Each running console holds a lock on a file of its own; the system releases it with the process. Unlike a process id,
 * another process cannot reuse it, and it is the same in two containers.
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

/** Nothing is ever written, so no journal file is needed. */
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
