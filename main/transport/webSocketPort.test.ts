import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { webSocketPorts, type SocketBounds } from './webSocketPort.ts'

let server: WebSocketServer
beforeEach(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
})
afterEach(() => {
  for (const client of server.clients) client.terminate()
  server.close()
})

const MIB = 1024 * 1024
/** More than the buffers of the system hold. */
const MESSAGE = 'x'.repeat(16 * MIB)

/** Ports whose peers read, or never do. */
async function connected(count: number, bounds: SocketBounds, reads = false) {
  const portOf = webSocketPorts(bounds)
  const { port } = server.address() as AddressInfo
  const peers = []
  for (let index = 0; index < count; index++) {
    const accepted = once(server, 'connection') as Promise<[WebSocket]>
    const client = new WebSocket(`ws://127.0.0.1:${port}`)
    client.on('error', () => undefined)
    await once(client, 'open')
    if (!reads) client.pause()
    const [socket] = await accepted
    peers.push({ client, socket, port: portOf(socket), closed: once(socket, 'close') })
  }
  return peers
}

test('what waits for all peers together is bounded: the peer that has not read for longest is closed', async () => {
  const peers = await connected(15, { bytes: 64 * MIB, stuckMs: 600_000 })
  for (const { port } of peers) port.post(MESSAGE)
  await peers[0]?.closed
  const open = peers.filter(({ socket }) => socket.readyState === WebSocket.OPEN)
  expect(open.reduce((sum, { socket }) => sum + socket.bufferedAmount, 0)).toBeLessThanOrEqual(64 * MIB)
  expect(peers.at(-1)?.socket.readyState).toBe(WebSocket.OPEN)
})

test('a peer that never reads is closed after a while, one that reads stays', async () => {
  const bounds = { bytes: 1_024 * MIB, stuckMs: 100 }
  const [reader] = await connected(1, bounds, true)
  const [silent] = await connected(1, bounds)
  silent?.port.post(MESSAGE)
  await silent?.closed
  for (let count = 0; count < 3; count++) {
    const arrived = reader && once(reader.client, 'message')
    reader?.port.post('text')
    await arrived
  }
  expect(reader?.socket.readyState).toBe(WebSocket.OPEN)
})
