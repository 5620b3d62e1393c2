import { Readable, type Transform } from 'node:stream'
import { createGunzip, createInflateRaw } from 'node:zlib'
import { codeOf, ProblemError, messageOf } from '../../core/errors.ts'
import type { SentFile, UploadedFile } from '../../core/contract/source.ts'
import { decodeText, megabytes, UnreadableFile } from './files.ts'
import { zstdFrames } from './zstd.ts'

/** A file, or one inside an archive. */
export interface PackedFile {
  /** Displayed name; inside an archive, its path there after the name of the archive. */
  readonly name: string
  readonly bytes: Buffer
}

export const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])
export const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
export const beginsWith = (bytes: Buffer, magic: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic)

/** Archives inside archives, as must-gather has them. */
const MOST_NESTED = 6
const MOST_MEMBERS = 100_000
/**
 * Deflate packs what repeats after more than a kilobyte, as pages and lines of a log do, 130 times at most. zstd packs a
 * page that has hardly changed better than that.
 */
const MOST_DEFLATED = 200
/** Unpacked in a moment, whatever it is. */
const FEW_BYTES = 32 * 1024 * 1024

/**
 * The files in a gzip, zstd, tar or zip file, also inside each other; any other file itself. `mostBytes`: of all
 * together. Rejects with `ProblemError`: damaged, too large, or of a format that is not read. `leaveOut` takes what is
 * damaged or not read, with a sentence, and the rest is returned; only what is too large rejects then.
 */
export async function unpack(
  file: PackedFile,
  mostBytes: number,
  leaveOut?: (name: string, problem: ProblemError) => void,
): Promise<readonly PackedFile[]> {
  const budget = { left: mostBytes, members: 0 }
  const take = (bytes: number): void => {
    budget.left -= bytes
    budget.members += 1
    if (budget.left < 0) throw new UnreadableFile(file.name, 'size', `is larger than ${megabytes(mostBytes)} unpacked`)
    if (budget.members > MOST_MEMBERS) throw problem(file.name, `contains more than ${MOST_MEMBERS} files`)
  }
  const opened = async ({ name, bytes }: PackedFile, nested: number): Promise<readonly PackedFile[]> => {
    if (nested > MOST_NESTED) throw problem(name, `contains archives nested more than ${MOST_NESTED} deep`)
    const format = FORMATS.find(({ magic, at = 0 }) => beginsWith(bytes.subarray(at), magic))
    if (format === undefined) {
      take(bytes.length)
      return [{ name, bytes }]
    }
    const files: PackedFile[] = []
    let left = format.magic === ZSTD_MAGIC ? mostBytes : Math.max(FEW_BYTES, MOST_DEFLATED * bytes.length)
    try {
      for await (const part of format.open({ name, bytes }, () => Math.max(1, Math.min(budget.left, left)))) {
        left -= part.bytes.length
        // A stream is counted when nothing is packed in it any more.
        if (isShown(part.name)) for (const one of await opened(part, nested + 1)) files.push(one)
      }
    } catch (error) {
      if (error instanceof UnreadableFile && error.reason === 'size' && left < budget.left)
        throw problem(name, `holds more than ${MOST_DEFLATED} times its size, as no page or log does`)
      if (leaveOut === undefined || !isOfOneFile(error)) throw error
      leaveOut(name, error)
    }
    return files
  }
  return opened(file, 0)
}

/** Whether an error is about one of several files; limits are those of all together. */
export const isOfOneFile = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && !(error instanceof UnreadableFile && error.reason === 'size')

/** A page is about 2 MB; this allows an hour of them, all files together. */
export const MOST_BYTES = 512 * 1024 * 1024

/**
 * The texts of files, and of those in archives; of what cannot be opened beside others, the problem. Rejects as `unpack`
 * does when nothing can be opened.
 */
export async function textsOf(
  files: Iterable<SentFile | PackedFile> | AsyncIterable<SentFile | PackedFile>,
): Promise<UploadedFile[]> {
  const texts: UploadedFile[] = []
  let left = MOST_BYTES
  for await (const file of files) {
    if ('text' in file) texts.push(file)
    else {
      const packed = 'bytes' in file ? file : { name: file.name, bytes: Buffer.from(file.base64, 'base64') }
      const leaveOut = (name: string, { message }: ProblemError): void => {
        texts.push({ name, text: '', problem: message })
      }
      for (const { name, bytes } of await unpack(packed, left, leaveOut)) {
        left -= bytes.length
        texts.push({ name, text: decodeText(bytes) })
      }
    }
  }
  const [first] = texts
  if (first?.problem !== undefined && texts.every(({ problem }) => problem !== undefined))
    throw new ProblemError('bad-answer', first.problem)
  return texts
}

