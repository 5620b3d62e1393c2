import { stat } from 'node:fs/promises'
import { damageOf } from '../files/archives.ts'
import { UnreadableFile } from '../files/files.ts'
import type { Place } from '../ports/places.ts'
import {
  LineSplitter,
  MOST_LINE_BYTES,
  OpenFile,
  unpacked,
  type Segment,
  continuation,
  isPacked,
  isSameFile,
} from './openFile.ts'
import { PlaceKeeper, type Progress, HEAD_BYTES, type PositionStore } from './placeKeeper.ts'
import { messageOf, ProblemError } from '../../core/errors.ts'

export interface TailOptions {
  readonly path: string
  /** Continue when the end is reached; a compressed file is read once in any case. */
  readonly follow: boolean
  /** Accepts whole lines, in order; no more are read before it returns. */
  readonly onLines: (lines: readonly string[]) => void | Promise<void>
  /** Called with a sentence for each line that exceeds the limit. */
  readonly onTooLong: (sentence: string) => void
  /** Called after each look at the file: everything that was in it has been accepted. */
  readonly onEnd?: () => void
  /** Called with sentences about the file itself. */
  readonly warn: (sentence: string) => void
  /** Stores the position across processes; if absent, a file is read anew each time. */
  readonly positions?: PositionStore
  /** How much of the accepted lines is processed, if that takes longer: the position advances only that far. */
  readonly progress?: Progress
  /** Calls back once after `ms` unless the returned function was called. */
  readonly after: (ms: number, callback: () => void) => () => void
  /** For a file that is followed for the first time, start at most this far before its end; 64 MB if absent. */
  readonly backlogBytes?: number
  readonly pollMs?: number
}

export interface Tail {
  /** Resolves when a file that is not followed was read to its end, or after `close`. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

const POLL_MS = 250
const BACKLOG_BYTES = 64 * 1024 * 1024

/** Follows a file of lines through growth, rotation and restarts. */
export function startTail(options: TailOptions): Tail {
  const tail = new FileTail(options)
  const ended = tail.run()
  return {
    ended,
    async close() {
      tail.stop()
      await ended
    },
  }
}

class FileTail {
  private readonly options: TailOptions
  private file: OpenFile | undefined
  private closed = false
  /** Looks in a row that found no file of the name after one had been read. */
  private absent = 0
  private wake = (): void => undefined
  private warned = ''
  private keeper = new PlaceKeeper(undefined)

  constructor(options: TailOptions) {
    this.options = options
  }

  stop(): void {
    this.closed = true
    this.wake()
  }

  async run(): Promise<void> {
    const { path, follow, positions, after, progress } = this.options
    // A compressed file is read as a whole each time.
    const packed = await isPacked(path).catch(() => false)
    if (follow && !packed && positions !== undefined) this.keeper = new PlaceKeeper({ positions, after, progress })
    let known = await this.keeper.recall()
    for (;;) {
      try {
        if (known !== undefined) await this.resume(known)
        known = undefined
        if (await this.poll()) break
        this.warned = ''
      } catch (error) {
        this.tell(error)
      }
      if (this.closed) break
      this.options.onEnd?.()
      await this.pause()
      if (this.closed) break
    }
    await this.file?.close().catch(() => undefined)
    await this.keeper.write()
  }

  /** One check of the file; `true` when nothing more is to come. */
  private async poll(): Promise<boolean> {
    const { path, follow } = this.options
    if (this.file === undefined && this.keeper.place !== undefined) await this.readContinuation(this.keeper.place)
    else if (this.file === undefined) {
      if (await isPacked(path)) {
        this.keeper = new PlaceKeeper(undefined)
        await this.readPacked(path, 0)
        return true
      }
      await this.openFile(await this.firstOffset())
    }
    if ((await this.file?.wasCut()) === true) {
      await this.leave()
      return this.poll()
    }
    await this.readOn()
    if (!follow) {
      await this.takeRest()
      return true
    }
    const status = await stat(path).catch(() => undefined)
    // Renamed, and the new one does not exist yet: the writer may still write to the old one.
    if (status === undefined) this.miss()
    else this.absent = 0
    if (status === undefined || status.ino === this.file?.inode || this.closed) return false
    await this.readOn()
    await this.takeRest()
    await this.leave()
    return this.poll()
  }

  /** The file has been replaced: the next check reads the files in between, and then the new one. */
  private async leave(): Promise<void> {
    await this.file?.close()
    this.file = undefined
  }

  private async resume(place: Place): Promise<void> {
    const { path } = this.options
    if (await isSameFile(path, place)) await this.openFile(place.offset)
    else await this.readContinuation(place)
  }

  /**
   * Reads everything after the position, up to the file that has the name now, and opens that one. It is opened before
   * the others are listed, again and again until the list contains nothing new: it may be renamed, too, while they are
   * read.
   */
  private async readContinuation(place: Place): Promise<void> {
    const { path, warn } = this.options
    const done = new Set<number>()
    for (let from = place; !this.closed; from = this.keeper.place ?? from) {
      const newest = await OpenFile.open(path, 0, false)
      const { segments, lost } = await continuation(path, from)
      if (lost && from === place) {
        warn(
          `${path} is not the file that was read before, and that file was not found next to it: its content after byte ${place.offset}, if any, is missing.`,
        )
      }
      const end = segments.findIndex(({ inode }) => inode === newest.inode)
      const between = segments.slice(0, end === -1 ? undefined : end).filter(({ inode }) => !done.has(inode))
      if (between.length === 0) {
        this.file = newest
        return this.begin(newest)
      }
      await newest.close()
      for (const segment of between) {
        if (this.closed) return
        done.add(segment.inode)
        await this.readSegment(segment)
      }
    }
  }

