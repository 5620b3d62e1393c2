import type { Port } from '../../core/contract/protocol.ts'
import { memoryPorts } from './memoryPorts.ts'

/** One end of a line held by a test that speaks the protocol by hand, well or badly. */
export interface Peer {
  /** The other end, for what is under test. */
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

/** Until everything that was posted has been taken. */
export const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Timers that run when the test says so. */
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
