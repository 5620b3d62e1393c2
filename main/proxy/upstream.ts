import http, { type Agent, type ClientRequest } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { RawHeaders } from './headers.ts'

/** The server behind the proxy. */
export interface Upstream {
  /** Root of its API; a path in it precedes every target. */
  readonly base: URL
  /** Agent of the connections to it; replaced when its certificates change. */
  readonly agent: Agent
  /** The proxy's own credentials, sent with every request. */
  readonly headers: RawHeaders
  /**
   * The upstream is an API server, which reports in its headers how it classified a request, and sends no such headers
   * for requests that it did not classify.
   */
  readonly classifies: boolean
  /** Milliseconds within which a new connection must be established, TLS included; defaults to 30 s. */
  readonly connectMs?: number
  /** Renews credentials that expired; `undefined` while they hold. Rejects with `ProblemError`. */
  renewal(): Promise<void> | undefined
  /** Notifies that the upstream rejected a request that carried the credentials. */
  refused(): void
}

/** Go's servers send at most a megabyte. */
const MAX_HEADER_BYTES = 1024 * 1024
/** The same as Kubernetes' own clients; the system would take minutes, and seats are held meanwhile. */
const CONNECT_MS = 30_000

interface Place {
  readonly protocol: string
  readonly hostname: string
  readonly port: string
  /** Path before every target. */
  readonly prefix: string
}

const places = new WeakMap<URL, Place>()

function placeOf(base: URL): Place {
  const known = places.get(base)
  if (known !== undefined) return known
  const place = {
    protocol: base.protocol,
    // The brackets of an IPv6 address belong to the URL.
    hostname: base.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: base.port,
    prefix: base.pathname.replace(/\/+$/, ''),
  }
  places.set(base, place)
  return place
}

/**
 * A request to the upstream, with raw headers exactly as they are sent, Host included. Throws what Node throws for
 * headers and paths that HTTP does not allow.
 */
export function openRequest(
  { base, agent, connectMs = CONNECT_MS }: Pick<Upstream, 'base' | 'agent' | 'connectMs'>,
  method: string,
  target: string,
  headers: RawHeaders,
): ClientRequest {
  const { protocol, hostname, port, prefix } = placeOf(base)
  const options = {
    protocol,
    hostname,
    port,
    method,
    path: prefix + target,
    agent,
    headers,
    setHost: false,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const outgoing = protocol === 'https:' ? https.request(options) : http.request(options)
  outgoing.maxHeadersCount = 0
  outgoing.once('socket', (socket) => {
    if (socket.connecting) limitConnecting(outgoing, socket, connectMs)
  })
  return outgoing
}

function limitConnecting(outgoing: ClientRequest, socket: Socket, ms: number): void {
  const timer = setTimeout(() => {
    outgoing.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }))
  }, ms)
  const stop = (): void => clearTimeout(timer)
  socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', stop)
  socket.once('close', stop)
}
