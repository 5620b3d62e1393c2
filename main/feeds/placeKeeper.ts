import { HEAD_BYTES, type Place, type PositionStore, headOf } from './position.ts'

/** Between two writings of the place. */
const WRITE_MS = 1_000

export interface PlaceKeeperOptions {
  readonly positions: PositionStore
  /** Calls back once after `ms` unless the returned function was called. */
  readonly after: (ms: number, callback: () => void) => () => void
}

/** The place that was reached, written at most once a second. */
export class PlaceKeeper {
  private readonly options: PlaceKeeperOptions | undefined
  /** What was taken over last; `undefined` before the first line. */
  place: Place | undefined
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
    return this.place
  }

  /** So many more lines were taken over, up to here; `head` is how the file begins. */
  async reached(inode: number, offset: number, head: Buffer, lines: number): Promise<void> {
    const headBytes = Math.min(offset, HEAD_BYTES, head.length)
    this.place = {
      inode,
      head: headOf(head.subarray(0, headBytes)),
      headBytes,
      offset,
      lines: (this.place?.lines ?? 0) + lines,
    }
    await this.writeInTime()
  }

  async writeInTime(): Promise<void> {
    if (!this.mayWrite || this.options === undefined || this.place === this.written) return
    this.mayWrite = false
    this.options.after(WRITE_MS, () => {
      this.mayWrite = true
    })
    await this.write()
  }

  async write(): Promise<void> {
    const { place } = this
    if (place === undefined || place === this.written) return
    await this.options?.positions.write(place)
    this.written = place
  }
}
