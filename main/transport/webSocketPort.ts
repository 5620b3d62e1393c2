import type { WebSocket } from 'ws'
import type { Port } from '../../core/contract/protocol.ts'

/** The serving end of a WebSocket as a port. The `maxPayload` of its server limits the size of a message. */
export function webSocketPort(socket: WebSocket): Port {
  const drained: (() => void)[] = []
  // The close that follows is handled; without a listener an oversized or malformed message would end the process.
  socket.on('error', () => undefined)
  return {
    post: (text) => {
      if (socket.readyState !== socket.OPEN) return
      socket.send(text, () => {
        for (const listener of drained) listener()
      })
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
