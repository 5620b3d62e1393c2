import { createHash } from 'node:crypto'
import { z } from 'zod'
import { toProblem } from '../../core/contract/errors.ts'

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

/** Most bytes of the beginning that tell a file from others. */
export const HEAD_BYTES = 1_024

export const headOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Where places outlive the process, by the path of the file. Both reject with `ProblemError`. */
export interface Places {
  read(path: string): Promise<Place | undefined>
  /** The place is on the disk once this resolves. */
  write(path: string, place: Place): Promise<void>
}

/** The place in one file. */
export interface PositionStore {
  read(): Promise<Place | undefined>
  /** Never fails: `warn` gets a sentence for a place that cannot be written. */
  write(place: Place): Promise<void>
}

export interface PositionOptions {
  readonly places: Places
  /** The file that is read. */
  readonly path: string
  readonly warn: (sentence: string) => void
}

export function createPositionStore({ places, path, warn }: PositionOptions): PositionStore {
  let failing = false
  return {
    async read() {
      try {
        return await places.read(path)
      } catch (error) {
        warn(`Cannot read the position in ${path}, so the file is read from the start. ${toProblem(error).message}`)
        return undefined
      }
    },
    async write(place) {
      try {
        await places.write(path, place)
        failing = false
      } catch (error) {
        if (!failing) {
          warn(
            `Cannot save the position in ${path}: after a restart, reading resumes at the last saved one. ${toProblem(error).message}`,
          )
        }
        failing = true
      }
    },
  }
}
