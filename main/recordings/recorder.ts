import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { toProblem } from '../../core/contract/errors.ts'
import type { RecordingState } from '../../core/contract/recording.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import { createSegmentWriter, instantOf, type Told } from '../../core/source/recording.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import type { UnixMs } from '../../core/units.ts'
import type { Environment } from '../ports/environment.ts'
import { createTopic, type Subscribable } from '../ports/topic.ts'
import { createChapter, type ChapterWriter, type KeptLine } from './chapter.ts'

/** Keeps what a source tells. It never fails: what it cannot keep its state tells. */
export interface Recorder {
  take(event: SourceEvent): void
  readonly state: Subscribable<RecordingState>
  /** Keeps what is left; settles once the file is closed. */
  end(): Promise<void>
}

export interface RecorderOptions {
  /** The folder of all recordings. */
  readonly folder: string
  readonly source: SourceInfo
  /** This console, as others see it. */
  readonly writer: string
  readonly environment: Environment
  /** Called whenever a chapter is begun: there may be too many now. */
  readonly onChapter?: () => void
}

/** From telling to keeping. */
const FLUSH_MS = 1_000
/** A segment is complete after so long, or with so many characters. */
const SEGMENT_MS = 60_000
const SEGMENT_CHARACTERS = 8 * 1024 * 1024
/** Chapters are removed as a whole once they are too old. */
const CHAPTER_MS = 3_600_000
/** After a failure, milliseconds. */
const RETRY_MS = 10_000
/** Single requests that are kept of one second; of frames of one server one in so many milliseconds. */
const MOST_ROWS = 1_000
const LEAST_FRAME_MS = 200

/** Starts a recording of its own. Its folder is made with the first event. */
export function startRecorder({ folder, source, writer, environment, onChapter }: RecorderOptions): Recorder {
  const startedAt = new Date(environment.now()).toISOString()
  const recording = `${startedAt.replaceAll(/[-:]|\.\d+/g, '')}-${randomUUID().slice(0, 8)}`
  const state = createTopic<RecordingState>()
  const segments = createSegmentWriter()
  const lastFrames = new Map<string, number>()
  let chapters = 0
  let chapter: { readonly writer: ChapterWriter; readonly startedMs: UnixMs; segmentMs: UnixMs } | undefined
  let closedBytes = 0
  let told: Told[] = []
  let rows = 0
  let kept = 0
  let lost = 0
  let leftOut = 0
  let pausedUntil: number | undefined
  let cancel = (): void => undefined
  let flushing = Promise.resolve()
  let ended = false

  const tell = async (more: Pick<RecordingState, 'problem' | 'keptUntil'>): Promise<void> => {
    const bytes = closedBytes + ((await chapter?.writer.bytes().catch(() => 0)) ?? 0)
    const status = more.problem === undefined ? 'recording' : 'paused'
    state.publish({ status, since: startedAt, bytes, events: kept, lost, leftOut, ...more })
  }

  const closeChapter = async (): Promise<void> => {
    const closing = chapter
    chapter = undefined
    segments.cut()
    if (closing === undefined) return
    await closing.writer.seal().catch(() => undefined)
    closedBytes += await closing.writer.bytes().catch(() => 0)
    await closing.writer.close()
  }

  const chapterAt = async (now: UnixMs): Promise<ChapterWriter> => {
    if (chapter !== undefined && Math.abs(now - chapter.startedMs) >= CHAPTER_MS) await closeChapter()
    if (chapter === undefined) {
      const path = join(folder, recording, `${String(++chapters).padStart(5, '0')}.db`)
      const opened = await createChapter(path, { recording, startedAt, source, writer })
      chapter = { writer: opened, startedMs: now, segmentMs: now }
      onChapter?.()
    }
    if (Math.abs(now - chapter.segmentMs) >= SEGMENT_MS || chapter.writer.pending >= SEGMENT_CHARACTERS) {
      await chapter.writer.seal()
      segments.cut()
      chapter.segmentMs = now
    }
    return chapter.writer
  }

  const keep = async (events: readonly Told[]): Promise<void> => {
    const now = environment.now()
    try {
      const file = await chapterAt(now)
      const lines = events.flatMap((one) =>
        segments.write(one).map((line): KeptLine => ({ ...line, at: instantOf(one) })),
      )
      await file.append(lines)
      kept += events.length
      await tell({ keptUntil: new Date(now).toISOString() })
    } catch (error) {
      // What the file had acknowledged stays in it; the next lines begin another one.
      lost += events.length
      for (const one of events) segments.pass(one)
      await closeChapter()
      pausedUntil = now + RETRY_MS
      await tell({ problem: toProblem(error) })
    }
  }

  const flush = async (): Promise<void> => {
    const events = told
    told = []
    rows = 0
    if (events.length === 0) return
    if (pausedUntil !== undefined && environment.now() < pausedUntil) {
      lost += events.length
      for (const one of events) segments.pass(one)
      return
    }
    pausedUntil = undefined
    await keep(events)
  }

  const flushAndGoOn = async (): Promise<void> => {
    await flush()
    if (!ended) schedule()
  }
  const schedule = (): void => {
    cancel = environment.after(FLUSH_MS, () => void (flushing = flushAndGoOn()))
  }
  schedule()

  /** What of an event is kept, so that a source that tells very much costs neither itself nor the disk too much. */
  const bounded = (event: SourceEvent, now: number): SourceEvent | undefined => {
    if (event.kind === 'frame') {
      // The past of a source can be had from it again.
      if (event.past === true || isSoon(lastFrames.get(event.frame.id), now)) return undefined
      lastFrames.set(event.frame.id, now)
    }
    if (event.kind !== 'requests' || !('changes' in event)) return event
    const { changes } = event
    // The last word about a request says when it came, waited and ran.
    const over = changes.requests.filter(({ state: how }) => how !== 'waiting' && how !== 'executing')
    const requests = over.slice(0, Math.max(0, MOST_ROWS - rows))
    const tooMany = over.length - requests.length + changes.dropped
    rows += requests.length
    leftOut += tooMany
    if (requests.length + tooMany === 0) return undefined
    return { kind: 'requests', changes: { ...changes, requests, dropped: tooMany } }
  }

  return {
    take(event) {
      if (ended) return
      const now = environment.now()
      const part = bounded(event, now)
      if (part !== undefined) told.push({ at: now, event: part })
    },
    state,
    async end() {
      if (ended) return
      ended = true
      cancel()
      await flushing
      await flush()
      await closeChapter()
    },
  }
}

/** The clock may have been set back in between. */
const isSoon = (before: number | undefined, now: number): boolean =>
  before !== undefined && Math.abs(now - before) < LEAST_FRAME_MS
