import { type FileHandle, readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ProblemError } from '../../core/errors.ts'
import { logKindOf } from '../../core/feeds/logReader.ts'
import { encodingOf } from '../../core/text/encoding.ts'
import {
  ARCHIVE_HEAD_BYTES,
  beginsWith,
  GZIP_MAGIC,
  gunzipped,
  isArchive,
  MOST_BYTES,
  unpack,
  ZSTD_MAGIC,
} from '../files/archives.ts'
import { decodeText, openRegular, readWithin } from '../files/files.ts'
import { zstdFrames } from '../files/zstd.ts'
import type { Place } from '../ports/places.ts'
import { HEAD_BYTES, headOf } from './placeKeeper.ts'

const CHUNK_BYTES = 256 * 1024
/** An event at level RequestResponse holds two objects of at most 1.5 MB, quoted. */
export const MOST_LINE_BYTES = 8 * 1024 * 1024

/** A file of lines that may grow, be renamed, or be truncated while it is read. */
export class OpenFile {
  readonly splitter: LineSplitter
  readonly inode: number
  private readonly handle: FileHandle
  private readonly chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  /** Where reading began. */
  readonly from: number
  /** The position of the next bytes. */
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
   * Begins at byte `from`; `within`: in the middle of a line, which is left out. Rejects with `UnreadableFile`:
   * rotation may put anything in the place of a file.
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

  /** Bytes up to the end of the last line that was returned. */
  get offset(): number {
    return this.from + this.splitter.consumed
  }

  /** Whether it is shorter than it was, or begins differently: it was truncated and written again. */
  async wasCut(): Promise<boolean> {
    const { size } = await this.handle.stat()
    return size < this.at || !(await readHead(this.handle, this.head.length)).equals(this.head)
  }

  /** The lines completed by the next bytes; `undefined` at the present end. */
  async next(): Promise<readonly string[] | undefined> {
    const { bytesRead } = await this.handle.read(this.chunk, 0, CHUNK_BYTES, this.at)
    if (bytesRead === 0) return undefined
    this.at += bytesRead
    return this.splitter.push(this.chunk.subarray(0, bytesRead))
  }

  /** The beginning of the file, as far as it is written. */
  async beginning(): Promise<Buffer> {
    if (this.head.length < HEAD_BYTES) this.head = await readHead(this.handle, HEAD_BYTES)
    return this.head
  }

  close(): Promise<void> {
    return this.handle.close()
  }
}

/**
 * The contents of a packed file, piece by piece, in UTF-8. Throws where it is damaged, and `ProblemError` where it is of
 * a format that is not read.
 */
export async function* unpacked(path: string): AsyncGenerator<Buffer> {
  const from = async (start: number): Promise<Readable> => (await openRegular(path)).createReadStream({ start })
  const head = await firstBytes(path, ARCHIVE_HEAD_BYTES)
  if (isArchive(head)) {
    const unpacker = beginsWith(head, ZSTD_MAGIC) ? zstdFrames : beginsWith(head, GZIP_MAGIC) ? gunzipped : undefined
    yield* unpacker === undefined ? logsIn(path) : orLogsIn(path, unpacker(from, (await stat(path)).size))
    return
  }
  const decoder = new TextDecoder(encodingOf(head))
  for await (const piece of (await from(0)) as AsyncIterable<Buffer>)
    yield Buffer.from(decoder.decode(piece, { stream: true }))
}

/** The pieces of a packed file; of an archive that is packed in it, the logs. */
async function* orLogsIn(path: string, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const piece of pieces) {
    if (isFirst && isArchive(piece)) {
      yield* logsIn(path)
      return
    }
    isFirst = false
    yield piece
  }
}

/** The logs in an archive one after the other, without the other files beside them; without any log, all files. */
async function* logsIn(path: string): AsyncGenerator<Buffer> {
  const packed = { name: basename(path), bytes: await readWithin(path, { mostBytes: MOST_BYTES }) }
  let problem: ProblemError | undefined
  const files = await unpack(packed, MOST_BYTES, (_name, found) => {
    problem ??= found
  })
  const texts = files.map(({ bytes }) => decodeText(bytes))
  const logs = texts.filter((text) => logKindOf(text) !== undefined)
  for (const text of logs.length > 0 ? logs : texts) yield Buffer.from(`${text}\n`)
  if (problem !== undefined) throw problem
}

const NEWLINE = 10

