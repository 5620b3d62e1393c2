import http, { type Agent } from 'node:http'
import https, { type AgentOptions } from 'node:https'
import { isDeepStrictEqual } from 'node:util'
import { createHash } from 'node:crypto'
import { ProblemError } from '../../core/errors.ts'
import type { Target } from '../../core/contract/source.ts'
import { type Consent, consentRequest, withLocatedProgram } from './consent.ts'
import type { RequestSettings } from './http.ts'
import { inTurn } from './inTurn.ts'
import { sendWith } from './nodeHttp.ts'
import { isLoopback, shownUrl } from './redact.ts'
import { resolveAddressCredentials, type Credentials, resolveCredentials } from './credentials.ts'
import { chooseContext, type ChosenContext } from './contexts.ts'

/** One API server of a connection. */
export interface ServerAddress {
  /** Stable within the source: host:port, with the path where several addresses share it. */
  readonly id: string
  readonly metrics: URL
  /**
   * Where the API begins, without a trailing slash; absent when it cannot be derived from the address of the metrics.
   */
  readonly base?: string
}

/** API servers that are read with the same credentials. */
export interface Connection {
  /** The operator's name for it, and how it is read. */
  readonly name: string
  readonly via: string
  readonly servers: readonly ServerAddress[]
  /** Where the API of the cluster is, regardless of which servers are read; absent for addresses of metrics pages. */
  readonly cluster?: string
  /**
   * Milliseconds after which objects are listed again, where a watch would occupy one of few connections; if absent,
   * they are watched.
   */
  readonly relistMs?: number
  /** Warnings for the operator, in sentences: certificates that are not verified. */
  readonly notes: readonly string[]
  /** How to send the next request to a server; renews expired credentials. Rejects with `ProblemError`. */
  settings(server: ServerAddress): Promise<RequestSettings>
  /** The server refused the credentials: reads them anew for the next request. */
  renew(): void
  /** Closes kept connections. */
  close(): void
}

/** A connection of this machine, whose agent others can use as well. */
export interface OwnConnection extends Connection {
  settings(server: ServerAddress): Promise<RequestSettings & { readonly agent: Agent }>
}

const withAgent = (settings: Omit<RequestSettings, 'send'>, agent: Agent) => ({
  ...settings,
  agent,
  send: inTurn(sendWith(agent)),
})

/** Opens a target without contacting it; the operator may have to confirm it. Rejects with `ProblemError`. */
export async function openConnection(
  target: Target,
  now: () => number,
  { consent }: { readonly consent: Consent },
): Promise<OwnConnection> {
  if (target.kind === 'urls') return urlsConnection(target, now, consent)
  return kubeconfigConnection(target, now, { consent, env: process.env })
}

/** The parsed address; rejected when it contains credentials: addresses are shown, remembered and logged. */
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
      `The address ${shownUrl(url)} contains a user name or password; give credentials separately, never in the address.`,
    )
  }
  return url
}

/**
 * Server addresses with unique ids: the host if that is enough, otherwise host and path, numbered if these are equal
 * too (queries are not shown). Duplicate addresses are one server.
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

/** A metrics page by its address; if that ends in `/metrics`, the API begins before it. */
export function urlServer(url: URL): Omit<ServerAddress, 'id'> {
  if (!url.pathname.endsWith(METRICS_PATH)) return { metrics: url }
  return { metrics: url, base: `${url.origin}${url.pathname.slice(0, -METRICS_PATH.length)}` }
}

/** An API server of a cluster by the address at which its API begins. */
export function apiServer(url: URL): Omit<ServerAddress, 'id'> {
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  return { metrics: new URL(`${base}${METRICS_PATH}`), base }
}

interface ConnectionLimits {
  readonly maxSockets: number
  /** Milliseconds after which a connection that is not in use is closed. */
  readonly timeout: number
}

/** Two watches stay open next to scrapes and dumps; a write must not wait for any of them. */
const FEW: ConnectionLimits = {
  maxSockets: 8,
  // Longer than the longest interval between two scrapes.
  timeout: 90_000,
}

