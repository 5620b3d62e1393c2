import { X509Certificate } from 'node:crypto'
import { ProblemError } from '../../core/errors.ts'
import type { ProxySpec, LiveRequest } from '../../core/contract/live.ts'
import type { User } from '../../core/request/match.ts'
import {
  inUrl,
  isLoopback,
  lendingSentence,
  lendsCredentials,
  LOOPBACK,
  LOOPBACK_NAMES,
  reachProblem,
} from '../../core/live/proxyReach.ts'
import type { CertificateAndKey } from '../listen/certificate.ts'
import type { LiveRun } from '../live/liveRun.ts'
import { createGuard } from './guard.ts'
import { valueOf } from './headers.ts'
import { ANONYMOUS, asKubeconfigUser, byCertificate, byHeaders, byToken, type Identify } from './identity.ts'
import { CLIENT_LIMITS, createListener, listen, type TlsFiles } from './listen.ts'
import { ownNames } from './names.ts'
import { serveProxy } from './proxyServer.ts'
import { isToken, TOKEN_RULE } from './proxyToken.ts'
import type { ReviewToken } from './tokens.ts'
import { connectUpstream, type ConnectedUpstream } from './upstreamConnection.ts'
import type { Consent } from '../cluster/consent.ts'
import type { IncomingMessage } from 'node:http'

/** Where and how clients are let in: the values of a spec, with the contents of the files that it names. */
export interface ListenOptions {
  /** An address of this machine; defaults to 127.0.0.1. Any that is not loopback needs `tls` and `token`. */
  readonly host?: string
  /** Names and addresses by which clients reach it, the best first; defaults to `host`. */
  readonly reachedAs?: readonly string[]
  /** Serve TLS (HTTP/2 and HTTP/1.1). `clientCa` (PEM) is the CA that the identity `certificate` trusts. */
  readonly tls?: (CertificateAndKey | { readonly generated: true }) & { readonly clientCa?: string }
  /** The token that clients must send as `Authorization: Bearer …`. */
  readonly token?: string
}

export interface ProxySurroundings {
  /** Decides about each request: `createLiveRun`, or any other object with its `arrive`. */
  readonly run: Pick<LiveRun, 'arrive'>
  readonly names: ObjectNames
  /** Unix milliseconds. */
  readonly now: () => number
  readonly consent: Consent
  readonly env: NodeJS.ProcessEnv
  readonly listen?: ListenOptions
  /** Creates a certificate for these host names and addresses; without it `generated` is refused. */
  readonly makeCertificate?: (hosts: readonly string[]) => Promise<CertificateAndKey>
}

export interface OpenedProxy {
  /** `http://127.0.0.1:41233`: the address that clients connect to. */
  readonly url: string
  /** `http://127.0.0.1:41233 → prod-eu-1`. */
  readonly title: string
  /** Limitations, and facts that the operator should know, in sentences. */
  readonly notes: readonly string[]
  /** The proxy's server certificate (PEM); absent without TLS. */
  readonly certificate?: string
  close(): Promise<void>
}

/**
 * Opens the proxy of a spec: queries the kubeconfig's user from the upstream, and listens. `run` must be configured
 * before clients connect. Rejects with `ProblemError`.
 */
export async function openProxy(spec: ProxySpec, surroundings: ProxySurroundings): Promise<OpenedProxy> {
  const { run, names, now, env, consent, listen: where = {} } = surroundings
  const { host = LOOPBACK, reachedAs = [host], token } = where
  assertSafe(spec, where, host)
  const tls = await tlsOf(where, reachedAs, surroundings)
  const listener = createListener(tls, CLIENT_LIMITS)
  const certificate = tls === undefined ? undefined : new X509Certificate(tls.cert)
  const credentials = spec.identity === 'token' ? 'callers' : 'own'
  const upstream = await connectUpstream(spec.upstream, { credentials, now, env, consent })
  try {
    const { identify, notes } = await identityOf(spec, upstream, now, !isLoopback(host))
    const port = await listen(listener, host, spec.port)
    const place = `${inUrl(reachedAs[0] ?? host)}:${port}`
    const scheme = tls === undefined ? 'http' : 'https'
    const url = `${scheme}://${place}`
    const guard = createGuard({
      names: ownNames({ scheme, hosts: [host, ...reachedAs], port, certificate }),
      shownAs: isLoopback(host) ? `${place} or localhost:${port}` : `${place} or a name of its certificate`,
      ...(token !== undefined && { token }),
      refusesStreams: lendsCredentials(spec) && !spec.allowExec,
    })
    const close = serveProxy(listener, { run, upstream, identify, guard, serverSays: serverSays(names) })
    return {
      url,
      title: `${url} → ${upstream.name}`,
      notes: [...notes, ...upstream.notes],
      ...(tls !== undefined && { certificate: tls.cert }),
      async close() {
        await close()
        upstream.close()
      },
    }
  } catch (error) {
    upstream.close()
    throw error
  }
}

