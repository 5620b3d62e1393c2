import { randomUUID } from 'node:crypto'
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { MOST_RECORDING_BYTES, UPLOAD_IDLE_MS, UPLOAD_PART_BYTES } from '../../core/bounds.ts'
import { ProblemError, messageOf } from '../../core/errors.ts'
import type { UploadBegin, UploadPart } from '../../core/contract/recording.ts'
import { megabytes } from '../files/files.ts'
import { ownFolder } from '../files/ownFolder.ts'
import type { Environment } from '../ports/environment.ts'
import { fileNameOf, importRecording } from './recordingFile.ts'
import { UNFINISHED } from './shelving.ts'

/**
 * Recordings that pages send in parts, because a message has a far smaller limit than a recording. All methods reject
 * with `ProblemError`.
 */
export interface Uploads {
  /** Resolves to the id of the upload. */
  begin(file: UploadBegin): Promise<string>
  /** Parts arrive in order, one at a time; one that does not fit ends the upload. */
  add(part: UploadPart): Promise<void>
  /** After everything was sent: resolves to the id of the recording. The upload ends either way. */
  import(upload: string): Promise<string>
  /** The fraction of it that is imported. */
  imported(upload: string): number
  /** Ends it, even while it is being imported; nothing is left. Does nothing for an upload that has ended. */
  cancel(upload: string): Promise<void>
  /** Ends all. */
  close(): Promise<void>
}

/** For all pages of one console together; each upload may use as much of the disk as a recording. */
const MOST_UPLOADS = 2

interface Upload {
  readonly name: string
  readonly bytes: number
  readonly folder: string
  readonly path: string
  readonly file: FileHandle
  readonly ended: AbortController
  received: number
  imported: number
  /** A part is being written, or the whole file is being imported. */
  busy: boolean
  forget: () => void
}

export function createUploads(stateDir: string, { after }: Pick<Environment, 'after'>): Uploads {
  const uploads = new Map<string, Upload>()
  /** Uploads that are about to begin. */
  let coming = 0

  const find = (id: string): Upload => {
    const found = uploads.get(id)
    if (found !== undefined && !found.ended.signal.aborted) return found
    throw new ProblemError('not-found', 'This upload has ended. Open the file again.')
  }
  const end = async (id: string): Promise<void> => {
    const upload = uploads.get(id)
    if (upload === undefined) return
    uploads.delete(id)
    upload.forget()
    upload.ended.abort()
    await upload.file.close().catch(() => undefined)
    await rm(upload.folder, { recursive: true, force: true })
  }
  /** A page that was closed sends nothing more. */
  const wait = (id: string, upload: Upload): void => {
    upload.forget()
    upload.forget = after(UPLOAD_IDLE_MS, () => void end(id).catch(() => undefined))
  }
  /** One operation at a time; an error ends the upload. */
  const during = async <T>(id: string, upload: Upload, work: () => Promise<T>): Promise<T> => {
    if (upload.busy) throw new ProblemError('invalid-input', `A part of ${upload.name} is still being written.`)
    upload.busy = true
    upload.forget()
    try {
      return await work()
    } catch (error) {
      const cancelled = upload.ended.signal.aborted
      await end(id)
      if (cancelled) throw new ProblemError('cancelled', `${upload.name} was not opened: the upload was cancelled.`)
      if (error instanceof ProblemError) throw error
      throw new ProblemError('internal', `Cannot keep ${upload.name}: ${messageOf(error)}.`)
    } finally {
      upload.busy = false
    }
  }

  return {
    async begin({ name, bytes }) {
      if (bytes > MOST_RECORDING_BYTES) {
        throw new ProblemError(
          'too-large',
          `${name} is larger than ${megabytes(MOST_RECORDING_BYTES)}; export a shorter range.`,
        )
      }
      if (uploads.size + coming >= MOST_UPLOADS) {
        throw new ProblemError('throttled', `${MOST_UPLOADS} files are being sent already. Wait for one of them.`)
      }
      coming++
      try {
        const folder = await mkdtemp(join(ownFolder(stateDir, UNFINISHED), 'file-'))
        // The page's file name appears in sentences, and cannot lead to another folder.
        const path = join(folder, fileNameOf(name))
        const file = await open(path, 'wx', 0o600)
        const ended = new AbortController()
        const upload: Upload = {
          name,
          bytes,
          folder,
          path,
          file,
          ended,
          received: 0,
          imported: 0,
          busy: false,
          forget: () => undefined,
        }
        const id = randomUUID()
        uploads.set(id, upload)
        wait(id, upload)
        return id
      } catch (error) {
        throw new ProblemError('internal', `Cannot keep ${name}: ${messageOf(error)}.`)
      } finally {
        coming--
      }
    },
    async add({ upload: id, at, base64 }) {
      const upload = find(id)
      await during(id, upload, async () => {
        const part = Buffer.from(base64, 'base64')
        const isNext = at === upload.received && part.length > 0 && part.length <= UPLOAD_PART_BYTES
        if (!isNext || at + part.length > upload.bytes) {
          throw new ProblemError('invalid-input', `The parts of ${upload.name} do not fit together. Open it again.`)
        }
        await upload.file.write(part, 0, part.length, at)
        upload.received += part.length
      })
      wait(id, upload)
    },
    async import(id) {
      const upload = find(id)
      const recording = await during(id, upload, async () => {
        if (upload.received < upload.bytes) {
          throw new ProblemError('invalid-input', `Only a part of ${upload.name} was sent. Open it again.`)
        }
        return importRecording(upload.path, stateDir, {
          signal: upload.ended.signal,
          onPart: (part) => void (upload.imported = part),
        })
      })
      await end(id)
      return recording
    },
    imported: (id) => find(id).imported,
    cancel: end,
    async close() {
      await Promise.all([...uploads.keys()].map(end))
    },
  }
}