/** Splits bytes into lines. The part after the last newline is kept until its line is complete. */
export class LineSplitter {
  private readonly mostBytes: number
  private pending: Buffer[] = []
  private pendingBytes = 0
  /** Inside a line that is too long, of which nothing is kept. */
  private skipping: boolean
  /** Bytes of the lines that were returned, with their newlines. */
  consumed = 0
  /** Lines that were longer than `mostBytes`. */
  tooLong = 0

  /** `skipFirst`: the bytes begin within a line, which is left out. */
  constructor(mostBytes: number, skipFirst = false) {
    this.mostBytes = mostBytes
    this.skipping = skipFirst
  }

  /** The lines completed by these bytes. The bytes may be reused afterwards. */
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

  /** The part after the last newline, when nothing follows any more. */
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

/** A file to read and where to begin; `packed` offsets count uncompressed bytes. */
export interface Segment {
  readonly path: string
  readonly inode: number
  readonly packed: boolean
  readonly from: number
}

/** Whether a file is read as a whole: it is packed, or in UTF-16, which a shell writes at once. */
export async function isPacked(path: string): Promise<boolean> {
  const head = await firstBytes(path, ARCHIVE_HEAD_BYTES)
  return isArchive(head) || encodingOf(head) !== 'utf-8'
}

async function readHead(handle: FileHandle, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes)
  let length = 0
  while (length < bytes) {
    const { bytesRead } = await handle.read(buffer, length, bytes - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

async function firstBytes(path: string, bytes: number): Promise<Buffer> {
  const handle = await openRegular(path)
  try {
    return await readHead(handle, bytes)
  } finally {
    await handle.close()
  }
}

async function firstUnpacked(path: string, bytes: number): Promise<Buffer> {
  let first = Buffer.alloc(0)
  for await (const part of unpacked(path)) {
    first = Buffer.concat([first, part])
    if (first.length >= bytes) break
  }
  return first.subarray(0, bytes)
}

/** Files next to it that rotation may have created from it, oldest first: `audit.log.1`, `audit-2026-….log.gz`. */
async function rotatedFiles(path: string): Promise<readonly { readonly path: string; readonly inode: number }[]> {
  const name = basename(path)
  const stem = name.slice(0, name.length - extname(name).length)
  const names = await readdir(dirname(path)).catch(() => [])
  const found: { path: string; inode: number; changedMs: number }[] = []
  for (const other of names) {
    if (other === name || !(other.startsWith(`${name}.`) || other.startsWith(`${stem}-`))) continue
    const beside = join(dirname(path), other)
    const status = await stat(beside).catch(() => undefined)
    if (status?.isFile() === true) found.push({ path: beside, inode: status.ino, changedMs: status.mtimeMs })
  }
  return found.toSorted((a, b) => a.changedMs - b.changedMs || (a.path < b.path ? -1 : 1))
}

async function begins(path: string, packed: boolean, { head, headBytes }: Place): Promise<boolean> {
  const bytes = await (packed ? firstUnpacked(path, headBytes) : firstBytes(path, headBytes)).catch(() => undefined)
  return bytes !== undefined && bytes.length === headBytes && headOf(bytes) === head
}

/** Whether the file is the one of the position, and still contains what was read of it. */
export async function isSameFile(path: string, place: Place): Promise<boolean> {
  const status = await stat(path).catch(() => undefined)
  if (status === undefined || status.ino !== place.inode || status.size < place.offset) return false
  return begins(path, false, place)
}

interface Continuation {
  /** The files to read now, in order; the file itself, from its beginning, is not among them. */
  readonly segments: readonly Segment[]
  /** The file that was read last cannot be found any more. */
  readonly lost: boolean
}

/** The content after a position in a file that has since been renamed, compressed, or copied and truncated. */
export async function continuation(path: string, place: Place): Promise<Continuation> {
  const rotated = await rotatedFiles(path)
  const packed = await Promise.all(rotated.map(async (file) => isPacked(file.path).catch(() => false)))
  for (const [index, file] of rotated.entries()) {
    // Without a beginning to compare, only the inode identifies the file.
    const known =
      place.headBytes === 0 ? file.inode === place.inode : await begins(file.path, packed[index] === true, place)
    if (!known) continue
    return {
      segments: rotated.slice(index).map((segment, at) => ({
        path: segment.path,
        inode: segment.inode,
        packed: packed[index + at] === true,
        from: at === 0 ? place.offset : 0,
      })),
      lost: false,
    }
  }
  return { segments: [], lost: place.offset > 0 }
}
