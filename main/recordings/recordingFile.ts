import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { MOST_RECORDING_BYTES } from '../../core/bounds.ts'
import { ProblemError, type Problem, messageOf } from '../../core/errors.ts'
import { SourceInfoSchema } from '../../core/frame/frame.ts'
import { createAnonymiser, type Anonymiser } from '../../core/source/anonymise.ts'
import { createReader, createRecorder, instantOf, type TimedEvent } from '../../core/source/recording.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { rfc3339, unixMsOf, type UnixMs } from '../../core/units.ts'
import { megabytes, openRegular, writeAtomically } from '../files/files.ts'
import {
  listRecordings,
  partOf,
  readRecording,
  recordingId,
  RECORDINGS,
  type ListedRecording,
  type RecordedEvent,
  type RecordingRange,
} from './library.ts'
import { shelve } from './shelving.ts'

/*
 * A recording as one file, .apfrec (docs/recording.md): a line that names the format, a line of JSON about it, the
 * events under zstd in the encoding of every recording, and the SHA-256 of all of that.
 */

const FORMAT = 1
const FIRST_LINE = /^apfrec (\d+)\n/
const HASH_BYTES = 32
/** Both lines before the events. */
const MOST_HEAD_BYTES = 64 * 1024
/** A recording unpacks to about ten times its size; a file that unpacks to far more was not written by a console. */
const MOST_RATIO = 200
const LEAST_UNPACKED_BYTES = 64 * 1024 * 1024
/** Likewise for events: those of a real recording take hundreds of bytes each. */
const LEAST_EVENTS = 200_000
const MOST_EVENTS_PER_BYTE = 1 / 8
const MOST_LINE_CHARACTERS = 32 * 1024 * 1024
const MOST_SERVERS = 2_000

const HeadSchema = z.object({
  source: SourceInfoSchema,
  /** RFC 3339: the time span that it covers. */
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** The number of its events that were in effect before the first instant. */
  held: z.number().int().min(0).max(1_000_000),
  /** The console that exported it: `0.9.0`. */
  console: z.string().max(100),
  anonymised: z.literal(true).exactOptional(),
})
/** The header of a file. */
export type RecordingHead = z.infer<typeof HeadSchema>

/**
 * Maps names with a key that is never stored: a guessed name cannot be compared with a pseudonym. What else a file says
 * about a name is in docs/recording.md.
 */
export function anonymiser(): Anonymiser {
  const key = randomBytes(32)
  return createAnonymiser((word) => `name-${createHmac('sha256', key).update(word).digest('hex').slice(0, 12)}`)
}

export interface ExportOptions {
  readonly range: RecordingRange
  /** Version of this console. */
  readonly version: string
  /** Replaces names. */
  readonly anonymise?: boolean
  /** Called with the fraction of the range that is done. */
  readonly onPart?: ((part: number) => void) | undefined
}

export interface Exported {
  readonly head: RecordingHead
  /** Including those that were in effect before the range. */
  readonly events: number
  /** Hex. */
  readonly sha256: string
  /** Problems with unreadable parts of the recording; the file contains the other parts. */
  readonly problems: readonly Problem[]
}

/** Writes a recording, or a range of it, to a file that only this user can read. Rejects with `ProblemError`. */
export async function exportRecording(entry: ListedRecording, path: string, options: ExportOptions): Promise<Exported> {
  const packed = packRecording(entry, options)
  try {
    await writeAtomically(path, packed.bytes)
  } catch (error) {
    if (error instanceof ProblemError) throw error
    throw new ProblemError('internal', `Cannot write ${path}: ${messageOf(error)}.`)
  }
  return packed.exported()
}

/** Events between two reports of progress. */
const EVENTS_A_PART = 25

/** Told the instant of each event of a range, reports the fraction of the range from time to time. */
export function progressIn({ from, to }: RecordingRange, onPart: ExportOptions['onPart']): (at: UnixMs) => void {
  let events = 0
  return (at) => {
    if (++events % EVENTS_A_PART === 0) onPart?.(Math.min(1, Math.max(0, (at - from) / Math.max(1, to - from))))
  }
}

