import http, { type Agent } from 'node:http'
import https, { type AgentOptions } from 'node:https'
import { isDeepStrictEqual } from 'node:util'
import { ProblemError } from '../../core/contract/errors.ts'
import type { Target } from '../../core/contract/source.ts'
import type { Consent } from './consent.ts'
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

/** Opens a target without contacting it; the operator may have to confirm it. Rejects with `ProblemError`. */
export async function openConnection(
  target: Target,
  now: () => number,
  { consent }: { readonly consent: Consent },
): Promise<Connection> {
  if (target.kind === 'urls') {
    const { urlsConnection } = await import('./urlsConnection.ts')
    return urlsConnection(target, now, consent)
  }
  const { kubeconfigConnection } = await import('./kubeconfigConnection.ts')
  return kubeconfigConnection(target, now, { consent, env: process.env })
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
      `The address ${shownUrl(url)} holds a user name or password; give credentials beside the address, never in it.`,
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

/** A metrics page by its address; its API begins before `/metrics`, where it ends in that. */
export function urlServer(url: URL): Omit<ServerAddress, 'id'> {
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

/** Agents that are kept as long as the certificates stay the same; requests under way keep the one that they have. */
export function createAgents(urls: readonly URL[], limits: ConnectionLimits = FEW) {
  let kept: { readonly tls: AgentOptions; readonly byProtocol: Map<string, Agent> } | undefined
  return {
    agentFor({ protocol }: URL, tls: AgentOptions): Agent {
      if (kept === undefined || !isDeepStrictEqual(kept.tls, tls)) kept = { tls, byProtocol: new Map() }
      const agent =
        kept.byProtocol.get(protocol) ?? keepAliveAgent(protocol === 'https:' ? 'https:' : 'http:', urls, tls, limits)
      kept.byProtocol.set(protocol, agent)
      return agent
    },
    close: (): void => kept?.byProtocol.forEach((agent) => agent.destroy()),
  }
}

/** Credentials are sent over plain HTTP to this machine only. */
export function assertPrivate(url: URL, headers: RequestSettings['headers']): void {
  if (url.protocol === 'https:' || isLoopback(url) || headers['Authorization'] === undefined) return
  throw new ProblemError(
    'credentials',
    `The credentials would travel to ${url.host} unencrypted; use the https:// address of the API server.`,
  )
}
