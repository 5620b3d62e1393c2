import type { WebSocket } from 'ws'
import type { Port } from '../../core/contract/protocol.ts'

export interface SocketBounds {
  /** What waits for all sockets together; a recording that a page exports takes up to 60 MiB of it. */
  readonly bytes: number
  /** How long a message may take, milliseconds. */
  readonly stuckMs: number
}
const BOUNDS: SocketBounds = { bytes: 192 * 1024 * 1024, stuckMs: 300_000 }

interface Held {
  readonly socket: WebSocket
  /** When the message that is being sent began to wait, on a monotonic clock; `undefined` when nothing waits. */
  since: number | undefined
}

/**
 * Makes ports of the serving ends of WebSockets, whose peers may never read: of what waits for all of them together the
 * oldest is dropped with its socket, and a socket that takes no message in time is closed. The `maxPayload` of their
 * server limits the size of a message that arrives.
 */
export function webSocketPorts({ bytes, stuckMs }: SocketBounds = BOUNDS): (socket: WebSocket) => Port {
  const all = new Set<Held>()

  const bound = (): void => {
    const waiting = [...all].filter(({ since }) => since !== undefined)
    let total = waiting.reduce((sum, { socket }) => sum + socket.bufferedAmount, 0)
    for (const held of waiting.toSorted((a, b) => (a.since ?? 0) - (b.since ?? 0))) {
      if (total <= bytes) return
      total -= held.socket.bufferedAmount
      all.delete(held)
      held.socket.terminate()
    }
  }

  return (socket) => {
    const drained: (() => void)[] = []
    const held: Held = { socket, since: undefined }
    let stuck: ReturnType<typeof setTimeout> | undefined
    const watch = (waits: boolean): void => {
      clearTimeout(stuck)
      held.since = waits ? performance.now() : undefined
      stuck = waits ? setTimeout(() => socket.terminate(), stuckMs).unref() : undefined
    }
    all.add(held)
    socket.once('close', () => {
      all.delete(held)
      watch(false)
    })
    // The close that follows is handled; without a listener an oversized or malformed message would end the process.
    socket.on('error', () => undefined)
    return {
      post: (text) => {
        if (socket.readyState !== socket.OPEN) return
        socket.send(text, () => {
          watch(socket.readyState === socket.OPEN && socket.bufferedAmount > 0)
          for (const listener of drained) listener()
        })
        if (socket.bufferedAmount === 0) return
        if (held.since === undefined) watch(true)
        bound()
      },
      // Text only: a binary message reaches the listener unchanged, and violates the protocol.
      onMessage: (listener) =>
        void socket.on('message', (data, isBinary) => {
          listener(Buffer.isBuffer(data) && !isBinary ? data.toString() : data)
        }),
      onClose: (listener) => void socket.once('close', listener),
      backlog: () => socket.bufferedAmount,
      onDrain: (listener) => void drained.push(listener),
      // A protocol violation is not worth a closing handshake, which a hostile peer would leave unanswered.
      close: () => socket.terminate(),
    }
  }
}
