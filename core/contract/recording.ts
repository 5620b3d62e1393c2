import { z } from 'zod'
import { MOST_PAST_REQUESTS, STRIDES, UPLOAD_PART_BYTES } from './bounds.ts'
import { DerivedServerSchema } from '../frame/derived.ts'
import { FrameSchema, SourceInfoSchema } from '../frame/frame.ts'
import { EtcdStateSchema } from './etcd.ts'
import { ProblemSchema } from './problem.ts'
import { LiveRequestSchema, LiveStateSchema } from './live.ts'
import { ObjectsStateSchema } from './objects.ts'
import { ServerHealthSchema } from './source.ts'

/** What is known of flow-control objects, as a source tells it. */
export const RecordedObjectsSchema = ObjectsStateSchema.pick({
  state: true,
  version: true,
  asOf: true,
  problem: true,
  objects: true,
})

/** How one recording does. */
export const RecordingStateSchema = z.object({
  /** `paused`: it cannot write, and `problem` says why. */
  status: z.enum(['recording', 'paused', 'off']),
  /** Name of this recording. */
  id: z.string().exactOptional(),
  /** ISO 8601: when this recording began. */
  since: z.string().exactOptional(),
  /** ISO 8601: what was told until then is kept, whatever happens to the console. */
  keptUntil: z.string().exactOptional(),
  /** Bytes of this recording. */
  bytes: z.number().exactOptional(),
  /** Events that were kept, and those that were told while it could not write. */
  events: z.number().exactOptional(),
  lost: z.number().exactOptional(),
  /** Single requests that it left out, because there were more than it keeps of one second. */
  leftOut: z.number().exactOptional(),
  problem: ProblemSchema.exactOptional(),
})
export type RecordingState = z.infer<typeof RecordingStateSchema>

/** How the flight recorder does with one source. */
export const RecorderStateSchema = RecordingStateSchema.extend({
  /** Whether the source can be recorded at all: a file or a demo is a recording itself. */
  possible: z.boolean(),
  /** Where recordings are kept. */
  folder: z.string(),
})
export type RecorderState = z.infer<typeof RecorderStateSchema>

/** What recordings tell of, Unix milliseconds; absent while they tell of nothing. */
export const ExtentSchema = z.object({
  first: z.number().exactOptional(),
  last: z.number().exactOptional(),
  /** Times of more than a minute in which nothing was recorded, in their order. */
  gaps: z.array(z.object({ from: z.number(), to: z.number() })),
  /** Why parts of it cannot be read. */
  problems: z.array(ProblemSchema),
})
export type Extent = z.infer<typeof ExtentSchema>

/** What was known at an instant. */
export const MomentSchema = z.object({
  /** The instant that was asked for, Unix milliseconds. */
  at: z.number(),
  /** The last sample of each server up to that instant; absent where none is recorded before it. */
  frame: FrameSchema.exactOptional(),
  derived: z.array(DerivedServerSchema),
  health: z.array(ServerHealthSchema),
  objects: RecordedObjectsSchema.exactOptional(),
  /** The last word of the proxy in front of an etcd up to that instant; absent where none is recorded before it. */
  etcd: EtcdStateSchema.exactOptional(),
  /** Unix milliseconds of the nearest samples, where the instant lies in a time without any. */
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
  /** The last event of the step in words; absent of a step back, and where nothing happened. */
  event: z.string().exactOptional(),
})
export type RunStepped = z.infer<typeof RunSteppedSchema>

/** Something that happened to a server or its objects, which no history of numbers tells. */
export const NotedSchema = z.object({
  /** Unix milliseconds. */
  at: z.number(),
  /**
   * `reconfigured`: limits that only a configuration sets are others; noted where the objects are not known. `rejecting`:
   * a level rejects after a minute without. `alert`: one of the rules R1 to R12 fires; `resolved`: it no longer does.
   */
  kind: z.enum(['object', 'reconfigured', 'version', 'restarted', 'rejecting', 'alert', 'resolved']),
  text: z.string(),
  level: z.string().exactOptional(),
  /** Absent where it concerns all servers. */
  server: z.string().exactOptional(),
})
export type Noted = z.infer<typeof NotedSchema>

/** As many are kept, the newest. */
export const MOST_NOTED = 500
export const MOST_NOTED_PAST = 1_000

/** What is noted of a connected source, oldest first. */
export const NotedStateSchema = z.object({
  /** Since it was connected. */
  noted: z.array(NotedSchema).max(MOST_NOTED).readonly(),
  /** Of the time before, where the source reads that. */
  past: z.array(NotedSchema).max(MOST_NOTED_PAST).readonly(),
})
export type NotedState = z.infer<typeof NotedStateSchema>

/** Single requests before an instant, as they ended: one that had arrived and was not over is among them. */
export const PastRequestsSchema = z.object({
  /** In the order of their arrival, numbered from 0. */
  requests: z.array(LiveRequestSchema).max(MOST_PAST_REQUESTS),
  /** Nothing earlier is recorded. */
  complete: z.boolean(),
  /** How the source did; absent where it never said. */
  state: LiveStateSchema.exactOptional(),
})
export type PastRequests = z.infer<typeof PastRequestsSchema>

/** A recording, as far as it is known without reading what it tells. */
export const RecordingEntrySchema = z.object({
  id: z.string(),
  /** What it is of; absent where damage hides it. */
  source: SourceInfoSchema.exactOptional(),
  /** Of the instants that it tells of; absent while it tells of none. */
  first: z.number().exactOptional(),
  last: z.number().exactOptional(),
  bytes: z.number(),
  /** A console still writes it. */
  running: z.boolean(),
  /** Why some of it cannot be read. */
  problems: z.array(ProblemSchema),
})
export type RecordingEntry = z.infer<typeof RecordingEntrySchema>

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
