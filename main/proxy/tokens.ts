import { createHash } from 'node:crypto'
import type { User } from '../../core/request/match.ts'

/**
 * Resolves an Authorization header: requests its owner from the upstream. Rejects when the upstream cannot be reached.
 */
export type ReviewToken = (authorization: string) => Promise<User | undefined>

const KNOWN_MS = 60_000
const UNKNOWN_MS = 10_000
const MOST_TOKENS = 10_000

interface Entry {
  /** The result, available without a promise; `asked` is set while it is pending. */
  user: User | undefined
  asked: Promise<User | undefined> | undefined
  /** Milliseconds of the clock. */
  until: number
}

/**
 * Owners of tokens according to the upstream. Results are cached for a minute, unknown tokens for ten seconds, by a
 * hash: the token itself is not stored. Failures are not cached.
 */
export function createTokenOwners(review: ReviewToken, now: () => number) {
  const known = new Map<string, Entry>()

  const ask = async (key: string, authorization: string, entry: Entry): Promise<User | undefined> => {
    try {
      entry.user = await review(authorization)
      entry.until = now() + (entry.user === undefined ? UNKNOWN_MS : KNOWN_MS)
      entry.asked = undefined
      return entry.user
    } catch (error) {
      known.delete(key)
      throw error
    }
  }

  /** Synchronous where the owner is known: the many requests with one token need no promise each. */
  return (authorization: string): User | undefined | Promise<User | undefined> => {
    const key = createHash('sha256').update(authorization).digest('base64')
    const entry = known.get(key)
    if (entry !== undefined) {
      if (entry.asked !== undefined) return entry.asked
      if (entry.until > now()) return entry.user
      known.delete(key)
    }
    const [oldest] = known.keys()
    if (oldest !== undefined && known.size >= MOST_TOKENS) known.delete(oldest)
    const fresh: Entry = { user: undefined, asked: undefined, until: Number.POSITIVE_INFINITY }
    known.set(key, fresh)
    fresh.asked = ask(key, authorization, fresh)
    return fresh.asked
  }
}
