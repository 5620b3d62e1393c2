import { isProblem, type Problem } from './errors.ts'
import type { Request } from './messages.ts'
import { parseJson } from '../text/text.ts'

/**
 * The words of the protocol. Whatever lies between the two sides carries JSON text, one message at a time and in
 * order: so the size of a message is known before it is parsed, and every transport behaves like every other.
 */

/** A two-way line of text. Made by an adapter (in-memory, WebSocket, MessagePort); closing is final. */
export interface Port {
  post(text: string): void
  /** What arrives is `unknown`: an adapter hands over whatever the other side sent. */
  onMessage(listener: (data: unknown) => void): void
  /** Called once, whichever side closed. */
  onClose(listener: () => void): void
  /** Characters or bytes accepted and not yet taken by the other side; 0 where the line cannot tell. */
  backlog(): number
  /** Called when the backlog has become smaller. */
  onDrain(listener: () => void): void
  close(): void
}

export const LIMITS = {
  /** Characters of one message. A folder of captures travels as one message: each page is about 2 MB. */
  messageLength: 64 * 1024 * 1024,
  callsInFlight: 64,
  subscriptions: 64,
  /** Events of one subscription that were sent and not yet acknowledged. */
  eventsInFlight: 2,
  /** Backlog of a port above which events wait, and above which the port is given up. */
  backlogForEvents: 1024 * 1024,
  backlogForResults: 128 * 1024 * 1024,
} as const
export type Limits = { readonly [K in keyof typeof LIMITS]: number }

/** Which member of a reply holds what it says. */
const SAYS = { result: 'output', problem: 'problem', event: 'event', end: 'problem' } as const

/**
 * From the serving side. `result` and `problem` end a call; `end` ends a subscription; a `problem` of a subscription
 * stands in place of an event that could not be sent.
 */
export type Reply = { readonly id: number } & (
  | { readonly type: 'result'; readonly output: unknown }
  | { readonly type: 'event'; readonly event: unknown }
  | { readonly type: 'problem' | 'end'; readonly problem: Problem }
)

export const encode = (message: Request | Reply): string => JSON.stringify(message)

const REPLY_HEAD = /^\{"type":"(result|problem|event|end)","id":(\d+)[,}]/

/** What an encoded reply is and to whom, without reading all of it; `undefined` of what `encode` did not make. */
export function headOf(reply: string): { readonly type: Reply['type']; readonly id: number } | undefined {
  const [, type, of] = REPLY_HEAD.exec(reply) ?? []
  return type !== undefined && isReplyType(type) ? { type, id: Number(of) } : undefined
}

const isReplyType = (type: string): type is Reply['type'] => Object.hasOwn(SAYS, type)

/**
 * The reply in `data`, or `undefined` when it is not one; never throws. Read without a schema: the page reads it before
 * anything else. What a result or an event says is up to the contract.
 */
export function replyIn(data: unknown, messageLength: number): Reply | undefined {
  if (typeof data !== 'string' || data.length > messageLength) return undefined
  const value = parseJson(data)
  return isReply(value) ? value : undefined
}

function isReply(value: unknown): value is Reply {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('id' in value)) return false
  const { type, id } = value
  if (typeof type !== 'string' || !isReplyType(type)) return false
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) return false
  if (Object.keys(value).some((key) => key !== 'type' && key !== 'id' && key !== SAYS[type])) return false
  return SAYS[type] !== 'problem' || ('problem' in value && isProblem(value.problem))
}
