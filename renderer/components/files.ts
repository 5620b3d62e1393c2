import { ProblemError } from '../../core/errors.ts'
import type { SharedFile } from '../../core/contract/recording.ts'
import type { SentFile, SourceSpec } from '../../core/contract/source.ts'
import { connectSource } from '../state/connection.ts'
import { openMade } from '../state/route.ts'
import { sayFailure } from '../state/shell.ts'
import { base64Of, uploadRecording, type Sendable } from '../state/upload.ts'

interface Limits {
  /** Characters of all files together, as they are sent. */
  readonly totalLength: number
  readonly files: number
}

/** A folder of captures is sent as one message: all files together stay well under its limit. */
const LIMITS: Limits = { totalLength: 48_000_000, files: 10_000 }

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

/** Opens files as a source, in place of the shown one; `choose` may prompt for them. Says why that failed. */
export const openAsSource = (choose: () => Promise<readonly Readable[]>): Promise<unknown> =>
  openMade(async () => connectSource(await sourceOfFiles(await choose()))).catch(sayFailure)

export const blobOf = ({ base64 }: SharedFile): Blob =>
  new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))])

/** Chosen files as they are sent: texts as text; archives and texts in other encodings are opened where they arrive. */
export async function readFiles(files: readonly Readable[], limits: Limits = LIMITS): Promise<SentFile[]> {
  const wanted = files.filter(({ name }) => !name.startsWith('.'))
  if (wanted.length === 0) throw new ProblemError('invalid-input', 'The selection contains no files.')
  if (wanted.length > limits.files) {
    throw new ProblemError('too-large', `The folder contains ${wanted.length} files; the limit is ${limits.files}.`)
  }
  const sent: SentFile[] = []
  let left = limits.totalLength
  for (const file of wanted) {
    const name =
      file.webkitRelativePath === undefined || file.webkitRelativePath === '' ? file.name : file.webkitRelativePath
    // One after the other, so that the limit applies to all of them together.
    const one = file.size > left ? undefined : await contentOf(file, name)
    left -= one === undefined ? file.size : ('text' in one ? one.text : one.base64).length
    if (one === undefined || left < 0)
      throw new ProblemError('too-large', `${name} is too large: the limit for all files together is 48 MB.`)
    sent.push(one)
  }
  return sent
}

async function contentOf(file: Readable, name: string): Promise<SentFile> {
  const response = new Response(file.stream())
  const bytes = await response.arrayBuffer().catch((thrown: unknown) => {
    throw new ProblemError('bad-answer', `${name} could not be read.`, String(thrown))
  })
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return { name, text }
  } catch {
    // Not UTF-8: sent as bytes.
  }
  return { name, base64: base64Of(new Uint8Array(bytes)) }
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
