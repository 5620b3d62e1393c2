import { z } from 'zod'
import { ProblemSchema } from './errors.ts'

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

const id = z.number().int().nonnegative()

/** From the asking side. `id` is chosen by it and unique among its open calls and subscriptions. */
export const RequestSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('call'), id, name: z.string(), input: z.unknown().optional() }),
  z.strictObject({ type: z.literal('subscribe'), id, name: z.string(), params: z.unknown().optional() }),
  /** One event was taken: the serving side may send another. */
  z.strictObject({ type: z.literal('ack'), id }),
  z.strictObject({ type: z.literal('unsubscribe'), id }),
])
export type Request = z.infer<typeof RequestSchema>

/**
 * From the serving side. `result` and `problem` end a call; `end` ends a subscription; a `problem` of a subscription
 * stands in place of an event that could not be sent.
 */
export const ReplySchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('result'), id, output: z.unknown() }),
  z.strictObject({ type: z.literal('problem'), id, problem: ProblemSchema }),
  z.strictObject({ type: z.literal('event'), id, event: z.unknown() }),
  z.strictObject({ type: z.literal('end'), id, problem: ProblemSchema }),
])
export type Reply = z.infer<typeof ReplySchema>

export const encode = (message: Request | Reply): string => JSON.stringify(message)

const REPLY_HEAD = /^\{"type":"(result|problem|event|end)","id":(\d+)[,}]/

/** What an encoded reply is and to whom, without reading all of it; `undefined` of what `encode` did not make. */
export function headOf(reply: string): { readonly type: Reply['type']; readonly id: number } | undefined {
  const [, type, of] = REPLY_HEAD.exec(reply) ?? []
  const known = ReplySchema.options.map(({ shape }) => shape.type.value).find((name) => name === type)
  return known === undefined ? undefined : { type: known, id: Number(of) }
}

/** The message in `data`, or `undefined` when it is not one; never throws. */
export function decode<T>(schema: z.ZodType<T>, data: unknown, messageLength: number): T | undefined {
  if (typeof data !== 'string' || data.length > messageLength) return undefined
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return undefined
  }
  const parsed = schema.safeParse(value)
  return parsed.success ? parsed.data : undefined
}

/** The first thing wrong with a value, for people: `intervalMs: Too small: expected number to be >=500`. */
export function describeMismatch(error: z.ZodError): string {
  const issue = error.issues[0]
  if (issue === undefined) return 'does not have the expected shape'
  const place = issue.path.map(String).join('.')
  return place === '' ? issue.message : `${place}: ${issue.message}`
}
