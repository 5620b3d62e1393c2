import type { User } from '../request/match.ts'
import type { LiveRequest } from '../contract/live.ts'
import type { RequestLine } from '../request/requestInfo.ts'

/** How far a request had come when the server wrote of it: the stages of audit.k8s.io/v1. */
export type FeedStage = 'received' | 'started' | 'complete' | 'panic'

/** What one line or event tells of one request. Times are Unix milliseconds, durations milliseconds. */
export interface FeedArrival {
  readonly kind: 'arrival'
  /** One for each request, the same at all its stages. */
  readonly auditId: string
  readonly stage: FeedStage
  /** After impersonation; `undefined` where the feed does not tell it, or the server did not know. */
  readonly user: User | undefined
  /** What can be told of the client without its user: `kubectl at 10.0.0.7`. */
  readonly client: string
  /** Verb as the server wrote it, in lower case. */
  readonly verb: string
  readonly requestURI: string
  /** What the server made of the request line. */
  readonly line: RequestLine
  readonly isWatch: boolean
  /** Expected to last (specification 4.13): a watch, exec, log and the like. */
  readonly longRunning: boolean
  readonly receivedMs: number
  /** When the stage was reached. */
  readonly endedMs: number
  readonly status: number | undefined
  /** How long it executed; of a watch, until it was initialised. `undefined`: not told, or it never ran. */
  readonly executionMs: number | undefined
  /** The same with its wait in a queue, where only both together are told. */
  readonly inAllMs: number | undefined
  /** The server refused it because of flow control. */
  readonly refused: boolean
  /** Why it never came to flow control, in a sentence. */
  readonly outside: string | undefined
  readonly server: LiveRequest['server']
}

/** What a line or an event of a feed turned out to be. `other`: of another kind than requests. */
export type FeedRecord =
  FeedArrival | { readonly kind: 'unreadable'; readonly problem: string } | { readonly kind: 'other' }

export const unreadable = (problem: string): FeedRecord => ({ kind: 'unreadable', problem })

/** Text of a feed in a sentence: its beginning, on one line. */
export const quoted = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 80)}…` : line
}
