import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { certified, CLIENT_LIMITS, type TlsFiles } from '../proxy/listen.ts'

/** Receives the connections of clients, by the version of HTTP that they speak. */
export interface Accept {
  http1(socket: Socket): void
  http2(socket: Socket): void
}

/** How every connection of HTTP/2 begins, and no request of HTTP/1. */
const PREFACE = Buffer.from('PRI ')

/**
 * A server for both versions of HTTP, with or without TLS, as etcd is one: with TLS clients name the version, without it
 * their first bytes do. Throws `ProblemError` for certificates that OpenSSL rejects.
 */
export function frontOf(tls: TlsFiles | undefined, accept: Accept): Server {
  const route = (socket: Socket): void => {
    socket.on('error', () => socket.destroy())
    if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') accept.http2(socket)
    else byFirstBytes(socket, accept)
  }
  if (tls === undefined) return createServer(route)
  const { cert, key, clientCa } = tls
  const options = {
    cert,
    key,
    minVersion: 'TLSv1.2' as const,
    handshakeTimeout: CLIENT_LIMITS.headersMs,
    ALPNProtocols: ['h2', 'http/1.1'],
    ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  }
  return certified(() => createTlsServer(options, route))
}

function byFirstBytes(socket: Socket, accept: Accept): void {
  let head: Buffer = Buffer.alloc(0)
  const read = (): void => {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return
    head = Buffer.concat([head, chunk])
    const length = Math.min(head.length, PREFACE.length)
    const same = head.subarray(0, length).equals(PREFACE.subarray(0, length))
    if (same && length < PREFACE.length) return
    socket.off('readable', read)
    socket.unshift(head)
    accept[same ? 'http2' : 'http1'](socket)
  }
  socket.on('readable', read)
}