/** The bytes of such a file; its contents are known once they have been read. Throws `ProblemError`. */
export function packRecording(
  entry: ListedRecording,
  { range, version, anonymise = false, onPart }: ExportOptions,
): { readonly bytes: AsyncIterable<Buffer>; exported(): Exported } {
  const { source, from, to } = partOf(entry, range)
  const problems: Problem[] = []
  const replaced = anonymise ? anonymiser() : undefined
  const { held, rest } = split(readRecording(entry, range, problems))
  const head: RecordingHead = {
    source: replaced?.source(source) ?? source,
    from: rfc3339(from),
    to: rfc3339(to),
    held: held.length,
    console: version,
    ...(anonymise && { anonymised: true as const }),
  }
  const record = createRecorder()
  const told = progressIn({ from, to }, onPart)
  const hash = createHash('sha256')
  let events = 0
  const line = ({ at, event }: TimedEvent): Buffer => {
    events++
    told(at)
    return Buffer.from(`${record({ at, event: replaced?.event(event) ?? event })}\n`)
  }
  function* lines(): Generator<Buffer> {
    for (const one of held) yield line(one)
    for (const one of rest) yield line(one)
  }
  async function* file(): AsyncGenerator<Buffer> {
    const start = Buffer.from(`apfrec ${FORMAT}\n${JSON.stringify(head)}\n`)
    hash.update(start)
    yield start
    const params = { [constants.ZSTD_c_compressionLevel]: 6, [constants.ZSTD_c_checksumFlag]: 1 }
    const zstd = createZstdCompress({ params })
    // An error while it is fed also occurs where it is read.
    pipeline(Readable.from(lines(), { objectMode: false }), zstd).catch(() => undefined)
    for await (const piece of chunksOf(zstd)) {
      hash.update(piece)
      yield piece
    }
    yield hash.copy().digest()
  }
  return { bytes: file(), exported: () => ({ head, events, sha256: hash.copy().digest('hex'), problems }) }
}

/** The events in effect before the range, and the rest, which is read on demand. */
function split(all: Generator<RecordedEvent, void>): { held: readonly TimedEvent[]; rest: Iterable<TimedEvent> } {
  const held: TimedEvent[] = []
  let first: TimedEvent | undefined
  for (let next = all.next(); next.done !== true; next = all.next()) {
    if (!next.value.held) {
      first = next.value.timed
      break
    }
    held.push(next.value.timed)
  }
  function* rest(): Generator<TimedEvent> {
    if (first !== undefined) yield first
    for (const { timed } of all) yield timed
  }
  return { held, rest: rest() }
}

/** A file name for a recording, which cannot lead to another folder. */
export const fileNameOf = (name: string): string => name.replaceAll(/[^\w.-]+|^\.+/g, '_').slice(0, 100)

/** Whether a file starts like an exported recording. */
export const isRecordingFile = (bytes: Uint8Array): boolean =>
  FIRST_LINE.test(Buffer.from(bytes.subarray(0, 20)).toString('latin1'))

/** The start of a file, which `isRecordingFile` checks. Rejects with `ProblemError`. */
export async function startOfFile(path: string): Promise<Uint8Array> {
  const handle = await openRegular(path)
  try {
    return await readAt(handle, 0, 20)
  } finally {
    await handle.close()
  }
}

export interface ImportOptions {
  readonly signal: AbortSignal
  /** Called with the fraction of the file that is imported. */
  readonly onPart?: (part: number) => void
}

/**
 * Imports the recording in a file; importing the same file twice gives one recording. Resolves to its id. Rejects with
 * `ProblemError` in one sentence for a file that was not exported by a console, and stores nothing of it.
 */
export async function importRecording(
  path: string,
  stateDir: string,
  { signal, onPart = () => undefined }: ImportOptions,
): Promise<string> {
  const name = basename(path)
  const handle = await openRegular(path)
  try {
    const { size } = await handle.stat()
    if (size > MOST_RECORDING_BYTES) {
      throw new ProblemError(
        'too-large',
        `${name} is larger than ${megabytes(MOST_RECORDING_BYTES)}; export a shorter range.`,
      )
    }
    const { head, bytes } = headOf(name, await readAt(handle, 0, MOST_HEAD_BYTES))
    const end = size - HASH_BYTES
    const sha256 = end < bytes ? undefined : await checked(path, handle, end, signal)
    if (head === undefined || sha256 === undefined) {
      throw new ProblemError(
        'bad-answer',
        `${name} is cut short or damaged: its checksum does not fit. Copy it again, or export it again.`,
      )
    }
    const id = recordingId(unixMsOf(head.from), sha256)
    if (listRecordings(join(stateDir, RECORDINGS), () => false).some((one) => one.id === id)) return id
    const about = { recording: id, startedAt: head.from, source: head.source }
    const packed = createReadStream(path, { start: bytes, end: end - 1, signal })
    await shelve(stateDir, about, eventsOf(name, unpacked(name, packed, end - bytes, onPart), head.held))
    return id
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ProblemError) throw error
    throw new ProblemError('internal', `Cannot import ${name}: ${messageOf(error)}.`)
  } finally {
    await handle.close()
  }
}

async function readAt(handle: FileHandle, position: number, most: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(most), 0, most, position)
  return buffer.subarray(0, bytesRead)
}

