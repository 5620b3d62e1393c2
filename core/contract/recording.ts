import { z } from 'zod'
import { MOST_PAST_REQUESTS, STRIDES, UPLOAD_PART_BYTES } from '../bounds.ts'
import { DerivedServerSchema } from '../frame/derived.ts'
import { FrameSchema, SourceInfoSchema } from '../frame/frame.ts'
import { EtcdStateSchema } from './etcd.ts'
import { ProblemSchema } from '../problem.ts'
import { LiveRequestSchema, LiveStateSchema } from './live.ts'
import { ObjectsStateSchema } from './objects.ts'
import { ServerHealthSchema } from './source.ts'

/** The flow-control objects as reported by a source. */
export const RecordedObjectsSchema = ObjectsStateSchema.pick({
  state: true,
  version: true,
  asOf: true,
  problem: true,
  objects: true,
})

export const RecordingStateSchema = z.object({
  /** `paused`: it cannot write, and `problem` contains the reason. */
  status: z.enum(['recording', 'paused', 'off']),
  /** Name of this recording. */
  id: z.string().exactOptional(),
  /** ISO 8601: when this recording began. */
  since: z.string().exactOptional(),
  /** ISO 8601: events up to then are stored, even if the console ends. */
  keptUntil: z.string().exactOptional(),
  /** Bytes of this recording. */
  bytes: z.number().exactOptional(),
  /** Events that were stored, and those that were lost while it could not write. */
  events: z.number().exactOptional(),
  lost: z.number().exactOptional(),
  /** Single requests that it left out, because one second contained more than it stores. */
  leftOut: z.number().exactOptional(),
  problem: ProblemSchema.exactOptional(),
})
export type RecordingState = z.infer<typeof RecordingStateSchema>

/** The state of the flight recorder for one source. */
export const RecorderStateSchema = RecordingStateSchema.extend({
  /** Whether the source can be recorded at all: a file or a demo is a recording itself. */
  possible: z.boolean(),
  /** Where recordings are stored. */
  folder: z.string(),
})
export type RecorderState = z.infer<typeof RecorderStateSchema>

/** From the first sample of the recordings to the last one, Unix milliseconds; absent while they are empty. */
export const ExtentSchema = z.object({
  first: z.number().exactOptional(),
  last: z.number().exactOptional(),
  /** Gaps of more than a minute in which nothing was recorded, in their order. */
  gaps: z.array(z.object({ from: z.number(), to: z.number() })),
  /** Why parts of it cannot be read. */
  problems: z.array(ProblemSchema),
})
export type Extent = z.infer<typeof ExtentSchema>

/** The state at an instant. */
export const MomentSchema = z.object({
  /** The requested instant, Unix milliseconds. */
  at: z.number(),
  /** The last sample of each server up to that instant; absent if none is recorded before it. */
  frame: FrameSchema.exactOptional(),
  derived: z.array(DerivedServerSchema),
  health: z.array(ServerHealthSchema),
  objects: RecordedObjectsSchema.exactOptional(),
  /** The last report of the proxy in front of an etcd up to that instant; absent if none is recorded before it. */
  etcd: EtcdStateSchema.exactOptional(),
  /** Unix milliseconds of the nearest samples, if the instant lies in a gap. */
  gap: z.object({ before: z.number().exactOptional(), after: z.number().exactOptional() }).exactOptional(),
})
export type Moment = z.infer<typeof MomentSchema>

/** A step of a run from an instant, forwards or back. */
export const RunStepSchema = z.object({
  /** Unix milliseconds: where the step begins. */
  at: z.number(),
  stride: z.enum(STRIDES),
  back: z.boolean(),
})
export type RunStep = z.infer<typeof RunStepSchema>

/** Where a step of a run ended. */
export const RunSteppedSchema = z.object({
  moment: MomentSchema,
  /** Events since the start of the run. */
  events: z.number().int(),
  /** The last event of the step in words; absent for a step back, and if nothing happened. */
  event: z.string().exactOptional(),
})
export type RunStepped = z.infer<typeof RunSteppedSchema>

