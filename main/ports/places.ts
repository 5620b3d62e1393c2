import { z } from 'zod'

/** How far a file was read, and what distinguishes it from other files of its name. */
export const PlaceSchema = z.object({
  /** From `stat`; not sufficient by itself, because inodes are reused. */
  inode: z.number(),
  /** Of the first `headBytes` bytes, SHA-256 in hex. */
  head: z.string(),
  headBytes: z.number().int().min(0),
  /** Bytes up to the end of the last line that was processed. */
  offset: z.number().int().min(0),
  /** The offset may be in the middle of a line, which is skipped: only the end of a long file is read. */
  within: z.literal(true).exactOptional(),
  /** Lines that were processed since the file was first read, including those before it was renamed. */
  lines: z.number().int().min(0),
})
export type Place = z.infer<typeof PlaceSchema>

/** Stores places beyond the end of the process, by the path of the file. Both methods reject with `ProblemError`. */
export interface Places {
  read(path: string): Promise<Place | undefined>
  /** The place is on the disk once this resolves. */
  write(path: string, place: Place): Promise<void>
}
