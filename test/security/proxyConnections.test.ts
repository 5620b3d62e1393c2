import { execFile } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import net from 'node:net'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { edgeTls, useEdges } from '../harness/proxyEdges.ts'
import { requestHead } from '../harness/rawClient.ts'
import { connect as connectTls } from 'node:tls'
import { DATA, END_HEADERS, END_STREAM, field, frame, GOAWAY, HEADERS, preface } from '../harness/http2Frames.ts'

const execFileAsync = promisify(execFile)
const edges = useEdges()
const MANY = 600

/** Connections of a client that sends `text`, or nothing, and keeps them. */
async function hold(port: number, count: number, text = ''): Promise<readonly Promise<unknown>[]> {
  const sockets = Array.from({ length: count }, () => net.connect(port, '127.0.0.1'))
  edges.cleanups.push(() => sockets.forEach((socket) => socket.destroy()))
  const closed = sockets.map((socket) => {
    socket.on('error', () => undefined).resume()
    return new Promise((resolve) => socket.once('close', resolve))
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  if (text !== '') sockets.forEach((socket) => socket.write(text))
  return closed
}

const status = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    http.get(url, { agent: false }, (answer) => resolve(answer.resume().statusCode)).on('error', reject)
  })

test('connections that send nothing shut nobody out, and are closed', async () => {
  const { url, port } = await edges.before((_request, response) => response.end('ok'), { limits: { headersMs: 500 } })
  const closed = await hold(port, MANY)
  expect(await status(`${url}/api`)).toBe(200)
  await Promise.all(closed)
})

test('of too many silent connections the oldest are closed at once', async () => {
  const { url, port } = await edges.before((_request, response) => response.end('ok'), { limits: { mostSilent: 512 } })
  const closed = await hold(port, MANY)
  await Promise.all(closed.slice(0, MANY - 512))
  expect(await status(`${url}/api`)).toBe(200)
})

/** Opens so many connections at once, each with a request, and prints how many had which answer. */
const BURST = `
  const [url, count] = process.argv.slice(1)
  process.stderr.write('now')
  const one = () => new Promise((resolve) => {
    require('node:http').get(url, { agent: false }, (answer) => answer.resume().once('end', () => resolve(answer.statusCode)))
      .on('error', ({ code }) => resolve(code))
  })
  Promise.all(Array.from({ length: Number(count) }, one)).then((all) => console.log(JSON.stringify(all.reduce((sums, code) => ({ ...sums, [code]: (sums[code] ?? 0) + 1 }), {}))))
`

test('of many requests at once, each on a connection of its own, none is taken for silent', async () => {
  const { url } = await edges.before((_request, response) => response.end('ok'))
  const client = execFileAsync(process.execPath, ['-e', BURST, `${url}/api`, '2000'])
  const { 200: served = 0, 429: refused = 0, ...lost } = JSON.parse((await client).stdout) as Record<string, number>
  expect(lost).toEqual({})
  expect(served + refused).toBe(2_000)
})

test('refused upgrades and refused requests keep no connection', async () => {
  const { url, port } = await edges.before((_request, response) => response.end('ok'), { limits: { headersMs: 500 } })
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Origin: https://evil.example']
  const closed = [
    ...(await hold(port, 100, requestHead(port, 'GET /api', upgrade))),
    ...(await hold(port, 100, requestHead(port, 'GET /api', ['Origin: https://evil.example']))),
  ]
  expect(await status(`${url}/api`)).toBe(200)
  await Promise.all(closed)
})

test('a session of HTTP/2 through which nothing goes is closed, one with a stream goes on', async () => {
  let finish = (): void => undefined
  const { url } = await edges.before(
    (_request, response) => {
      response.write('first')
      finish = () => response.end('last')
    },
    // Long enough for a busy machine to send the request of the other session.
    { tls: edgeTls, limits: { keepAliveMs: 2_000, headersMs: 2_000 } },
  )
  const idle = http2.connect(url, { ca: edgeTls.cert })
  const busy = edges.session(url)
  const stream = busy.request({ ':path': '/api' })
  let text = ''
  stream.on('data', (piece: Buffer) => (text += piece.toString()))
  await once(stream, 'data')
  await once(idle, 'close')
  finish()
  await once(stream, 'close')
  expect(text).toBe('firstlast')
})

test('a client that leaves and then breaks the protocol is closed, although Node reads no more of it', async () => {
  const { url } = await edges.before((_request, response) => void response.write('first'), {
    tls: edgeTls,
    limits: { leavingMs: 300 },
  })
  const head = Buffer.concat([
    Buffer.from([0x82, 0x87]),
    field(':path', '/api'),
    field(':authority', new URL(url).host),
  ])
  const goaway = frame(GOAWAY, 0, 0, Buffer.alloc(8))
  const wrong = frame(DATA, 0, 9, Buffer.alloc(5))
  const socket = connectTls({ port: Number(new URL(url).port), ca: edgeTls.cert, ALPNProtocols: ['h2'] }, () =>
    socket.write(preface(frame(HEADERS, END_HEADERS | END_STREAM, 1, head), goaway, wrong)),
  )
  socket.on('error', () => undefined)
  await once(socket.resume(), 'close')
  expect(socket.destroyed).toBe(true)
})
