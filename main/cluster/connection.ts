import http, { type Agent } from 'node:http'
import https, { type AgentOptions } from 'node:https'
import { ProblemError } from '../../core/contract/errors.ts'
import type { Target } from '../../core/contract/source.ts'
import type { RequestSettings } from './http.ts'
import { isLoopback, shownUrl } from './redact.ts'

/** One API server of a connection. */
export interface ServerAddress {
  /** Stable within the source: host:port, with the path where several addresses share it. */
  readonly id: string
  readonly metrics: URL
  /** Where the API begins, without a slash at the end; absent when it cannot be told from the address of the metrics. */
  readonly base?: string
}

/** API servers that are read with the same credentials. */
export interface Connection {
  /** What the operator calls it, and how it is read. */
  readonly name: string
  readonly via: string
  readonly servers: readonly ServerAddress[]
  /** Where the API of the cluster is, whichever of its servers are read; absent for addresses of metrics pages. */
  readonly cluster?: string
  /** What the operator ought to know, in sentences: certificates that are not verified. */
  readonly notes: readonly string[]
  /** How to make the next request to a server; renews credentials that expired. Rejects with `ProblemError`. */
  settings(server: ServerAddress): Promise<RequestSettings>
  /** The server refused the credentials: read them anew for the next request. */
  renew(): void
  /** Closes kept connections. */
  close(): void
}

/** Opens a target without contacting it. Rejects with `ProblemError`. */
export async function openConnection(target: Target, now: () => number): Promise<Connection> {
  if (target.kind === 'urls') return urlsConnection(target.urls)
  const { kubeconfigConnection } = await import('./kubeconfigConnection.ts')
  return kubeconfigConnection(target, now)
}

/** Metrics addresses that are read without credentials. Throws `ProblemError`. */
export function urlsConnection(addresses: readonly string[]): Connection {
  const urls = addresses.map(parseAddress)
  const agents = { 'http:': keepAliveAgent('http:', urls), 'https:': keepAliveAgent('https:', urls) }
  return {
    name: urls.length === 1 ? (urls[0]?.host ?? '') : `${urls.length} API servers`,
    via: `${[...new Set(urls.map((url) => url.pathname))].join(', ')} direct`,
    servers: withIds(urls, urlServer),
    notes: [],
    settings: (server) =>
      Promise.resolve({
        agent: server.metrics.protocol === 'https:' ? agents['https:'] : agents['http:'],
        headers: {},
        secrets: [],
      }),
    renew() {},
    close() {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

/** The address, refused when it carries credentials: addresses are shown, remembered and logged. */
export function parseAddress(address: string): URL {
  if (!URL.canParse(address)) {
    throw new ProblemError('invalid-input', `"${address}" is not an address; write https://host:port/metrics.`)
  }
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ProblemError('invalid-input', `${shownUrl(url)} is neither http:// nor https://.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new ProblemError(
      'invalid-input',
      `The address ${shownUrl(url)} holds a user name or password; put credentials into a kubeconfig instead.`,
    )
  }
  return url
}

/**
 * Server addresses with ids that differ: the host where that is enough, otherwise host and path, counted where these
 * are the same too (queries are not shown). The same address twice is one server.
 */
export function withIds(
  urls: readonly URL[],
  toServer: (url: URL) => Omit<ServerAddress, 'id'>,
): readonly ServerAddress[] {
  const distinct = [...new Map(urls.map((url) => [url.href, url])).values()]
  const hosts = Map.groupBy(distinct, (url) => url.host)
  const places = Map.groupBy(distinct, (url) => `${url.host}${url.pathname}`)
  return distinct.map((url) => {
    const place = `${url.host}${url.pathname}`
    const same = places.get(place) ?? []
    const counted = same.length === 1 ? place : `${place} (${same.indexOf(url) + 1})`
    return { id: hosts.get(url.host)?.length === 1 ? url.host : counted, ...toServer(url) }
  })
}

const METRICS_PATH = '/metrics'

function urlServer(url: URL): Omit<ServerAddress, 'id'> {
  if (!url.pathname.endsWith(METRICS_PATH)) return { metrics: url }
  return { metrics: url, base: `${url.origin}${url.pathname.slice(0, -METRICS_PATH.length)}` }
}

/** An API server of a cluster by the address at which its API begins. */
export function apiServer(url: URL): Omit<ServerAddress, 'id'> {
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  return { metrics: new URL(`${base}${METRICS_PATH}`), base }
}

export interface ConnectionLimits {
  readonly maxSockets: number
  /** Milliseconds after which a connection that is not in use is closed. */
  readonly timeout: number
}

/** Two watches stay open beside scrapes and dumps; a write must not wait for any of them. */
const FEW: ConnectionLimits = {
  maxSockets: 8,
  // Longer than the longest interval between two scrapes.
  timeout: 90_000,
}

/**
 * An agent that keeps connections, and that goes through the proxy of the environment (HTTPS_PROXY, NO_PROXY) unless
 * it is for this machine itself.
 */
export function keepAliveAgent(
  protocol: 'http:' | 'https:',
  urls: readonly URL[],
  tls: AgentOptions = {},
  limits: ConnectionLimits = FEW,
): Agent {
  const options = {
    keepAlive: true,
    ...limits,
    ...(urls.every(isLoopback) ? {} : { proxyEnv: process.env }),
  }
  return protocol === 'https:' ? new https.Agent({ ...options, ...tls }) : new http.Agent(options)
}
