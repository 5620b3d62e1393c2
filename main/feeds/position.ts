import { createHash } from 'node:crypto'
import { toProblem } from '../../core/contract/errors.ts'
import type { Place, Places } from '../ports/places.ts'

/** Most bytes of the beginning that tell a file from others. */
export const HEAD_BYTES = 1_024

export const headOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

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
