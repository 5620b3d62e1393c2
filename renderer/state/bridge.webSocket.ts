import type { Port } from '../../core/contract/protocol.ts'

/** Opens a WebSocket as a port; rejects when it cannot be opened. */
export function openWebSocket(url: string): Promise<Port> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    let isOpen = false
    socket.addEventListener('close', () => {
      if (!isOpen) reject(new Error('the connection was refused'))
    })
    socket.addEventListener('open', () => {
      isOpen = true
      resolve({
        post: (text) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(text)
        },
        onMessage: (listener) => socket.addEventListener('message', ({ data }) => listener(data)),
        onClose: (listener) => socket.addEventListener('close', () => listener(), { once: true }),
        backlog: () => socket.bufferedAmount,
        onDrain: () => undefined,
        close: () => socket.close(),
      })
    })
  })
}
