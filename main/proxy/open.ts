import { ProblemError } from '../../core/contract/errors.ts'
import type { ProxySpec } from '../../core/contract/live.ts'
import type { User } from '../../core/classify/match.ts'
import type { LiveRun } from '../live/liveRun.ts'
import { createGuard } from './guard.ts'
import { valueOf } from './headers.ts'
import { ANONYMOUS, asKubeconfigUser, byCertificate, byHeaders, byToken, type Identify } from './identity.ts'
import { CLIENT_LIMITS, createListener, listen, type TlsFiles } from './listen.ts'
import { serveProxy } from './proxyServer.ts'
import { serverSays, type ObjectNames } from './serverSays.ts'
import type { ReviewToken } from './tokens.ts'
import { connectUpstream, type ConnectedUpstream } from './upstreamConnection.ts'

/** PEM texts. */
export interface CertificateAndKey {
  readonly cert: string
  readonly key: string
}

/** Where and how clients are let in. */
export interface ListenOptions {
  /** An address of this machine; 127.0.0.1 without. Any that is not loopback needs `tls` and `token`. */
  readonly host?: string
  /** Speak TLS (HTTP/2 and HTTP/1.1). `clientCa` (PEM) is what the identity `certificate` trusts. */
  readonly tls?: (CertificateAndKey | { readonly generated: true }) & { readonly clientCa?: string }
  /** What clients must bring as `Authorization: Bearer …`. */
  readonly token?: string
}

export interface ProxySurroundings {
  /** Decides about each request: `createLiveRun`, or whatever else has its `arrive`. */
  readonly run: Pick<LiveRun, 'arrive'>
  readonly names: ObjectNames
  /** Unix milliseconds. */
  readonly now: () => number
  readonly env: NodeJS.ProcessEnv
  readonly listen?: ListenOptions
  /** Makes a certificate for these host names and addresses; without it `generated` is refused. */
  readonly makeCertificate?: (hosts: readonly string[]) => Promise<CertificateAndKey>
}

export interface OpenedProxy {
  /** `http://127.0.0.1:41233`: where clients connect to. */
  readonly url: string
  /** `http://127.0.0.1:41233 → prod-eu-1`. */
  readonly title: string
  /** What cannot be known, and what the operator ought to know, in sentences. */
  readonly notes: readonly string[]
  close(): Promise<void>
}

const LOOPBACK = '127.0.0.1'
const LOOPBACK_NAMES: readonly string[] = [LOOPBACK, 'localhost', '::1']
const isLoopback = (host: string): boolean => LOOPBACK_NAMES.includes(host) || /^127(\.\d{1,3}){3}$/.test(host)
const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/**
 * Opens the proxy of a spec: asks the upstream who the kubeconfig's user is, and listens. `run` must be configured before
 * clients come. Rejects with `ProblemError`.
 */
export async function openProxy(spec: ProxySpec, surroundings: ProxySurroundings): Promise<OpenedProxy> {
  const { run, names, now, env, listen: where = {} } = surroundings
  const { host = LOOPBACK, token } = where
  assertSafe(spec, where, host)
  const tls = await tlsOf(where, host, surroundings)
  const listener = createListener(tls, CLIENT_LIMITS)
  const credentials = spec.identity === 'token' ? 'callers' : 'own'
  const upstream = await connectUpstream(spec.upstream, { credentials, now, env })
  try {
    const { identify, notes } = await identityOf(spec, upstream, now, !isLoopback(host))
    const port = await listen(listener, host, spec.port)
    const place = `${inUrl(host)}:${port}`
    const url = `${tls === undefined ? 'http' : 'https'}://${place}`
    const guard = createGuard({
      names: isLoopback(host) ? namesOf(host, port) : 'any',
      shownAs: `${place} or localhost:${port}`,
      ...(token !== undefined && { token }),
    })
    const close = serveProxy(listener, { run, upstream, identify, guard, serverSays: serverSays(names) })
    return {
      url,
      title: `${url} → ${upstream.name}`,
      notes: [...notes, ...upstream.notes],
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

const namesOf = (host: string, port: number): ReadonlySet<string> =>
  new Set([...LOOPBACK_NAMES, host].map((name) => `${inUrl(name)}:${port}`))

/** Credentials are at stake: what is not surely meant is refused. */
function assertSafe({ identity }: ProxySpec, { tls, token }: ListenOptions, host: string): void {
  if (identity === 'certificate' && tls?.clientCa === undefined) {
    throw new ProblemError(
      'invalid-input',
      'The identity "certificate" needs TLS with the authority of the client certificates.',
    )
  }
  if (token !== undefined && (token.length < 16 || /[^\x21-\x7e]/.test(token))) {
    throw new ProblemError('invalid-input', 'The token of the proxy needs at least 16 characters, without spaces.')
  }
  if (token !== undefined && identity === 'token') {
    throw new ProblemError(
      'invalid-input',
      'With the identity "token" each caller brings a token of their own, so the proxy cannot have another one.',
    )
  }
  if (isLoopback(host)) return
  if (tls === undefined) {
    throw new ProblemError(
      'invalid-input',
      `Beyond loopback the proxy speaks TLS only; give it a certificate for ${host}.`,
    )
  }
  if (token === undefined && identity !== 'token') {
    throw new ProblemError('invalid-input', `Beyond loopback the proxy needs a token that its clients bring.`)
  }
}

async function tlsOf(
  { tls }: ListenOptions,
  host: string,
  { makeCertificate }: ProxySurroundings,
): Promise<TlsFiles | undefined> {
  if (tls === undefined) return undefined
  const ca = tls.clientCa === undefined ? {} : { clientCa: tls.clientCa }
  if ('cert' in tls) return { cert: tls.cert, key: tls.key, ...ca }
  if (makeCertificate === undefined) {
    throw new ProblemError('unsupported', 'Certificates cannot be made here; give one and its key.')
  }
  return { ...(await makeCertificate([...new Set([host, ...LOOPBACK_NAMES])])), ...ca }
}

interface Identities {
  readonly identify: Identify
  readonly notes: readonly string[]
}

const NO_USERS =
  'The upstream is given by its address alone, so what callers say of themselves is used here and not passed on.'

async function identityOf(
  { identity, upstream: { kind } }: ProxySpec,
  upstream: ConnectedUpstream,
  now: () => number,
  required: boolean,
): Promise<Identities> {
  const speak = { impersonate: kind === 'kubeconfig' }
  const notes = speak.impersonate ? [] : [NO_USERS]
  switch (identity) {
    case 'kubeconfig': {
      const { user, notes: about } = await ownUser(kind, upstream)
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
    throw new ProblemError(answer.problem.code, answer.problem.message)
  }

/** Who everybody is behind the credentials of the proxy. */
async function ownUser(
  kind: ProxySpec['upstream']['kind'],
  upstream: ConnectedUpstream,
): Promise<{ readonly user: User; readonly notes: readonly string[] }> {
  const answer = await upstream.whoIs()
  if (answer.ok) return { user: { name: answer.identity.user, groups: answer.identity.groups }, notes: [] }
  if (kind === 'url') {
    const notes = [`${upstream.name} does not say who its callers are, so everybody counts as ${ANONYMOUS.name}.`]
    return { user: ANONYMOUS, notes }
  }
  const { code, message } = answer.problem
  if (answer.status !== 403 && answer.status !== 404) throw new ProblemError(code, message)
  throw new ProblemError(
    code,
    `${upstream.name} does not say who the user of the kubeconfig is (SelfSubjectReview, since Kubernetes 1.28); use another identity.`,
    message,
  )
}
