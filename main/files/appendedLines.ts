import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { ProblemError, messageOf } from '../../core/errors.ts'
import { readWithin, type ReadLimits } from './files.ts'

/**
 * A file that only grows, line by line. After a crash it holds the lines that were written so far, and at most a
 * part of the next one, which `keep` cuts off.
 */
export class AppendedLines {
  private readonly path: string
  private readonly handle: FileHandle
  private readonly onFailure: () => void
  private last: Promise<void> = Promise.resolve()

  private constructor(path: string, handle: FileHandle, onFailure: () => void) {
    this.path = path
    this.handle = handle
    this.onFailure = onFailure
  }

  /** The content of the file; empty if there is none. Rejects with `ProblemError`. */
  static async read(path: string, limits: ReadLimits): Promise<string> {
    const found = await stat(path).catch(() => undefined)
    return found === undefined ? '' : (await readWithin(path, limits)).toString('utf8')
  }

  /**
   * Opens the file, creating it if necessary, and truncates it to `bytes`. `onFailure` is called when a line cannot be
   * written; `close` rejects with the reason. Rejects with `ProblemError`.
   */
  static async keep(path: string, bytes: number, onFailure: () => void): Promise<AppendedLines> {
    try {
      const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600)
      await handle.truncate(bytes)
      return new AppendedLines(path, handle, onFailure)
    } catch (error) {
      throw unwritable(path, error)
    }
  }

  /** Adds lines, each ending with a line break. They are written in the order of the calls. */
  add(lines: string): void {
    this.last = this.last.then(() => this.handle.appendFile(lines))
    this.last.catch(this.onFailure)
  }

  /** Resolves once everything is on the disk. Rejects with `ProblemError` when a line could not be written. */
  async close(): Promise<void> {
    try {
      await this.last
      await this.handle.sync()
    } catch (error) {
      throw unwritable(this.path, error)
    } finally {
      await this.handle.close()
    }
  }
}

const unwritable = (path: string, error: unknown): ProblemError =>
  new ProblemError('forbidden', `Cannot write ${path}: ${messageOf(error)}. Name another file with --results.`)
