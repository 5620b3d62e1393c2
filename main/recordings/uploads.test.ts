import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { MOST_RECORDING_BYTES, UPLOAD_IDLE_MS } from '../../core/bounds.ts'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { recordStory } from '../../test/harness/recordStory.ts'
import { standingClock } from '../../test/harness/standingClock.ts'
import { shelf } from './shelf.ts'
import { createUploads, type Uploads } from './uploads.ts'

const START = Date.UTC(2026, 10, 21, 3)
const presence = { runs: () => false }

let folder = ''
/** An exported recording. */
let content: Buffer
let stateDir = ''
let clock: ReturnType<typeof standingClock>
let uploads: Uploads
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-uploads-'))
  const story = syntheticStory({ seconds: 70, startAt: START })
  await recordStory({ stateDir: join(folder, 'a'), name: 'prod', startAt: START, events: [], story })
  const own = shelf(join(folder, 'a'))
  const { base64 } = await own.export({ id: own.list(presence)[0]?.id ?? '', anonymise: false }, '1.0.0')
  content = Buffer.from(base64, 'base64')
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }))
beforeEach(async () => {
  stateDir = await mkdtemp(join(folder, 'state-'))
  clock = standingClock(START)
  uploads = createUploads(stateDir, clock.environment)
})
afterEach(() => uploads.close())

const kept = (): Promise<string[]> => readdir(join(stateDir, 'importing'))
const part = (upload: string, at: number, bytes: Buffer) => ({ upload, at, base64: bytes.toString('base64') })

async function send(bytes: Buffer, partBytes: number, name = 'incident.apfrec'): Promise<string> {
  const upload = await uploads.begin({ name, bytes: bytes.length })
  for (let at = 0; at < bytes.length; at += partBytes) {
    await uploads.add(part(upload, at, bytes.subarray(at, at + partBytes)))
  }
  return upload
}

test('a file that comes in parts becomes the recording that it holds, and nothing else is left', async () => {
  const id = await uploads.import(await send(content, 1_000, '../../etc/prod eu.apfrec'))
  expect(shelf(stateDir).list(presence)).toMatchObject([{ id, first: START, last: START + 69_000 }])
  expect(await kept()).toEqual([])
  expect(clock.timers()).toBe(0)
})

test('what is no recording, or not all of one, is refused in a sentence and not kept', async () => {
  await expect(uploads.import(await send(Buffer.from('hello'), 2, 'x.apfrec'))).rejects.toThrow(
    'x.apfrec is not a recording',
  )
  await expect(uploads.import(await send(content.subarray(0, 5_000), 1_000))).rejects.toThrow('cut short or damaged')
  const half = await uploads.begin({ name: 'half.apfrec', bytes: content.length })
  await uploads.add(part(half, 0, content.subarray(0, 1_000)))
  await expect(uploads.import(half)).rejects.toThrow('Only a part of half.apfrec was sent')
  await expect(uploads.import(half)).rejects.toThrow('This upload has ended')
  expect(await kept()).toEqual([])
})

test('a name leads to no other folder', async () => {
  const upload = await uploads.begin({ name: '..', bytes: 1 })
  await uploads.add(part(upload, 0, Buffer.alloc(1)))
  expect(await kept()).toHaveLength(1)
})

test.each([
  ['that leave something out', 7, Buffer.alloc(3)],
  ['that come twice', 0, Buffer.alloc(3)],
  ['beyond the end', 3, Buffer.alloc(8)],
  ['that are empty', 3, Buffer.alloc(0)],
])('parts %s end the upload', async (_, at, bytes) => {
  const upload = await uploads.begin({ name: 'x.apfrec', bytes: 10 })
  await uploads.add(part(upload, 0, Buffer.alloc(3)))
  await expect(uploads.add(part(upload, at, bytes))).rejects.toThrow('The parts of x.apfrec do not fit together')
  await expect(uploads.add(part(upload, 3, Buffer.alloc(1)))).rejects.toThrow('This upload has ended')
  expect(await kept()).toEqual([])
})

test('files that are too large, and too many at once, are refused', async () => {
  await expect(uploads.begin({ name: 'x.apfrec', bytes: MOST_RECORDING_BYTES + 1 })).rejects.toThrow('is larger than')
  const begun = await Promise.allSettled([1, 2, 3].map(() => uploads.begin({ name: 'x.apfrec', bytes: 10 })))
  expect(begun.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(await kept()).toHaveLength(2)
})

test('an upload ends when the page gives it up, sends nothing for a minute, or the console ends', async () => {
  const given = await uploads.begin({ name: 'x.apfrec', bytes: 10 })
  await uploads.cancel(given)
  await uploads.cancel(given)
  expect(await kept()).toEqual([])
  const silent = await uploads.begin({ name: 'x.apfrec', bytes: 10 })
  clock.advance(UPLOAD_IDLE_MS - 1)
  await uploads.add(part(silent, 0, Buffer.alloc(1)))
  clock.advance(UPLOAD_IDLE_MS - 1)
  expect(await kept()).toHaveLength(1)
  clock.advance(1)
  await expect(uploads.add(part(silent, 1, Buffer.alloc(1)))).rejects.toThrow('This upload has ended')
  await uploads.begin({ name: 'x.apfrec', bytes: 10 })
  await uploads.close()
  expect(await kept()).toEqual([])
})

test('an upload that is given up while it is imported is not there afterwards', async () => {
  const upload = await send(content, 100_000)
  const [imported] = await Promise.allSettled([uploads.import(upload), uploads.cancel(upload)])
  expect(imported).toMatchObject({ status: 'rejected', reason: { problem: { code: 'cancelled' } } })
  expect(shelf(stateDir).list(presence)).toEqual([])
})
