import { isProblem, type Problem } from '../errors.ts'
import type { Request } from './messages.ts'
import { parseJson } from '../text/text.ts'

/**
 * The messages of the protocol. Every transport between the two sides carries JSON text, one message at a time and in
 * order: so the size of a message is known before it is parsed, and all transports behave alike.
 */

/** A two-way line of text. Created by an adapter (in-memory, WebSocket, MessagePort); closing is final. */
export interface Port {
  post(text: string): void
  /** Received data is `unknown`: an adapter passes on whatever the other side sent. */
  onMessage(listener: (data: unknown) => void): void
  /** Called once, whichever side closed. */
  onClose(listener: () => void): void
  /** Characters or bytes accepted but not yet sent; 0 if the line does not report it. */
  backlog(): number
  /** Called when the backlog has shrunk. */
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
  /** Backlog of a port above which events wait, and above which the port is closed. */
  backlogForEvents: 1024 * 1024,
  backlogForResults: 128 * 1024 * 1024,
} as const
export type Limits = { readonly [K in keyof typeof LIMITS]: number }

/** The member of a reply that contains its payload. */
const SAYS = { result: 'output', problem: 'problem', event: 'event', end: 'problem' } as const

/**
 * From the serving side. `result` and `problem` end a call; `end` ends a subscription; a `problem` of a subscription
 * replaces an event that could not be sent.
 */
export type Reply = { readonly id: number } & (
  | { readonly type: 'result'; readonly output: unknown }
  | { readonly type: 'event'; readonly event: unknown }
  | { readonly type: 'problem' | 'end'; readonly problem: Problem }
)

export const encode = (message: Request | Reply): string => JSON.stringify(message)

const REPLY_HEAD = /^\{"type":"(result|problem|event|end)","id":(\d+)[,}]/

/** Type and id of an encoded reply, without parsing all of it; `undefined` for text that `encode` did not create. */
export function headOf(reply: string): { readonly type: Reply['type']; readonly id: number } | undefined {
  const [, type, of] = REPLY_HEAD.exec(reply) ?? []
  return type !== undefined && isReplyType(type) ? { type, id: Number(of) } : undefined
}

const isReplyType = (type: string): type is Reply['type'] => Object.hasOwn(SAYS, type)

/**
 * The reply in `data`, or `undefined` when it is not one; never throws. Parsed without a schema: the page parses it
 * before anything else. The payload of a result or an event is validated by the contract.
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
