import { readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { toProblem, type Problem } from '../../core/contract/errors.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import { byCodeUnits } from '../../core/text/text.ts'
import { heldAt, instantOf, type Told } from '../../core/source/recording.ts'
import type { UnixMs } from '../../core/units.ts'
import { openChapter, type About } from './chapter.ts'

/** What is known of a recording without reading what it tells. */
export interface RecordingEntry {
  readonly id: string
  /** What it is of; absent where damage hides it. */
  readonly source?: SourceInfo
  /** Of the instants that it tells of; absent while it tells of none. */
  readonly first?: UnixMs
  readonly last?: UnixMs
  readonly bytes: number
  /** A console still writes it. */
  readonly running: boolean
  /** Paths of its chapters, in their order. */
  readonly chapters: readonly string[]
  /** Why some of it cannot be read. */
  readonly problems: readonly Problem[]
}

/** Whether the console with this id runs. */
export type Runs = (writer: string) => boolean

/** All recordings in the folder, the latest first. */
export function listRecordings(folder: string, runs: Runs): readonly RecordingEntry[] {
  return (
    [...Map.groupBy(chaptersIn(folder), ({ recording }) => recording)]
      .map(([id, chapters]) => entryOf(id, chapters, runs))
      // An id begins with the instant at which the recording began.
      .toSorted((a, b) => byCodeUnits(b.id, a.id))
  )
}

function entryOf(id: string, chapters: readonly ChapterFile[], runs: Runs): RecordingEntry {
  let about: About | undefined
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const problems: Problem[] = []
  for (const { path } of chapters) {
    attempt(problems, () => {
      const chapter = openChapter(path)
      about = chapter.about
      for (const segment of chapter.segments) {
        first = Math.min(first, segment.first)
        last = Math.max(last, segment.last)
      }
      if (chapter.problem !== undefined) problems.push(partly(path, chapter.problem))
      chapter.close()
    })
  }
  return {
    id,
    ...(about !== undefined && { source: about.source }),
    ...(first <= last && { first, last }),
    bytes: chapters.reduce((sum, { bytes }) => sum + bytes, 0),
    running: about !== undefined && runs(about.writer),
    chapters: chapters.map(({ path }) => path),
    problems,
  }
}

/** Unix milliseconds, both included. */
export interface RecordingRange {
  readonly from: UnixMs
  readonly to: UnixMs
}

export interface RecordingListener {
  /** What held when the range began, each with the time at which it was told. */
  readonly held: (told: Told) => void
  readonly event: (told: Told) => void
}

/** Tells what a recording told of a range, in the order of telling. Returns why parts of it could not be read. */
export function readRecording(
  { chapters }: Pick<RecordingEntry, 'chapters'>,
  { from, to }: RecordingRange,
  listener: RecordingListener,
): readonly Problem[] {
  const problems: Problem[] = []
  let begun = false
  for (const path of chapters) {
    attempt(problems, () => {
      const chapter = openChapter(path)
      if (chapter.problem !== undefined) problems.push(partly(path, chapter.problem))
      for (const place of chapter.segments.filter(({ first, last }) => first <= to && last >= from)) {
        attempt(problems, () => {
          const { before, events } = chapter.read(place)
          if (!begun) for (const told of heldAt([...before, ...events], from)) listener.held(told)
          begun = true
          for (const told of events) {
            const at = instantOf(told)
            if (at >= from && at <= to) listener.event(told)
          }
        })
      }
      chapter.close()
    })
  }
  return problems
}

/** What fails becomes a problem, and the rest goes on. */
function attempt(problems: Problem[], work: () => void): void {
  try {
    work()
  } catch (error) {
    problems.push(toProblem(error))
  }
}

const partly = (path: string, details: string): Problem => ({
  code: 'bad-answer',
  message: `A part of ${path} cannot be read.`,
  details,
})

/** How much of the past is kept. */
export interface Retention {
  readonly ageMs: number
  readonly bytes: number
}

/**
 * Removes the chapters that are older than that, and the oldest while there are too many bytes; never the one that is
 * being written. Any console may do so at any time. What cannot be removed stays.
 */
export function removeOld(folder: string, { ageMs, bytes }: Retention, now: UnixMs, runs: Runs): void {
  const all = chaptersIn(folder)
  const newest = new Set([...Map.groupBy(all, ({ recording }) => recording).values()].map((own) => own.at(-1)))
  let total = all.reduce((sum, chapter) => sum + chapter.bytes, 0)
  for (const chapter of all.toSorted((a, b) => a.writtenMs - b.writtenMs)) {
    const old = now - chapter.writtenMs > ageMs
    if (!old && total <= bytes) return
    if (newest.has(chapter) && isWritten(chapter, runs)) continue
    if (removeChapter(folder, chapter)) total -= chapter.bytes
  }
}

function isWritten({ path }: ChapterFile, runs: Runs): boolean {
  try {
    const chapter = openChapter(path)
    chapter.close()
    return runs(chapter.about.writer)
  } catch {
    return false
  }
}

function removeChapter(folder: string, { path, recording }: ChapterFile): boolean {
  try {
    for (const file of [path, ...BESIDE.map((end) => path + end)]) rmSync(file, { force: true })
    if (readdirSync(join(folder, recording)).length === 0) rmdirSync(join(folder, recording))
    return true
  } catch {
    return false
  }
}

interface ChapterFile {
  readonly recording: string
  readonly path: string
  /** With what SQLite keeps beside it. */
  readonly bytes: number
  readonly writtenMs: UnixMs
}

const CHAPTER = /^\d{5}\.db$/
const BESIDE = ['-wal', '-shm']

/** By recording, and in each by number; another console may remove some meanwhile. */
function chaptersIn(folder: string): ChapterFile[] {
  return namesIn(folder).flatMap((recording) =>
    namesIn(join(folder, recording))
      .filter((name) => CHAPTER.test(name))
      .flatMap((name) => {
        const path = join(folder, recording, name)
        const found = statSync(path, { throwIfNoEntry: false })
        const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
        if (found === undefined) return []
        // An empty log was made by a reader.
        const logged = log?.size ?? 0
        const writtenMs = logged > 0 ? Math.max(found.mtimeMs, log?.mtimeMs ?? 0) : found.mtimeMs
        return [{ recording, path, bytes: found.size + logged, writtenMs }]
      }),
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted(byCodeUnits)
  } catch {
    return []
  }
}
