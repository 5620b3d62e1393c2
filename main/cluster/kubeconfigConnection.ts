import type { Target } from '../../core/contract/source.ts'
import {
  apiServer,
  assertPrivate,
  createAgents,
  parseAddress,
  withIds,
  type Connection,
  type ConnectionLimits,
} from './connection.ts'
import type { Consent } from './consent.ts'
import { consentRequest, withLocatedProgram } from './consentRequest.ts'
import { chooseContext, type ChosenContext } from './contexts.ts'
import { resolveCredentials, type Credentials } from './credentials.ts'
import { shownUrl } from './redact.ts'

type KubeconfigTarget = Extract<Target, { kind: 'kubeconfig' }>

/** Time for a credential plugin that asks a cloud. */
const PLUGIN_TIMEOUT_MS = 30_000

export interface KubeconfigSurroundings {
  readonly consent: Consent
  readonly env: NodeJS.ProcessEnv
  readonly pluginTimeoutMs?: number
  /** How many connections at once; few without. */
  readonly connections?: ConnectionLimits
  /** `nobody`: only what the cluster entry says, no credentials, for those who bring their own. */
  readonly as?: 'nobody'
}

/**
 * Servers read with the credentials of a kubeconfig context: its own server, or the single API servers that the target
 * names. The kubeconfig is read now and again whenever a server refuses the credentials; each time the operator has to
 * confirm what a page may not decide (`consentRequest`). Plugins run with the first request. Rejects with `ProblemError`.
 */
export async function kubeconfigConnection(
  target: KubeconfigTarget,
  now: () => number,
  { consent, env, pluginTimeoutMs = PLUGIN_TIMEOUT_MS, connections, as }: KubeconfigSurroundings,
): Promise<Connection> {
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
    notes: notes(chosen, urls),
    async settings(server) {
      const { tls, proxyAgent, ...own } = await credentials()
      assertPrivate(server.metrics, own.headers)
      return { ...own, agent: proxyAgent ?? agents.agentFor(server.metrics, tls) }
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
          'The certificate of the API server is not verified, because the kubeconfig says insecure-skip-tls-verify: anyone on the way could read the credentials.',
        ]),
    ...(written
      ? [
          `Others on this machine can write ${userFile.path}, which names a program that the console runs as you; use chmod go-w.`,
        ]
      : []),
  ]
}