  private async readSegment({ path, packed, from }: Segment): Promise<void> {
    if (packed) return this.readPacked(path, from)
    await this.openFile(from, path)
    await this.readOn()
    await this.takeRest()
    await this.leave()
  }

  /** For a long log that was never read before, only the end is relevant. */
  private async firstOffset(): Promise<number> {
    const { path, follow, backlogBytes = BACKLOG_BYTES } = this.options
    const { size } = await stat(path)
    return follow ? Math.max(0, size - backlogBytes) : 0
  }

  private async openFile(from: number, path = this.options.path): Promise<void> {
    this.file = await OpenFile.open(path, from, this.isWithin(from))
    await this.begin(this.file)
  }

  /** Whether a byte may be in the middle of a line. */
  private isWithin(from: number): boolean {
    const { place } = this.keeper
    return from > 0 && (from !== place?.offset || place.within === true)
  }

  private async begin(file: OpenFile): Promise<void> {
    const { inode, from } = file
    await this.keeper.begin({ inode, offset: from, beginning: await file.beginning(), within: this.isWithin(from) })
  }

  /** Reads to the present end. */
  private async readOn(): Promise<void> {
    const { file } = this
    if (file === undefined) return
    while (!this.closed) {
      const lines = await file.next()
      if (lines === undefined) return
      await this.takeOver(file, lines)
    }
  }

  /** The last line of a file that is no longer written needs no newline. */
  private async takeRest(): Promise<void> {
    const { file } = this
    if (file !== undefined && !this.closed) await this.takeOver(file, file.splitter.rest())
  }

  private async takeOver(file: OpenFile, lines: readonly string[]): Promise<void> {
    await this.begin(file)
    const { offset, inode } = file
    await this.give(file.splitter, lines)
    await this.keeper.reached({ inode, offset, beginning: await file.beginning(), lines: lines.length })
  }

  private async give(splitter: LineSplitter, lines: readonly string[]): Promise<void> {
    const { onLines, onTooLong, path } = this.options
    for (; splitter.tooLong > 0; splitter.tooLong -= 1) {
      onTooLong(`A line of ${path} is longer than ${MOST_LINE_BYTES / 1024 / 1024} MB and was left out.`)
    }
    if (lines.length > 0) await onLines(lines)
  }

  private async readPacked(path: string, from: number): Promise<void> {
    const splitter = new LineSplitter(MOST_LINE_BYTES, this.isWithin(from))
    const { ino } = await stat(path)
    let beginning = Buffer.alloc(0)
    let skip = from
    const take = async (lines: readonly string[]): Promise<void> => {
      await this.give(splitter, lines)
      await this.keeper.reached({ inode: ino, offset: from + splitter.consumed, beginning, lines: lines.length })
    }
    try {
      for await (const part of unpacked(path)) {
        if (this.closed) return
        if (beginning.length < HEAD_BYTES) beginning = Buffer.concat([beginning, part]).subarray(0, HEAD_BYTES)
        const fresh = part.subarray(Math.min(skip, part.length))
        skip -= part.length - fresh.length
        await take(splitter.push(fresh))
      }
      await take(splitter.rest())
    } catch (error) {
      await take(splitter.rest())
      this.options.warn((error instanceof ProblemError ? error : damageOf(path, error)).message)
    }
  }

  private async pause(): Promise<void> {
    await this.keeper.writeInTime()
    const { after, pollMs = POLL_MS } = this.options
    await new Promise<void>((resolve) => {
      const cancel = after(pollMs, resolve)
      this.wake = () => {
        cancel()
        resolve()
      }
    })
  }

  /** Rotation renames a file before it makes the next one: a single look may find none. */
  private miss(): void {
    const { path, warn } = this.options
    this.absent += 1
    if (this.absent === 2) warn(`${path} does not exist any more; reading goes on as soon as it does.`)
  }

  /** Reports a problem once; reading begins as soon as it is resolved. */
  private tell(error: unknown): void {
    const { path, warn } = this.options
    const isMissing = error instanceof UnreadableFile && error.reason === 'missing'
    if (isMissing && this.keeper.place !== undefined) return this.miss()
    const why =
      error instanceof UnreadableFile ? (REMEDIES[error.reason] ?? error.why) : `cannot be read: ${messageOf(error)}`
    const sentence = `${path} ${why}.`
    if (sentence !== this.warned) warn(sentence)
    this.warned = sentence
  }
}

const REMEDIES: Partial<Readonly<Record<UnreadableFile['reason'], string>>> = {
  missing: 'does not exist yet; reading starts as soon as it does',
  forbidden: 'is not readable by this user; grant read permission, or run the console as a user who has it',
}
