import type { HeadlampReply, HeadlampRequest, HeadlampThread } from '../../core/contract/headlamp.ts'
import { portOver, type MessageLine } from '../../core/contract/messageLine.ts'
import { systemEnvironment } from '../ports/environment.ts'
import { serveInHeadlamp } from './console.ts'
import { sendThrough, type RequestLine } from './send.ts'

// The thread of a page of Headlamp: a web worker, without any Node API.

/** The line to Headlamp’s side, which carries nothing else. */
interface Requests {
  postMessage(request: HeadlampRequest, transfer: never[]): void
  addEventListener(type: 'message', listener: (event: { readonly data: HeadlampReply }) => void): void
  start(): void
}
interface Begun {
  readonly data: HeadlampThread
  readonly ports: readonly [requests: Requests, contract: MessageLine]
}
declare function addEventListener(type: 'message', listener: (event: Begun) => void, options: { once: true }): void

addEventListener(
  'message',
  ({ data: { cluster, version }, ports: [requests, contract] }) => {
    const line: RequestLine = {
      post: (request) => requests.postMessage(request, []),
      onReply: (listener) => {
        requests.addEventListener('message', ({ data }) => listener(data))
        requests.start()
      },
    }
    const send = sendThrough(line, cluster, systemEnvironment)
    serveInHeadlamp(portOver(contract), { cluster, version, send, environment: systemEnvironment })
  },
  { once: true },
)
