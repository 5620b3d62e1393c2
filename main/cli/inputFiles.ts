import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ProblemError } from '../../core/contract/errors.ts'
import type { UploadedFile } from '../../core/contract/source.ts'

export type ReadStdin = () => Promise<Buffer>

/** A page is about 2 MB; this is room for an hour of them, and an end for a stream that has none. */
const MOST_BYTES = 512 * 1024 * 1024

/** Reads files, all files of folders (not of folders in them) and, for `-`, the standard input; .gz is unpacked. */
export async function readInputFiles(paths: readonly string[], stdin: ReadStdin): Promise<UploadedFile[]> {
  const files: UploadedFile[] = []
  for (const path of paths) {
    if (path === '-') files.push(await unpack('standard input', await stdin()))
    else for (const file of await listFiles(path)) files.push(await unpack(basename(file), await readInput(file)))
  }
  return files
}

async function listFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch((error: unknown) => {
    throw new ProblemError('not-found', `${path} cannot be opened: ${reason(error)}.`)
  })
  if (!found.isDirectory()) return [path]
  const entries = await readdir(path, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name)
  if (names.length === 0) throw new ProblemError('not-found', `The folder ${path} holds no files.`)
  return names.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).map((name) => join(path, name))
}

async function readInput(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new ProblemError('not-found', `${path} cannot be read: ${reason(error)}.`)
  }
}

async function unpack(name: string, bytes: Buffer): Promise<UploadedFile> {
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  try {
    const plain = zipped ? await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES }) : bytes
    return { name: name.replace(/\.gz$/, ''), text: plain.toString('utf8') }
  } catch (error) {
    throw new ProblemError('bad-answer', `${name} cannot be unpacked: ${reason(error)}.`)
  }
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not read it'
  if (code === 'ERR_BUFFER_TOO_LARGE') return 'it is larger than 512 MB'
  return error instanceof Error ? error.message : String(error)
}