/** An event of a server or its objects, which no history of numbers contains. */
export const NoteSchema = z.object({
  /** Unix milliseconds. */
  at: z.number(),
  /**
   * `reconfigured`: limits that only a configuration sets have changed; noted if the objects are unknown. `rejecting`:
   * a level rejects after a minute without. `alert`: one of the rules R1 to R12 fires; `resolved`: it no longer does.
   */
  kind: z.enum(['object', 'reconfigured', 'version', 'restarted', 'rejecting', 'alert', 'resolved']),
  text: z.string(),
  level: z.string().exactOptional(),
  /** Absent if it concerns all servers. */
  server: z.string().exactOptional(),
})
export type Note = z.infer<typeof NoteSchema>

/** This many are stored, the newest. */
export const MOST_NOTES = 500
export const MOST_PAST_NOTES = 1_000

/** Notes about a connected source, oldest first. */
export const NotesStateSchema = z.object({
  /** Since it was connected. */
  notes: z.array(NoteSchema).max(MOST_NOTES).readonly(),
  /** For the time before that, if the source reads it. */
  past: z.array(NoteSchema).max(MOST_PAST_NOTES).readonly(),
})
export type NotesState = z.infer<typeof NotesStateSchema>

/**
 * Single requests before an instant, in their final state: one that had arrived and had not ended by then is included.
 */
export const PastRequestsSchema = z.object({
  /** In the order of their arrival, numbered from 0. */
  requests: z.array(LiveRequestSchema).max(MOST_PAST_REQUESTS),
  /** Nothing earlier is recorded. */
  complete: z.boolean(),
  /** The state of the source; absent if it never reported it. */
  state: LiveStateSchema.exactOptional(),
})
export type PastRequests = z.infer<typeof PastRequestsSchema>

/** A recording, with the data available without reading its contents. */
export const RecordingEntrySchema = z.object({
  id: z.string(),
  /** The recorded source; absent if damage makes it unreadable. */
  source: SourceInfoSchema.exactOptional(),
  /** Of its time span; absent while it is empty. */
  first: z.number().exactOptional(),
  last: z.number().exactOptional(),
  bytes: z.number(),
  /** A console is still writing it. */
  running: z.boolean(),
  /** Why some of it cannot be read. */
  problems: z.array(ProblemSchema),
})
export type RecordingEntry = z.infer<typeof RecordingEntrySchema>

/** What happened in a recording, in a few bars. Unix milliseconds. */
export const RecordingStripSchema = z.object({
  /** Queued: the most requests that waited at once; rejected: a count. Without those in which nothing happened. */
  bars: z.array(z.object({ from: z.number(), to: z.number(), queued: z.number(), rejected: z.number() })),
  /** The part of its time that has samples, 0 to 1. */
  coverage: z.number(),
  /** Where most requests were rejected, or waited if none was; absent if neither happened. */
  incident: z.number().exactOptional(),
  /** When its latest alert fired; absent without one. */
  lastAlert: z.number().exactOptional(),
})
export type RecordingStrip = z.infer<typeof RecordingStripSchema>

/** A part of a recording, its ends included. */
export const RecordingPartSchema = z.object({
  id: z.string(),
  /** Unix milliseconds; absent: where the recording begins or ends. */
  from: z.number().exactOptional(),
  to: z.number().exactOptional(),
  /** Replaces names. */
  anonymise: z.boolean().default(false),
})
export type RecordingPart = z.infer<typeof RecordingPartSchema>

/** A file in base64. */
export const SharedFileSchema = z.object({ name: z.string().min(1).max(255), base64: z.string() })
export type SharedFile = z.infer<typeof SharedFileSchema>

/** A file that a page is about to send in parts. */
export const UploadBeginSchema = z.object({ name: z.string().min(1).max(255), bytes: z.number().int().min(0) })
export type UploadBegin = z.infer<typeof UploadBeginSchema>

/** The bytes of such a file from `at` on, in base64; at most `UPLOAD_PART_BYTES`. */
export const UploadPartSchema = z.object({
  upload: z.string().max(100),
  at: z.number().int().min(0),
  base64: z.string().max(4 * Math.ceil(UPLOAD_PART_BYTES / 3)),
})
export type UploadPart = z.infer<typeof UploadPartSchema>
