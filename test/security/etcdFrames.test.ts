import type { Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EtcdProxy } from '../../main/etcd/etcdProxy.ts'
import { clientOf, proxyWith, rawClient, serverTls, WAYS } from '../harness/etcdProxies.ts'
import {
  DATA,
  END_HEADERS,
  END_STREAM,
  field,
  frame,
  type FrameServer,
  frameServer,
  GOAWAY,
  HEADERS,
  preface,
  RST,
} from '../harness/http2Frames.ts'
import { putKey, putOf } from '../harness/smallEtcd.ts'

// Frames of either side in every order, in one write or several, with and without TLS, through the whole proxy: every
// call ends, and later calls work. After a GOAWAY nothing else is sent: Node then stops to read after a protocol error,
// and only a timer ends the connection (main/etcd/http2.test.ts).

const message = Buffer.from([0, 0, 0, 0, 0])
const code = (number: number): Buffer => Buffer.from([0, 0, 0, number])

/** What a server may send for a call. */
const ANSWERS = {
  head: (id: number) =>
    frame(HEADERS, END_HEADERS, id, Buffer.concat([Buffer.from([0x88]), field('content-type', 'application/grpc')])),
  data: (id: number) => frame(DATA, 0, id, message),
  trailers: (id: number) => frame(HEADERS, END_HEADERS | END_STREAM, id, field('grpc-status', '0')),
  only: (id: number) =>
    frame(HEADERS, END_HEADERS | END_STREAM, id, Buffer.concat([Buffer.from([0x88]), field('grpc-status', '5')])),
  noError: (id: number) => frame(RST, 0, id, code(0)),
  reset: (id: number) => frame(RST, 0, id, code(2)),
  leave: (id: number) => frame(GOAWAY, 0, 0, Buffer.concat([Buffer.from([0, 0, 0, id]), code(0)])),
  /** The call came after the last one that it answers. */
  refuse: () => frame(GOAWAY, 0, 0, Buffer.concat([code(0), code(0)])),
  leaveAtOnce: (id: number) => frame(GOAWAY, 0, 0, Buffer.concat([Buffer.from([0, 0, 0, id]), code(11)])),
  noise: () => Buffer.alloc(40, 0xff),
} as const
type Answer = keyof typeof ANSWERS

/** Everything up to the first frame after which no other may come. */
const upTo = <T>(list: readonly T[], isLast: (one: T) => boolean): T[] => {
  const last = list.findIndex(isLast)
  return last < 0 ? [...list] : list.slice(0, last + 1)
}

const GOOD: readonly Answer[] = ['head', 'data', 'trailers']

describe.each(WAYS)('frames in any order, %s', (way) => {
  let server: FrameServer
  let proxy: EtcdProxy
  let script: { readonly answers: readonly Answer[]; readonly together: boolean; readonly cut: boolean } | undefined

  const answer = (socket: Socket, stream: number): void => {
    const { answers = GOOD, together = true, cut = false } = script ?? {}
    script = undefined
    const frames = answers.map((name) => ANSWERS[name](stream))
    if (together) socket.write(Buffer.concat(frames))
    else for (const one of frames) socket.write(one)
    // A reset, or a call without an end.
    if (cut) socket.destroySoon()
    else if (answers !== GOOD) socket.write(ANSWERS.reset(stream))
  }

  beforeAll(async () => {
    server = await frameServer(serverTls(way), answer)
    proxy = await proxyWith('rules: []', server.url, way)
  })
  afterAll(async () => {
    await proxy.close()
    await server.close()
  })

  test('head, data and trailers in one write', async () => {
    const client = clientOf(proxy.url)
    // While some calls are written others are read, which is when Node emits data before its head over TLS.
    const worker = async (): Promise<void> => {
      for (let index = 0; index < 40; index++) expect(await putKey(client, 'x')).toBe('0')
    }
    await Promise.all(Array.from({ length: 24 }, worker))
    client.destroy()
  })

  test('whatever a server sends, each call has a status, and the next one works', async () => {
    const names = Object.keys(ANSWERS).filter((name): name is Answer => name !== '')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...names), { maxLength: 5 }),
        fc.boolean(),
        fc.boolean(),
        async (sent, together, cut) => {
          const leaves = (one: Answer): boolean => one === 'leave' || one === 'refuse'
          const answers = upTo(sent, leaves)
          script = { answers, together, cut: cut || answers.some(leaves) }
          const client = clientOf(proxy.url)
          // A status, and never a bare reset.
          expect(await putKey(client, 'x')).toMatch(/^\d+$/)
          script = undefined
          // The connection may have been lost while the call was under way.
          let status = await putKey(client, 'x')
          for (let again = 0; status === '14' && again < 5; again++) status = await putKey(client, 'x')
          expect(status).toBe('0')
          client.destroy()
        },
      ),
      { numRuns: 60 },
    )
  })

  test('whatever a client sends before etcd is reached, the proxy goes on', async () => {
    // GET would be 0x82; POST http / with a path of its own.
    const head = Buffer.concat([
      Buffer.from([0x83, 0x86]),
      field(':path', '/etcdserverpb.KV/Put'),
      field(':authority', 'x'),
      field('content-type', 'application/grpc'),
    ])
    const sent = {
      call: (id: number) => frame(HEADERS, END_HEADERS, id, head),
      part: (id: number) => frame(DATA, 0, id, putOf('x').subarray(0, 3)),
      rest: (id: number) => frame(DATA, END_STREAM, id, putOf('x').subarray(3)),
      reset: (id: number) => frame(RST, 0, id, code(8)),
      leave: () => frame(GOAWAY, 0, 0, Buffer.concat([code(0), code(0)])),
      wrong: () => frame(DATA, 0, 0, message),
      noise: () => Buffer.alloc(40, 0xff),
    } as const
    type Sent = keyof typeof sent
    const names = Object.keys(sent).filter((name): name is Sent => name !== '')
    const innocent = clientOf(proxy.url)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(1, 3)), { maxLength: 6 }),
        fc.boolean(),
        async (frames, together) => {
          const bytes = upTo(frames, ([name]) => name === 'leave').map(([name, id]) => sent[name](id))
          await new Promise<void>((resolve) => {
            const socket = rawClient(proxy.url, () => {
              if (together) socket.end(preface(...bytes))
              else {
                socket.write(preface())
                for (const one of bytes) socket.write(one)
                socket.end()
              }
            })
            socket.on('close', () => resolve())
            socket.resume()
          })
        },
      ),
      { numRuns: 60 },
    )
    expect(await putKey(innocent, 'x')).toBe('0')
    innocent.destroy()
  })
})