/** Head and its length; for a head that cannot be read only the length. Throws for any other kind of file. */
function headOf(name: string, start: Buffer): { head: RecordingHead | undefined; bytes: number } {
  const text = start.toString('latin1')
  const [first = '', version] = FIRST_LINE.exec(text) ?? []
  if (first === '') {
    throw new ProblemError('bad-answer', `${name} is not a recording: no APF Console exported it.`)
  }
  if (Number(version) !== FORMAT) {
    throw new ProblemError(
      'unsupported',
      `${name} has format ${version}, and this version reads format ${FORMAT}; update APF Console.`,
    )
  }
  const end = text.indexOf('\n', first.length)
  if (end < 0) return { head: undefined, bytes: Number.POSITIVE_INFINITY }
  let about: unknown
  try {
    about = JSON.parse(start.subarray(first.length, end).toString('utf8'))
  } catch {
    about = undefined
  }
  return { head: HeadSchema.safeParse(about).data, bytes: end + 1 }
}

/** The checksum of everything up to `end`, in hex; `undefined` where the file contains a different one. */
async function checked(
  path: string,
  handle: FileHandle,
  end: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const hash = createHash('sha256')
  for await (const piece of chunksOf(createReadStream(path, { end: end - 1, signal }))) hash.update(piece)
  const digest = hash.digest()
  return digest.equals(await readAt(handle, end, HASH_BYTES)) ? digest.toString('hex') : undefined
}

async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  for await (const piece of stream) if (Buffer.isBuffer(piece)) yield piece
}

/** Lines of the events, with no more characters than a recording of that size has. */
async function* unpacked(
  name: string,
  packed: ReadStream,
  packedBytes: number,
  onPart: (part: number) => void,
): AsyncGenerator<string> {
  const most = Math.max(LEAST_UNPACKED_BYTES, packedBytes * MOST_RATIO)
  let left = Math.max(LEAST_EVENTS, packedBytes * MOST_EVENTS_PER_BYTE)
  const zstd = createZstdDecompress()
  pipeline(packed, zstd).catch(() => undefined)
  const decoder = new TextDecoder()
  let bytes = 0
  let rest = ''
  try {
    for await (const piece of chunksOf(zstd)) {
      bytes += piece.length
      onPart(packed.bytesRead / packedBytes)
      const lines = decoder.decode(piece, { stream: true }).split('\n')
      const last = lines.pop() ?? ''
      left -= lines.length
      for (const [index, line] of lines.entries()) {
        yield index === 0 ? rest + line : line
        if (index === 0) rest = ''
      }
      rest += last
      if (bytes > most || left < 0 || rest.length > MOST_LINE_CHARACTERS) {
        throw new ProblemError(
          'too-large',
          `${name} unpacks to far more than a recording of its size holds, so it is not read; no APF Console exported it.`,
        )
      }
    }
  } catch (error) {
    if (error instanceof ProblemError) throw error
    throw new ProblemError('bad-answer', `${name} cannot be unpacked: ${messageOf(error)}.`)
  } finally {
    zstd.destroy()
    packed.destroy()
  }
  if (rest !== '') throw new ProblemError('bad-answer', `${name} ends in the middle of an event.`)
}

async function* eventsOf(name: string, lines: AsyncIterable<string>, held: number): AsyncGenerator<RecordedEvent> {
  const read = createReader()
  const servers = new Set<string>()
  let number = 0
  for await (const line of lines) {
    number++
    const timed = readLine(() => read(line), `${name}, event ${number}`)
    if (!isTime(instantOf(timed)) || !isTime(timed.at)) {
      throw new ProblemError('bad-answer', `${name}, event ${number}, has no time that a clock can show.`)
    }
    const server = serverOf(timed.event)
    if (server !== undefined) servers.add(server)
    if (servers.size > MOST_SERVERS) {
      throw new ProblemError('too-large', `${name} names more than ${MOST_SERVERS} servers, so it is not read.`)
    }
    yield { timed, held: number <= held }
  }
}

const isTime = (at: UnixMs): boolean => at >= 0 && at <= LAST_MS
/** The last instant of year 9999. */
const LAST_MS = Date.UTC(10_000, 0) - 1

function readLine(read: () => TimedEvent | undefined, where: string): TimedEvent {
  try {
    const timed = read()
    if (timed !== undefined) return timed
    throw new RangeError('it holds no event')
  } catch (error) {
    throw new ProblemError('bad-answer', `${where}, cannot be read: ${messageOf(error)}.`)
  }
}

function serverOf(event: SourceEvent): string | undefined {
  switch (event.kind) {
    case 'frame':
      return event.frame.id
    case 'dump':
      return event.dump.server
    case 'facts':
      return event.server
    case 'health':
      return event.health.id
    case 'objects':
    case 'requests':
    case 'pace':
    case 'etcd':
    case 'note':
      return undefined
  }
}
