import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import {
  type Cleanups,
  type Proxied,
  type ProxiedOptions,
  cleanUp,
  inUse,
  nothingHeld,
  portOf,
  proxied,
} from '../harness/proxied.ts'
import { rawClient, requestHead } from '../harness/rawClient.ts'

const cleanups: Cleanups = []
let proxy: Proxied | undefined
afterEach(async () => {
  if (proxy !== undefined) await nothingHeld(proxy.run)
  proxy = undefined
  await cleanUp(cleanups)
})

const EXEC = '/api/v1/namespaces/a/pods/b/exec?command=sh'

/** An upstream that changes protocols as `handle` does, half-closed connections left to it. */
async function before(
  handle: (request: IncomingMessage, socket: Socket, head: Buffer) => void,
  options?: ProxiedOptions,
): Promise<Proxied> {
  const server = createServer((_request, response) => response.writeHead(418).end('no upgrade'))
  const sockets = new Set<Duplex>()
  server.on('upgrade', (request, socket, head) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    handle(request, socket as Socket, head)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    sockets.forEach((socket) => socket.destroy())
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  proxy = await proxied(cleanups, portOf(server), options)
  return proxy
}

const client = (port: number, allowHalfOpen = false) => {
  const one = rawClient(port, allowHalfOpen)
  cleanups.push(() => one.socket.destroy())
  return one
}

const upgradeHead = (port: number, protocol = 'SPDY/3.1', more: readonly string[] = []): string =>
  requestHead(port, `POST ${EXEC}`, ['Connection: Upgrade', `Upgrade: ${protocol}`, ...more])

const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n'

test('bytes pass in both directions from the first on, and each direction ends by itself', async () => {
  const heard: string[] = []
  const { port, run } = await before((request, socket, head) => {
    heard.push(request.headers['x-stream-protocol-version'] as string, head.toString())
    socket.write(`${SWITCHED}\r\nhello `)
    socket.on('data', (piece) => heard.push(piece.toString()))
    // Only after the client has sent everything: its half of the connection is closed, ours is not.
    socket.on('end', () => socket.end('and goodbye'))
  })
  const { socket, until, closed, text } = client(port)
  socket.write(upgradeHead(port, 'SPDY/3.1', ['X-Stream-Protocol-Version: v5']))
  expect(await until('hello ')).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/)
  expect(text()).toContain('Upgrade: SPDY/3.1')
  socket.write('ping')
  await vi.waitFor(() => expect(heard.join('')).toBe('v5ping'))
  expect(run.log.before(1)[0]).toMatchObject({ state: 'bypassed', resource: 'pods/exec' })
  socket.end()
  await closed
  expect(text()).toMatch(/hello and goodbye$/)
  await vi.waitFor(() => expect(run.log.before(1)[0]).toMatchObject({ state: 'bypassed', status: 101 }))
})

test('the upstream may end first and still be told something', async () => {
  let heard = ''
  const { port } = await before((_request, socket) => {
    socket.on('data', (piece) => (heard += piece.toString()))
    socket.end(`${SWITCHED}\r\nbye`)
  })
  const { socket, until, closed } = client(port, true)
  socket.write(upgradeHead(port))
  await until('bye')
  await new Promise((resolve) => socket.once('end', resolve))
  socket.end('last words')
  await closed
  await vi.waitFor(() => expect(heard).toBe('last words'))
})

test('a megabyte in each direction arrives as it was', async () => {
  const { port } = await before((_request, socket) => {
    socket.write(`${SWITCHED}\r\n`)
    socket.pipe(socket)
  })
  const { socket, until, closed, text } = client(port)
  socket.write(upgradeHead(port))
  await until('\r\n\r\n')
  const body = Array.from({ length: 2 ** 17 }, (_, i) => String(i % 10_000_000).padStart(8, '0')).join('')
  socket.end(body)
  await closed
  const sum = (of: string): string => createHash('sha256').update(of).digest('hex')
  expect(sum(text().slice(text().indexOf('\r\n\r\n') + 4))).toBe(sum(body))
})

