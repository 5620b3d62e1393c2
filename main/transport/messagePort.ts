import type { MessagePortMain } from 'electron'
import type { Port } from '../../core/contract/protocol.ts'

/** The parts of Electron's MessagePortMain that are used. */
export type MessagePortLike = Pick<MessagePortMain, 'postMessage' | 'start' | 'close' | 'on' | 'once'>

/**
 * The main-process end of a MessagePort as a port. Electron does not report how much the page has not read yet; the
 * credit of each subscription is the limit.
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
