import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Certificate } from './hostileServerCertificates.ts'

// HTTP/2 by the byte, for peers that a library would not let send what they send.

export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
export const [DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, CONTINUATION] = [0, 1, 3, 4, 6, 7, 9]
export const END_STREAM = 1
export const END_HEADERS = 4
const HEAD_BYTES = 9

export function frame(type: number, flags: number, stream: number, payload: Buffer, length = payload.length): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

export const preface = (...frames: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0, 0, Buffer.alloc(0)), ...frames])

/** A header as HPACK without tables. */
export function field(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ])
}

/** Calls `onFrame` for each frame of a connection; a client's preface comes before its first. */
export function eachFrame(
  socket: Socket,
  skip: number,
  onFrame: (type: number, stream: number, flags: number) => void,
): void {
  let rest: Buffer = Buffer.alloc(0)
  let left = skip
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    if (rest.length < left) return
    rest = rest.subarray(left)
    left = 0
    for (;;) {
      if (rest.length < HEAD_BYTES) return
      const length = rest.readUIntBE(0, 3)
      if (rest.length < HEAD_BYTES + length) return
      const [type = 0, flags = 0] = rest.subarray(3, 5)
      const stream = rest.readUInt32BE(5) & 0x7fff_ffff
      rest = rest.subarray(HEAD_BYTES + length)
      onFrame(type, stream, flags)
    }
  })
}

export interface FrameServer {
  readonly url: string
  close(): Promise<void>
}

/** A server of HTTP/2 that calls `onCall` for each call with its number, once the whole of it is there. */
export async function frameServer(
  tls: Certificate | undefined,
  onCall: (socket: Socket, stream: number) => void,
): Promise<FrameServer> {
  const sockets = new Set<Socket>()
  const serve = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    socket.write(frame(SETTINGS, 0, 0, Buffer.alloc(0)))
    eachFrame(socket, PREFACE.length, (type, stream, flags) => {
      if (type === SETTINGS && (flags & 1) === 0) socket.write(frame(SETTINGS, 1, 0, Buffer.alloc(0)))
      if (type === DATA && (flags & END_STREAM) !== 0) onCall(socket, stream)
    })
  }
  const server = tls === undefined ? createServer(serve) : createTlsServer({ ...tls, ALPNProtocols: ['h2'] }, serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
