import { type FileHandle, readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { openRegular } from '../files/boundedFile.ts'
import type { Place } from '../ports/places.ts'
import { headOf } from './position.ts'

/** A file to read and where to begin; `gzip` offsets count what comes out. */
export interface Segment {
  readonly path: string
  readonly inode: number
  readonly gzip: boolean
  readonly from: number
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])

export async function isGzip(path: string): Promise<boolean> {
  return (await firstBytes(path, 2)).equals(GZIP_MAGIC)
}

export async function readHead(handle: FileHandle, bytes: number): Promise<Buffer> {
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
  const parts: Buffer[] = []
  let length = 0
  const stream = (await openRegular(path)).createReadStream({ end: 64 * 1024 })
  const unpacked = stream.pipe(createGunzip())
  try {
    for await (const part of unpacked as AsyncIterable<Buffer>) {
      parts.push(part)
      length += part.length
      if (length >= bytes) break
    }
  } catch {
    // The end of the packed bytes was cut off on purpose; what came out is what is wanted.
  } finally {
    stream.destroy()
  }
  return Buffer.concat(parts).subarray(0, bytes)
}

/** Files beside it that rotation may have made of it, oldest first: `audit.log.1`, `audit-2026-….log.gz`. */
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

async function begins(path: string, gzip: boolean, { head, headBytes }: Place): Promise<boolean> {
  const bytes = await (gzip ? firstUnpacked(path, headBytes) : firstBytes(path, headBytes)).catch(() => undefined)
  return bytes !== undefined && bytes.length === headBytes && headOf(bytes) === head
}

/** Whether the file is the one of the place, and still holds what was read of it. */
export async function isSameFile(path: string, place: Place): Promise<boolean> {
  const status = await stat(path).catch(() => undefined)
  if (status === undefined || status.ino !== place.inode || status.size < place.offset) return false
  return begins(path, false, place)
}

export interface Continuation {
  /** What to read now, in order; the file itself, from its beginning, is not among them. */
  readonly segments: readonly Segment[]
  /** What was read last is not to be found any more. */
  readonly lost: boolean
}

/** What comes after a place in a file that has since been renamed, packed, or copied and cut to nothing. */
export async function continuation(path: string, place: Place): Promise<Continuation> {
  const rotated = await rotatedFiles(path)
  const packed = await Promise.all(rotated.map(async (file) => isGzip(file.path).catch(() => false)))
  for (const [index, file] of rotated.entries()) {
    const gzip = packed[index] === true
    // Without a beginning to compare only the inode tells.
    const known = place.headBytes === 0 ? file.inode === place.inode : await begins(file.path, gzip, place)
    if (!known) continue
    return {
      segments: rotated.slice(index).map((segment, at) => ({
        path: segment.path,
        inode: segment.inode,
        gzip: packed[index + at] === true,
        from: at === 0 ? place.offset : 0,
      })),
      lost: false,
    }
  }
  return { segments: [], lost: place.offset > 0 }
}
