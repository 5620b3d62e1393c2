import { createClient, type ClientOptions, type ConnectedClient } from '../../core/contract/client.ts'
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
    connect: async () => {
      const [asking, serving] = memoryPorts()
      serve(serving, handlers)
      return asking
    },
  })
}
