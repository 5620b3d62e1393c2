import type { FoundContext } from '../../core/contract/source.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import {
  defaultFiles,
  readKubeconfig,
  type ClusterConfig,
  type ContextConfig,
  type Kubeconfig,
  type UserConfig,
} from './kubeconfigFile.ts'
import { shownUrl } from './redact.ts'

/**
 * The contexts of one kubeconfig, or of those that hold by default; contacts nothing. Without any file at the default
 * places the list is empty. Rejects with `ProblemError`.
 */
export async function listContexts(file?: string, env: NodeJS.ProcessEnv = process.env): Promise<FoundContext[]> {
  const config = await readIfAny(file, env)
  if (config === undefined) return []
  return config.contexts.map((context) => {
    const resolved = resolve(config, context)
    return {
      file: context.file,
      context: context.name,
      cluster: context.cluster,
      server: resolved.ok
        ? shownUrl(resolved.server).replace(/\/$/, '')
        : (config.clusters.get(context.cluster)?.server ?? ''),
      user: context.user,
      current: context.name === config.currentContext,
      ...(resolved.ok ? {} : { problem: resolved.problem }),
    }
  })
}

async function readIfAny(file: string | undefined, env: NodeJS.ProcessEnv): Promise<Kubeconfig | undefined> {
  if (file !== undefined) return readKubeconfig([file])
  try {
    return await readKubeconfig(defaultFiles(env))
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'not-found') return undefined
    throw error
  }
}

/** A context with everything that it names. */
export interface ChosenContext {
  readonly context: ContextConfig
  readonly cluster: ClusterConfig
  readonly user: UserConfig
  readonly server: URL
}

/** The named context, or the current one. Rejects with `ProblemError` that says which there are. */
export async function chooseContext(
  file: string | undefined,
  name: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<ChosenContext> {
  const config = await readKubeconfig(file === undefined ? defaultFiles(env) : [file])
  const wanted = name ?? config.currentContext ?? (config.contexts.length === 1 ? config.contexts[0]?.name : undefined)
  const where = config.files.join(', ')
  const offered =
    config.contexts.length === 0 ? 'it names none' : `it names ${config.contexts.map((c) => c.name).join(', ')}`
  if (wanted === undefined) {
    throw new ProblemError('invalid-input', `The kubeconfig ${where} has no current context; choose one (${offered}).`)
  }
  const context = config.contexts.find((candidate) => candidate.name === wanted)
  if (context === undefined) {
    throw new ProblemError('not-found', `The kubeconfig ${where} has no context "${wanted}"; ${offered}.`)
  }
  const resolved = resolve(config, context)
  if (!resolved.ok)
    throw new ProblemError('invalid-input', `Context "${wanted}" of ${context.file}: ${resolved.problem}`)
  return { context, cluster: resolved.cluster, user: resolved.user, server: resolved.server }
}

type Resolved =
  | { readonly ok: true; readonly cluster: ClusterConfig; readonly user: UserConfig; readonly server: URL }
  | { readonly ok: false; readonly problem: string }

const refuse = (problem: string): Resolved => ({ ok: false, problem })

/** What can be said of a context without contacting anything. */
function resolve(config: Kubeconfig, context: ContextConfig): Resolved {
  const cluster = config.clusters.get(context.cluster)
  if (cluster === undefined) return refuse(`There is no cluster "${context.cluster}" in the kubeconfig.`)
  const user = context.user === '' ? {} : config.users.get(context.user)
  if (user === undefined) return refuse(`There is no user "${context.user}" in the kubeconfig.`)
  if (!URL.canParse(cluster.server)) return refuse(`The server of cluster "${context.cluster}" is not an address.`)
  const server = new URL(cluster.server)
  if (server.protocol !== 'https:' && server.protocol !== 'http:') {
    return refuse(`The server of cluster "${context.cluster}" is neither https:// nor http://.`)
  }
  if (server.username !== '' || server.password !== '') {
    return refuse(`The server of cluster "${context.cluster}" holds credentials in its address; move them to the user.`)
  }
  return { ok: true, cluster, user, server }
}
