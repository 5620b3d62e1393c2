import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { asksForWatch, watchStartOf, whenInitialised } from './watchStart.ts'

test.each([
  ['GET', '/api/v1/pods?watch=1', true],
  ['GET', '/api/v1/watch/pods', true],
  ['GET', '/apis/apps/v1/deployments?watch&resourceVersion=1', true],
  ['GET', '/api/v1/pods?watch=false', false],
  ['POST', '/api/v1/namespaces/default/pods?watch=1', false],
  ['GET', '/healthz?watch=1', false],
  ['GET', 'no target', false],
])('%s %s asks for a watch: %s', (method, url, expected) => {
  expect(asksForWatch({ method, url })).toBe(expected)
})

test.each([
  ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan', true, 60_000],
  ['sendInitialEvents', true, 60_000],
  ['sendInitialEvents=False', false, 10_000],
  ['', false, 10_000],
  ['resourceVersion=0', false, 10_000],
  // The server parses a number.
  ['resourceVersion=00', false, 10_000],
  ['resourceVersion=17', false, 1_000],
  ['limit=none', false, 10_000],
])('a watch with "%s" is announced of its start: %s, and takes %i ms at most', (query, announced, longestMs) => {
  expect(watchStartOf(`/api/v1/pods?watch=1&${query}`)).toMatchObject({ announced, longestMs })
})

/** Waits for nothing but the bookmark. */
const BOOKMARK_ONLY = { announced: true, quietMs: 1_000_000, longestMs: 1_000_000 }
const EVENT = Buffer.from('{"type":"ADDED","object":{"metadata":{"name":"k8s.io/initial-events-en"}}}\n')
const BOOKMARK = Buffer.from('\u0000\u0019k8s.io/initial-events-end\u0012\u0004true')

/** A response whose body the test sends. */
function answerOf(encoding?: string): PassThrough & IncomingMessage {
  const headers = encoding === undefined ? {} : { 'content-encoding': encoding }
  return Object.assign(new PassThrough(), { headers }) as PassThrough & IncomingMessage
}

/** Sends all pieces, each read before the next; returns after how many bytes the watch was initialised. */
async function bytesUntilInitialised(encoding: string | undefined, pieces: readonly Buffer[]): Promise<number> {
  const answer = answerOf(encoding)
  let sent = 0
  const initialised = new Promise<number>((resolve) => {
    whenInitialised(answer, BOOKMARK_ONLY, () => resolve(sent))
  })
  for (const piece of pieces) {
    sent += piece.length
    answer.write(piece)
    await new Promise(setImmediate)
  }
  const bytes = await initialised
  answer.destroy()
  return bytes
}

const cutAt = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const cuts = [0, ...[...new Set(places)].toSorted((a, b) => a - b), bytes.length]
  return cuts.slice(1).map((end, i) => bytes.subarray(cuts[i], end))
}

test.each([
  ['as it is', undefined, Buffer.concat([EVENT, BOOKMARK])],
  ['in one gzip member', 'gzip', gzipSync(Buffer.concat([EVENT, BOOKMARK, EVENT]))],
  ['in several gzip members', 'gzip', Buffer.concat([EVENT, EVENT, BOOKMARK].map((one) => gzipSync(one)))],
])('finds the bookmark %s, wherever the chunks are cut', async (_, encoding, bytes) => {
  for (let at = 1; at < bytes.length; at++) {
    expect(await bytesUntilInitialised(encoding, cutAt(bytes, [at]))).toBeGreaterThan(0)
  }
})

test('finds the bookmark among any events in any gzip members and chunks, and not before it was sent', async () => {
  const events = fc.array(
    fc.array(
      fc.uint8Array({ maxLength: 60 }).map((one) => Buffer.from(one)),
      { maxLength: 3 },
    ),
    {
      maxLength: 4,
    },
  )
  await fc.assert(
    fc.asyncProperty(events, events, fc.array(fc.nat(400), { maxLength: 20 }), async (before, after, places) => {
      const members = (some: Buffer[][]): Buffer => Buffer.concat(some.map((one) => gzipSync(Buffer.concat(one))))
      const [head, tail] = [members(before), members(after)]
      const bytes = Buffer.concat([head, gzipSync(BOOKMARK), tail])
      const pieces = cutAt(
        bytes,
        places.filter((at) => at > 0 && at < bytes.length),
      )
      expect(await bytesUntilInitialised('gzip', pieces)).toBeGreaterThan(head.length)
    }),
  )
})

test.each([
  ['an encoding that no API server sends', 'br', brotliCompressSync(BOOKMARK)],
  ['a body that is not what its header states', 'gzip', EVENT],
  [
    'a gzip member after which something else follows',
    'gzip',
    Buffer.concat([gzipSync(EVENT), Buffer.alloc(9), EVENT]),
  ],
])('waits for silence after %s', async (_, encoding, body) => {
  const answer = answerOf(encoding)
  const initialised = vi.fn<() => void>()
  whenInitialised(answer, BOOKMARK_ONLY, initialised)
  answer.write(body)
  await vi.waitFor(() => expect(initialised).toHaveBeenCalledOnce(), 60_000)
})

test('keeps no more than 1 MiB of a body that arrives faster than it is decompressed', async () => {
  const answer = answerOf('gzip')
  const initialised = vi.fn<() => void>()
  whenInitialised(answer, BOOKMARK_ONLY, initialised)
  const bomb = gzipSync(Buffer.alloc(64 << 20))
  for (let sent = 0; sent < 2 << 20; sent += bomb.length) answer.write(bomb)
  await vi.waitFor(() => expect(initialised).toHaveBeenCalledOnce(), 60_000)
})

test('a response that ends first initialises nothing', async () => {
  const answer = answerOf('gzip')
  let initialised = false
  whenInitialised(answer, BOOKMARK_ONLY, () => (initialised = true))
  answer.end(gzipSync(EVENT))
  await once(answer, 'close')
  await new Promise(setImmediate)
  expect(initialised).toBe(false)
})
