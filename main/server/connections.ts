import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ProblemError } from '../../core/contract/errors.ts'

/** The only interface that web mode, metrics and the simulated API server listen on. */
export const LOOPBACK = '127.0.0.1'

/**
 * Limits for clients that connect and send nothing, or too slowly. Node enforces its timeouts only every
 * `connectionsCheckingInterval`, which is 30 s by default.
 */
const CLIENT_LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
}

/** Milliseconds that a peer gets to receive a refusal. */
const REFUSAL_MS = 1_000

interface Connection {
  readonly socket: Socket
  /** Requests without a complete response. */
  pending: number
}

/** The same for a TLS socket and the TCP socket under it. */
const peerOf = (socket: Duplex): string | undefined =>
  socket instanceof Socket && socket.remotePort !== undefined
    ? `${socket.remoteAddress} ${socket.remotePort}`
    : undefined

/**
 * Keeps a server reachable while somebody else holds connections open. At most `most` connections stay open; a further
 * one closes the connection that has been idle longest, or, if none is idle, the one whose last request is oldest.
 * (`server.maxConnections` refuses the newcomer instead, so that a few idle connections shut everybody out.)
 *
 * Returns a function that exempts a connection: it is no longer counted and never closed here.
 */
export function boundConnections(server: Server | HttpsServer, most: number): (socket: Duplex) => void {
  // Least recently used first.
  const connections = new Map<string, Connection>()
  const touch = (peer: string, connection: Connection): void => {
    connections.delete(peer)
    connections.set(peer, connection)
  }
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    if (peer === undefined) return void socket.destroy()
    if (connections.size >= most) {
      const open = [...connections.values()]
      const closed = open.find(({ pending }) => pending === 0) ?? open[0]
      closed?.socket.destroy()
    }
    const connection = { socket, pending: 0 }
    touch(peer, connection)
    socket.once('close', () => {
      if (connections.get(peer) === connection) connections.delete(peer)
    })
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const peer = peerOf(request.socket)
    const connection = peer === undefined ? undefined : connections.get(peer)
    if (peer === undefined || connection === undefined) return
    connection.pending += 1
    touch(peer, connection)
    response.once('close', () => {
      connection.pending -= 1
      if (connections.get(peer) === connection) touch(peer, connection)
    })
  })
  return (socket) => void connections.delete(peerOf(socket) ?? '')
}

/**
 * Refuses an upgrade and closes the connection once the refusal is sent. After an upgrade no timeout of the HTTP server
 * applies, so a peer that keeps its side open, or reads nothing, would hold the connection for ever.
 */
export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
  setTimeout(() => socket.destroy(), REFUSAL_MS).unref()
}

export interface LoopbackServer {
  /** Listens already; the caller adds its handlers before it yields. */
  readonly server: Server
  readonly port: number
  /** Exempts a connection from the bound on their number. */
  readonly exempt: (socket: Duplex) => void
  close(): Promise<void>
}

/**
 * Starts an HTTP server on 127.0.0.1 with at most `mostConnections` open connections. Port 0 takes a free one. Rejects
 * with the error of `listen` when the port is taken.
 */
export async function listenOnLoopback(port: number, mostConnections: number): Promise<LoopbackServer> {
  const server = createServer(CLIENT_LIMITS)
  const exempt = boundConnections(server, mostConnections)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, LOOPBACK, resolve)
  })
  // Out of file descriptors: this connection is lost, others will come.
  server.on('error', () => undefined)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new ProblemError('internal', 'The server has no port.')
  return {
    server,
    port: address.port,
    exempt,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
