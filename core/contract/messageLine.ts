import type { Port } from './protocol.ts'

/** What is used of a MessagePort of a browser, which `core` does not know. */
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

/** An end of a MessageChannel of a browser as a port. What bounds it is the credit of each subscription. */
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