/** The bytes from which `isArchive` tells. */
export const ARCHIVE_HEAD_BYTES = 262
/** Whether bytes that begin like this are packed, be it in a format that is only recognised. */
export const isArchive = (head: Buffer): boolean =>
  FORMATS.some(({ magic, at = 0 }) => beginsWith(head.subarray(at), magic))

const isShown = (name: string): boolean => !name.split('/').some((part) => part.startsWith('.') && part !== '.')

const problem = (name: string, why: string): ProblemError =>
  new ProblemError('bad-answer', `${name} ${why}. Unpack it yourself, and name the files in it.`)

type Opener = (file: PackedFile, mostBytes: () => number) => AsyncIterable<PackedFile> | Iterable<PackedFile>
/** Opens compressed bytes at a position. */
type Open = (at: number) => Promise<Readable>
/** What `size` compressed bytes contain, piece by piece. Throws where they are damaged. */
type Unpacker = (open: Open, size: number) => AsyncIterable<Buffer>

const through = (create: () => Transform): Unpacker =>
  async function* (open) {
    const source = await open(0)
    const pieces = source.pipe(create())
    source.on('error', (error) => pieces.destroy(error))
    try {
      yield* pieces as AsyncIterable<Buffer>
    } finally {
      source.destroy()
    }
  }

export const gunzipped = through(createGunzip)
const inflated = through(createInflateRaw)

/** What is said of compressed bytes that end, or stop being readable, before their end. */
export function damageOf(name: string, error: unknown): ProblemError {
  const isCut = codeOf(error) === 'Z_BUF_ERROR'
  const what = isCut ? 'cut short' : `damaged (${messageOf(error)})`
  return new ProblemError('bad-answer', `${name} is ${what}, and only what comes before can be read: copy it again.`)
}

/** A compressed file under the name of its content: what comes before damage, and then the problem. */
async function* plainOf(
  { name, bytes }: PackedFile,
  unpacker: Unpacker,
  mostBytes: number,
): AsyncGenerator<Buffer, void> {
  const parts: Buffer[] = []
  let left = mostBytes
  let found: ProblemError | undefined
  try {
    const open: Open = (at) => Promise.resolve(Readable.from([bytes.subarray(at)]))
    for await (const part of unpacker(open, bytes.length)) {
      parts.push(part)
      left -= part.length
      if (left < 0) break
    }
  } catch (error) {
    found = damageOf(name, error)
  }
  if (left < 0) throw new UnreadableFile(name, 'size', `is larger than ${megabytes(mostBytes)} unpacked`)
  if (found === undefined || parts.length > 0) yield Buffer.concat(parts)
  if (found !== undefined) throw found
}

const streamOf = (unpacker: Unpacker, ending: RegExp): Opener =>
  async function* (file, mostBytes) {
    for await (const bytes of plainOf(file, unpacker, mostBytes())) yield { name: file.name.replace(ending, ''), bytes }
  }

/** A format that is recognised to say what it is. */
const unknown =
  (what: string): Opener =>
  ({ name }) => {
    throw problem(name, `is ${what}, which is not read`)
  }

const FORMATS: readonly { readonly magic: Buffer; readonly at?: number; readonly open: Opener }[] = [
  { magic: GZIP_MAGIC, open: streamOf(gunzipped, /\.gz$/i) },
  { magic: ZSTD_MAGIC, open: streamOf(zstdFrames, /\.zst$/i) },
  { magic: Buffer.from('ustar'), at: 257, open: tarMembers },
  { magic: Buffer.from('PK\u0003\u0004'), open: zipMembers },
  { magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), open: unknown('an xz file') },
  { magic: Buffer.from('BZh'), open: unknown('a bzip2 file') },
  { magic: Buffer.from([0x37, 0x7a, 0xbc, 0xaf]), open: unknown('a 7-Zip archive') },
]

const BLOCK = 512

