import { spawn } from 'node:child_process'
import http2 from 'node:http2'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { selfSigned } from '../harness/hostileServerCertificates.ts'
import { type Cleanups, cleanUp, inUse, proxied, unfinished } from '../harness/proxied.ts'

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
