import { z } from 'zod'

/** How far a file was read, and what tells it from others of its name. */
export const PlaceSchema = z.object({
  /** As of `stat`; not enough by itself, for inodes are used again. */
  inode: z.number(),
  /** Of the first `headBytes` bytes, SHA-256 in hex. */
  head: z.string(),
  headBytes: z.number().int().min(0),
  /** Bytes up to the end of the last line that was taken over. */
  offset: z.number().int().min(0),
  /** The offset may be in the middle of a line, which is to be left out: only the end of a long file is read. */
  within: z.literal(true).exactOptional(),
  /** Lines that were taken over since the file was first read, whatever it was renamed to since. */
  lines: z.number().int().min(0),
})
export type Place = z.infer<typeof PlaceSchema>

/** Where places outlive the process, by the path of the file. Both reject with `ProblemError`. */
export interface Places {
  read(path: string): Promise<Place | undefined>
  /** The place is on the disk once this resolves. */
  write(path: string, place: Place): Promise<void>
}
