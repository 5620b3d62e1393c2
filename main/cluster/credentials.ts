import { X509Certificate } from 'node:crypto'
import type { Agent } from 'node:http'
import type { AgentOptions, RequestOptions } from 'node:https'
import { createSecureContext } from 'node:tls'
import { ProblemError, messageOf } from '../../core/errors.ts'
import { escapeControls } from '../../core/text/text.ts'
import type { AddressCredentials } from '../../core/contract/credentials.ts'
import { UnreadableFile } from '../files/files.ts'
import { readCredentialFile, type ClusterConfig } from './kubeconfigFile.ts'
import type { ChosenContext } from './contexts.ts'
import { runExecPlugin, type ExecSurroundings } from './execCredential.ts'
import { redactCredentials } from './redact.ts'

/** What a user adds to a request. */
export interface Credentials {
  readonly tls: AgentOptions
  /** The agent that goes through the proxy-url of the cluster; absent without one. */
  readonly proxyAgent?: Agent
  /** Host and port of that proxy. */
  readonly proxy?: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly secrets: readonly string[]
  /** Unix milliseconds until which they can be used without a new check. */
  readonly validUntil: number
  /** The message for when the server refuses them: a probable cause and the remedy, in a sentence. */
  readonly ifRefused: string
}

/** Files are checked again after this time, as in client-go. */
const LOOK_AGAIN_MS = 60_000
/** Credentials are renewed this long before they expire, but count as valid for at least `SHORTEST_MS`. */
const EXPIRY_MARGIN_MS = 30_000
const SHORTEST_MS = 5_000

/** The parts of credentials, from any origin. Certificates and keys are PEM. */
interface Parts {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly token?: string | undefined
  readonly basic?: { readonly username: string; readonly password: string } | undefined
  readonly validUntil: number
  /** Where the token is from, and how to get another one. */
  readonly tokenRemedy: string
}

/**
 * Resolves the user of a context: reads files, runs a plugin. Rejects with `ProblemError` that names the file, the
 * plugin or the certificate at fault.
 */
export async function resolveCredentials(
  chosen: ChosenContext,
  now: number,
  surroundings: ExecSurroundings,
): Promise<Credentials> {
  const { context, cluster, user } = chosen
  const whose = `the kubeconfig ${chosen.userFile?.path ?? context.file}`
  const inKubeconfig = `named in ${whose}`
  const ca = await pem(
    cluster['certificate-authority-data'],
    cluster['certificate-authority'],
    `The certificate-authority ${inKubeconfig}:`,
  )
  const cert = await pem(
    user['client-certificate-data'],
    user['client-certificate'],
    `The client-certificate ${inKubeconfig}:`,
  )
  const given = {
    ca,
    cert,
    // A key without a certificate is not used, as in kubectl.
    key: cert && (await pem(user['client-key-data'], user['client-key'], `The client-key ${inKubeconfig}:`)),
    token: user.token || undefined,
    basic: user.username ? { username: user.username, password: user.password ?? '' } : undefined,
    validUntil: Number.POSITIVE_INFINITY,
    tokenRemedy: `sign in again, so that ${whose} holds a new one`,
  }
  const parts = await fetched(chosen, given, now, surroundings)
  const own = partsToCredentials(parts, {
    now,
    subject: `user "${context.user}" of ${whose}`,
    none: `Context "${context.name}" names no credentials; add them to its user in ${whose}.`,
    tls: {
      ...(cluster['tls-server-name'] && { servername: cluster['tls-server-name'] }),
      ...(cluster['insecure-skip-tls-verify'] === true && { rejectUnauthorized: false }),
    },
  })
  const proxyUrl = cluster['proxy-url']
  return {
    ...own,
    ...(proxyUrl && { proxyAgent: await proxyAgent(cluster, proxyUrl, own.tls), proxy: new URL(proxyUrl).host }),
    headers: {
      ...own.headers,
      ...(user.as && { 'Impersonate-User': user.as }),
      ...(user['as-uid'] && { 'Impersonate-Uid': user['as-uid'] }),
      ...(user['as-groups']?.length && { 'Impersonate-Group': user['as-groups'] }),
      ...Object.fromEntries(
        Object.entries(user['as-user-extra'] ?? {}).map(([key, values]) => [
          `Impersonate-Extra-${encodeURIComponent(key)}`,
          values ?? [],
        ]),
      ),
    },
  }
}

