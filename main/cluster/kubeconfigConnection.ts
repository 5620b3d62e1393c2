import type { Agent } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { ProblemError } from '../../core/contract/errors.ts'
import type { Target } from '../../core/contract/source.ts'
import { apiServer, keepAliveAgent, parseAddress, withIds, type Connection } from './connection.ts'
import { chooseContext } from './contexts.ts'
import { resolveCredentials, type Credentials } from './credentials.ts'
import { isLoopback } from './redact.ts'

type KubeconfigTarget = Extract<Target, { kind: 'kubeconfig' }>

/** Time for a credential plugin that asks a cloud. */
const PLUGIN_TIMEOUT_MS = 30_000

export interface KubeconfigSurroundings {
  readonly env: NodeJS.ProcessEnv
  readonly pluginTimeoutMs: number
}

/**
 * Servers read with the credentials of a kubeconfig context: its own server, or the single API servers that the target
 * names. The kubeconfig is read now and again whenever a server refuses the credentials; plugins run with the first
 * request. Rejects with `ProblemError`.
 */
export async function kubeconfigConnection(
  target: KubeconfigTarget,
  now: () => number,
  { env, pluginTimeoutMs }: KubeconfigSurroundings = { env: process.env, pluginTimeoutMs: PLUGIN_TIMEOUT_MS },
): Promise<Connection> {
  const choose = () => chooseContext(target.file, target.context, env)
  const chosen = await choose()
  const urls = target.servers === undefined ? [chosen.server] : target.servers.map(parseAddress)
  const agents = createAgents(urls)
  let known: Credentials | undefined
  let loading: Promise<Credentials> | undefined
  let refused = false

  const load = async (): Promise<Credentials> => {
    const context = refused ? await choose() : chosen
    known = await resolveCredentials(context, now(), { env, timeoutMs: pluginTimeoutMs })
    refused = false
    return known
  }
  /** Credentials that hold now; loaded once for all servers that ask meanwhile. */
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
    notes: notes(chosen.cluster['insecure-skip-tls-verify'] === true, urls),
    async settings(server) {
      const { tls, proxyAgent, headers, secrets } = await credentials()
      assertPrivate(server.metrics, headers)
      return { agent: proxyAgent ?? agents.agentFor(server.metrics, tls), headers, secrets }
    },
    renew() {
      known = undefined
      refused = true
    },
    close: () => agents.close(),
  }
}

/** Agents that are kept as long as the certificates stay the same; requests under way keep the one that they have. */
function createAgents(urls: readonly URL[]) {
  let kept: { readonly tls: Credentials['tls']; readonly byProtocol: Map<string, Agent> } | undefined
  return {
    agentFor({ protocol }: URL, tls: Credentials['tls']): Agent {
      if (kept === undefined || !isDeepStrictEqual(kept.tls, tls)) kept = { tls, byProtocol: new Map() }
      const agent =
        kept.byProtocol.get(protocol) ?? keepAliveAgent(protocol === 'https:' ? 'https:' : 'http:', urls, tls)
      kept.byProtocol.set(protocol, agent)
      return agent
    },
    close: (): void => kept?.byProtocol.forEach((agent) => agent.destroy()),
  }
}

/** Credentials are sent over plain HTTP to this machine only. */
function assertPrivate(url: URL, headers: Credentials['headers']): void {
  if (url.protocol === 'https:' || isLoopback(url) || headers['Authorization'] === undefined) return
  throw new ProblemError(
    'invalid-input',
    `The credentials would travel to ${url.host} unencrypted; use the https:// address of the API server.`,
  )
}

function notes(unverified: boolean, urls: readonly URL[]): string[] {
  if (!unverified || urls.every((url) => url.protocol === 'http:')) return []
  return [
    'The certificate of the API server is not verified, because the kubeconfig says insecure-skip-tls-verify: anyone on the way could read the credentials.',
  ]
}
