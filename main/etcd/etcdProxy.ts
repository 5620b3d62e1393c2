import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { ProblemError } from '../../core/errors.ts'
import { inUrl, isLoopback, LOOPBACK } from '../../core/live/proxyReach.ts'
import { ownNames } from '../proxy/names.ts'
import { CLIENT_LIMITS, closable, listen, type TlsFiles } from '../proxy/listen.ts'
import type { CallCount } from './call.ts'
import { Callers, peerOf } from './callers.ts'
import type { AdmissionGate } from './admissionGate.ts'
import { type CallMeter, exchange } from './exchange.ts'
import { frontOf } from './front.ts'
import { Gateway, type Guest } from './gateway.ts'
import { acceptSession, STREAM_WINDOW_BYTES } from './http2.ts'
import { SESSION_MEGABYTES, type Upstream, UpstreamConnection } from './upstream.ts'
import { Visit, VISIT_LIMITS, type VisitLimits, Visits } from './visits.ts'

export interface EtcdProxyOptions {
  readonly upstream: Upstream
  /** An address of this machine; defaults to 127.0.0.1. Any other needs TLS and a CA of client certificates. */
  readonly host?: string
  /** 0 selects a free port. */
  readonly port: number
  readonly tls?: TlsFiles
  readonly gate: AdmissionGate
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly meter?: CallMeter
  /** Counts the calls that go upstream. */
  readonly calls?: CallCount
  readonly limits?: VisitLimits
}

export interface EtcdProxy {
  /** `http://127.0.0.1:2380`: the address that clients connect to. */
  readonly url: string
  close(): Promise<void>
}

const sessionOptions = ({ calls }: VisitLimits) => ({
  maxSessionMemory: SESSION_MEGABYTES,
  maxHeaderListPairs: 1_000,
  // Clients give up many calls when etcd is slow; Node's limit of 33 a second would end their connection.
  streamResetBurst: 10_000,
  streamResetRate: 1_000,
  // gRPC metadata of any name may be repeated.
  strictSingleValueFields: false,
  settings: {
    initialWindowSize: STREAM_WINDOW_BYTES,
    maxHeaderListSize: CLIENT_LIMITS.headerBytes,
    maxConcurrentStreams: calls.each,
  },
})

/**
 * Milliseconds for which a client that connects while etcd is gone waits for it, without the settings of HTTP/2, so that
 * clients of several members use the others meanwhile; and between two attempts.
 */
const RESTART_MS = 2_000
const RETRY_MS = 100

/**
 * Listens in front of one member of etcd. Each client has its own connection upstream, so that a slow reader does not
 * delay other clients. Rejects with `ProblemError`.
 */
export async function openEtcdProxy(options: EtcdProxyOptions): Promise<EtcdProxy> {
  const { upstream, host = LOOPBACK, tls, limits = VISIT_LIMITS } = options
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
  const session = sessionOptions(limits)
  const callers = new Callers()
  const connections = new Set<UpstreamConnection>()
  /** Nothing was there when a connection to etcd was last opened. */
  let gone = false
  const http2 = (socket: Socket): void => {
    const connection = new UpstreamConnection(upstream, (there) => {
      gone = !there
      // As with the member itself, so that a client of several members uses the others.
      if (gone) visit.session?.leave()
    })
    connections.add(connection)
    const visit = new Visit(visits, socket, options.now)
    const closed = (): void => {
      visit.end()
      connection.close()
      connections.delete(connection)
    }
    const around = { ...options, callers, peer: peerOf(socket), connect: connection.use, host: visit }
    const accept = (): void => {
      visit.session = acceptSession(socket, session, {
        opened: () => visit.open(),
        call: (stream, headers, raw) => exchange(stream, headers, raw, around),
        pinged: () => visit.pinged(),
        closed,
      })
    }
    if (!gone) return accept()
    const until = options.now() + RESTART_MS
    const wait = (): void =>
      connection.use(() => {
        if (!gone && !socket.destroyed) return accept()
        if (!socket.destroyed && options.now() < until) return void setTimeout(wait, RETRY_MS).unref()
        socket.destroy()
        closed()
      })
    wait()
  }
  const guests = new WeakMap<Socket, Guest>()
  const gateway = new Gateway({ ...options, callers, names: () => names }, ({ socket }) => guests.get(socket))
  const http1 = (socket: Socket): void => {
    const visit = new Visit(visits, socket, options.now)
    guests.set(socket, { visit, peer: peerOf(socket) })
    socket.once('close', () => visit.end())
    gateway.server.emit('connection', socket)
  }
  const server = frontOf(tls, { http2, http1 })
  const visits = new Visits(server, limits, options.now)
  const close = closable(server)
  const port = await listen(server, host, options.port)
  const scheme = tls === undefined ? 'http' : 'https'
  const certificate = tls === undefined ? undefined : new X509Certificate(tls.cert)
  const names = ownNames({ scheme, hosts: [host], port, certificate })
  return {
    url: `${scheme}://${inUrl(host)}:${port}`,
    async close() {
      visits.close()
      await close()
      gateway.close()
      for (const connection of connections) connection.close()
    },
  }
}
