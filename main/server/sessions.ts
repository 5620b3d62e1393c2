import { randomBytes, timingSafeEqual } from 'node:crypto'
import { digest } from '../listen/secrets.ts'

/** Unused tokens, and sessions, that are kept; the oldest is dropped for a further one. */
const MOST = 16
/** Minutes in which a token has to be used. */
export const TOKEN_MINUTES = 10

export interface Token {
  readonly text: string
  /** Resolves when the token was redeemed, has expired, was dropped, or the console ends. */
  readonly spent: Promise<void>
}

/**
 * A session has two halves, and neither opens anything alone. Browsers send the cookie to every port of 127.0.0.1, so
 * other local servers can learn it; it yields only the files of the page. The secret is handed to the page once, stays in
 * the storage of its origin (which includes the port), and is required with the cookie for the WebSocket.
 */
export interface Session {
  readonly cookie: string
  readonly secret: string
}

/** Who may use the console in web mode. A token opens one session. Tokens and sessions end with the process. */
export interface Sessions {
  issueToken(): Token
  /** The new session if the token is valid; it is then used up. */
  redeem(token: string): Session | undefined
  knowsCookie(cookie: string): boolean
  /** Whether cookie and secret belong to the same session. */
  isOpen(cookie: string, secret: string): boolean
  /** Ends all tokens and sessions. */
  close(): void
}

interface Issued {
  readonly digest: Buffer
  readonly end: () => void
}
interface Opened {
  readonly cookie: Buffer
  readonly both: Buffer
}

const random = (): string => randomBytes(24).toString('base64url')
const both = (cookie: string, secret: string): Buffer => digest(`${cookie} ${secret}`)

/** The last match. Compares with every one, so that the time does not depend on where a match is. */
function find<T>(list: readonly T[], wanted: Buffer, of: (one: T) => Buffer): T | undefined {
  return list.reduce<T | undefined>((found, one) => (timingSafeEqual(of(one), wanted) ? one : found), undefined)
}

export function createSessions(): Sessions {
  const tokens: Issued[] = []
  const sessions: Opened[] = []
  return {
    issueToken() {
      const text = random()
      const { promise: spent, resolve } = Promise.withResolvers<void>()
      const end = (): void => {
        clearTimeout(expiry)
        const index = tokens.indexOf(issued)
        if (index !== -1) tokens.splice(index, 1)
        resolve()
      }
      const expiry = setTimeout(end, TOKEN_MINUTES * 60_000).unref()
      const issued: Issued = { digest: digest(text), end }
      tokens.push(issued)
      if (tokens.length > MOST) tokens[0]?.end()
      return { text, spent }
    },
    redeem(token) {
      const issued = find(tokens, digest(token), (one) => one.digest)
      if (issued === undefined) return undefined
      issued.end()
      const session = { cookie: random(), secret: random() }
      sessions.push({ cookie: digest(session.cookie), both: both(session.cookie, session.secret) })
      if (sessions.length > MOST) sessions.shift()
      return session
    },
    knowsCookie: (cookie) => find(sessions, digest(cookie), (one) => one.cookie) !== undefined,
    isOpen: (cookie, secret) => find(sessions, both(cookie, secret), (one) => one.both) !== undefined,
    close() {
      for (const { end } of tokens.splice(0)) end()
      sessions.length = 0
    },
  }
}

/**
 * All values of one cookie in a `Cookie` header. Another port of the host can set a cookie of the same name for a longer
 * path, which browsers then send first.
 */
export function cookieValues(header: string | undefined, name: string): readonly string[] {
  return (header ?? '').split(';').flatMap((pair) => {
    const [key, ...value] = pair.trim().split('=')
    return key === name ? [value.join('=')] : []
  })
}
