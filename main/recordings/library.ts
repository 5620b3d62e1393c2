import { readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ProblemError, toProblem, type Problem } from '../../core/errors.ts'
import type { RecordingEntry } from '../../core/contract/recording.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import { byCodeUnits } from '../../core/text/text.ts'
import { namesIn } from '../files/files.ts'
import { heldAt, instantOf, type EventKind, type SegmentEvents, type TimedEvent } from '../../core/source/recording.ts'
import { rfc3339, type UnixMs } from '../../core/units.ts'
import { hasBegun, openChapter, type About } from './chapter.ts'

/** Folder of all recordings, in the state folder. */
export const RECORDINGS = 'recordings'

/** A recording with the paths of its chapters, in chronological order. */
export interface ListedRecording extends RecordingEntry {
  readonly chapters: readonly string[]
}

/** Name of a recording that began at an instant; `suffix` distinguishes it from others of the same second. */
export const recordingId = (startedAt: UnixMs, suffix: string): string =>
  `${rfc3339(startedAt).replaceAll(/[-:]|\.\d+/g, '')}-${suffix.slice(0, 8)}`

/** Whether the console with this id runs. */
export type Runs = (writer: string) => boolean

/** All recordings in the folder, the latest first. */
export function listRecordings(folder: string, runs: Runs): readonly ListedRecording[] {
  return (
    [...Map.groupBy(chaptersIn(folder), ({ recording }) => recording)]
      .map(([id, chapters]) => entryOf(id, chapters, runs))
      // An id starts with the instant at which the recording began.
      .toSorted((a, b) => byCodeUnits(b.id, a.id))
  )
}

function entryOf(id: string, chapters: readonly ChapterFile[], runs: Runs): ListedRecording {
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
    running: about !== undefined && goesOn(about, runs),
    chapters: chapters.map(({ path }) => path),
    problems,
  }
}

const goesOn = ({ writer }: About, runs: Runs): boolean => writer !== '' && runs(writer)

/** Unix milliseconds, both included. */
export interface RecordingRange {
  readonly from: UnixMs
  readonly to: UnixMs
}

/** The part of a recording within a range. Throws `not-found` if it is empty. */
export function partOf(
  { id, source, first, last }: Pick<ListedRecording, 'id' | 'source' | 'first' | 'last'>,
  range: RecordingRange,
): RecordingRange & { readonly source: SourceInfo } {
  if (source === undefined || first === undefined || last === undefined || first > range.to || last < range.from) {
    throw new ProblemError('not-found', `The recording ${id} has no data for this period.`)
  }
  return { source, from: Math.max(first, range.from), to: Math.min(last, range.to) }
}

export interface RecordedEvent {
  readonly timed: TimedEvent
  /** It was emitted before the range began and was still in effect then. */
  readonly held: boolean
}

/**
 * The events of a recording in a range, in the order of recording; first those in effect when the range began. Only the
 * wanted kinds, if given. Problems with unreadable parts are added to `problems`.
 */
export function* readRecording(
  { chapters }: Pick<ListedRecording, 'chapters'>,
  range: RecordingRange,
  problems: Problem[],
  wanted?: ReadonlySet<EventKind>,
): Generator<RecordedEvent, void> {
  const { from, to } = range
  let begun = false
  for (const path of chapters) {
    for (const { before, events } of segmentsIn(path, range, problems, wanted)) {
      if (!begun) for (const timed of heldAt([...before, ...events], from)) yield { timed, held: true }
      begun = true
      for (const timed of events) {
        const at = instantOf(timed)
        if (at >= from && at <= to) yield { timed, held: false }
      }
    }
  }
}

function* segmentsIn(
  path: string,
  { from, to }: RecordingRange,
  problems: Problem[],
  wanted: ReadonlySet<EventKind> | undefined,
): Generator<SegmentEvents, void> {
  const chapter = attempt(problems, () => openChapter(path))
  if (chapter === undefined) return
  try {
    if (chapter.problem !== undefined) problems.push(partly(path, chapter.problem))
    for (const place of chapter.segments.filter(({ first, last }) => first <= to && last >= from)) {
      const segment = attempt(problems, () => chapter.read(place, wanted))
      if (segment !== undefined) yield segment
    }
  } finally {
    chapter.close()
  }
}

/** An error becomes a problem, and the caller continues. */
export function attempt<T>(problems: Problem[], work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    problems.push(toProblem(error))
    return undefined
  }
}

export const partly = (path: string, details: string): Problem => ({
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
 * Removes chapters that are older than `ageMs`, and the oldest while they exceed `bytes`; never the one that is being
 * written. Any console may do so at any time. Chapters that cannot be removed remain. What a console that was killed
 * had only begun to make goes as well.
 */
export function removeOld(folder: string, { ageMs, bytes }: Retention, now: UnixMs, runs: Runs): void {
  for (const file of filesIn(folder)) {
    if (now - file.writtenMs > UNBEGUN_MS && !isBegun(file)) removeChapter(folder, file)
  }
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
    return goesOn(chapter.about, runs)
  } catch {
    return false
  }
}

export function removeChapter(folder: string, { path, recording }: ChapterFile): boolean {
  try {
    for (const file of [path, ...BESIDE.map((end) => path + end)]) rmSync(file, { force: true })
    if (readdirSync(join(folder, recording)).length === 0) rmdirSync(join(folder, recording))
    return true
  } catch {
    return false
  }
}

/** A file with a part of a recording. */
export interface ChapterFile {
  readonly recording: string
  readonly path: string
  /** Including SQLite's companion files. */
  readonly bytes: number
  /** Without them. */
  readonly databaseBytes: number
  readonly writtenMs: UnixMs
}

const CHAPTER = /^\d{5}\.db$/
const BESIDE = ['-wal', '-shm']

/** Tables are in the log beside it until the first checkpoint: only databases without any are opened to look. */
const PAGE_BYTES = 4_096
/** Making a chapter takes milliseconds. */
const UNBEGUN_MS = 60_000

const isBegun = ({ path, databaseBytes }: ChapterFile): boolean => databaseBytes > PAGE_BYTES || hasBegun(path)

/** By recording, and in each by number; another console may remove some in the meantime. */
export const chaptersIn = (folder: string): ChapterFile[] => filesIn(folder).filter(isBegun)

function filesIn(folder: string): ChapterFile[] {
  return namesIn(folder).flatMap((recording) =>
    namesIn(join(folder, recording))
      .filter((name) => CHAPTER.test(name))
      .flatMap((name) => {
        const path = join(folder, recording, name)
        const found = statSync(path, { throwIfNoEntry: false })
        const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
        if (found === undefined) return []
        // An empty log was created by a reader.
        const logged = log?.size ?? 0
        const writtenMs = logged > 0 ? Math.max(found.mtimeMs, log?.mtimeMs ?? 0) : found.mtimeMs
        return [{ recording, path, bytes: found.size + logged, databaseBytes: found.size, writtenMs }]
      }),
  )
}