/**
 * An agent that keeps connections, and that goes through the proxy of the environment (HTTPS_PROXY, NO_PROXY) unless
 * the target is this machine itself.
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

/** Agents that are kept as long as the certificates stay the same; requests in progress keep the one they have. */
function createAgents(urls: readonly URL[], limits: ConnectionLimits = FEW) {
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

/** Throws when credentials would be sent over plain HTTP to another machine. */
function assertPrivate(url: URL, headers: RequestSettings['headers']): void {
  if (url.protocol === 'https:' || isLoopback(url) || headers['Authorization'] === undefined) return
  throw new ProblemError(
    'credentials',
    `The credentials would be sent to ${url.host} unencrypted; use the https:// address of the API server.`,
  )
}

type UrlsTarget = Extract<Target, { kind: 'urls' }>

/** Metrics addresses with the credentials given for them, if any. Rejects with `ProblemError`. */
export async function urlsConnection(target: UrlsTarget, now: () => number, consent: Consent): Promise<OwnConnection> {
  const urls = target.urls.map(parseAddress)
  const given = target.credentials ?? {}
  await confirmFiles(target, urls, consent)
  const agents = createAgents(urls)
  let known: Credentials | undefined
  const credentials = async (): Promise<Credentials> => {
    if (known === undefined || known.validUntil <= now()) known = await resolveAddressCredentials(given, now())
    return known
  }
  return {
    name: urls.length === 1 ? (urls[0]?.host ?? '') : `${urls.length} API servers`,
    via: `${[...new Set(urls.map((url) => url.pathname))].join(', ')} direct`,
    servers: withIds(urls, urlServer),
    notes:
      given.insecureSkipTlsVerify === true && urls.some((url) => url.protocol === 'https:')
        ? ['Certificates are not verified, as configured: anyone on the network path could read the credentials.']
        : [],
    async settings(server) {
      const { tls, proxyAgent: _, ...own } = await credentials()
      assertPrivate(server.metrics, own.headers)
      return withAgent(own, agents.agentFor(server.metrics, tls))
    },
    renew() {
      known = undefined
    },
    close: () => agents.close(),
  }
}

/**
 * A page must not be able to have any file sent to any address: the operator confirms files that the command line did
 * not name.
 */
async function confirmFiles({ credentials }: UrlsTarget, urls: readonly URL[], consent: Consent): Promise<void> {
  const hosts = [...new Set(urls.map(({ host }) => host))].join(', ')
  for (const file of [credentials?.tokenFile, credentials?.passwordFile]) {
    if (file === undefined) continue
    const found = await consent.named.file(file)
    if (found.by === 'command-line') continue
    const what = `send the contents of ${found.path} to ${hosts}`
    await consent.confirm({
      key: createHash('sha256').update(what).digest('hex'),
      what,
      lines: [`The console would ${what}, as a credential.`],
      remedy: 'Name the file when you start the console: --token-file or --password-file.',
    })
  }
  if (credentials?.token !== undefined && credentials.tokenFile !== undefined) {
    throw new ProblemError('invalid-input', 'Give a token or a token file, not both.')
  }
}

type KubeconfigTarget = Extract<Target, { kind: 'kubeconfig' }>

/**
 * Timeout that allows for a credential plugin that contacts a cloud. A command waits half a minute for a sample: what a
 * plugin that hangs has done must be known before that.
 */
const PLUGIN_TIMEOUT_MS = 25_000

interface KubeconfigSurroundings {
  readonly consent: Consent
  readonly env: NodeJS.ProcessEnv
  readonly pluginTimeoutMs?: number
  /** Limit of simultaneous connections; few by default. */
  readonly connections?: ConnectionLimits
  /** `nobody`: only the settings of the cluster entry, no credentials, for callers that supply their own. */
  readonly as?: 'nobody'
}

/**
 * Servers read with the credentials of a kubeconfig context: its own server, or the single API servers that the target
 * names. The kubeconfig is read on opening, and again whenever a server refuses the credentials; each time the operator
 * has to confirm what a page may not decide (`consentRequest`). Plugins run with the first request. Rejects with
 * `ProblemError`.
 */
export async function kubeconfigConnection(
  target: KubeconfigTarget,
  now: () => number,
  { consent, env, pluginTimeoutMs = PLUGIN_TIMEOUT_MS, connections, as }: KubeconfigSurroundings,
): Promise<OwnConnection> {
  const named = target.servers?.map(parseAddress)
  const choose = async (): Promise<ChosenContext> => {
    const found = await chooseContext(target.file, target.context, env, consent.named)
    const context = as === 'nobody' ? { ...found, user: {} } : await withLocatedProgram(found, env)
    const request = consentRequest(context, named ?? [], consent.named)
    if (request !== undefined) await consent.confirm(request)
    return context
  }
  const chosen = await choose()
  const urls = named ?? [chosen.server]
  const agents = createAgents(urls, connections)
  let known: Credentials | undefined
  let loading: Promise<Credentials> | undefined
  let refused = false

  const load = async (): Promise<Credentials> => {
    const context = refused ? await choose() : chosen
    known = await resolveCredentials(context, now(), { env, timeoutMs: pluginTimeoutMs })
    refused = false
    return known
  }
  /** Credentials that are valid now; loaded once for all servers that request them meanwhile. */
  const credentials = (): Promise<Credentials> => {
    if (known !== undefined && known.validUntil > now()) return Promise.resolve(known)
    loading ??= load().finally(() => {
      loading = undefined
    })
    return loading
  }

  return {
    name: chosen.context.name,
    via: '/metrics through the kubeconfig',
    servers: withIds(urls, apiServer),
    cluster: shownUrl(chosen.server).replace(/\/+$/, ''),
    notes: notes(chosen, urls),
    async settings(server) {
      const { tls, proxyAgent, ...own } = await credentials()
      assertPrivate(server.metrics, own.headers)
      return withAgent(own, proxyAgent ?? agents.agentFor(server.metrics, tls))
    },
    renew() {
      known = undefined
      refused = true
    },
    close: () => agents.close(),
  }
}

function notes({ cluster, user, userFile }: ChosenContext, urls: readonly URL[]): string[] {
  const verified = cluster['insecure-skip-tls-verify'] !== true || urls.every((url) => url.protocol === 'http:')
  const written = user.exec && userFile?.by === 'command-line' && userFile.writableByOthers
  return [
    ...(verified
      ? []
      : [
          'The certificate of the API server is not verified, because the kubeconfig sets insecure-skip-tls-verify: anyone on the network path could read the credentials.',
        ]),
    ...(written
      ? [
          `Others on this machine can write ${userFile.path}, which names a program that the console runs as you; use chmod go-w.`,
        ]
      : []),
  ]
}
