import type { ProxySpec } from '../contract/live.ts'

/** Who can connect to a proxy, as far as it is told before any file is read. */
export interface ProxyReach {
  /** An address or name of this machine. */
  readonly host: string
  readonly identity: ProxySpec['identity']
  readonly tls: boolean
  /** Whether its clients bring a token of the proxy's. */
  readonly token: boolean
  /** Whether there is an authority of client certificates. */
  readonly clientCa: boolean
}

/** What would have to change, and a sentence that says how. */
export interface ReachProblem {
  readonly field: 'identity' | 'tls' | 'token' | 'clientCa'
  readonly sentence: string
}

export const LOOPBACK = '127.0.0.1'
/** Under these a proxy on loopback is asked. */
export const LOOPBACK_NAMES: readonly string[] = [LOOPBACK, 'localhost', '::1']

export const isLoopback = (host: string): boolean =>
  LOOPBACK_NAMES.includes(host.toLowerCase()) || /^127(\.\d{1,3}){3}$/.test(host)

/** `0.0.0.0` and `::`, which are no addresses that anybody could connect to. */
export const isWildcard = (host: string): boolean => host === '0.0.0.0' || /^[0:]+$/.test(host)

/** A host name or address as it stands in a URL. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** The credentials of a kubeconfig are at stake: what is not surely meant is refused (docs/proxy.md, Security). */
export function reachProblem({ host, identity, tls, token, clientCa }: ProxyReach): ReachProblem | undefined {
  if (clientCa && !tls) {
    return {
      field: 'tls',
      sentence:
        'Client certificates need TLS; let the proxy make a certificate of its own, or give it one and its key.',
    }
  }
  if (identity === 'certificate' && !clientCa) {
    return {
      field: 'identity',
      sentence: 'The identity "certificate" needs TLS with the authority of the client certificates; give its file.',
    }
  }
  if (clientCa && identity !== 'certificate') {
    return {
      field: 'clientCa',
      sentence:
        'Client certificates are asked for with the identity "certificate" only; choose that, or leave their authority out.',
    }
  }
  if (token && identity === 'token') {
    return {
      field: 'token',
      sentence:
        'With the identity "token" each caller brings a token of their own, so the proxy cannot have another one; leave it out.',
    }
  }
  if (isLoopback(host)) return undefined
  if (!tls) {
    return {
      field: 'tls',
      sentence: `Beyond loopback the proxy speaks TLS only; let it make a certificate for ${host}, or give it one and its key.`,
    }
  }
  if (!token && identity !== 'token') {
    return {
      field: 'token',
      sentence:
        'Beyond loopback the proxy needs a token that its clients bring; let it make one, or name a file with one.',
    }
  }
  return undefined
}

export interface TryCommand {
  readonly identity: ProxySpec['identity']
  readonly address: string
  /** Path of the kubeconfig that was written for the clients. */
  readonly clientKubeconfig?: string | undefined
}

/** A command that a client of the proxy can be tried with. */
export function tryCommand({ identity, address, clientKubeconfig }: TryCommand): string {
  if (clientKubeconfig !== undefined) {
    const credentials = {
      kubeconfig: '',
      headers: '',
      token: ' --token "$TOKEN"',
      certificate: ' --client-certificate client.crt --client-key client.key',
    }[identity]
    return `kubectl --kubeconfig ${quoted(clientKubeconfig)}${credentials} get pods`
  }
  if (identity === 'headers') return `curl -H 'X-Remote-User: alice' ${address}/version`
  // kubectl sends no token without TLS.
  if (identity === 'token') return `curl -H "Authorization: Bearer $TOKEN" ${address}/version`
  return `kubectl --server ${address} get pods`
}

const quoted = (path: string): string => (/^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