/** The parts that have to be fetched first: the credentials of a plugin, the token of a file. */
async function fetched(
  { cluster, user }: ChosenContext,
  given: Parts,
  now: number,
  surroundings: ExecSurroundings,
): Promise<Parts> {
  if (user.exec) {
    const { token, certificate, key, expiresAt } = await runExecPlugin(user.exec, cluster, surroundings)
    return {
      ...given,
      token: token ?? given.token,
      cert: certificate ?? given.cert,
      key: key ?? given.key,
      validUntil:
        expiresAt === undefined ? Number.POSITIVE_INFINITY : Math.max(expiresAt - EXPIRY_MARGIN_MS, now + SHORTEST_MS),
      tokenRemedy: `run the credential plugin ${escapeControls(user.exec.command)} by hand to sign in`,
    }
  }
  if (!user.tokenFile) return given
  try {
    return { ...given, ...(await fromTokenFile(user.tokenFile, now)) }
  } catch (error) {
    // As in kubectl: the file takes precedence over the token next to it, which is used while the file has none.
    if (given.token === undefined) throw error
    return { ...given, validUntil: now + LOOK_AGAIN_MS }
  }
}

async function fromTokenFile(file: string, now: number): Promise<Pick<Parts, 'token' | 'validUntil' | 'tokenRemedy'>> {
  const token = (await readNamed(file, 'The token file')).trim()
  if (token === '') throw new ProblemError('credentials', `The token file ${file} is empty; write a token into it.`)
  return { token, validUntil: now + LOOK_AGAIN_MS, tokenRemedy: `write a new one into ${file}` }
}

/** The credentials given for metrics addresses. Rejects with `ProblemError`. */
export async function resolveAddressCredentials(given: AddressCredentials, now: number): Promise<Credentials> {
  const { tokenFile, passwordFile, username } = given
  const file = async (path: string | undefined, what: string): Promise<string | undefined> =>
    path === undefined ? undefined : readNamed(path, what)
  const password =
    passwordFile === undefined
      ? given.password
      : (await readNamed(passwordFile, 'The password file')).replace(/\r?\n$/, '')
  const parts: Parts = {
    ca: await file(given.certificateAuthority, 'The certificate authority'),
    cert: await file(given.clientCertificate, 'The client certificate'),
    key: await file(given.clientKey, 'The client key'),
    token: given.token,
    basic: username === undefined ? undefined : { username, password: password ?? '' },
    validUntil: Number.POSITIVE_INFINITY,
    tokenRemedy: 'give a new one',
    ...(tokenFile !== undefined && (await fromTokenFile(tokenFile, now))),
  }
  return partsToCredentials(parts, {
    now,
    subject: 'this address',
    none: 'No credentials were given: enter a bearer token, a user name and password or a client certificate on the Connection screen, or use --token-file.',
    tls: given.insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {},
  })
}

interface Making {
  readonly now: number
  /** The owner of the credentials; completes "of …". */
  readonly subject: string
  /** The message for a refusal when there are no credentials. */
  readonly none: string
  readonly tls: AgentOptions
}

function partsToCredentials(parts: Parts, { now, subject, none, tls: more }: Making): Credentials {
  const { ca, cert, key, token, basic } = parts
  if ((cert === undefined) !== (key === undefined)) {
    throw new ProblemError(
      'credentials',
      `The client ${cert === undefined ? 'key' : 'certificate'} of ${subject} has no client ${cert === undefined ? 'certificate' : 'key'}; give both.`,
    )
  }
  const tls: AgentOptions = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), ...more }
  assertUsable(tls, subject)
  const basicText = basic && Buffer.from(`${basic.username}:${basic.password}`, 'utf8').toString('base64')
  const authorization = token ? `Bearer ${token}` : basicText && `Basic ${basicText}`
  return {
    tls,
    headers: authorization ? { Authorization: authorization } : {},
    secrets: [token ?? '', basicText ?? '', basic?.password ?? ''].filter((secret) => secret !== ''),
    validUntil: parts.validUntil,
    ifRefused: ifRefused(parts, { now, subject, none }),
  }
}

