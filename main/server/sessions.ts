import { randomBytes, timingSafeEqual } from 'node:crypto'
import { digest } from './secretCheck.ts'

/** Unused addresses and open sessions that are remembered; older ones are forgotten. */
const MOST = 16

/** A set of secrets, kept as digests: comparing takes the same time whatever is asked. */
class Secrets {
  readonly #digests: Buffer[] = []

  make(): string {
    const secret = randomBytes(24).toString('base64url')
    this.#digests.push(digest(secret))
    if (this.#digests.length > MOST) this.#digests.shift()
    return secret
  }

  #find(secret: string): number {
    const asked = digest(secret)
    // Every one is compared, so that the time does not tell where a match was.
    return this.#digests.reduce((found, known, index) => (timingSafeEqual(known, asked) ? index : found), -1)
  }

  has(secret: string): boolean {
    return this.#find(secret) !== -1
  }

  take(secret: string): boolean {
    const index = this.#find(secret)
    if (index !== -1) this.#digests.splice(index, 1)
    return index !== -1
  }
}

/**
 * Who may see the console in web mode. An address carries a token that opens it once; opening it gives the browser a
 * session cookie. Both end with the process.
 */
export interface Sessions {
  /** A token for a new address. */
  issueToken(): string
  /** The value of a new session's cookie when the token is good; it is then used up. */
  redeem(token: string): string | undefined
  isOpen(cookie: string): boolean
}

export function createSessions(): Sessions {
  const tokens = new Secrets()
  const cookies = new Secrets()
  return {
    issueToken: () => tokens.make(),
    redeem: (token) => (tokens.take(token) ? cookies.make() : undefined),
    isOpen: (cookie) => cookies.has(cookie),
  }
}

/** The value of one cookie in a `Cookie` header. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, ...value] = pair.trim().split('=')
    if (key === name) return value.join('=')
  }
  return undefined
}
