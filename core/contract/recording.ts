import { z } from 'zod'
import { ProblemSchema } from './errors.ts'

/** How one recording does. */
export const RecordingStateSchema = z.object({
  /** `paused`: it cannot write, and `problem` says why. */
  status: z.enum(['recording', 'paused', 'off']),
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
