import { randomBytes, timingSafeEqual } from 'node:crypto'
import { digest } from '../listen/secrets.ts'

/** Most unused tokens, and most sessions; a further one replaces the oldest. */
const MOST = 16
/** Minutes within which a token has to be used. */
export const TOKEN_MINUTES = 10

export interface Token {
  readonly text: string
  /** Resolves when the token was redeemed, has expired, was dropped, or the console ends. */
  readonly spent: Promise<void>
}

/**
 * A session has two halves, and neither is sufficient alone. Browsers send the cookie to every port of 127.0.0.1, so
 * other local servers can learn it; it gives access only to the files of the page. The secret is passed to the page
 * once, stays in the storage of its origin (which includes the port), and is required with the cookie for the
 * WebSocket.
 */
export interface Session {
  readonly cookie: string
  readonly secret: string
}

/** A session that a user opened by identifying themselves. */
export interface NamedSession extends Session {
  /** Aborted when the session is over. */
  readonly ended: AbortSignal
  readonly end: () => void
}

/** What the secret of an open session stands for. */
export interface OpenSession {
  readonly ended: AbortSignal
}

export interface SessionLimits {
  /** Most sessions; a further one replaces the oldest. */
  readonly most?: number
  /** The same per user. */
  readonly mostOfUser?: number
}

/** The access to the console in web mode. A token opens one session. Tokens and sessions end with the process. */
export interface Sessions {
  /** Opens a session for a user who has been authenticated elsewhere, for at most this many milliseconds. */
  openFor(user: string, ms: number): NamedSession
  issueToken(): Token
  /** The new session if the token is valid; this uses the token up. */
  redeem(token: string): Session | undefined
  knowsCookie(cookie: string): boolean
  /** The session of cookie and secret, if both belong to the same one. */
  find(cookie: string, secret: string): OpenSession | undefined
  /** Ends the sessions with this cookie. */
  endOf(cookie: string): void
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
  /** Absent in a session of the operator. */
  readonly user: string | undefined
  readonly ended: AbortSignal
  readonly end: () => void
}

const random = (): string => randomBytes(24).toString('base64url')
const both = (cookie: string, secret: string): Buffer => digest(`${cookie} ${secret}`)

/** The last match. Compares with every entry, so that the time does not depend on the position of a match. */
function find<T>(list: readonly T[], wanted: Buffer, of: (one: T) => Buffer): T | undefined {
  return list.reduce<T | undefined>((found, one) => (timingSafeEqual(of(one), wanted) ? one : found), undefined)
}

export function createSessions({ most = MOST, mostOfUser = most }: SessionLimits = {}): Sessions {
  const tokens: Issued[] = []
  const sessions: Opened[] = []
  const open = (user?: string, ms?: number): NamedSession => {
    const session = { cookie: random(), secret: random() }
    const over = new AbortController()
    const end = (): void => {
      clearTimeout(expiry)
      const index = sessions.indexOf(opened)
      if (index !== -1) sessions.splice(index, 1)
      over.abort()
    }
    const expiry = ms === undefined ? undefined : setTimeout(end, ms).unref()
    const opened: Opened = {
      cookie: digest(session.cookie),
      both: both(session.cookie, session.secret),
      user,
      ended: over.signal,
      end,
    }
    sessions.push(opened)
    const own = sessions.filter((one) => one.user === user)
    if (own.length > mostOfUser) own[0]?.end()
    if (sessions.length > most) sessions[0]?.end()
    return { ...session, ended: over.signal, end }
  }
  return {
    openFor: open,
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
      return open()
    },
    knowsCookie: (cookie) => find(sessions, digest(cookie), (one) => one.cookie) !== undefined,
    find: (cookie, secret) => find(sessions, both(cookie, secret), (one) => one.both),
    endOf: (cookie) => find(sessions, digest(cookie), (one) => one.cookie)?.end(),
    close() {
      for (const { end } of tokens.splice(0)) end()
      for (const { end } of sessions.splice(0)) end()
    },
  }
}

/**
 * All values of one cookie in a `Cookie` header. Another port of the host can set a cookie with the same name for a
 * longer path, which browsers then send first.
 */
export function cookieValues(header: string | undefined, name: string): readonly string[] {
  return (header ?? '').split(';').flatMap((pair) => {
    const [key, ...value] = pair.trim().split('=')
    return key === name ? [value.join('=')] : []
  })
}
