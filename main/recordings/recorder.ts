import { randomUUID } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { toProblem } from '../../core/errors.ts'
import type { Note, RecordingState } from '../../core/contract/recording.ts'
import { QUANTILE_WINDOW_MS } from '../../core/frame/derive.ts'
import type { ServerFrame, SourceInfo } from '../../core/frame/frame.ts'
import { createSegmentWriter, instantOf, type TimedEvent } from '../../core/source/recording.ts'
import type { ServerStretch } from '../../core/source/picture.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { unixMsOf, type UnixMs } from '../../core/units.ts'
import { ownFolder } from '../files/ownFolder.ts'
import type { Environment } from '../ports/environment.ts'
import { createTopic, type Subscribable } from '../ports/topic.ts'
import {
  createChapter,
  SEGMENT_CHARACTERS,
  SEGMENT_MS,
  SPEAKERS,
  type ChapterWriter,
  type KeptLine,
} from './chapter.ts'
import { recordingId } from './library.ts'

/** Records the events of a source. It never fails: its state reports what it cannot store. */
export interface Recorder {
  /** `notes`: the notes about the event. */
  take(event: SourceEvent, notes?: readonly Note[]): void
  readonly state: Subscribable<RecordingState>
  /** Stores what is left; settles once the file is closed. */
  end(): Promise<void>
}

export interface RecorderOptions {
  /** The folder of all recordings. */
  readonly folder: string
  readonly source: SourceInfo
  /** Id of this console, for other consoles. */
  readonly writer: string
  readonly environment: Environment
  /** Called whenever a chapter is begun: old chapters may have to be removed now. */
  readonly onChapter?: () => void
  /** The stretches of the samples between two instants, for each server. */
  readonly stretches: (from: UnixMs, to: UnixMs) => readonly ServerStretch[]
}

/** From an event to its storage. */
const FLUSH_MS = 1_000
/** Chapters are removed as a whole once they are too old. */
const CHAPTER_MS = 3_600_000
/** After a failure, milliseconds. */
const RETRY_MS = 10_000
/** How much is recorded of one server's frames, and of individual requests. */
const FRAMES: Rate = { perMs: 1 / 200, burst: 30 }
const ROWS: Rate = { perMs: 1, burst: 5_000 }
/** Recorded part of a source's past: rates and quantiles of the first samples reach back this far. */
const LEAD_MS = QUANTILE_WINDOW_MS + 5_000

