import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { Socket, type Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { ProblemError } from '../../core/errors.ts'
import { LOOPBACK } from '../../core/live/proxyReach.ts'

/**
 * Limits for clients that send too slowly. Node enforces its timeouts only every `connectionsCheckingInterval`, which is
 * 30 s by default.
 */
const SLOW_CLIENTS = {
  maxHeaderSize: 16_384,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
}

/** Limits of a server that responds immediately; `most` applies to each stage. */
export const quickAnswers = (most: number): ConnectionLimits => ({
  new: { most, ms: 10_000 },
  busy: { most, ms: 30_000 },
  idle: { most, ms: 120_000 },
})

/** Milliseconds for a peer to receive a refusal. */
const REFUSAL_MS = 1_000

/** The stage of a connection. `new`: it has sent no acceptable request yet. */
type Stage = 'new' | 'busy' | 'idle'

/** Most connections in each stage, and milliseconds that one may stay in it; `Infinity` for no limit. */
export type ConnectionLimits = Readonly<Record<Stage, { readonly most: number; readonly ms: number }>>

export interface ConnectionRoomOptions {
  readonly limits: ConnectionLimits
  /** Called for each connection that is closed because it took too long, or because newer ones need its slot. */
  readonly onDropped?: (why: 'slow' | 'crowded') => void
}

export interface ConnectionRoom {
  /** Counts the request as acceptable. `false` when too many are in progress; the connection then stays `new`. */
  admit(request: IncomingMessage, response: ServerResponse): boolean
  /** The same for a connection whose requests are counted elsewhere: it is `busy` until it rests. */
  begin(socket: Duplex): boolean
  rest(socket: Duplex): void
  /** Stops counting the connection; it is never closed here. */
  release(socket: Duplex): void
}

interface Member {
  readonly socket: Socket
  readonly peer: string
  /** Absent once the connection is no longer counted. */
  stage: Stage | undefined
  timer: NodeJS.Timeout | undefined
}

/** The same for a TLS socket and the TCP socket under it. */
const peerOf = (socket: Duplex): string =>
  socket instanceof Socket ? `${socket.remoteAddress} ${socket.remotePort}` : ''

/**
 * Keeps slots free for real clients of a server on loopback, where any user of the machine can open idle connections: a
 * connection that sends no acceptable request head in time is closed, and if there are too many new or idle ones, the
 * oldest is closed. (`server.maxConnections` would refuse the newcomer instead, and Node's timeouts begin with the
 * first byte.)
 */
export function keepRoom(server: NetServer, { limits, onDropped }: ConnectionRoomOptions): ConnectionRoom {
  // In the order in which they entered their stage.
  const members: Readonly<Record<Stage, Set<Member>>> = { new: new Set(), busy: new Set(), idle: new Set() }
  const byPeer = new Map<string, Member>()
  /** By the socket that requests arrive on: a peer is looked up once per connection, not for each request. */
  const bySocket = new WeakMap<Duplex, Member>()
  const memberOf = (socket: Duplex): Member | undefined => {
    const member = bySocket.get(socket) ?? byPeer.get(peerOf(socket))
    if (member !== undefined) bySocket.set(socket, member)
    return member
  }
  const drop = (member: Member, why: 'slow' | 'crowded'): void => {
    // Either side closes an idle connection at any time, and nothing is lost with it.
    if (member.stage !== 'idle') onDropped?.(why)
    member.socket.destroy()
  }
  const leave = (member: Member): void => {
    clearTimeout(member.timer)
    if (member.stage !== undefined) members[member.stage].delete(member)
    member.stage = undefined
  }
  const forget = (member: Member): void => {
    leave(member)
    if (byPeer.get(member.peer) === member) byPeer.delete(member.peer)
  }
  const enter = (member: Member, stage: Stage): void => {
    leave(member)
    const { most, ms } = limits[stage]
    const [oldest] = members[stage]
    if (members[stage].size >= most && oldest !== undefined) drop(oldest, 'crowded')
    member.stage = stage
    member.timer = Number.isFinite(ms) ? setTimeout(() => drop(member, 'slow'), ms) : undefined
    members[stage].add(member)
  }
  server.on('connection', (socket: Socket) => {
    const member: Member = { socket, peer: peerOf(socket), stage: undefined, timer: undefined }
    const before = byPeer.get(member.peer)
    if (before !== undefined) forget(before)
    byPeer.set(member.peer, member)
    enter(member, 'new')
    socket.once('close', () => forget(member))
  })
  const begin = (member: Member | undefined): boolean => {
    // A further request of a client that did not wait for the response to its first one.
    if (member?.stage === 'busy') return true
    if (member?.stage === undefined || members.busy.size >= limits.busy.most) return false
    enter(member, 'busy')
    return true
  }
  const rest = (member: Member): void => {
    if (member.stage === 'busy' && !member.socket.destroyed) enter(member, 'idle')
  }
  return {
    admit({ socket }, response) {
      const member = memberOf(socket)
      const further = member?.stage === 'busy'
      if (!begin(member)) return false
      if (member !== undefined && !further) response.once('close', () => rest(member))
      return true
    },
    begin: (socket) => begin(memberOf(socket)),
    rest(socket) {
      const member = memberOf(socket)
      if (member !== undefined) rest(member)
    },
    release(socket) {
      const member = memberOf(socket)
      if (member !== undefined) forget(member)
    },
  }
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

export interface ListeningServer {
  /** Already listening; the caller must add its handlers before it yields. */
  readonly server: Server
  readonly port: number
  readonly room: ConnectionRoom
  /** Uses another certificate for new connections. Throws when it is not usable. */
  readonly renew: (certificate: ServerCertificate) => void
  close(): Promise<void>
}

/** PEM texts. */
export interface ServerCertificate {
  readonly cert: Buffer
  readonly key: Buffer
}

export interface ListenOptions {
  /** 0 selects a free port. */
  readonly port: number
  readonly limits: ConnectionLimits
  /** `undefined` for every address of the machine. */
  readonly address: string | undefined
  /** HTTPS with this certificate. */
  readonly certificate?: ServerCertificate | undefined
}

/** Starts an HTTP server on 127.0.0.1; see `listenOn`. */
export const listenOnLoopback = (port: number, limits: ConnectionLimits): Promise<ListeningServer> =>
  listenOn({ port, limits, address: LOOPBACK })

/**
 * Starts an HTTP server whose handlers must `admit` the requests that they accept. Rejects with the error of `listen`
 * when the port is in use, and of the certificate when it is not usable.
 */
export async function listenOn({ port, limits, address, certificate }: ListenOptions): Promise<ListeningServer> {
  const options = { ...SLOW_CLIENTS, keepAliveTimeout: limits.idle.ms }
  const secure = certificate && createTlsServer({ ...options, minVersion: 'TLSv1.2', ...certificate })
  const server: Server = secure ?? createServer(options)
  const room = keepRoom(server, { limits })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, resolve)
  })
  // Out of file descriptors: this connection is lost; later ones may succeed.
  server.on('error', () => undefined)
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new ProblemError('internal', 'The server has no port.')
  return {
    server,
    port: bound.port,
    room,
    renew: (renewed) => secure?.setSecureContext({ minVersion: 'TLSv1.2', ...renewed }),
    close: () => closeServer(server),
  }
}

/** Ends its connections too. */
export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