test('an upstream that declines is heard', async () => {
  const { port, run } = await before((_request, socket) => {
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\nX-Why: rules\r\n\r\nforbidden')
  })
  const { socket, closed, text } = client(port)
  socket.write(upgradeHead(port))
  await closed
  expect(text()).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[^]*X-Why: rules\r\n[^]*Connection: close\r\n\r\nforbidden$/)
  await vi.waitFor(() => expect(run.log.before(1)[0]).toMatchObject({ status: 403 }))
})

test('an upstream that breaks off is told', async () => {
  const { port } = await before((_request, socket) => socket.destroy())
  const { socket, closed, text } = client(port)
  socket.write(upgradeHead(port))
  await closed
  expect(text()).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
})

test('the death of either end is the end of the other', async () => {
  const ends: Socket[] = []
  const gone = vi.fn<() => void>()
  const { port } = await before((_request, socket) => {
    ends.push(socket)
    socket
      .on('end', () => socket.end())
      .on('close', gone)
      .resume()
    socket.write(`${SWITCHED}\r\nhello`)
  })
  const first = client(port)
  first.socket.write(upgradeHead(port))
  await first.until('hello')
  first.socket.resetAndDestroy()
  await vi.waitFor(() => expect(gone).toHaveBeenCalledOnce())
  const second = client(port)
  second.socket.write(upgradeHead(port))
  await second.until('hello')
  ends[1]?.resetAndDestroy()
  await second.closed
})

test('offers of HTTP/2 without TLS are passed over', async () => {
  const { port } = await before(() => undefined)
  const { socket, until } = client(port)
  socket.write(
    requestHead(port, 'GET /', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AA']),
  )
  expect(await until('HTTP/1.1 418 ')).toContain('no upgrade')
})

test('a watch over WebSocket holds no seat', async () => {
  const sockets = new WebSocketServer({ noServer: true })
  const { url, run } = await before((request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (peer) => {
      peer.send('{"type":"ADDED"}')
      peer.on('message', (data: Buffer) => peer.send(`heard ${data.toString()}`))
    })
  })
  const peer = new WebSocket(`${url.replace('http', 'ws')}/api/v1/pods?watch=true`, {
    headers: { 'X-Remote-User': 'alice' },
  })
  const messages: string[] = []
  peer.on('message', (data: Buffer) => messages.push(data.toString()))
  await new Promise((resolve) => peer.once('open', resolve))
  peer.send('me')
  await vi.waitFor(() => expect(messages).toEqual(['{"type":"ADDED"}', 'heard me']))
  expect(inUse(run)).toBe(0)
  expect(run.log.before(1)[0]).toMatchObject({ verb: 'watch', state: 'executing', user: 'alice' })
  peer.close()
  await vi.waitFor(() => expect(run.log.before(1)[0]?.state).not.toBe('executing'))
})

test('pages of other sites do not get in', async () => {
  const { port, run } = await before((_request, socket) => socket.destroy())
  const { socket, closed, text } = client(port)
  socket.write(upgradeHead(port, 'websocket', ['Origin: https://evil.example']))
  await closed
  expect(text()).toMatch(/^HTTP\/1\.1 403 /)
  expect(run.log.count).toBe(0)
})

test.each([`${SWITCHED}\r\n`, 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'])(
  'a handler that throws at the answer %j ends the request',
  async (answer) => {
    const { port, run } = await before((_request, socket) => void socket.write(answer), {
      serverSays() {
        throw new Error('not of this world')
      },
    })
    const { socket, until, closed } = client(port)
    socket.write(upgradeHead(port))
    await until('HTTP/1.1 502 ')
    await closed
    expect(run.log.before(1)[0]?.state).toBe('bypassed')
  },
)