/** Starts a separate recording. Its folder is created with the first event. */
export function startRecorder(options: RecorderOptions): Recorder {
  const { folder, source, writer, environment, onChapter } = options
  const startedAt = new Date(environment.now()).toISOString()
  const recording = recordingId(unixMsOf(startedAt), randomUUID())
  const state = createTopic<RecordingState>()
  const segments = createSegmentWriter()
  const lastFrames = new Map<string, Allowance>()
  /** The latest past of servers that have no present event yet. */
  const leads = new Map<string, readonly ServerFrame[]>()
  let chapters = 0
  /** The time span of the samples in the present segment. */
  let sampled: { from: UnixMs; to: UnixMs } | undefined
  let chapter: { readonly writer: ChapterWriter; readonly startedMs: UnixMs; segmentMs: UnixMs } | undefined
  let closedBytes = 0
  let pending: TimedEvent[] = []
  let pendingNotes: Note[] = []
  /** The newest instant that a simulation has told: its time is its own, at other speeds and after a pause. */
  let toldAt: UnixMs | undefined
  let allowedRows: Allowance | undefined
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
    state.publish({ status, id: recording, since: startedAt, bytes, events: kept, lost, leftOut, ...more })
  }

  const seal = async (file: ChapterWriter): Promise<void> => {
    const stretches = sampled === undefined ? [] : options.stretches(sampled.from, sampled.to)
    sampled = undefined
    await file.seal(stretches)
    segments.cut()
  }

  const closeChapter = async (): Promise<void> => {
    const closing = chapter
    chapter = undefined
    segments.cut()
    if (closing === undefined) return
    await seal(closing.writer).catch(() => undefined)
    closedBytes += await closing.writer.bytes().catch(() => 0)
    await closing.writer.close(segments.restate(SPEAKERS))
  }

  const chapterAt = async (now: UnixMs): Promise<ChapterWriter> => {
    if (chapter !== undefined && Math.abs(now - chapter.startedMs) >= CHAPTER_MS) await closeChapter()
    if (chapter === undefined) {
      // The folder of recordings may be missing: the one that it is made in must be this user's, too.
      const own = ownFolder(dirname(folder), basename(folder), recording)
      const path = join(own, `${String(++chapters).padStart(5, '0')}.db`)
      const opened = await createChapter(path, { recording, startedAt, source, writer })
      chapter = { writer: opened, startedMs: now, segmentMs: now }
      onChapter?.()
    }
    if (Math.abs(now - chapter.segmentMs) >= SEGMENT_MS || chapter.writer.pending >= SEGMENT_CHARACTERS) {
      await seal(chapter.writer)
      chapter.segmentMs = now
    }
    return chapter.writer
  }

  const see = (at: UnixMs): void => {
    sampled = { from: Math.min(sampled?.from ?? at, at), to: Math.max(sampled?.to ?? at, at) }
  }

  const keep = async (events: readonly TimedEvent[], notes: readonly Note[]): Promise<void> => {
    const now = environment.now()
    try {
      const file = await chapterAt(now)
      const lines = events.flatMap((one) =>
        segments.write(one).map((line): KeptLine => ({ ...line, at: instantOf(one) })),
      )
      await file.append(lines, notes)
      for (const one of events) if (one.event.kind === 'frame') see(instantOf(one))
      kept += events.length
      await tell({ keptUntil: new Date(now).toISOString() })
    } catch (error) {
      // Lines that the file acknowledged stay in it; the next lines begin another file.
      lost += events.length
      for (const one of events) segments.pass(one)
      await closeChapter()
      pausedUntil = now + RETRY_MS
      await tell({ problem: toProblem(error) })
    }
  }

  const flush = async (): Promise<void> => {
    const [events, notes] = [pending, pendingNotes]
    pending = []
    pendingNotes = []
    if (events.length + notes.length === 0) return
    if (pausedUntil !== undefined && environment.now() < pausedUntil) {
      lost += events.length
      for (const one of events) segments.pass(one)
      return
    }
    pausedUntil = undefined
    await keep(events, notes)
  }

  const flushAndGoOn = async (): Promise<void> => {
    await flush()
    if (!ended) schedule()
  }
  const schedule = (): void => {
    cancel = environment.after(FLUSH_MS, () => void (flushing = flushAndGoOn()))
  }
  schedule()

  const lead = (frame: ServerFrame): void => {
    const at = unixMsOf(frame.at)
    const before = (leads.get(frame.id) ?? []).filter((one) => isLead(unixMsOf(one.at), at))
    leads.set(frame.id, [...before, frame])
  }
  /** The earlier events that the first present sample of a server needs. */
  const leadOf = (event: SourceEvent): readonly SourceEvent[] => {
    if (event.kind !== 'frame' || event.past === true) return []
    const { id, at } = event.frame
    const found = leads.get(id) ?? []
    leads.delete(id)
    return found
      .filter((one) => isLead(unixMsOf(one.at), unixMsOf(at)))
      .map((frame): SourceEvent => ({ kind: 'frame', frame, lead: true }))
  }

  /** The recorded part of an event, so that a source with very many events costs neither itself nor the disk too much. */
  const bounded = (event: SourceEvent, now: number): SourceEvent | undefined => {
    if (event.kind === 'frame') {
      if (event.past === true) {
        // The past of a source can be read from it again.
        if (!lastFrames.has(event.frame.id)) lead(event.frame)
        return undefined
      }
      const allowed = allowance(FRAMES, lastFrames.get(event.frame.id), now)
      if (allowed.count < 1) return undefined
      lastFrames.set(event.frame.id, { count: allowed.count - 1, at: now })
    }
    if (event.kind === 'dump' && event.past === true) return undefined
    if (event.kind !== 'requests' || !('changes' in event)) return event
    const { changes } = event
    // The final event of a request contains its arrival, wait and execution times.
    const over = changes.requests.filter(({ state: how }) => how !== 'waiting' && how !== 'executing')
    const allowed = allowance(ROWS, allowedRows, now)
    const requests = over.slice(0, allowed.count)
    const tooMany = over.length - requests.length + changes.dropped
    allowedRows = { count: allowed.count - requests.length, at: now }
    leftOut += tooMany
    if (requests.length + tooMany === 0) return undefined
    return { kind: 'requests', changes: { ...changes, requests, dropped: tooMany } }
  }

  return {
    take(event, notes = []) {
      if (ended) return
      for (const added of notes) pendingNotes.push(added)
      const now = environment.now()
      const part = bounded(event, now)
      if (part === undefined) return
      const sampleAt = instantOf({ at: toldAt ?? now, event: part })
      if (source.kind === 'simulation') toldAt = sampleAt
      for (const before of leadOf(part)) pending.push({ at: sampleAt, event: before })
      pending.push({ at: toldAt ?? now, event: part })
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

const isLead = (at: UnixMs, first: UnixMs): boolean => at < first && at >= first - LEAD_MS

/** On average so many in each millisecond; up to `burst` at once, as when a source or the disk catches up. */
interface Rate {
  readonly perMs: number
  readonly burst: number
}

/** How many may be recorded at an instant. */
interface Allowance {
  readonly count: number
  readonly at: UnixMs
}

/** The clock may have been set back in between. */
function allowance({ perMs, burst }: Rate, before: Allowance | undefined, now: UnixMs): Allowance {
  if (before === undefined) return { count: burst, at: now }
  return { count: Math.min(burst, before.count + Math.abs(now - before.at) * perMs), at: now }
}
