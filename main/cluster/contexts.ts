import type { FoundContext } from '../../core/contract/source.ts'
import { ProblemError } from '../../core/errors.ts'
import {
  readKubeconfig,
  type ClusterConfig,
  type ContextConfig,
  type ExecConfig,
  type Kubeconfig,
  type KubeconfigFile,
  type UserConfig,
} from './kubeconfigFile.ts'
import { defaultFiles, namedByOperator, type NamedByOperator } from './namedByOperator.ts'
import { shownUrl } from './redact.ts'

/**
 * The contexts of one kubeconfig, or of the default ones, the current one first; contacts nothing. If no file exists at
 * the default places, the list is empty. Rejects with `ProblemError`.
 */
export async function listContexts(
  file?: string,
  env: NodeJS.ProcessEnv = process.env,
  named: NamedByOperator = namedByOperator([], env),
): Promise<FoundContext[]> {
  const config = await readIfAny(file, env, named)
  if (config === undefined) return []
  const isCurrent = ({ name }: ContextConfig): boolean => name === config.currentContext
  return config.contexts
    .toSorted((a, b) => Number(isCurrent(b)) - Number(isCurrent(a)))
    .map((context) => {
      const resolved = resolve(config, context)
      return {
        file: context.file,
        context: context.name,
        cluster: context.cluster,
        server: resolved.ok
          ? shownUrl(resolved.server).replace(/\/$/, '')
          : (config.clusters.get(context.cluster)?.server ?? ''),
        user: context.user,
        current: isCurrent(context),
        ...(resolved.ok ? {} : { problem: resolved.problem }),
      }
    })
}

async function readIfAny(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  named: NamedByOperator,
): Promise<Kubeconfig | undefined> {
  if (file !== undefined) return readKubeconfig([file], named)
  try {
    return await readKubeconfig(defaultFiles(env), named)
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'not-found') return undefined
    throw error
  }
}

/** A context with everything that it refers to. */
export interface ChosenContext {
  readonly context: ContextConfig
  readonly cluster: ClusterConfig
  readonly user: UserConfig
  /** The file that contains the user; absent for a context without one. */
  readonly userFile: KubeconfigFile | undefined
  readonly server: URL
}

/** The named context, or the current one. Rejects with `ProblemError` that lists the available ones. */
export async function chooseContext(
  file: string | undefined,
  name: string | undefined,
  env: NodeJS.ProcessEnv,
  named: NamedByOperator,
): Promise<ChosenContext> {
  const config = await readKubeconfig(file === undefined ? defaultFiles(env) : [file], named)
  const wanted = name ?? config.currentContext ?? (config.contexts.length === 1 ? config.contexts[0]?.name : undefined)
  const where = config.files.join(', ')
  const offered =
    config.contexts.length === 0
      ? 'it has no contexts'
      : `its contexts are ${config.contexts.map((c) => c.name).join(', ')}`
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
  const { cluster, user, userFile, server } = resolved
  return { context, cluster, user, userFile, server }
}

type Resolved =
  ({ readonly ok: true } & Omit<ChosenContext, 'context'>) | { readonly ok: false; readonly problem: string }

const refuse = (problem: string): Resolved => ({ ok: false, problem })

/** What can be determined about a context without contacting anything. */
function resolve(config: Kubeconfig, context: ContextConfig): Resolved {
  const cluster = config.clusters.get(context.cluster)
  if (cluster === undefined) return refuse(`There is no cluster "${context.cluster}" in the kubeconfig.`)
  const found = config.users.get(context.user)
  if (found === undefined && context.user !== '') {
    return refuse(`There is no user "${context.user}" in the kubeconfig.`)
  }
  const user = found?.user ?? {}
  const problem = clusterProblem(context.cluster, cluster) ?? userProblem(context.user, user)
  if (problem !== undefined) return refuse(problem)
  const address = withScheme(cluster, user)
  if (!URL.canParse(address) || /\s/.test(address))
    return refuse(`The server of cluster "${context.cluster}" is not an address.`)
  const server = new URL(address)
  if (server.protocol !== 'https:' && server.protocol !== 'http:') {
    return refuse(`The server of cluster "${context.cluster}" is neither https:// nor http://.`)
  }
  if (server.username !== '' || server.password !== '') {
    return refuse(
      `The server of cluster "${context.cluster}" contains credentials in its address; move them to the user.`,
    )
  }
  const provider = user['auth-provider']?.name
  // Without TLS, kubectl reads no credentials.
  if (provider !== undefined && server.protocol === 'https:') return refuse(authProviderProblem(context.user, provider))
  return { ok: true, cluster, user, userFile: found?.file, server }
}

