import type { IncomingMessage } from 'node:http'
import type { ServerCertificate } from '../listen/connections.ts'

/** Where a login page sends its form, and a page that ends the session. */
export const LOGIN_PATH = '/login'
export const LOGOUT_PATH = '/logout'
/** A token of a service account has about a thousand characters; those of an identity provider a few thousand. */
export const MOST_LOGIN_BYTES = 20_000

/** What became of a login. A refusal holds a sentence that says nothing of the token. */
export type Admission =
  | { readonly user: string; readonly ms: number; readonly stillMay: () => Promise<boolean> }
  | { readonly status: 401 | 403 | 429 | 503; readonly sentence: string; readonly retryAfterSeconds?: number }

/** Who is let into a console that others reach, in place of the operator's one-time address. */
export interface Door {
  /** Where to listen; `undefined` for every address of the machine. */
  readonly address: string | undefined
  readonly certificate: ServerCertificate | undefined
  /** Host names that requests may call this server by, with or without a port. */
  readonly hosts: readonly string[]
  /** `from`: the address of the client. */
  readonly login: (token: string, from: string) => Promise<Admission>
  /** Milliseconds after which it is asked again whether the user of a session may look. */
  readonly recheckMs: number
}

/** Whether a `Host` header names one of these hosts, whatever the port. */
export function namesHost(header: string | undefined, hosts: readonly string[]): boolean {
  if (header === undefined || !/^[\w.:[\]-]+$/.test(header)) return false
  return hosts.includes(header.replace(/:\d+$/, '').toLowerCase())
}

/** The token in the body of a login form; `undefined` for anything else. Rejects when the client goes away. */
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
