import { ProblemError } from '../../core/contract/errors.ts'
import { encodingOf } from '../../core/text/encoding.ts'
import type { SharedFile } from '../../core/contract/recording.ts'
import type { SourceSpec, UploadedFile } from '../../core/contract/source.ts'
import { uploadRecording, type Sendable } from '../state/upload.ts'

interface Limits {
  /** Characters of all texts together. */
  readonly totalLength: number
  readonly files: number
}

/** A folder of captures is sent as one message: all files together stay well under its limit. */
const LIMITS: Limits = { totalLength: 48_000_000, files: 400 }

/** The part of File that reading needs. */
export interface Readable extends Sendable {
  readonly webkitRelativePath?: string
}

/** The source of chosen files: a recording is added to those of this console, other files are read here. */
export async function sourceOfFiles(files: readonly Readable[]): Promise<SourceSpec> {
  const recordings = files.filter(({ name }) => /\.apfrec$/i.test(name))
  const [recording] = recordings
  if (recording === undefined) return { kind: 'files', files: await readFiles(files) }
  if (files.length > 1) throw new ProblemError('invalid-input', `${recording.name} is a recording; open it alone.`)
  return { kind: 'recording', ids: [await uploadRecording(recording)] }
}

/** The content of a file in base64. */
export const blobOf = ({ base64 }: SharedFile): Blob =>
  new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))])

/**
 * Texts of chosen files, decompressed where they are gzip. Never reads more than the limit, whatever the decompressed
 * size.
 */
export async function readFiles(files: readonly Readable[], limits: Limits = LIMITS): Promise<UploadedFile[]> {
  const wanted = files.filter(({ name }) => !name.startsWith('.'))
  if (wanted.length === 0) throw new ProblemError('invalid-input', 'The selection contains no files.')
  if (wanted.length > limits.files) {
    throw new ProblemError('too-large', `The folder contains ${wanted.length} files; the limit is ${limits.files}.`)
  }
  const read: UploadedFile[] = []
  let total = 0
  for (const file of wanted) {
    const path =
      file.webkitRelativePath === undefined || file.webkitRelativePath === '' ? file.name : file.webkitRelativePath
    // One after the other, so that the limit applies to all of them together.
    const text = await textOf(file, path, limits.totalLength - total)
    total += text.length
    read.push({ name: path.replace(/\.gz$/i, ''), text })
  }
  return read
}

async function textOf(file: Readable, path: string, most: number): Promise<string> {
  const packed = /\.gz$/i.test(file.name)
  const bytes = packed ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream()
  const reader = bytes.getReader()
  let decoder: TextDecoder | undefined
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + (decoder?.decode() ?? '')
      decoder ??= new TextDecoder(encodingOf(value))
      text += decoder.decode(value, { stream: true })
      if (text.length > most) {
        await reader.cancel()
        throw new ProblemError('too-large', `${path} is too large: the limit for all files together is 48 MB of text.`)
      }
    }
  } catch (thrown) {
    if (thrown instanceof ProblemError) throw thrown
    const what = packed ? 'is not a valid gzip file' : 'could not be read'
    throw new ProblemError('bad-answer', `${path} ${what}.`, String(thrown))
  }
}

/** Files of a drop, including those inside dropped folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<Readable[]> {
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  if (entries.length === 0) return Array.from(transfer.files)
  const found = await Promise.all(entries.map((entry) => filesOf(entry)))
  return found.flat()
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

async function filesOf(entry: FileSystemEntry): Promise<Readable[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    const { name, size } = file
    return [{ name, size, webkitRelativePath: entry.fullPath.replace(/^\//, ''), stream: () => file.stream() }]
  }
  if (!isDirectory(entry)) return []
  const reader = entry.createReader()
  const inside: Readable[] = []
  for (;;) {
    // A folder is returned in batches; an empty one ends it.
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (portion.length === 0) return inside
    for (const child of portion) for (const added of await filesOf(child)) inside.push(added)
    if (inside.length > LIMITS.files) return inside
  }
}
