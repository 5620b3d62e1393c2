import type { Agent } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { ProblemError } from '../../core/contract/errors.ts'
import type { Target } from '../../core/contract/source.ts'
import {
  apiServer,
  keepAliveAgent,
  parseAddress,
  withIds,
  type Connection,
  type ConnectionLimits,
} from './connection.ts'
import { chooseContext, type ChosenContext } from './contexts.ts'
import { resolveCredentials, type Credentials } from './credentials.ts'
import { isLoopback, shownUrl } from './redact.ts'

type KubeconfigTarget = Extract<Target, { kind: 'kubeconfig' }>

/** Time for a credential plugin that asks a cloud. */
const PLUGIN_TIMEOUT_MS = 30_000

export interface KubeconfigSurroundings {
  readonly env: NodeJS.ProcessEnv
  readonly pluginTimeoutMs: number
  /** How many connections at once; few without. */
  readonly connections?: ConnectionLimits
  /** `nobody`: only what the cluster entry says, no credentials, for those who bring their own. */
  readonly as?: 'nobody'
}

/**
 * Servers read with the credentials of a kubeconfig context: its own server, or the single API servers that the target
 * names. The kubeconfig is read now and again whenever a server refuses the credentials; plugins run with the first
 * request. Rejects with `ProblemError`.
 */
export async function kubeconfigConnection(
  target: KubeconfigTarget,
  now: () => number,
  { env, pluginTimeoutMs, connections, as }: KubeconfigSurroundings = {
    env: process.env,
    pluginTimeoutMs: PLUGIN_TIMEOUT_MS,
  },
): Promise<Connection> {
  const choose = async (): Promise<ChosenContext> => {
    const context = await chooseContext(target.file, target.context, env)
    return as === 'nobody' ? { ...context, user: {} } : context
  }
  const chosen = await choose()
  const urls = target.servers === undefined ? [chosen.server] : target.servers.map(parseAddress)
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
    cluster: shownUrl(chosen.server).replace(/\/+$/, ''),
    notes: notes(chosen.cluster['insecure-skip-tls-verify'] === true, urls),
    async settings(server) {
      const { tls, proxyAgent, headers, secrets, validUntil } = await credentials()
      assertPrivate(server.metrics, headers)
      return { agent: proxyAgent ?? agents.agentFor(server.metrics, tls), headers, secrets, validUntil }
    },
    renew() {
      known = undefined
      refused = true
    },
    close: () => agents.close(),
  }
}

/** Agents that are kept as long as the certificates stay the same; requests under way keep the one that they have. */
function createAgents(urls: readonly URL[], limits: ConnectionLimits | undefined) {
  let kept: { readonly tls: Credentials['tls']; readonly byProtocol: Map<string, Agent> } | undefined
  return {
    agentFor({ protocol }: URL, tls: Credentials['tls']): Agent {
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
