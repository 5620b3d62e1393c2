const NEWLINE = 10

/** Cuts bytes into lines. What follows the last newline is kept until its end comes. */
export class LineSplitter {
  private readonly mostBytes: number
  private pending: Buffer[] = []
  private pendingBytes = 0
  /** Inside a line that is too long, of which nothing is kept. */
  private skipping: boolean
  /** Bytes of the lines that were given out, with their newlines. */
  consumed = 0
  /** Lines that were longer than `mostBytes`. */
  tooLong = 0

  /** `skipFirst`: the bytes begin within a line, which is left out. */
  constructor(mostBytes: number, skipFirst = false) {
    this.mostBytes = mostBytes
    this.skipping = skipFirst
  }

  /** The lines that these bytes complete. The bytes may be used again afterwards. */
  push(chunk: Buffer): readonly string[] {
    const last = chunk.lastIndexOf(NEWLINE)
    if (last === -1) {
      this.keep(chunk)
      return []
    }
    const block = Buffer.concat([...this.pending, chunk.subarray(0, last + 1)])
    this.consumed += this.pendingBytes + last + 1
    this.pending = []
    this.pendingBytes = 0
    const lines = block.toString('utf8').split('\n')
    lines.pop()
    if (this.skipping) lines.shift()
    this.skipping = false
    this.keep(chunk.subarray(last + 1))
    return lines
  }

  /** What stands after the last newline, when nothing follows any more. */
  rest(): readonly string[] {
    const line = Buffer.concat(this.pending).toString('utf8')
    const { skipping } = this
    this.consumed += this.pendingBytes
    this.pending = []
    this.pendingBytes = 0
    this.skipping = false
    return skipping || line === '' ? [] : [line]
  }

  private keep(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.pendingBytes += bytes.length
    if (this.skipping) return
    if (this.pendingBytes > this.mostBytes) {
      this.skipping = true
      this.tooLong += 1
      this.pending = []
      return
    }
    this.pending.push(Buffer.from(bytes))
  }
}
