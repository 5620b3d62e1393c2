import { spawn } from 'node:child_process'
import http from 'node:http'
import http2 from 'node:http2'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import { selfSigned } from '../harness/hostileServerCertificates.ts'
import { type Cleanups, cleanUp, inUse, portOf, proxied, unfinished, upstreamServer } from '../harness/proxied.ts'

const cleanups: Cleanups = []
afterEach(() => cleanUp(cleanups))

const WATCHES = 10_000
const SESSIONS = 20
/** Opened at once by one session. */
const TOGETHER = 50

/** The upstream is a process of its own: each side of a connection takes a file descriptor, of which a process has few. */
async function watchUpstream() {
  const file = fileURLToPath(new URL('../harness/watchUpstream.ts', import.meta.url))
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] })
  cleanups.push(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<number> => Number((await lines.next()).value)
  return {
    port: await next(),
    connections: () => {
      child.stdin.write('\n')
      return next()
    },
  }
}

test(`${WATCHES} idle watches hold no seat, and leave nothing behind`, async () => {
  const { port, connections } = await watchUpstream()
  const tls = selfSigned({ name: 'localhost', dns: ['localhost'], ips: ['127.0.0.1'] })
  const { run, url } = await proxied(cleanups, port, { tls })
  const sessions = Array.from({ length: SESSIONS }, () => http2.connect(url, { ca: tls.cert, maxSessionMemory: 256 }))
  sessions.forEach((session) => session.on('error', () => undefined))
  cleanups.push(() => sessions.forEach((session) => session.destroy()))
  const watch = (session: http2.ClientHttp2Session, i: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const path = `/api/v1/namespaces/n${i % 500}/configmaps?watch=true`
      const stream = session.request({ ':path': path, 'x-remote-user': `user-${i % 100}` })
      stream.on('error', reject)
      stream.on('response', ({ ':status': status }) => {
        if (status !== 200) reject(new Error(`status ${status}`))
      })
      stream.once('data', () => resolve())
    })
  for (let opened = 0; opened < WATCHES; opened += SESSIONS * TOGETHER) {
    const some = sessions.flatMap((session, s) =>
      Array.from({ length: TOGETHER }, (_, i) => watch(session, opened + s * TOGETHER + i)),
    )
    await Promise.all(some)
  }
  expect(run.log.count).toBe(WATCHES)
  expect(await connections()).toBe(WATCHES)
  await vi.waitFor(() => expect(inUse(run)).toBe(0))
  expect(unfinished(run)).toBe(WATCHES)

  // One half of the clients leaves, then the other.
  sessions.slice(0, SESSIONS / 2).forEach((session) => session.destroy())
  await vi.waitFor(async () => expect(await connections()).toBe(WATCHES / 2), 20_000)
  expect(unfinished(run)).toBe(WATCHES / 2)
  sessions.forEach((session) => session.destroy())
  await vi.waitFor(async () => expect(await connections()).toBe(0), 20_000)
  expect([inUse(run), unfinished(run)]).toEqual([0, 0])
})

const END = 'k8s.io/initial-events-end'
/** One text string of the map of annotations. */
const cborText = (text: string): Buffer => Buffer.concat([Buffer.from([0x78, text.length]), Buffer.from(text)])
const FORMATS = [
  ['application/json', (text: string) => Buffer.from(`{"metadata":{"annotations":{"${text}":"true"}}}\n`)],
  [
    'application/vnd.kubernetes.protobuf;stream=watch',
    (text: string) => Buffer.concat([Buffer.from([0, 0, 0, text.length + 2, 0x0a, text.length]), Buffer.from(text)]),
  ],
  ['application/cbor-seq', (text: string) => Buffer.concat([Buffer.from([0xa1]), cborText(text), cborText('true')])],
] as const

test.each(FORMATS.flatMap(([type, event]) => [['identity', type, event] as const, ['gzip', type, event] as const]))(
  'a watch releases its seats at the bookmark, which is %s of %s, and its bytes stay as they are',
  async (encoding, type, event) => {
    const sent = new Map<string, Buffer[]>()
    const server = await upstreamServer(cleanups, ({ url = '' }, response) => {
      const written: Buffer[] = []
      sent.set(url, written)
      const coded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding }
      response.writeHead(200, { 'Content-Type': type, ...coded })
      const send = (text: string): void => {
        // As kube-apiserver 1.37 does: a gzip member for all events that it has at once.
        const bytes = encoding === 'gzip' ? gzipSync(event(text)) : event(text)
        for (const one of [bytes.subarray(0, 7), bytes.subarray(7)]) {
          written.push(one)
          response.write(one)
        }
      }
      send('an-initial-event')
      setTimeout(() => send(END), 50)
      // It is never silent for the time after which a watch counts as initialised without the bookmark.
      const busy = setInterval(() => send('a-later-event'), 100)
      response.on('close', () => clearInterval(busy))
    })
    const { run, url } = await proxied(cleanups, portOf(server), { seats: 60 })
    const abort = new AbortController()
    const end = encoding === 'gzip' ? gzipSync(event(END)) : event(END)
    const all: Buffer[][] = []
    const watches = Array.from({ length: 12 }, async (_, i) => {
      const target = `/api/v1/pods?watch=1&sendInitialEvents=true&timeoutSeconds=${i}`
      const received: Buffer[] = []
      all.push(received)
      await new Promise<void>((resolve, reject) => {
        http
          .get(`${url}${target}`, { headers: { 'x-remote-user': 'alice' }, signal: abort.signal }, (answer) => {
            answer.on('data', (piece: Buffer) => received.push(piece)).on('close', resolve)
            answer.on('error', () => undefined)
          })
          .on('error', (error) => (abort.signal.aborted ? resolve() : reject(error)))
      })
      return [Buffer.concat(received), Buffer.concat(sent.get(target) ?? [])] as const
    })
    await vi.waitFor(() => expect([run.log.count, inUse(run), unfinished(run)]).toEqual([12, 0, 12]), 40_000)
    // The proxy has read the bookmarks; the clients may still have to.
    await vi.waitFor(() => expect(all.every((received) => Buffer.concat(received).includes(end))).toBe(true))
    abort.abort()
    for (const [received, whole] of await Promise.all(watches)) {
      expect(received.equals(whole.subarray(0, received.length))).toBe(true)
    }
  },
)
