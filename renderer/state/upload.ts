import { create } from 'zustand'
import { MOST_RECORDING_BYTES, UPLOAD_PART_BYTES } from '../../core/bounds.ts'
import { ProblemError } from '../../core/errors.ts'
import { client } from './client.ts'

/** A recording on its way to the console. */
export interface Uploading {
  readonly name: string
  readonly bytes: number
  /** Bytes sent. After the last one the console checks and unpacks the file. */
  readonly sent: number
  /** The fraction that is unpacked. */
  readonly imported: number
  readonly cancel: () => void
}

const ASK_MS = 500

/** A page sends one at a time. */
export const uploadStore = create<{ readonly uploading?: Uploading }>(() => ({}))

/** The part of File that sending needs. */
export interface Sendable {
  readonly name: string
  readonly size: number
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>
}

/** Sends an exported recording to the console, which stores it. Resolves to its id; rejects with `ProblemError`. */
export async function uploadRecording(file: Sendable): Promise<string> {
  const { name, size: bytes } = file
  if (uploadStore.getState().uploading !== undefined) {
    throw new ProblemError('throttled', 'Another recording is being opened. Wait for it, or cancel it.')
  }
  if (bytes > MOST_RECORDING_BYTES) {
    throw new ProblemError('too-large', `${name} is larger than 2 GB; export a shorter range.`)
  }
  const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>()
  const cancel = (): void => giveUp(new ProblemError('cancelled', `${name} was not opened: you cancelled it.`))
  const show = (sent: number, imported = 0): void =>
    uploadStore.setState({ uploading: { name, bytes, sent, imported, cancel } })
  // It may be cancelled while nothing awaits it.
  givenUp.catch(() => undefined)
  show(0)
  let upload: string | undefined
  let asking: ReturnType<typeof setInterval> | undefined
  try {
    upload = await client().call('recordings.upload', { name, bytes })
    let at = 0
    for await (const part of partsOf(file.stream())) {
      await Promise.race([givenUp, client().call('recordings.uploadPart', { upload, at, base64: base64Of(part) })])
      at += part.length
      show(at)
    }
    const asked = { upload }
    asking = setInterval(
      () =>
        void client()
          .call('recordings.imported', asked)
          .then((part) => asking !== undefined && show(bytes, part))
          .catch(() => undefined),
      ASK_MS,
    )
    return await Promise.race([givenUp, client().call('recordings.import', asked)])
  } catch (thrown) {
    // An upload that failed on the other side has already ended there.
    if (upload !== undefined)
      void client()
        .call('recordings.cancelUpload', { upload })
        .catch(() => undefined)
    throw thrown
  } finally {
    clearInterval(asking)
    asking = undefined
    uploadStore.setState({}, true)
  }
}

/** Parts of equal size, however the file is read; the next part is read once this one was consumed. */
async function* partsOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  const part = new Uint8Array(UPLOAD_PART_BYTES)
  let filled = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      let at = 0
      while (at < value.length) {
        const taken = value.subarray(at, at + part.length - filled)
        part.set(taken, filled)
        at += taken.length
        filled += taken.length
        if (filled < part.length) continue
        yield part
        filled = 0
      }
    }
    if (filled > 0) yield part.subarray(0, filled)
  } finally {
    await reader.cancel()
  }
}

export function base64Of(bytes: Uint8Array): string {
  let binary = ''
  // The number of arguments that a call accepts in every browser.
  for (let at = 0; at < bytes.length; at += 8_192) binary += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(binary)
}
