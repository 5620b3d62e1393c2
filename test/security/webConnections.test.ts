import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { startMetricsServer } from '../../main/live/metricsServer.ts'
import { listenOnLoopback, quickAnswers } from '../../main/listen/connections.ts'
import { ask } from '../harness/http.ts'
import { rawClient, requestHead, type RawClient } from '../harness/rawClient.ts'
import { webWorld, type WebWorld } from '../harness/web.ts'

/*
 * Another user of the machine connects to the console and keeps the connections. More than the 64 that web mode allows,
 * so that each test would shut the owner out if connections were only refused.
 */
const HOSTILE = 80

const open: RawClient[] = []
afterEach(() => open.splice(0).forEach(({ socket }) => socket.destroy()))

/** A client that never closes its side and ignores that the other side was closed, unless by a reset. */
function hostile(port: number, text: string): RawClient {
  const client = rawClient(port, true)
  open.push(client)
  if (text !== '') client.socket.write(text)
  return client
}

const connected = ({ socket }: RawClient): Promise<unknown> =>
  socket.connecting ? new Promise((resolve) => void socket.once('connect', resolve)) : Promise.resolve()

const upgrade = (port: number, headers: readonly string[] = []): string =>
  requestHead(port, 'GET /rpc', ['Connection: Upgrade', 'Upgrade: websocket', ...headers])

describe('the owner gets in past', () => {
  const withWorld = async (run: (world: WebWorld, port: number) => Promise<void>): Promise<void> => {
    const world = await webWorld()
    try {
      await run(world, Number(new URL(world.origin).port))
    } finally {
      await world.close()
    }
  }

  test.each([
    ['connections that send nothing', () => ''],
    ['a request head that never ends', () => 'GET / HTTP/1.1\r\nX-Slow: '],
    ['refused upgrades that are kept open', (port: number) => upgrade(port)],
    [
      'refused upgrades behind pages that are not read',
      (port: number) => requestHead(port, 'GET /').repeat(40) + upgrade(port),
    ],
    [
      'upgrades with a secret that is guessed',
      (port: number) => upgrade(port, ['Sec-WebSocket-Protocol: apf-console, x']),
    ],
  ])('%s', async (_what, text) => {
    await withWorld(async (world, port) => {
      const clients = Array.from({ length: HOSTILE }, () => hostile(port, text(port)))
      await Promise.all(clients.map(connected))
      const socket = await world.socket()
      expect((await ask(world.origin)).status).toBe(401)
      // Once open it stays, however many connections come after it.
      const more = Array.from({ length: HOSTILE }, () => hostile(port, text(port)))
      await Promise.all(more.map(connected))
      expect((await ask(world.origin)).status).toBe(401)
      expect(socket.readyState).toBe(socket.OPEN)
      socket.terminate()
    })
  })

  test('refused upgrades are closed by the server, whatever the client does', async () => {
    await withWorld(async (_world, port) => {
      const clients = Array.from({ length: 8 }, () => hostile(port, upgrade(port, ['Origin: http://evil.test'])))
      await Promise.all(clients.map((client) => client.until('403 Forbidden')))
      expect(await Promise.all(clients.map(endOf))).toEqual(clients.map(() => 'reset'))
    })
  })

  // Node would enforce its timeouts after 30 s only.
  test('connections that send nothing are closed by the server', async () => {
    await withWorld(async (_world, port) => {
      const clients = ['', 'GET / HT', 'GET / HTTP/1.1\r\nHost: x\r\n'].map((text) => hostile(port, text))
      await Promise.all(clients.map((client) => client.until('408 Request Timeout')))
      expect(await Promise.all(clients.map(endOf))).toEqual(clients.map(() => 'reset'))
    })
  })
})

test('the metrics stay readable past as many', async () => {
  const metrics = await startMetricsServer({ port: 0, version: '0.0.0-test', engine: () => undefined })
  const { origin, port } = new URL(metrics.url)
  const clients = Array.from({ length: HOSTILE }, () => hostile(Number(port), ''))
  await Promise.all(clients.map(connected))
  expect((await ask(origin, { path: '/metrics' })).body).toContain('apf_console_build_info')
  await metrics.close()
})

describe('which connection makes room', () => {
  const MOST = 3

  test('one that has sent nothing, before one whose request is being answered', async () => {
    const listener = await listenOnLoopback(0, quickAnswers(MOST))
    const finish: (() => void)[] = []
    listener.server.on('request', (request, response) => {
      listener.room.admit(request, response)
      response.write(request.url ?? '')
      finish.push(() => response.end('done'))
    })
    const busy = hostile(listener.port, requestHead(listener.port, 'GET /busy'))
    await busy.until('/busy')
    const first = hostile(listener.port, '')
    await connected(first)
    const silent = Array.from({ length: MOST }, () => hostile(listener.port, ''))
    await Promise.all(silent.map(connected))
    const third = hostile(listener.port, requestHead(listener.port, 'GET /third'))
    await third.until('/third')
    expect(await endOf(first)).toBe('reset')
    finish.forEach((end) => end())
    await Promise.all([busy, third].map((client) => client.until('done')))
    await listener.close()
  })

  test('never one that was released', async () => {
    const listener = await listenOnLoopback(0, quickAnswers(MOST))
    listener.server.on('upgrade', (_request, socket) => {
      listener.room.release(socket)
      socket.on('error', () => socket.destroy())
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
      socket.pipe(socket)
    })
    const kept = hostile(listener.port, upgrade(listener.port))
    await kept.until('101')
    const others = Array.from({ length: 3 * MOST }, () => hostile(listener.port, ''))
    await Promise.all(others.map(connected))
    await Promise.all(others.slice(0, MOST).map(endOf))
    kept.socket.write('still here')
    expect(await kept.until('still here')).toMatch(/still here$/)
    kept.socket.destroy()
    await listener.close()
  })

  test('a connection that was reset at once leaves no trace', async () => {
    const listener = await listenOnLoopback(0, quickAnswers(MOST))
    listener.server.on('request', (_request, response) => response.end('fine'))
    for (let i = 0; i < 50; i++) {
      const socket = connect({ port: listener.port, host: '127.0.0.1' })
      socket.on('error', () => undefined)
      await new Promise((resolve) => void socket.once('connect', resolve))
      socket.resetAndDestroy()
    }
    expect((await ask(`http://127.0.0.1:${listener.port}`)).body).toBe('fine')
    await listener.close()
  })
})

/** Writes until the server has closed the connection, which a client with its own side open detects by a reset. */
async function endOf({ socket, closed }: RawClient): Promise<'reset'> {
  const timer = setInterval(() => socket.write('x'), 20)
  await closed
  clearInterval(timer)
  return 'reset'
}
