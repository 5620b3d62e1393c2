import { ProblemError } from '../../core/errors.ts'
import type { ProxySpec } from '../../core/contract/live.ts'
import { askWhoAmI, type Identity } from '../cluster/accessReview.ts'
import { keepAliveAgent, parseAddress, kubeconfigConnection } from '../cluster/connection.ts'
import type { Consent } from '../cluster/consent.ts'
import type { Failed, RequestSettings } from '../cluster/http.ts'
import { sendWith } from '../cluster/nodeHttp.ts'
import { rawOf, type RawHeaders } from './headers.ts'
import type { Upstream } from './upstream.ts'

export interface ConnectedUpstream extends Upstream {
  /** The operator's name for it. */
  readonly name: string
  /** Facts that the operator should know, in sentences. */
  readonly notes: readonly string[]
  /** Queries the user to whom the upstream attributes a request with these headers instead of the proxy's own. */
  whoIs(headers?: Readonly<Record<string, string>>): Promise<WhoIs>
  close(): void
}
type WhoIs = { readonly ok: true; readonly identity: Identity } | Failed

export interface UpstreamOptions {
  /** Whether the proxy sends the kubeconfig's credentials, or only those of its callers. */
  readonly credentials: 'own' | 'callers'
  /** Unix milliseconds. */
  readonly now: () => number
  readonly env: NodeJS.ProcessEnv
  readonly consent: Consent
}

const CONNECTIONS = {
  // Each waiting request and each watch has its own connection.
  maxSockets: Number.POSITIVE_INFINITY,
  // API servers close idle connections after 90 s; the side that closes first never loses a request to the other.
  timeout: 60_000,
}
/** Rejected credentials are not read again for every single request. */
const RENEW_AT_MOST_EVERY_MS = 10_000

/** Prepares the connection to the upstream of a spec. A kubeconfig's plugin may run. Rejects with `ProblemError`. */
export function connectUpstream(upstream: ProxySpec['upstream'], options: UpstreamOptions): Promise<ConnectedUpstream> {
  return upstream.kind === 'url' ? Promise.resolve(byUrl(upstream.url)) : byKubeconfig(upstream, options)
}

function byUrl(address: string): ConnectedUpstream {
  const base = parseAddress(address)
  const agent = keepAliveAgent(base.protocol === 'https:' ? 'https:' : 'http:', [base], {}, CONNECTIONS)
  return {
    base,
    agent,
    headers: [],
    classifies: false,
    name: base.host,
    notes: [],
    renewal: () => undefined,
    refused: () => undefined,
    whoIs: (headers = {}) => whoIs(base, { send: sendWith(agent), headers, secrets: Object.values(headers) }),
    close: () => agent.destroy(),
  }
}

async function byKubeconfig(
  { file, context }: Extract<ProxySpec['upstream'], { kind: 'kubeconfig' }>,
  { credentials, now, env, consent }: UpstreamOptions,
): Promise<ConnectedUpstream> {
  const connection = await kubeconfigConnection(
    { kind: 'kubeconfig', ...(file !== undefined && { file }), ...(context !== undefined && { context }) },
    now,
    {
      consent,
      env,
      connections: CONNECTIONS,
      ...(credentials === 'callers' && { as: 'nobody' as const }),
    },
  )
  const [server] = connection.servers
  if (server?.base === undefined) throw new ProblemError('internal', 'The kubeconfig names no server.')
  const base = new URL(server.base)
  let current = await connection.settings(server)
  let headers: RawHeaders = rawOf(current.headers)
  let stale = false
  let refusedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | undefined

  const load = async (): Promise<void> => {
    current = await connection.settings(server)
    headers = rawOf(current.headers)
    stale = false
  }
  return {
    base,
    get agent() {
      return current.agent
    },
    get headers() {
      return headers
    },
    classifies: true,
    name: connection.name,
    notes: connection.notes,
    renewal() {
      if (!stale && (current.validUntil ?? Number.POSITIVE_INFINITY) > now()) return undefined
      loading ??= load().finally(() => {
        loading = undefined
      })
      return loading
    },
    refused() {
      if (credentials === 'callers' || now() - refusedAt < RENEW_AT_MOST_EVERY_MS) return
      refusedAt = now()
      stale = true
      connection.renew()
    },
    whoIs: (given) =>
      whoIs(base, {
        ...current,
        // A caller's first request must not wait for what the console reads.
        send: sendWith(current.agent),
        ...(given && { headers: given, secrets: Object.values(given) }),
      }),
    close: () => connection.close(),
  }
}

const whoIs = (base: URL, settings: RequestSettings): Promise<WhoIs> =>
  askWhoAmI({ base: base.href.replace(/\/+$/, ''), settings })
