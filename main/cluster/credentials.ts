import { readFile } from 'node:fs/promises'
import type { Agent, OutgoingHttpHeaders } from 'node:http'
import type { AgentOptions, RequestOptions } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { User } from '@kubernetes/client-node'
import { ProblemError } from '../../core/contract/errors.ts'
import type { ChosenContext } from './contexts.ts'
import { runExecPlugin, type ExecSurroundings } from './execCredential.ts'
import { redactCredentials } from './redact.ts'

/** What a kubeconfig user brings to a request. */
export interface Credentials {
  readonly tls: AgentOptions
  /** The agent that goes through the proxy-url of the cluster; absent without one. */
  readonly proxyAgent?: Agent
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly secrets: readonly string[]
  /** Unix milliseconds until which they can be used without looking again. */
  readonly validUntil: number
}

/** Token files and sign-in providers are looked at again after this, as client-go does. */
const LOOK_AGAIN_MS = 60_000
/** Credentials are renewed so long before they expire, and a plugin is never run more often than this. */
const EXPIRY_MARGIN_MS = 30_000
const SHORTEST_MS = 5_000

/**
 * Resolves the user of a context: files are read, a plugin is run, a sign-in provider refreshes its token (through
 * @kubernetes/client-node). Rejects with `ProblemError`.
 */
export async function resolveCredentials(
  chosen: ChosenContext,
  now: number,
  surroundings: ExecSurroundings,
): Promise<Credentials> {
  const { context, cluster, server } = chosen
  const { user, validUntil } = await resolveUser(chosen, now, surroundings)
  // 400 ms of loading that plain addresses do not need.
  const { KubeConfig } = await import('@kubernetes/client-node')
  const kubeconfig = new KubeConfig()
  kubeconfig.loadFromClusterAndUser(
    {
      name: context.cluster,
      server: cluster.server,
      // The library refuses plain HTTP otherwise; credentials over it are refused by `assertPrivate`.
      skipTLSVerify: cluster['insecure-skip-tls-verify'] === true || server.protocol === 'http:',
      ...present('caFile', cluster['certificate-authority']),
      ...present('caData', cluster['certificate-authority-data']),
      ...present('tlsServerName', cluster['tls-server-name']),
      ...present('proxyUrl', cluster['proxy-url']),
    },
    user,
  )
  const given: OutgoingHttpHeaders = {}
  const options: RequestOptions = { headers: given }
  try {
    await kubeconfig.applyToHTTPSOptions(options)
  } catch (error) {
    throw unusable(chosen, error)
  }
  const tls = tlsOf(options)
  try {
    createSecureContext(tls)
  } catch (error) {
    throw unusable(chosen, error)
  }
  const headers = headersOf(given, options.auth, chosen)
  return {
    tls,
    ...(cluster['proxy-url'] && typeof options.agent === 'object' ? { proxyAgent: options.agent } : {}),
    headers,
    secrets: secretsOf(headers, chosen),
    validUntil,
  }
}

/** The user with what has to be fetched first: the token of a file, the credentials of a plugin. */
async function resolveUser(
  { context, cluster, user }: ChosenContext,
  now: number,
  surroundings: ExecSurroundings,
): Promise<{ readonly user: User; readonly validUntil: number }> {
  const named: User = {
    name: context.user,
    ...present('certFile', user['client-certificate']),
    ...present('certData', user['client-certificate-data']),
    ...present('keyFile', user['client-key']),
    ...present('keyData', user['client-key-data']),
    ...present('token', user.token),
    ...present('username', user.username),
    ...present('password', user.password),
    ...present('impersonateUser', user.as),
  }
  if (user.exec) {
    const { token, certificate, key, expiresAt } = await runExecPlugin(user.exec, cluster, surroundings)
    const validUntil =
      expiresAt === undefined ? Number.POSITIVE_INFINITY : Math.max(expiresAt - EXPIRY_MARGIN_MS, now + SHORTEST_MS)
    return {
      user: {
        ...named,
        ...present('token', token),
        ...present('certData', certificate === undefined ? undefined : toBase64(certificate)),
        ...present('keyData', key === undefined ? undefined : toBase64(key)),
      },
      validUntil,
    }
  }
  // As kubectl does: the file goes before the token beside it.
  if (user.tokenFile)
    return { user: { ...named, token: await readToken(user.tokenFile) }, validUntil: now + LOOK_AGAIN_MS }
  if (user['auth-provider']) {
    return { user: { ...named, authProvider: user['auth-provider'] }, validUntil: now + LOOK_AGAIN_MS }
  }
  return { user: named, validUntil: Number.POSITIVE_INFINITY }
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch {
    throw new ProblemError('invalid-input', `The token file ${file} named in the kubeconfig cannot be read.`)
  }
}

/** The options of client-node that say how TLS is done; the rest of them is not for an agent. */
function tlsOf(options: RequestOptions): AgentOptions {
  const { ca, cert, key, servername, rejectUnauthorized } = options
  return {
    ...present('ca', ca),
    ...present('cert', cert),
    ...present('key', key),
    ...present('servername', servername),
    ...present('rejectUnauthorized', rejectUnauthorized),
  }
}

function headersOf(
  given: OutgoingHttpHeaders,
  basic: string | null | undefined,
  { user }: ChosenContext,
): Credentials['headers'] {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) headers[name] = typeof value === 'number' ? String(value) : [value].flat()
  }
  if (user['as-groups']?.length) headers['Impersonate-Group'] = user['as-groups']
  if (basic) headers['Authorization'] = `Basic ${toBase64(basic)}`
  return headers
}

function secretsOf(headers: Credentials['headers'], { user }: ChosenContext): string[] {
  const sent = [headers['Authorization'] ?? []].flat().map((value) => value.replace(/^(Bearer|Basic) /, ''))
  return [...sent, user.password ?? '', user.token ?? ''].filter((secret) => secret !== '')
}

/** What the library or OpenSSL says of files and certificates; they quote paths and causes, never contents. */
function unusable({ context }: ChosenContext, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  return new ProblemError(
    'invalid-input',
    `The credentials of user "${context.user}" in ${context.file} cannot be used; check its certificate, key and the certificate-authority.`,
    redactCredentials(error instanceof Error ? error.message : String(error)),
  )
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}

/** The property only when it has a value: an empty one in a kubeconfig counts as absent. */
function present<K extends string, V>(key: K, value: V | null | undefined): { [P in K]?: V } {
  const none: { [P in K]?: V } = {}
  return value === null || value === undefined || value === '' ? none : { ...none, [key]: value }
}
