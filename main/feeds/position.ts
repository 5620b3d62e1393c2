import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'

/** How far a file was read, and what tells it from others of its name. */
const PlaceSchema = z.object({
  /** As of `stat`; not enough by itself, for inodes are used again. */
  inode: z.number(),
  /** Of the first `headBytes` bytes, SHA-256 in hex. */
  head: z.string(),
  headBytes: z.number().int().min(0),
  /** Bytes up to the end of the last line that was taken over. */
  offset: z.number().int().min(0),
  /** Lines that were taken over since the file was first read, whatever it was renamed to since. */
  lines: z.number().int().min(0),
})
export type Place = z.infer<typeof PlaceSchema>

/** Most bytes of the beginning that tell a file from others. */
export const HEAD_BYTES = 1_024

export const headOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Where the place in a file outlives the process. */
export interface PositionStore {
  read(): Promise<Place | undefined>
  /** Never fails: a place that cannot be written is told in a sentence. */
  write(place: Place): Promise<void>
}

export interface PositionOptions {
  readonly folder: string
  /** The file that is read. */
  readonly path: string
  readonly warn: (sentence: string) => void
  /** Replaces a file as a whole; another one in tests. */
  readonly replace?: (path: string, text: string) => Promise<void>
}

async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const beside = `${path}.new`
  await writeFile(beside, text, { mode: 0o600 })
  await rename(beside, path)
}

/** One small file for each file that is followed, replaced by renaming: a crash leaves the old place or the new one. */
export function createPositionStore({ folder, path, warn, replace = replaceFile }: PositionOptions): PositionStore {
  const file = join(folder, `${headOf(Buffer.from(resolve(path))).slice(0, 24)}.json`)
  let failing = false
  return {
    async read() {
      const text = await readFile(file, 'utf8').catch(() => undefined)
      if (text === undefined) return undefined
      const parsed = PlaceSchema.safeParse(parse(text))
      if (parsed.success) return parsed.data
      warn(`The position in ${path} cannot be understood (${file}); the file is read as if for the first time.`)
      return undefined
    },
    async write(place) {
      try {
        await replace(file, `${JSON.stringify(place)}\n`)
        failing = false
      } catch (error) {
        if (!failing) {
          warn(
            `The position in ${path} cannot be written to ${file} (${error instanceof Error ? error.message : String(error)}). ` +
              'Reading goes on; after a restart it begins where the position was last written. Make room or give the folder to this user.',
          )
        }
        failing = true
      }
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
