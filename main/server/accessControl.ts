import type { IncomingMessage } from 'node:http'
import type { ServerCertificate } from '../listen/connections.ts'

/** The target of the form of a login page, and of the page that ends the session. */
export const LOGIN_PATH = '/login'
export const LOGOUT_PATH = '/logout'
/** A token of a service account has about a thousand characters; those of an identity provider a few thousand. */
export const MOST_LOGIN_BYTES = 20_000

/** The outcome of a login. A refusal contains a sentence that reveals nothing about the token. */
export type Admission =
  | { readonly user: string; readonly ms: number; readonly stillMay: () => Promise<boolean> }
  | { readonly status: 401 | 403 | 429 | 503; readonly sentence: string; readonly retryAfterSeconds?: number }

/** Access control for a console that other users reach, instead of the operator's one-time address. */
export interface AccessControl {
  /** Where to listen; `undefined` for every address of the machine. */
  readonly address: string | undefined
  readonly certificate: ServerCertificate | undefined
  /** Host names for this server that requests may use, with or without a port. */
  readonly hosts: readonly string[]
  /** The path of the console on these hosts, with a slash at both ends. */
  readonly base: string
  /** `from`: the address of the client. */
  readonly login: (token: string, from: string) => Promise<Admission>
  /** Milliseconds between checks whether the user of a session may still read. */
  readonly recheckMs: number
}

/** Whether a `Host` header names one of these hosts, with any port. */
export function namesHost(header: string | undefined, hosts: readonly string[]): boolean {
  if (header === undefined || !/^[\w.:[\]-]+$/.test(header)) return false
  return hosts.includes(header.replace(/:\d+$/, '').toLowerCase())
}

/** The token in the body of a login form; `undefined` for anything else. Rejects when the client disconnects. */
export async function tokenIn(request: IncomingMessage): Promise<string | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/.test(request.headers['content-type'] ?? '')) return undefined
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) return undefined
    length += part.length
    if (length > MOST_LOGIN_BYTES) return undefined
    parts.push(part)
  }
  const token = new URLSearchParams(Buffer.concat(parts).toString())
    .get('token')
    ?.trim()
    .replace(/^Bearer\s+/i, '')
  return token !== undefined && /^[\w.~+/=-]+$/.test(token) ? token : undefined
}
