import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RawData, WebSocket } from 'ws'
import { LIMITS } from '../../core/contract/protocol.ts'
import { webWorld } from '../harness/web.ts'
import type { WebWorld } from '../harness/web.ts'

let world: WebWorld
beforeEach(async () => {
  world = await webWorld()
})
afterEach(() => world.close())

const closed = (socket: WebSocket): Promise<unknown> =>
  new Promise((resolve) => void socket.once('close', resolve).once('error', () => undefined))

const textOf = (data: RawData): string => (Buffer.isBuffer(data) ? data.toString() : '')

/** The server's response to another page, which proves that it still works. */
async function answerToAnother(): Promise<unknown> {
  const socket = await world.socket()
  const answer = new Promise<string>((resolve) => void socket.once('message', (data) => resolve(textOf(data))))
  socket.send('{"type":"call","id":1,"name":"app.info","input":null}')
  const parsed: unknown = JSON.parse(await answer)
  socket.terminate()
  return parsed
}
const ANSWER = { type: 'result', id: 1, output: { version: '0.0.0-test', mode: 'web', platform: 'test' } }

test.each([
  ['text that is no JSON', 'hello'],
  ['JSON that is cut short', '{"type":"call","id":1,"name":"app.info"'],
  ['deep nesting', '['.repeat(200_000)],
  ['another type', '{"type":"exec","id":1,"command":"id"}'],
  ['a prototype', '{"type":"ack","id":1,"__proto__":{"type":"call"}}'],
  ['a binary message', Buffer.from('{"type":"call","id":1,"name":"app.info","input":null}')],
  ['an empty message', ''],
])('%s ends that page’s line and nothing else', async (_what, message) => {
  const socket = await world.socket()
  const end = closed(socket)
  socket.send(message)
  await end
  expect(await answerToAnother()).toEqual(ANSWER)
})

test('a message beyond the limit ends the line before it is read', async () => {
  const socket = await world.socket()
  const end = closed(socket)
  socket.send(Buffer.alloc(LIMITS.messageLength + 1, 0x20), { binary: false })
  await end
  expect(await answerToAnother()).toEqual(ANSWER)
})

test('no text whatever brings the server down', async () => {
  const word = fc.constantFrom(
    'type',
    'id',
    'name',
    'input',
    'params',
    'call',
    'subscribe',
    'ack',
    '__proto__',
    'frames',
  )
  const message = fc.oneof(
    fc.string(),
    fc.json(),
    fc.dictionary(word, fc.oneof(word, fc.jsonValue())).map((value) => JSON.stringify(value)),
    fc
      .nat(50_000)
      .map((depth) => `{"type":"call","id":1,"name":"app.info","input":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    fc.record({ type: word, id: fc.nat(3), name: word, input: fc.jsonValue() }).map((value) => JSON.stringify(value)),
  )
  const texts = fc.sample(message, { numRuns: 400, seed: 7 })
  let socket = await world.socket()
  for (const text of texts) {
    if (socket.readyState !== socket.OPEN) socket = await world.socket()
    socket.send(text)
  }
  socket.terminate()
  expect(await answerToAnother()).toEqual(ANSWER)
})

test('a flood of calls leaves other pages answered', async () => {
  const socket = await world.socket()
  const answers = new Promise<void>((resolve) => {
    let count = 0
    socket.on('message', () => {
      count += 1
      if (count === 20_000) resolve()
    })
  })
  for (let id = 0; id < 20_000; id += 1) socket.send(`{"type":"call","id":${id},"name":"app.info","input":null}`)
  expect(await answerToAnother()).toEqual(ANSWER)
  await answers
})

test('a page that never reads gets merged frames, and what waits for it stays small', async () => {
  const socket = await world.socket()
  socket.send('{"type":"subscribe","id":1,"name":"frames","params":{"connection":1}}')
  await vi.waitFor(() => expect(world.workspace.openFrames()).toBe(1))
  socket.pause()
  const frame = 150_000
  const before = process.memoryUsage()
  for (let seq = 1; seq <= 2_000; seq += 1) {
    world.workspace.emitFrame(seq, frame)
    if (seq % 100 === 0) await new Promise((resolve) => void setImmediate(resolve))
  }
  const after = process.memoryUsage()
  // 2,000 frames would be 300 MB; only the two in progress, the waiting one, and noise may remain.
  expect(after.external + after.heapUsed - before.external - before.heapUsed).toBeLessThan(100 * frame)
  const seen: number[] = []
  socket.on('message', (data) => {
    seen.push(Number(/"seq":(\d+)/.exec(textOf(data))?.[1]))
    socket.send('{"type":"ack","id":1}')
  })
  socket.resume()
  await vi.waitFor(() => expect(seen).toEqual([1, 2, 2_000]))
  socket.terminate()
})

test('a page that asks for ever and never reads is given up', async () => {
  const socket = await world.socket()
  const text = 'x'.repeat(20_000_000)
  world.workspace.handlers.procedures['app.info'] = async () => ({ version: text, mode: 'web', platform: 'test' })
  socket.pause()
  for (let id = 0; id < 20; id += 1) socket.send(`{"type":"call","id":${id},"name":"app.info","input":null}`)
  const end = closed(socket)
  await new Promise((resolve) => void setTimeout(resolve, 500))
  socket.resume()
  await end
  expect(socket.readyState).toBe(socket.CLOSED)
})
