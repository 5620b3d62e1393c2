import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { MOST_RECORDING_BYTES, UPLOAD_PART_BYTES } from '../../core/bounds.ts'
import type { Client } from '../../core/contract/contract.ts'
import { setClient } from './client.ts'
import { uploadRecording, uploadStore, type Sendable } from './upload.ts'

const calls: string[] = []
const progress: number[] = []
let stop: () => void
/** Settles a call; the other side may take its time. */
let answer: (name: string) => Promise<unknown>

beforeEach(() => {
  calls.length = 0
  progress.length = 0
  answer = async (name) => (name === 'recordings.upload' ? 'u1' : name === 'recordings.import' ? 'r1' : null)
  const call = (name: string, input: { at?: number; base64?: string; upload?: string }): Promise<unknown> => {
    calls.push(`${name.replace('recordings.', '')} ${input.at ?? ''} ${input.base64?.length ?? ''}`.trim())
    return answer(name)
  }
  setClient({ call, subscribe: () => () => undefined } as unknown as Client)
  stop = uploadStore.subscribe(({ uploading }) => uploading !== undefined && progress.push(uploading.sent))
})
afterEach(() => {
  stop()
  setClient(undefined)
})

const PIECE = 3 * 1024 * 1024
const file = (pieces: number, size = pieces * PIECE): Sendable => {
  let left = pieces
  return {
    name: 'incident.apfrec',
    size,
    stream: () =>
      new ReadableStream({
        pull(controller) {
          if (left-- > 0) controller.enqueue(new Uint8Array(PIECE))
          else controller.close()
        },
      }),
  }
}

it('sends a file in parts of one size, one after the other, and says how far it is', async () => {
  expect(await uploadRecording(file(3))).toBe('r1')
  const base64 = (bytes: number): number => 4 * Math.ceil(bytes / 3)
  const [first, second, rest] = [UPLOAD_PART_BYTES, UPLOAD_PART_BYTES, 3 * PIECE - 2 * UPLOAD_PART_BYTES]
  expect(calls).toEqual([
    'upload',
    `uploadPart 0 ${base64(first)}`,
    `uploadPart ${first} ${base64(second)}`,
    `uploadPart ${first + second} ${base64(rest)}`,
    'import',
  ])
  expect(progress).toEqual([0, first, first + second, 3 * PIECE])
  expect(uploadStore.getState().uploading).toBeUndefined()
})

it('says how much of it is imported, until it is', async () => {
  vi.useFakeTimers()
  const done = Promise.withResolvers<string>()
  const parts: number[] = []
  const end = uploadStore.subscribe(({ uploading }) => uploading && parts.push(uploading.imported))
  answer = async (name) => {
    if (name === 'recordings.upload') return 'u1'
    if (name === 'recordings.imported') return (parts.at(-1) ?? 0) + 0.25
    return name === 'recordings.import' ? done.promise : null
  }
  const uploaded = uploadRecording(file(1))
  await vi.advanceTimersByTimeAsync(1_600)
  done.resolve('r1')
  expect(await uploaded).toBe('r1')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(parts).toEqual([0, 0, 0.25, 0.5, 0.75])
  end()
  vi.useRealTimers()
})

it('stops where the reader gives it up, and tells the other side', async () => {
  answer = async (name) => {
    if (name === 'recordings.upload') return 'u1'
    if (name === 'recordings.uploadPart') uploadStore.getState().uploading?.cancel()
    return null
  }
  await expect(uploadRecording(file(5))).rejects.toThrow('incident.apfrec was not opened: you cancelled it.')
  expect(calls.map((call) => call.split(' ')[0])).toEqual(['upload', 'uploadPart', 'cancelUpload'])
  expect(uploadStore.getState().uploading).toBeUndefined()
})

it('sends one at a time, and nothing that is too large', async () => {
  await expect(uploadRecording(file(1, MOST_RECORDING_BYTES + 1))).rejects.toThrow('larger than 2 GB')
  const first = uploadRecording(file(1))
  await expect(uploadRecording(file(1))).rejects.toThrow('Another recording is being opened')
  expect(await first).toBe('r1')
})
