import type { MessagePort } from 'node:worker_threads'
import type { Port } from '../../core/contract/protocol.ts'

/** An end of a line between two threads as a port. The credit of each subscription is the limit. */
export function threadPort(channel: MessagePort): Port {
  return {
    post: (text) => channel.postMessage(text, []),
    onMessage: (listener) => void channel.on('message', listener),
    onClose: (listener) => void channel.once('close', listener),
    backlog: () => 0,
    onDrain: () => undefined,
    close: () => channel.close(),
  }
}