/** Throws `ProblemError` with OpenSSL's message, which quotes causes and never contents. */
function assertUsable({ ca, cert, key }: AgentOptions, subject: string): void {
  const parts = [
    ['certificate authority', { ca }],
    ['client certificate', { cert }],
    ['client key, with its certificate,', { cert, key }],
  ] as const
  for (const [what, options] of parts) {
    // An empty context would load every authority of this machine, in vain.
    if (Object.values(options).every((part) => part === undefined)) continue
    try {
      createSecureContext(options)
      // OpenSSL treats a text without any certificate as an empty list of authorities.
      if ('ca' in options && options.ca !== undefined) void new X509Certificate(String(options.ca))
    } catch (error) {
      throw new ProblemError(
        'credentials',
        `The ${what} of ${subject} cannot be used; check that it is PEM and belongs there.`,
        redactCredentials(messageOf(error)),
      )
    }
  }
}

/** Why a server probably refuses these credentials, according to the clock of this machine. */
function ifRefused({ cert, token, basic, tokenRemedy }: Parts, { now, subject, none }: Omit<Making, 'tls'>): string {
  if (token) {
    const expiredAt = tokenExpiry(token)
    return expiredAt !== undefined && expiredAt <= now
      ? `The token of ${subject} expired on ${day(expiredAt)}; ${tokenRemedy}.`
      : `The token of ${subject} is not accepted; ${tokenRemedy}.`
  }
  if (basic)
    return `The user name and password of ${subject} are not accepted; kube-apiserver has not supported them since 1.19.`
  if (cert) {
    const { validFromDate, validToDate } = new X509Certificate(cert)
    if (validToDate.getTime() <= now) {
      return `The client certificate of ${subject} expired on ${day(validToDate.getTime())}; get a new one.`
    }
    if (validFromDate.getTime() > now) {
      return `The client certificate of ${subject} is valid from ${day(validFromDate.getTime())} only; check the clock of this machine.`
    }
    return `The client certificate of ${subject} is not accepted; it may be from another cluster or authority.`
  }
  return none
}

const day = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

/** `exp` of a JSON web token; nothing is verified. */
function tokenExpiry(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    if (typeof claims !== 'object' || claims === null || !('exp' in claims)) return undefined
    return typeof claims.exp === 'number' && Math.abs(claims.exp) < 1e12 ? claims.exp * 1_000 : undefined
  } catch {
    return undefined
  }
}

/** Data takes precedence over a file, as in kubectl. */
async function pem(
  data: string | null | undefined,
  file: string | null | undefined,
  what: string,
): Promise<string | undefined> {
  if (data) return Buffer.from(data, 'base64').toString('utf8')
  return file ? readNamed(file, what) : undefined
}

async function readNamed(file: string, what: string): Promise<string> {
  try {
    return (await readCredentialFile(file)).content
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    throw new ProblemError(
      'credentials',
      `${what} ${escapeControls(file)} ${error.why}; correct the path or put the file there.`,
    )
  }
}

/**
 * The agent of @kubernetes/client-node for a proxy-url, including SOCKS; loading it takes 400 ms, which other
 * connections save.
 */
async function proxyAgent(cluster: ClusterConfig, proxyUrl: string, tls: AgentOptions): Promise<Agent> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const kubeconfig = new KubeConfig()
  // The library gets no user and no file: it would read files synchronously, and run programs.
  kubeconfig.loadFromClusterAndUser(
    {
      name: 'cluster',
      server: cluster.server,
      // Otherwise it rejects plain HTTP; credentials over it are rejected by `assertPrivate`.
      skipTLSVerify: tls.rejectUnauthorized === false || cluster.server.startsWith('http:'),
      // The proxy resolves the name, as for kubectl: that of a private cluster is often unknown on this machine.
      proxyUrl: proxyUrl.replace(/^socks5:/i, 'socks5h:'),
    },
    { name: 'user' },
  )
  const options: RequestOptions = { ...tls }
  try {
    await kubeconfig.applyToHTTPSOptions(options)
  } catch {
    // Reported below, without the address, which may contain a password.
  }
  if (typeof options.agent === 'object') return options.agent
  throw new ProblemError(
    'credentials',
    'The proxy-url of the cluster in the kubeconfig cannot be used; check its scheme.',
  )
}