/** As in kubectl, an address without a scheme is https:// if certificates are named, and http:// otherwise. */
function withScheme({ server, ...cluster }: ClusterConfig, user: UserConfig): string {
  if (server === '' || server.includes('://')) return server
  const certificates = [
    cluster['certificate-authority'],
    cluster['certificate-authority-data'],
    cluster['insecure-skip-tls-verify'],
    user['client-certificate'],
    user['client-certificate-data'],
  ]
  return `${certificates.some(Boolean) ? 'https' : 'http'}://${server}`
}

/** Why kubectl rejects a cluster entry, as far as the file alone decides it. */
function clusterProblem(name: string, cluster: ClusterConfig): string | undefined {
  const whose = `of cluster "${name}"`
  const authority = cluster['certificate-authority'] || cluster['certificate-authority-data']
  if (authority && cluster['insecure-skip-tls-verify'] === true)
    return `insecure-skip-tls-verify ${whose} excludes a certificate authority, and kubectl rejects both together; remove one.`
  const twice = givenTwice(cluster, ['certificate-authority'])
  if (twice !== undefined) return `${twice} and ${twice}-data ${whose} are both given; remove one.`
  const proxy = cluster['proxy-url']
  if (proxy && !(URL.canParse(proxy) && ['http:', 'https:', 'socks5:'].includes(new URL(proxy).protocol)))
    return `The proxy-url ${whose} is not an address that begins with http://, https:// or socks5://.`
  return undefined
}

/** Why kubectl rejects a user entry, as far as the file alone decides it. */
function userProblem(name: string, user: UserConfig): string | undefined {
  const whose = `of user "${name}"`
  const twice = givenTwice(user, ['client-certificate', 'client-key'])
  if (twice !== undefined) return `${twice} and ${twice}-data ${whose} are both given; remove one.`
  if ((user.username || user.password) && (user.token || user.tokenFile))
    return `A token and a user name or password ${whose} are both given, and kubectl accepts one of them; remove the other.`
  const others = user['as-uid'] || user['as-groups']?.length || Object.keys(user['as-user-extra'] ?? {}).length
  if (others && !user.as) return `as-uid, as-groups and as-user-extra ${whose} need as, the user to impersonate.`
  return user.exec ? execProblem(user.exec, whose) : undefined
}

function execProblem({ apiVersion, command, env, interactiveMode }: ExecConfig, whose: string): string | undefined {
  if (command === '') return `The exec entry ${whose} has no command.`
  if (env?.some((variable) => variable.name === '') === true)
    return `The exec entry ${whose} has a variable without a name.`
  const version = EXEC_VERSIONS.get(apiVersion ?? '')
  if (version === undefined)
    return `The exec entry ${whose} must have the apiVersion ${[...EXEC_VERSIONS.keys()].join(' or ')}; kubectl no longer supports others. Update the plugin and its entry.`
  if (!interactiveMode)
    return version === 'v1'
      ? `The exec entry ${whose} needs an interactiveMode: Never, IfAvailable or Always.`
      : undefined
  return INTERACTIVE.includes(interactiveMode)
    ? undefined
    : `The interactiveMode of the exec entry ${whose} is not Never, IfAvailable or Always.`
}

const EXEC_VERSIONS: ReadonlyMap<string, string> = new Map(
  ['v1', 'v1beta1'].map((version) => [`client.authentication.k8s.io/${version}`, version]),
)
const INTERACTIVE: readonly string[] = ['Never', 'IfAvailable', 'Always']

/** The first of the fields that is given as a file and as data. */
const givenTwice = <K extends string>(
  entry: Readonly<Partial<Record<K | `${K}-data`, string | null | undefined>>>,
  keys: readonly K[],
): K | undefined => keys.find((key) => entry[key] && entry[`${key}-data`])

/** What replaces a provider that was built into kubectl. */
const SUCCESSORS: ReadonlyMap<string, string> = new Map([
  ['gcp', 'gke-gcloud-auth-plugin'],
  ['azure', 'kubelogin (github.com/Azure/kubelogin)'],
  ['oidc', 'kubectl oidc-login (github.com/int128/kubelogin)'],
])

function authProviderProblem(user: string, provider: string): string {
  const plugin = SUCCESSORS.get(provider) ?? 'the credential plugin of your provider'
  return (
    `User "${user}" uses the auth-provider ${JSON.stringify(provider)}, which the console does not support. ` +
    `Replace it with an exec entry for ${plugin}.`
  )
}
