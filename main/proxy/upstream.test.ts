import https from 'node:https'
import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openRequest } from './upstream.ts'

test('a connection that does not come about is given up, TLS included', async () => {
  const sockets: Socket[] = []
  // Accepts the connection and never sends a byte of TLS.
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const upstream = { base: new URL(`https://127.0.0.1:${port}`), agent: new https.Agent(), connectMs: 50 }
  const outgoing = openRequest(upstream, 'GET', '/', ['Host', 'x'])
  const failed = new Promise((resolve) => outgoing.on('error', resolve))
  outgoing.end()
  expect(await failed).toMatchObject({ code: 'ETIMEDOUT' })
  sockets.forEach((socket) => socket.destroy())
  await new Promise((resolve) => silent.close(resolve))
})
