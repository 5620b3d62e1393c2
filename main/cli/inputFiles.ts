import { basename } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ProblemError } from '../../core/contract/errors.ts'
import type { UploadedFile } from '../../core/contract/source.ts'
import { filesOf, isFolder, megabytes, readWithin, type FoundFile } from '../files/boundedFile.ts'
import type { Console } from './console.ts'

/** What reading the files of a command needs. */
export type Reading = Pick<Console, 'readStdin' | 'signal'>

/** A page is about 2 MB; this is room for an hour of them, all files together, and an end for a stream that has none. */
const MOST_BYTES = 512 * 1024 * 1024

/** Reads files, all files of folders (not of folders in them) and, for `-`, the standard input; .gz is unpacked. */
export async function readInputFiles(paths: readonly string[], reading: Reading): Promise<UploadedFile[]> {
  const files: UploadedFile[] = []
  let left = MOST_BYTES
  const add = async (name: string, bytes: Buffer): Promise<void> => {
    const plain = await unpack(name, bytes, left)
    left -= plain.length
    if (left < 0) throw tooMuch()
    files.push({ name: name.replace(/\.gz$/, ''), text: plain.toString('utf8') })
  }
  for (const path of paths) {
    if (path === '-') {
      await add('standard input', await reading.readStdin(MOST_BYTES))
      continue
    }
    for (const file of await listFiles(path, reading.signal))
      await add(file.name, await readWithin(file.path, { mostBytes: MOST_BYTES, signal: reading.signal }))
  }
  return files
}

const tooMuch = (): ProblemError =>
  new ProblemError('invalid-input', `The files hold more than ${megabytes(MOST_BYTES)} together; name fewer of them.`)

async function listFiles(path: string, signal: AbortSignal): Promise<readonly FoundFile[]> {
  if (!(await isFolder(path))) return [{ name: basename(path), path }]
  const files = await filesOf(path, {
    nested: false,
    skip: (name) => name.startsWith('.'),
    order: (a, b) => a.localeCompare(b, 'en', { numeric: true }),
    signal,
  })
  if (files.length === 0) throw new ProblemError('not-found', `The folder ${path} holds no files.`)
  return files
}

async function unpack(name: string, bytes: Buffer, maxOutputLength: number): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: Math.max(1, maxOutputLength) })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooMuch()
    throw new ProblemError(
      'bad-answer',
      `${name} cannot be unpacked: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}
