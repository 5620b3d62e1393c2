import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Headers } from './http2.ts'

/** Tokens whose user is known; the least recently learned one is dropped. */
const MOST_TOKENS = 10_000

/** Marks a name that nobody has verified, so that no rule and no group takes it for the user of that name. */
export const UNVERIFIED = 'unverified:'

/**
 * Identifies callers, as far as a proxy can (QoS specification 5). Any client can send any token: only one that etcd
 * issued through this proxy takes precedence over a certificate.
 */
export class Callers {
  readonly #users = new Map<string, string>()

  /** etcd answered an Authenticate of this user with this token. */
  learn(token: string, user: string): void {
    this.#users.delete(token)
    this.#users.set(token, user)
    const [oldest] = this.#users.keys()
    if (this.#users.size > MOST_TOKENS && oldest !== undefined) this.#users.delete(oldest)
  }

  /** Empty for a caller without a name. */
  userOf({ token, authorization }: Headers, { name }: Peer): string {
    const given = (Array.isArray(token) ? token[0] : token) ?? authorization ?? ''
    const verified = this.#users.get(given) ?? name
    if (verified !== '') return verified
    const claimed = claimedUser(given)
    return claimed === undefined ? '' : `${UNVERIFIED}${claimed}`
  }
}

/** The other end of a connection. Read once: reading it takes longer than a small request. */
export interface Peer {
  /** Without the notation of IPv4 in IPv6. */
  readonly clientIP: string
  /** The common name of its certificate, which its authority signed; empty without one. */
  readonly name: string
}

export function peerOf(socket: Socket): Peer {
  return {
    clientIP: socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? '',
    name: socket instanceof TLSSocket ? commonName(socket) : '',
  }
}

function commonName(socket: TLSSocket): string {
  const name = socket.getPeerCertificate().subject?.CN
  return Array.isArray(name) ? (name[0] ?? '') : (name ?? '')
}

/** The user that a JWT names. Only etcd can verify its signature. */
function claimedUser(token: string): string | undefined {
  const [, claims] = token.split('.')
  if (claims === undefined) return undefined
  try {
    const read: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString())
    return typeof read === 'object' && read !== null && 'username' in read && typeof read.username === 'string'
      ? read.username
      : undefined
  } catch {
    return undefined
  }
}
