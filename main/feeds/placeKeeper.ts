import { createHash } from 'node:crypto'
import { toProblem } from '../../core/contract/errors.ts'
import type { Place, Places } from '../ports/places.ts'

/** Between two writings of the place. */
const WRITE_MS = 1_000

/** Numbers that never fall, of one kind: what was taken over by now, and up to where that is dealt with. */
export interface Progress {
  taken(): number
  done(): number
}

export interface PlaceKeeperOptions {
  readonly positions: PositionStore
  /** Calls back once after `ms` unless the returned function was called. */
  readonly after: (ms: number, callback: () => void) => () => void
  /** Without, what was taken over is dealt with. */
  readonly progress?: Progress | undefined
}

export interface Reached {
  readonly inode: number
  /** Bytes up to the end of the last line that was taken over. */
  readonly offset: number
  /** How the file begins. */
  readonly beginning: Buffer
  /** So many more lines. */
  readonly lines: number
}

/** Where reading begins. */
export interface Begun extends Pick<Reached, 'inode' | 'offset' | 'beginning'> {
  /** In the middle of a line. */
  readonly within: boolean
}

/**
 * The place that was reached. It is written at most once a second, and as far as what came before it is dealt with: what
 * was only taken over would be lost with the process.
 */
export class PlaceKeeper {
  private readonly options: PlaceKeeperOptions | undefined
  /** What was taken over last; `undefined` before the first line. */
  place: Place | undefined
  /** Places before which something is not dealt with yet, and when it will be; oldest first. */
  private waiting: { readonly place: Place; readonly mark: number }[] = []
  private done: Place | undefined
  private written: Place | undefined
  private mayWrite = true

  /** Nothing outlives the process without options. */
  constructor(options: PlaceKeeperOptions | undefined) {
    this.options = options
  }

  /** What was reached by the process before. */
  async recall(): Promise<Place | undefined> {
    this.place = await this.options?.positions.read()
    this.written = this.place
    this.done = this.place
    return this.place
  }

  /**
   * The place before the first line, saved before anything is taken over: without it, a process that is killed early would
   * leave nothing by which a rotated file is recognized. Saved again once a file that was empty has a beginning.
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
    // Nothing but a part of a line came.
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

  /** The last place before which everything is dealt with. */
  private advance(): Place | undefined {
    const doneTo = this.options?.progress?.done() ?? 0
    const first = this.waiting.findIndex(({ mark }) => mark > doneTo)
    const passed = this.waiting.splice(0, first === -1 ? this.waiting.length : first)
    this.done = passed.at(-1)?.place ?? this.done
    return this.done
  }
}

/** Most bytes of the beginning that tell a file from others. */
export const HEAD_BYTES = 1_024

export const headOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The place in one file. */
export interface PositionStore {
  read(): Promise<Place | undefined>
  /** Never fails: `warn` gets a sentence for a place that cannot be written. */
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
