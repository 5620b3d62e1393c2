import { createSecureServer, createServer, type Http2SecureServer, type Http2Server } from 'node:http2'
import { ProblemError } from '../../core/contract/errors.ts'
import { inUrl, isLoopback, LOOPBACK } from '../../core/live/proxyReach.ts'
import { certified, CLIENT_LIMITS, closable, listen, type TlsFiles } from '../proxy/listen.ts'
import type { CallCount } from './call.ts'
import { Callers, peerOf } from './callers.ts'
import type { Door } from './door.ts'
import { type CallMeter, exchange } from './exchange.ts'
import { SESSION_MEGABYTES, STREAM_WINDOW_BYTES, type Upstream, UpstreamConnection } from './upstream.ts'

export interface EtcdProxyOptions {
  readonly upstream: Upstream
  /** An address of this machine; defaults to 127.0.0.1. Any other needs TLS and a CA of client certificates. */
  readonly host?: string
  /** 0 selects a free port. */
  readonly port: number
  readonly tls?: TlsFiles
  readonly door: Door
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly meter?: CallMeter
  /** Counts the calls that go upstream. */
  readonly calls?: CallCount
}

export interface EtcdProxy {
  /** `http://127.0.0.1:2380`: the address that clients connect to. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Listens in front of one member of etcd. Each client has its own connection upstream, so that a slow reader does not
 * delay other clients. Rejects with `ProblemError`.
 */
export async function openEtcdProxy(options: EtcdProxyOptions): Promise<EtcdProxy> {
  const { upstream, host = LOOPBACK, tls } = options
  if (!isLoopback(host) && tls?.clientCa === undefined) {
    throw new ProblemError(
      'invalid-input',
      `Other than on loopback, the proxy requires TLS and client certificates. Provide a certificate for ${host}, its key and the CA of the clients.`,
    )
  }
  // Any user of this machine can reach a port on loopback, and etcd stores every secret of a cluster.
  if (upstream.tls?.cert !== undefined && tls?.clientCa === undefined) {
    throw new ProblemError(
      'invalid-input',
      'Every user of this machine would reach etcd with the client certificate of the proxy. Require client certificates as well: provide a certificate for the proxy, its key and the CA of its clients.',
    )
  }
  const server = listenerOf(tls)
  const callers = new Callers()
  const connections = new Set<UpstreamConnection>()
  server.on('session', (session) => {
    const connection = new UpstreamConnection(upstream)
    connections.add(connection)
    session.on('error', () => session.destroy())
    session.once('close', () => {
      connection.close()
      connections.delete(connection)
    })
    const around = { ...options, callers, peer: peerOf(session), open: connection.open.bind(connection) }
    session.on('stream', (stream, headers, _flags, raw) => exchange(stream, headers, raw, around))
  })
  // A failed handshake, or bytes that are not HTTP/2, end only their own connection.
  server.on('sessionError', () => undefined)
  const close = closable(server)
  const port = await listen(server, host, options.port)
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${inUrl(host)}:${port}`,
    async close() {
      await close()
      for (const connection of connections) connection.close()
    },
  }
}

function listenerOf(tls: TlsFiles | undefined): Http2Server | Http2SecureServer {
  const options = {
    maxSessionMemory: SESSION_MEGABYTES,
    maxHeaderListPairs: 1_000,
    // gRPC metadata of any name may be repeated.
    strictSingleValueFields: false,
    settings: { initialWindowSize: STREAM_WINDOW_BYTES, maxHeaderListSize: CLIENT_LIMITS.headerBytes },
  }
  if (tls === undefined) return createServer(options)
  const { cert, key, clientCa } = tls
  return certified(() =>
    createSecureServer({
      ...options,
      cert,
      key,
      minVersion: 'TLSv1.2',
      handshakeTimeout: CLIENT_LIMITS.headersMs,
      ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
    }),
  )
}
