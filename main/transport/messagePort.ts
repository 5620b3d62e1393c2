import type { MessagePortMain } from 'electron'
import type { Port } from '../../core/contract/protocol.ts'

/** What of Electron's MessagePortMain is used. */
export type MessagePortLike = Pick<MessagePortMain, 'postMessage' | 'start' | 'close' | 'on' | 'once'>

/**
 * The main-process end of a MessagePort as a port. Electron cannot tell how much the page has not read yet; the credit
 * of each subscription is what bounds it.
 */
export function messagePort(channel: MessagePortLike): Port {
  return {
    post: (text) => channel.postMessage(text, []),
    onMessage: (listener) => {
      channel.on('message', ({ data }) => listener(data))
      channel.start()
    },
    onClose: (listener) => void channel.once('close', listener),
    backlog: () => 0,
    onDrain: () => undefined,
    close: () => channel.close(),
  }
}
