import type { IncomingHttpHeaders } from 'node:http2'
import type { Http2Stream } from 'node:http2'
import { TLSSocket } from 'node:tls'

/** Tokens whose user is known; the least recently learned one is forgotten. */
const MOST_TOKENS = 10_000

/** Who calls, as far as a proxy can see it (QoS specification 5). */
export class Callers {
  readonly #users = new Map<string, string>()
  /** Of each connection: reading a certificate takes longer than a small request. */
  readonly #names = new WeakMap<TLSSocket, string>()

  /** An Authenticate of this user was answered with this token. */
  learn(token: string, user: string): void {
    this.#users.delete(token)
    this.#users.set(token, user)
    const [oldest] = this.#users.keys()
    if (this.#users.size > MOST_TOKENS && oldest !== undefined) this.#users.delete(oldest)
  }

  /** Empty for a caller without a name. */
  userOf(headers: IncomingHttpHeaders, stream: Http2Stream): string {
    const token = [headers['token'], headers.authorization].flat().find((one) => one !== undefined)
    if (token !== undefined) return this.#users.get(token) ?? claimedUser(token) ?? ''
    const socket = stream.session?.socket
    return socket instanceof TLSSocket ? this.#nameOf(socket) : ''
  }

  /** The proxy refuses certificates that its authority did not sign. */
  #nameOf(socket: TLSSocket): string {
    const known = this.#names.get(socket)
    if (known !== undefined) return known
    const name = commonName(socket)
    this.#names.set(socket, name)
    return name
  }
}

function commonName(socket: TLSSocket): string {
  const name = socket.getPeerCertificate().subject?.CN
  return Array.isArray(name) ? (name[0] ?? '') : (name ?? '')
}

/** The user that a JWT names. Whether its signature is right is for etcd to say. */
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

/** The address of the peer, without the notation of IPv4 in IPv6. */
export const addressOf = (stream: Http2Stream): string =>
  stream.session?.socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? ''
