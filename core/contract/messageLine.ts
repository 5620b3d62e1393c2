import type { Port } from './protocol.ts'

/** The used members of a browser's MessagePort, whose type is not available in `core`. */
export interface MessageLine {
  postMessage(text: unknown, transfer: never[]): void
  addEventListener(
    type: 'message' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
    options?: { readonly once: true },
  ): void
  start(): void
  close(): void
}

/** An end of a browser's MessageChannel as a port. Its bound is the credit of each subscription. */
export const portOver = (channel: MessageLine): Port => ({
  post: (text) => channel.postMessage(text, []),
  onMessage: (listener) => {
    channel.addEventListener('message', ({ data }) => listener(data))
    channel.start()
  },
  onClose: (listener) => channel.addEventListener('close', () => listener(), { once: true }),
  backlog: () => 0,
  onDrain: () => undefined,
  close: () => channel.close(),
})
