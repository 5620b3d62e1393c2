import { createClient, type ClientOptions, type ConnectedClient } from '../../core/contract/client.ts'
import { checked } from '../../core/contract/shapes.ts'
import type { Handlers } from '../../core/contract/contract.ts'
import type { Port } from '../../core/contract/protocol.ts'
import { serve } from '../../core/contract/server.ts'

const later = (action: () => void): void => void Promise.resolve().then(action)

/** Two ends of one line inside a process. Delivery is in order and never within the call that posts. */
export function memoryPorts(): readonly [Port, Port] {
  let closed = false
  const ends = [0, 1].map(() => ({ message: [] as ((data: unknown) => void)[], close: [] as (() => void)[] }))

  const end = (own: number): Port => ({
    post: (text) => {
      if (closed) return
      later(() => {
        if (!closed) for (const listener of ends[1 - own]?.message ?? []) listener(text)
      })
    },
    onMessage: (listener) => void ends[own]?.message.push(listener),
    onClose: (listener) => void ends[own]?.close.push(listener),
    backlog: () => 0,
    onDrain: () => undefined,
    close: () => {
      if (closed) return
      closed = true
      for (const { close } of ends) for (const listener of close) listener()
    },
  })
  return [end(0), end(1)]
}

/** The contract without anything between the two sides but the protocol itself: for tests and for embedding. */
export function memoryClient(handlers: Handlers, clock: Pick<ClientOptions, 'after' | 'random'>): ConnectedClient {
  return createClient({
    ...clock,
    reading: checked,
    connect: async () => {
      const [asking, serving] = memoryPorts()
      serve(serving, handlers)
      return asking
    },
  })
}

/** One end of a line held by a test that sends protocol messages by hand, valid or not. */
export interface Peer {
  /** The other end, for the code under test. */
  readonly port: Port
  send(message: unknown): void
  sendText(data: string): void
  /** Everything that arrived, oldest first. */
  readonly received: Record<string, unknown>[]
  isClosed(): boolean
  close(): void
}

export function handPeer(): Peer {
  const [own, port] = memoryPorts()
  const received: Record<string, unknown>[] = []
  let closed = false
  own.onMessage((data) => received.push(JSON.parse(String(data))))
  own.onClose(() => {
    closed = true
  })
  return {
    port,
    received,
    send: (message) => own.post(JSON.stringify(message)),
    sendText: (data) => own.post(data),
    isClosed: () => closed,
    close: () => own.close(),
  }
}

/** Waits until every posted message has been handled. */
export const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Timers that the test fires. */
export function handClock() {
  let waiting: { readonly ms: number; readonly callback: () => void }[] = []
  return {
    random: () => 0,
    after: (ms: number, callback: () => void) => {
      const timer = { ms, callback }
      waiting.push(timer)
      return () => {
        waiting = waiting.filter((other) => other !== timer)
      }
    },
    pauses: () => waiting.map(({ ms }) => ms),
    fire: async () => {
      const due = waiting
      waiting = []
      for (const { callback } of due) callback()
      await settle()
    },
  }
}
