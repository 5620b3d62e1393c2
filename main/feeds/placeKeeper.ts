import { createHash } from 'node:crypto'
import { toProblem } from '../../core/errors.ts'
import type { Place, Places } from '../ports/places.ts'

/** Interval between two writes of the position. */
const WRITE_MS = 1_000

/** Two monotonic numbers of one kind: how much was accepted so far, and up to where it is processed. */
export interface Progress {
  taken(): number
  done(): number
}

export interface PlaceKeeperOptions {
  readonly positions: PositionStore
  /** Calls back once after `ms` unless the returned function was called. */
  readonly after: (ms: number, callback: () => void) => () => void
  /** If absent, accepted lines count as processed. */
  readonly progress?: Progress | undefined
}

export interface Reached {
  readonly inode: number
  /** Bytes up to the end of the last accepted line. */
  readonly offset: number
  /** The beginning of the file. */
  readonly beginning: Buffer
  /** How many lines were added. */
  readonly lines: number
}

/** The position where reading begins. */
export interface Begun extends Pick<Reached, 'inode' | 'offset' | 'beginning'> {
  /** In the middle of a line. */
  readonly within: boolean
}

/**
 * The position reached. It is saved at most once a second, and only up to where everything before it is processed:
 * lines that were only accepted would be lost with the process.
 */
export class PlaceKeeper {
  private readonly options: PlaceKeeperOptions | undefined
  /** The position accepted last; `undefined` before the first line. */
  place: Place | undefined
  /** Positions before which something is not processed yet, and the progress at which it will be; oldest first. */
  private waiting: { readonly place: Place; readonly mark: number }[] = []
  private done: Place | undefined
  private written: Place | undefined
  private mayWrite = true

  /** Without options nothing outlives the process. */
  constructor(options: PlaceKeeperOptions | undefined) {
    this.options = options
  }

  /** The position reached by the previous process. */
  async recall(): Promise<Place | undefined> {
    this.place = await this.options?.positions.read()
    this.written = this.place
    this.done = this.place
    return this.place
  }

  /**
   * The position before the first line, saved before anything is accepted: without it, a process that is killed early
   * would leave nothing to identify a rotated file by. Saved again once a file that was empty has a beginning.
   */
  async begin({ inode, offset, beginning, within }: Begun): Promise<void> {
    if (this.options === undefined || (this.place !== undefined && this.place.headBytes > 0)) return
    if (this.place !== undefined && beginning.length === 0) return
    const headBytes = Math.min(HEAD_BYTES, beginning.length)
    this.place = {
      inode,
      head: headOf(beginning.subarray(0, headBytes)),
      headBytes,
      offset,
      ...(within && { within }),
      lines: 0,
    }
    this.done = this.place
    this.written = this.place
    await this.options.positions.write(this.place)
  }

  async reached({ inode, offset, beginning, lines }: Reached): Promise<void> {
    // Only a part of a line arrived.
    if (lines === 0 && this.place?.inode === inode && this.place.offset === offset) return
    const headBytes = Math.min(offset, HEAD_BYTES, beginning.length)
    this.place = {
      inode,
      head: headOf(beginning.subarray(0, headBytes)),
      headBytes,
      offset,
      lines: (this.place?.lines ?? 0) + lines,
    }
    if (this.options === undefined) return
    this.waiting.push({ place: this.place, mark: this.options.progress?.taken() ?? 0 })
    await this.writeInTime()
  }

  async writeInTime(): Promise<void> {
    if (!this.mayWrite || this.options === undefined || this.advance() === this.written) return
    this.mayWrite = false
    this.options.after(WRITE_MS, () => {
      this.mayWrite = true
    })
    await this.write()
  }

  async write(): Promise<void> {
    const place = this.advance()
    if (place === undefined || place === this.written) return
    await this.options?.positions.write(place)
    this.written = place
  }

  /** The last position before which everything is processed. */
  private advance(): Place | undefined {
    const doneTo = this.options?.progress?.done() ?? 0
    const first = this.waiting.findIndex(({ mark }) => mark > doneTo)
    const passed = this.waiting.splice(0, first === -1 ? this.waiting.length : first)
    this.done = passed.at(-1)?.place ?? this.done
    return this.done
  }
}

/** Bytes at the beginning that identify a file. */
export const HEAD_BYTES = 1_024

export const headOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The position in one file. */
export interface PositionStore {
  read(): Promise<Place | undefined>
  /** Never fails: `warn` receives a sentence for a position that cannot be saved. */
  write(place: Place): Promise<void>
}

interface PositionOptions {
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
