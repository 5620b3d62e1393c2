import { createServer, type Server, type ServerOptions } from 'node:http'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import type { Server as NetServer, Socket } from 'node:net'
import { ProblemError, messageOf } from '../../core/errors.ts'
import { keepRoom, type ConnectionRoom } from '../listen/connections.ts'
import { hasBody, type AnyRequest } from './exchange.ts'

export type ProxyListener = Server | Http2SecureServer

export interface TlsFiles {
  /** PEM texts. */
  readonly cert: string
  readonly key: string
  /** CA of client certificates; without it, none are requested. */
  readonly clientCa?: string
}

/** Limits that prevent clients from holding connections without using them. */
export interface ClientLimits {
  /** Bytes of the head of a request, target included. */
  readonly headerBytes: number
  /** Milliseconds for the head of a request, and for a TLS handshake. */
  readonly headersMs: number
  /** Milliseconds between two requests on a connection. */
  readonly keepAliveMs: number
  /** Milliseconds for what is under way on an HTTP/2 connection whose client says that it leaves. */
  readonly leavingMs: number
  /** Connections that have sent no request yet, and those between two. Other connections are not limited. */
  readonly mostSilent: number
  readonly mostIdle: number
}

export const CLIENT_LIMITS: ClientLimits = {
  // Go's servers accept a megabyte; a proxy on a workstation needs less.
  headerBytes: 128 * 1024,
  headersMs: 20_000,
  // Longer than clients keep idle connections, so that clients close them first.
  keepAliveMs: 120_000,
  leavingMs: 300_000,
  // Thousands of clients may start at the same moment, and their connections are accepted before a request is read.
  mostSilent: 4_096,
  mostIdle: 4_096,
}

/** Connections that the kernel accepts while the process is busy: clients retry further ones after a second. */
const BACKLOG = 4_096

/**
 * A protocol change to request from the upstream. Offers of HTTP/2 without TLS are ignored, as the server does, and so
 * are offers with a body, which is a request in itself.
 */
export const mayUpgrade = (request: AnyRequest): boolean =>
  !/\bh2c\b/i.test(request.headers.upgrade ?? '') && !hasBody(request)

/** HTTP/1.1 without TLS, HTTP/2 and HTTP/1.1 with it. Throws `ProblemError` for certificates that OpenSSL rejects. */
export function createListener(tls: TlsFiles | undefined, limits: ClientLimits): ProxyListener {
  const options = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: Math.min(5_000, limits.headersMs / 2),
    keepAliveTimeout: limits.keepAliveMs,
    // Uploads may be slow; accounting for the seats that they hold is the engine's task.
    requestTimeout: 0,
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: mayUpgrade,
  } satisfies ServerOptions
  const server = tls === undefined ? createServer(options) : secure(tls, options, limits)
  // No limit on the number of headers, for HTTP/1.1 over TLS as well: its server accepts the property although its
  // types lack it.
  return Object.assign(server, { maxHeadersCount: 0 })
}

const secure = ({ cert, key, clientCa }: TlsFiles, options: ServerOptions, limits: ClientLimits): Http2SecureServer =>
  certified(() =>
    createSecureServer({
      ...options,
      cert,
      key,
      allowHTTP1: true,
      minVersion: 'TLSv1.2',
      handshakeTimeout: limits.headersMs,
      // As on API servers; each stream may have as much in flight as its window allows, in megabytes.
      maxSessionMemory: 256,
      settings: { maxConcurrentStreams: 1_000, maxHeaderListSize: limits.headerBytes },
      maxHeaderListPairs: 1_000,
      // A client without a certificate, or with a wrong one, gets a response that says so.
      ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: false }),
    }),
  )

/** Creates a server. Throws `ProblemError` for certificates that OpenSSL rejects. */
export function certified<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new ProblemError(
      'invalid-input',
      'The certificate of the proxy cannot be used; check that certificate and key are PEM and belong together.',
      messageOf(error),
    )
  }
}

/**
 * Closes idle connections, and connections without a request that is let in: every user of the machine may open some
 * and stay silent. An HTTP/2 session is closed when it has been silent for as long as an idle connection is kept.
 */
export function keepProxyRoom(server: ProxyListener, limits: ClientLimits): ConnectionRoom {
  const { headersMs, keepAliveMs, leavingMs, mostSilent, mostIdle } = limits
  server.on('session', (session: ServerHttp2Session) => {
    session.setTimeout(keepAliveMs, () => session.close())
    // Node stops to read such a connection after a protocol error, and would never close it.
    session.once('goaway', () => {
      const timer = setTimeout(() => session.destroy(), leavingMs)
      session.once('close', () => clearTimeout(timer))
    })
  })
  return keepRoom(server, {
    limits: {
      // A client that began a head gets a response that it came too late, no later than half as long again after it was
      // due.
      new: { most: mostSilent, ms: 2 * headersMs },
      busy: { most: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY },
      idle: { most: mostIdle, ms: keepAliveMs },
    },
  })
}

/** Begins to listen and resolves to the port. Rejects with `ProblemError`. */
export function listen(server: NetServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(notListening(error, host, port))
    server.once('error', fail)
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', fail)
      // Out of file descriptors: this connection is lost, later ones may succeed.
      server.on('error', () => undefined)
      const address = server.address()
      if (address === null || typeof address === 'string')
        reject(new ProblemError('internal', 'The proxy has no port.'))
      else resolve(address.port)
    })
  })
}

function notListening({ code, message }: NodeJS.ErrnoException, host: string, port: number): ProblemError {
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is in use; choose another one, or 0 for any that is free.`,
    EACCES: `This user may not listen on port ${port}; choose one above 1023.`,
    EADDRNOTAVAIL: `${host} is no address of this machine.`,
    ENOTFOUND: `${host} is no address of this machine.`,
  }
  const sentence = sentences[code ?? '']
  return sentence === undefined
    ? new ProblemError('internal', `The proxy cannot listen on ${host}, port ${port}.`, message)
    : new ProblemError('invalid-input', sentence)
}

/** Closes every connection, whatever protocol it uses now: HTTP/1.1, HTTP/2 sessions, changed protocols. */
export function closable(server: NetServer): () => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
}
