import { OF_WORKSPACE } from './contract.ts'
import { NOT_CONNECTED, ProblemError } from '../errors.ts'
import { headOf, type Limits, type Port, type Reply } from './protocol.ts'
import type { Request } from './messages.ts'

/** Opens a line to the connected source with this id; `undefined` if it is answered here, or is not connected. */
export type LineTo = (connection: number) => Port | undefined

export interface Relay {
  /** Forwards the message if it concerns a source elsewhere; returns whether it did. */
  pass(message: Request, text: string): boolean
  /** Closes all lines. */
  close(): void
}

export interface RelayOptions {
  readonly port: Port
  readonly lineTo: LineTo
  readonly limits: Limits
  readonly reply: (message: Reply) => void
}

const GONE = new ProblemError('not-found', NOT_CONNECTED)

/**
 * Forwards the messages of a page about sources that run elsewhere to them, and their replies to the page: as text, so
 * that long replies cost this side nothing. Each page has its own line to each source, on which its own ids are valid.
 * The contents of a message are validated where it is answered.
 */
export function createRelay({ port, lineTo, limits, reply }: RelayOptions): Relay {
  const lines = new Map<number, Port>()
  /** Calls and subscriptions that a line has yet to end. */
  const open = new Map<number, { readonly line: Port; readonly type: 'call' | 'subscribe' }>()

  const receive = (text: unknown): void => {
    if (typeof text !== 'string') return
    const head = headOf(text)
    if (head === undefined) return
    const asked = open.get(head.id)
    if (asked === undefined) return
    if (asked.type === 'call' || head.type === 'end') open.delete(head.id)
    port.post(text)
    // A peer that sends calls but never reads must not make this side buffer its replies.
    if (port.backlog() > limits.backlogForResults) port.close()
  }
  const lineOf = (connection: number): Port | undefined => {
    const known = lines.get(connection)
    if (known !== undefined) return known
    const line = lineTo(connection)
    if (line === undefined) return undefined
    lines.set(connection, line)
    line.onMessage(receive)
    line.onClose(() => {
      lines.delete(connection)
      for (const [id, { line: of, type }] of open) {
        if (of !== line) continue
        open.delete(id)
        reply({ type: type === 'call' ? 'problem' : 'end', id, problem: GONE.problem })
      }
    })
    return line
  }

  return {
    pass(message, text) {
      const { type, id } = message
      if (type === 'ack' || type === 'unsubscribe') {
        const found = open.get(id)
        if (found === undefined) return false
        if (type === 'unsubscribe') open.delete(id)
        found.line.post(text)
        return true
      }
      const connection = OF_WORKSPACE.has(message.name)
        ? undefined
        : connectionOf(type === 'call' ? message.input : message.params)
      const line = connection === undefined ? undefined : lineOf(connection)
      if (line === undefined) return false
      if (open.has(id)) port.close()
      else {
        open.set(id, { line, type })
        line.post(text)
      }
      return true
    },
    close() {
      open.clear()
      for (const line of lines.values()) line.close()
    },
  }
}

const connectionOf = (about: unknown): number | undefined =>
  typeof about === 'object' && about !== null && 'connection' in about && typeof about.connection === 'number'
    ? about.connection
    : undefined
