import type { FileHandle } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { openRegular } from '../files/boundedFile.ts'
import { LineSplitter } from './lineSplitter.ts'
import { HEAD_BYTES } from './position.ts'
import { readHead } from './rotated.ts'

const CHUNK_BYTES = 256 * 1024
/** An event at level RequestResponse holds two objects of at most 1.5 MB, quoted. */
export const MOST_LINE_BYTES = 8 * 1024 * 1024

/** A file of lines that may grow, be renamed, or be cut while it is read. */
export class OpenFile {
  readonly splitter: LineSplitter
  readonly inode: number
  private readonly handle: FileHandle
  private readonly chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  /** Where reading began. */
  readonly from: number
  /** Where the next bytes are. */
  private at: number
  private head: Buffer

  private constructor(handle: FileHandle, inode: number, head: Buffer, from: number, within: boolean) {
    this.handle = handle
    this.inode = inode
    this.head = head
    this.from = from
    this.at = from
    this.splitter = new LineSplitter(MOST_LINE_BYTES, within)
  }

  /**
   * Begins at byte `from`; `within`: in the middle of a line, which is left out. Rejects with `UnreadableFile`: rotation
   * may put anything in the place of a file.
   */
  static async open(path: string, from: number, within: boolean): Promise<OpenFile> {
    const handle = await openRegular(path)
    try {
      const { ino } = await handle.stat()
      return new OpenFile(handle, ino, await readHead(handle, HEAD_BYTES), from, within)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Bytes up to the end of the last line that was given out. */
  get offset(): number {
    return this.from + this.splitter.consumed
  }

  /** Whether it is shorter than it was, or begins otherwise: somebody cut it to nothing and wrote on. */
  async wasCut(): Promise<boolean> {
    const { size } = await this.handle.stat()
    return size < this.at || !(await readHead(this.handle, this.head.length)).equals(this.head)
  }

  /** The lines that the next bytes complete; `undefined` at the present end. */
  async next(): Promise<readonly string[] | undefined> {
    const { bytesRead } = await this.handle.read(this.chunk, 0, CHUNK_BYTES, this.at)
    if (bytesRead === 0) return undefined
    this.at += bytesRead
    return this.splitter.push(this.chunk.subarray(0, bytesRead))
  }

  /** How it begins, as far as it is there by now. */
  async beginning(): Promise<Buffer> {
    if (this.head.length < HEAD_BYTES) this.head = await readHead(this.handle, HEAD_BYTES)
    return this.head
  }

  close(): Promise<void> {
    return this.handle.close()
  }
}

/** What comes out of a packed file, piece by piece. Throws where it is damaged. */
export async function* unpacked(path: string): AsyncGenerator<Buffer> {
  const source = (await openRegular(path)).createReadStream()
  const pieces = source.pipe(createGunzip())
  source.on('error', (error) => pieces.destroy(error))
  try {
    yield* pieces as AsyncIterable<Buffer>
  } finally {
    source.destroy()
  }
}