/** Regular files of a tar archive (ustar, pax, GNU). */
function* tarMembers({ name: archive, bytes }: PackedFile): Generator<PackedFile> {
  const text = (at: number, length: number): string => {
    const field = bytes.subarray(at, at + length)
    const end = field.indexOf(0)
    return field.subarray(0, end === -1 ? length : end).toString('utf8')
  }
  let extended: { name?: string | undefined; size?: number | undefined } = {}
  let at = 0
  while (at + BLOCK <= bytes.length && bytes[at] !== 0) {
    const kind = text(at + 156, 1)
    const prefix = text(at + 257, 6) === 'ustar' ? text(at + 345, 155) : ''
    const size = extended.size ?? sizeOf(bytes.subarray(at + 124, at + 136))
    const from = at + BLOCK
    if (Number.isNaN(size) || from + size > bytes.length) throw problem(archive, 'is a damaged or cut tar archive')
    const content = bytes.subarray(from, from + size)
    const own = prefix === '' ? text(at, 100) : `${prefix}/${text(at, 100)}`
    const name = extended.name ?? own
    at = from + Math.ceil(size / BLOCK) * BLOCK
    if (kind === 'x') extended = paxOf(content)
    else if (kind === 'L') extended = { ...extended, name: content.toString('utf8').replace(/\0.*$/s, '') }
    else {
      extended = {}
      if (kind === '0' || kind === '' || kind === '7') yield { name: `${archive}/${clean(name)}`, bytes: content }
    }
  }
  // Within a header, or in what fills the block of a file; whatever came after it is missing.
  if (at !== bytes.length && bytes[at] !== 0) throw problem(archive, 'is a damaged or cut tar archive')
}

/** Octal digits, or a binary number where the first bit is set. */
function sizeOf(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(field.readBigUInt64BE(4))
  const digits = field
    .toString('latin1')
    .replace(/[\0 ]+$/, '')
    .trim()
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits === '' ? '0' : digits, 8) : Number.NaN
}

/** Records `LENGTH name=value` of a pax header. */
function paxOf(content: Buffer): { name?: string | undefined; size?: number | undefined } {
  const records = new Map(
    content
      .toString('utf8')
      .split('\n')
      .flatMap((record) => {
        const [, name, value] = /^\d+ ([^=]+)=(.*)$/s.exec(record) ?? []
        return name === undefined || value === undefined ? [] : [[name, value] as const]
      }),
  )
  const size = records.get('size')
  return { name: records.get('path'), size: size === undefined ? undefined : Number(size) }
}

const clean = (path: string): string => path.replace(/^(?:\.?\/)+/, '')

const END = Buffer.from('PK\u0005\u0006')
const ENTRY = 0x02_01_4b_50
const ENCRYPTED = 1
const ZIP_64 = 0xff_ff_ff_ff

/** Files of a zip archive, by its directory. */
async function* zipMembers({ name: archive, bytes }: PackedFile, mostBytes: () => number): AsyncGenerator<PackedFile> {
  const damaged = (): ProblemError => problem(archive, 'is a damaged or cut zip archive')
  const end = bytes.lastIndexOf(END)
  if (end < 0 || end + 22 > bytes.length) throw damaged()
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  for (let entry = 0; entry < count; entry++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== ENTRY) throw damaged()
    const [flags, method] = [bytes.readUInt16LE(at + 8), bytes.readUInt16LE(at + 10)]
    const [packed, size, local] = [
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 24),
      bytes.readUInt32LE(at + 42),
    ]
    const nameLength = bytes.readUInt16LE(at + 28)
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
    if (name.endsWith('/')) continue
    const path = `${archive}/${clean(name)}`
    if ((flags & ENCRYPTED) !== 0) throw problem(path, 'is encrypted')
    if (packed === ZIP_64 || size === ZIP_64 || local === ZIP_64)
      throw problem(archive, 'is a zip archive of more than 4 GB')
    if (local + 30 > bytes.length) throw damaged()
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    if (from + packed > bytes.length) throw damaged()
    const content = bytes.subarray(from, from + packed)
    const unpacker = method === 8 ? inflated : method === 93 ? zstdFrames : undefined
    if (method !== 0 && unpacker === undefined) throw problem(path, 'is compressed in a way that is not read')
    if (unpacker === undefined) yield { name: path, bytes: content }
    else
      for await (const plain of plainOf({ name: path, bytes: content }, unpacker, mostBytes()))
        yield { name: path, bytes: plain }
  }
}
