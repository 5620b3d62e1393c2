import type { AbortSignalLike } from '../../core/contract/contract.ts'
import type { Subscribable } from '../ports/topic.ts'
import type { Session } from './session.ts'

/**
 * Keeps a reader of a stream at the connected source, whichever that is: `subscribe` is called for each session with a
 * signal that ends with the session or the reader.
 */
export function followSession(
  sessions: Subscribable<Session | undefined>,
  reader: AbortSignalLike,
  subscribe: (session: Session, signal: AbortSignalLike) => void,
): void {
  let current = new AbortController()
  reader.addEventListener('abort', () => current.abort(), { once: true })
  sessions.subscribe((session) => {
    current.abort()
    current = new AbortController()
    if (session !== undefined) subscribe(session, current.signal)
  }, reader)
}
