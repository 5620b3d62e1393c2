import type { ProxyListen, ProxySpec } from '../contract/live.ts'

/** Which clients can connect to a proxy, as far as known before any file is read. */
export interface ProxyReach {
  /** An address or name of this machine. */
  readonly host: string
  readonly identity: ProxySpec['identity']
  readonly tls: boolean
  /** Whether its clients send a token of the proxy. */
  readonly token: boolean
  /** Whether a CA of client certificates is set. */
  readonly clientCa: boolean
}

/** The field to change, and a sentence that explains how. */
export interface ReachProblem {
  readonly field: 'identity' | 'tls' | 'token' | 'clientCa'
  readonly sentence: string
}

export const LOOPBACK = '127.0.0.1'
/** Names under which a proxy on loopback is addressed. */
export const LOOPBACK_NAMES: readonly string[] = [LOOPBACK, 'localhost', '::1']

export const isLoopback = (host: string): boolean =>
  LOOPBACK_NAMES.includes(host.toLowerCase()) || /^127(\.\d{1,3}){3}$/.test(host)

/** `0.0.0.0` and `::`, which are not addresses that a client could connect to. */
export const isWildcard = (host: string): boolean => host === '0.0.0.0' || /^[0:]+$/.test(host)

/** A host name or address in the form of a URL. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** The settings that determine whose credentials upstream requests carry. */
export interface Lender {
  readonly upstream: Pick<ProxySpec['upstream'], 'kind'>
  readonly identity: ProxySpec['identity']
}

/** The same with the way in which clients connect. */
interface ReachedLender extends Lender {
  readonly listen?: ProxyListen
}

/**
 * Whether a client of the proxy acts with the credentials of its kubeconfig: as their owner, or as any user by headers.
 */
export const lendsCredentials = ({ upstream, identity }: Lender): boolean =>
  upstream.kind === 'kubeconfig' && (identity === 'kubeconfig' || identity === 'headers')

/**
 * How clients connect, with defaults for what the spec leaves open: a proxy that lends its credentials requires a
 * token, and, with the kubeconfig's user, TLS, because kubectl sends no token without it.
 */
export function reachOf(spec: ReachedLender): ProxyListen {
  const { listen = {}, identity } = spec
  if (listen.token !== undefined || !lendsCredentials(spec)) return listen
  return { ...(identity === 'kubeconfig' && { tls: { kind: 'generated' } }), ...listen, token: { kind: 'generated' } }
}

/** Whether clients send a token of the proxy. */
export const wantsToken = ({ token }: ProxyListen): boolean => token !== undefined && token.kind !== 'none'

/** Who can do what with the credentials that the proxy lends, in a sentence; `undefined` if it lends none. */
export function lendingSentence(spec: ReachedLender, owner = 'the user of the kubeconfig'): string | undefined {
  if (!lendsCredentials(spec)) return undefined
  const who = wantsToken(reachOf(spec)) ? 'Every client with the proxy’s token' : 'Every user of this machine'
  return spec.identity === 'kubeconfig'
    ? `${who} acts as ${owner}, with all of that user’s permissions.`
    : `${who} can act as any user that ${owner} may impersonate.`
}

/** The credentials of a kubeconfig are at stake: anything ambiguous is rejected (docs/proxy.md, Security). */
export function reachProblem({ host, identity, tls, token, clientCa }: ProxyReach): ReachProblem | undefined {
  if (clientCa && !tls) {
    return {
      field: 'tls',
      sentence:
        'Client certificates require TLS. Let the proxy generate a certificate, or provide a certificate and its key.',
    }
  }
  if (identity === 'certificate' && !clientCa) {
    return {
      field: 'identity',
      sentence: 'The identity "certificate" requires TLS and the CA of the client certificates. Provide the CA file.',
    }
  }
  if (clientCa && identity !== 'certificate') {
    return {
      field: 'clientCa',
      sentence: 'A client CA is used only with the identity "certificate". Choose that identity, or leave the CA out.',
    }
  }
  if (token && identity === 'token') {
    return {
      field: 'token',
      sentence:
        'With the identity "token" each caller sends their own token, so the proxy cannot require another. Leave it out.',
    }
  }
  if (isLoopback(host)) return undefined
  if (!tls) {
    return {
      field: 'tls',
      sentence: `Other than on loopback, the proxy requires TLS. Let it generate a certificate for ${host}, or provide a certificate and its key.`,
    }
  }
  if (!token && identity !== 'token') {
    return {
      field: 'token',
      sentence:
        'Other than on loopback, the proxy requires a client token. Let it generate one, or provide a file with one.',
    }
  }
  return undefined
}

export interface TryCommand {
  readonly identity: ProxySpec['identity']
  /** Whether clients send a token of the proxy. */
  readonly token: boolean
  readonly address: string
  /** Path of the kubeconfig that was written for the clients. */
  readonly clientKubeconfig?: string | undefined
}

/** A command that tests the proxy from a client. */
export function tryCommand({ identity, token, address, clientKubeconfig }: TryCommand): string {
  // kubectl cannot send X-Remote-User, and sends no token without TLS.
  const bearer = token || identity === 'token' ? ['-H "Authorization: Bearer $TOKEN"'] : []
  if (identity === 'headers' || (clientKubeconfig === undefined && bearer.length > 0)) {
    const user = identity === 'headers' ? ["-H 'X-Remote-User: alice'"] : []
    const authority = address.startsWith('https:') ? ['--cacert certificate.pem'] : []
    return ['curl', ...authority, ...user, ...bearer, `${address}/version`].join(' ')
  }
  if (clientKubeconfig !== undefined) {
    const credentials = {
      kubeconfig: '',
      token: ' --token "$TOKEN"',
      certificate: ' --client-certificate client.crt --client-key client.key',
    }[identity]
    return `kubectl --kubeconfig ${quoted(clientKubeconfig)}${credentials} get pods`
  }
  return `kubectl --server ${address} get pods`
}

const quoted = (path: string): string => (/^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
