import { EventEmitter } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import type { MessagePortLike } from '../../main/transport/messagePort.ts'

/** A Node MessagePort like Electron's MessagePortMain: events carry `{ data }`, nothing flows before `start`. */
class PortMain extends EventEmitter implements MessagePortLike {
  readonly #port: MessagePort
  constructor(port: MessagePort) {
    super()
    this.#port = port
    port.on('close', () => this.emit('close'))
  }
  postMessage(message: unknown): void {
    this.#port.postMessage(message, [])
  }
  start(): void {
    this.#port.on('message', (data: unknown) => this.emit('message', { data, ports: [] }))
  }
  close(): void {
    this.#port.close()
  }
}

export function electronPorts(): readonly [MessagePortLike, MessagePortLike] {
  const { port1, port2 } = new MessageChannel()
  return [new PortMain(port1), new PortMain(port2)]
}
