import http, { type Agent, type ClientRequest } from 'node:http'
import https from 'node:https'
import type { RawHeaders } from './headers.ts'

/** The server behind the proxy. */
export interface Upstream {
  /** Where its API begins; a path before it is put before every target. */
  readonly base: URL
  /** Of the connections to it; another one once its certificates changed. */
  readonly agent: Agent
  /** The proxy's own credentials, sent with every request. */
  readonly headers: RawHeaders
  /** It is an API server, which says in its headers where it put a request, and is silent of those that it did not place. */
  readonly classifies: boolean
  /** Renews credentials that expired; `undefined` while they hold. Rejects with `ProblemError`. */
  renewal(): Promise<void> | undefined
  /** It refused a request that carried the credentials. */
  refused(): void
}

/** Go's servers send at most a megabyte. */
const MAX_HEADER_BYTES = 1024 * 1024

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
 * A request to the upstream, with raw headers as they are to be sent, Host included. Throws what Node throws for headers
 * and paths that HTTP does not have.
 */
export function openRequest(
  { base, agent }: Upstream,
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
  return outgoing
}