function assertSafe({ identity }: ProxySpec, { tls, token }: ListenOptions, host: string): void {
  const problem = reachProblem({
    host,
    identity,
    tls: tls !== undefined,
    token: token !== undefined,
    clientCa: tls?.clientCa !== undefined,
  })
  if (problem !== undefined) throw new ProblemError('invalid-input', problem.sentence)
  if (token !== undefined && !isToken(token)) {
    throw new ProblemError('invalid-input', `The token of the proxy needs ${TOKEN_RULE}.`)
  }
}

async function tlsOf(
  { tls }: ListenOptions,
  reachedAs: readonly string[],
  { makeCertificate }: ProxySurroundings,
): Promise<TlsFiles | undefined> {
  if (tls === undefined) return undefined
  const ca = tls.clientCa === undefined ? {} : { clientCa: tls.clientCa }
  if ('cert' in tls) return { cert: tls.cert, key: tls.key, ...ca }
  if (makeCertificate === undefined) {
    throw new ProblemError('unsupported', 'Certificates cannot be made here; give one and its key.')
  }
  return { ...(await makeCertificate([...new Set([...reachedAs, ...LOOPBACK_NAMES])])), ...ca }
}

const NO_USERS =
  'The upstream is an address without credentials, so the proxy uses the identity that clients send and does not forward it.'

async function identityOf(
  spec: ProxySpec,
  upstream: ConnectedUpstream,
  now: () => number,
  required: boolean,
): Promise<{ readonly identify: Identify; readonly notes: readonly string[] }> {
  const {
    identity,
    upstream: { kind },
  } = spec
  const speak = { impersonate: kind === 'kubeconfig' }
  const lending = lendingSentence(spec)
  const notes = [...(lending === undefined ? [] : [lending]), ...(speak.impersonate ? [] : [NO_USERS])]
  switch (identity) {
    case 'kubeconfig': {
      const { user, notes: about } = await ownUser(spec, upstream)
      const impersonated = valueOf(upstream.headers, 'impersonate-user') !== undefined
      return { identify: asKubeconfigUser(user, impersonated), notes: about }
    }
    case 'token':
      return { identify: byToken({ review: reviewBy(upstream), now, required }), notes: [] }
    case 'certificate':
      return { identify: byCertificate(speak), notes }
    case 'headers':
      return { identify: byHeaders(speak), notes }
  }
}

const reviewBy =
  (upstream: ConnectedUpstream): ReviewToken =>
  async (Authorization) => {
    const answer = await upstream.whoIs({ Authorization })
    if (answer.ok) return { name: answer.identity.user, groups: answer.identity.groups }
    if (answer.status === 401) return undefined
    throw ProblemError.of(answer.problem)
  }

const ADMINISTRATORS = 'system:masters'
const allExempt = (name: string): string =>
  `${name} is in ${ADMINISTRATORS}, whose requests all go to the level exempt, where nothing waits or is refused. For other levels use the kubeconfig of an ordinary user, kubectl --as, or the identity "token".`

/** The user of all requests that carry the credentials of the proxy. */
async function ownUser(
  spec: ProxySpec,
  upstream: ConnectedUpstream,
): Promise<{ readonly user: User; readonly notes: readonly string[] }> {
  const answer = await upstream.whoIs()
  if (answer.ok) {
    const { user: name, groups } = answer.identity
    const notes = [lendingSentence(spec, name), groups.includes(ADMINISTRATORS) ? allExempt(name) : undefined]
    return { user: { name, groups }, notes: notes.filter((note) => note !== undefined) }
  }
  const { kind } = spec.upstream
  if (kind === 'url') {
    const notes = [`${upstream.name} does not identify its clients, so all of them count as ${ANONYMOUS.name}.`]
    return { user: ANONYMOUS, notes }
  }
  const { code, message } = answer.problem
  if (answer.status !== 403 && answer.status !== 404) throw new ProblemError(code, message)
  throw new ProblemError(
    code,
    `${upstream.name} does not report the user of the kubeconfig (SelfSubjectReview, Kubernetes 1.28 and later). Use another identity.`,
    message,
  )
}

/** Names of the cluster's objects by their UIDs; `undefined` for an unknown object. */
interface ObjectNames {
  readonly level: (uid: string) => string | undefined
  readonly schema: (uid: string) => string | undefined
}

const LEVEL_UID = 'x-kubernetes-pf-prioritylevel-uid'
const SCHEMA_UID = 'x-kubernetes-pf-flowschema-uid'

/**
 * How the server classified a request, from the headers of its response (specification 4.14); `undefined` without those
 * headers.
 */
const serverSays =
  ({ level, schema }: ObjectNames) =>
  ({ headers }: Pick<IncomingMessage, 'headers'>): LiveRequest['server'] => {
    const levelName = nameOf(headers[LEVEL_UID], level)
    const schemaName = nameOf(headers[SCHEMA_UID], schema)
    if (levelName === undefined && schemaName === undefined) return undefined
    return {
      ...(levelName !== undefined && { level: levelName }),
      ...(schemaName !== undefined && { schema: schemaName }),
    }
  }

/** Empty for an object that the API does not have. */
function nameOf(uid: string | string[] | undefined, names: (uid: string) => string | undefined): string | undefined {
  return typeof uid === 'string' && uid !== '' ? names(uid) : undefined
}
