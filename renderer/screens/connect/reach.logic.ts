import type { ProxyListen, ProxySpec } from '../../../core/contract/live.ts'
import {
  isLoopback,
  isWildcard,
  lendsCredentials,
  LOOPBACK,
  reachOf,
  reachProblem,
  type Lender,
  type ReachProblem,
} from '../../../core/live/proxyReach.ts'

/** Who can connect to a proxy. */
export interface SettledReach {
  /** Empty means loopback. */
  readonly host: string
  readonly tls: 'none' | 'generated' | 'files'
  readonly certFile: string
  readonly keyFile: string
  /** Empty: client certificates are not requested. */
  readonly clientCaFile: string
  readonly token: 'none' | 'generated' | 'file'
  readonly tokenFile: string
}

/** The same as typed; `open` is not chosen yet, so upstream and identity decide. */
export interface ReachForm extends Omit<SettledReach, 'tls' | 'token'> {
  readonly tls: SettledReach['tls'] | 'open'
  readonly token: SettledReach['token'] | 'open'
}

export const EMPTY_REACH: ReachForm = {
  host: '',
  tls: 'open',
  certFile: '',
  keyFile: '',
  clientCaFile: '',
  token: 'open',
  tokenFile: '',
}

export function settle({ tls, token, ...form }: ReachForm, lender: Lender): SettledReach {
  const usual = reachOf(lender)
  return {
    ...form,
    token: token === 'open' ? (usual.token?.kind ?? 'none') : token,
    tls: tls === 'open' ? ((token === 'none' ? undefined : usual.tls?.kind) ?? 'none') : tls,
  }
}

/** Includes identity, because some ways to connect work with some identities only. */
export type ReachErrors = Partial<Record<keyof ReachForm | 'identity', string>>

export type ReadReach =
  { readonly ok: true; readonly listen?: ProxyListen } | { readonly ok: false; readonly errors: ReachErrors }

const hostOf = ({ host }: SettledReach): string => host.trim() || LOOPBACK
/** Its field is shown with TLS only. */
const authorityOf = ({ tls, clientCaFile }: SettledReach): string => (tls === 'none' ? '' : clientCaFile.trim())

/** Whether clients can be identified by their certificates. */
export const knowsCertificates = (form: SettledReach): boolean => authorityOf(form) !== ''

/** The form as a part of a source, or what is wrong with it, field by field. */
export function readReach(form: SettledReach, lender: Lender): ReadReach {
  const host = hostOf(form)
  const clientCaFile = authorityOf(form)
  const errors: ReachErrors = {
    ...(!/^[\w.:-]{1,253}$/.test(host) && {
      host: `“${host}” is not an address. Enter an address of this machine without a port, or 0.0.0.0 for all of them.`,
    }),
    ...(form.tls === 'files' && form.certFile.trim() === '' && { certFile: 'Enter the path of the certificate.' }),
    ...(form.tls === 'files' && form.keyFile.trim() === '' && { keyFile: 'Enter the path of its key.' }),
    ...(form.token === 'file' && form.tokenFile.trim() === '' && { tokenFile: 'Enter the path of the file.' }),
  }
  const problem = reachProblem({
    host,
    identity: lender.identity,
    tls: form.tls !== 'none',
    token: form.token !== 'none',
    clientCa: clientCaFile !== '',
  })
  const all = { ...errors, ...(problem !== undefined && asError(problem)) }
  if (Object.keys(all).length > 0) return { ok: false, errors: all }
  const listen: ProxyListen = {
    ...(form.host.trim() !== '' && { host }),
    ...tlsOf(form),
    ...(clientCaFile !== '' && { clientCaFile }),
    ...tokenOf(form, lender),
  }
  return { ok: true, ...(Object.keys(listen).length > 0 && { listen }) }
}

/** Maps a problem to the field of the form. */
function asError({ field, sentence }: ReachProblem): ReachErrors {
  switch (field) {
    case 'identity':
      return { identity: 'Client certificates require TLS and the path of the client CA, under “Who can connect”.' }
    case 'clientCa':
      return {
        clientCaFile: 'Choose “Each caller’s client certificate” under “Identity of callers”, or leave this empty.',
      }
    case 'tls':
    case 'token':
      return { [field]: sentence }
  }
}

function tlsOf({ tls, certFile, keyFile }: SettledReach): Pick<ProxyListen, 'tls'> {
  if (tls === 'none') return {}
  if (tls === 'generated') return { tls: { kind: 'generated' } }
  return { tls: { kind: 'files', certFile: certFile.trim(), keyFile: keyFile.trim() } }
}

function tokenOf({ token, tokenFile }: SettledReach, lender: Lender): Pick<ProxyListen, 'token'> {
  if (token === 'none') return lendsCredentials(lender) ? { token: { kind: 'none' } } : {}
  return { token: token === 'generated' ? { kind: 'generated' } : { kind: 'file', file: tokenFile.trim() } }
}

/** The form filled from the connection. */
export function reachFormOf({ host = '', tls, clientCaFile = '', token }: ProxyListen = {}): ReachForm {
  return {
    host,
    tls: tls?.kind ?? (token === undefined ? 'open' : 'none'),
    certFile: tls?.kind === 'files' ? tls.certFile : '',
    keyFile: tls?.kind === 'files' ? tls.keyFile : '',
    clientCaFile,
    token: token?.kind ?? 'open',
    tokenFile: token?.kind === 'file' ? token.file : '',
  }
}

/** What the operator should know about tokens before clients fail to connect. */
export const tokenHint = ({ tls }: SettledReach): string | undefined =>
  tls === 'none' ? 'kubectl and client-go send tokens over TLS only. Choose a TLS certificate.' : undefined

/** Who can connect, in a few words. */
export function reachSentence(form: SettledReach, identity: ProxySpec['identity']): string {
  const host = hostOf(form)
  const reached = isWildcard(host) ? 'this machine' : host
  const who = isLoopback(host) ? 'every user of this machine' : `everyone who can reach ${reached}`
  const brings = [
    ...(form.token === 'none' ? [] : ['the proxy’s token']),
    ...(identity === 'token' ? ['their own bearer token'] : []),
    ...(identity === 'certificate' ? ['a client certificate'] : []),
  ]
  const by = form.tls === 'none' ? 'without TLS' : 'over TLS'
  return `${who} ${brings.length === 0 ? '' : `with ${brings.join(' and ')}, `}${by}`
}
