import type { ClientRequest, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { endSoon } from './answers.ts'
import { endToEnd, headerLines, withLength, withoutTrailer, type RawHeaders } from './headers.ts'
import { openRequest, type Upstream } from './upstream.ts'

export interface UpgradeOptions {
  readonly request: IncomingMessage
  readonly socket: Duplex
  /** Bytes that the client sent after its request. */
  readonly head: Buffer
  readonly upstream: Upstream
  /** Headers to send upstream, without those of the connection. */
  readonly headers: RawHeaders
  readonly onHead: (answer: IncomingMessage) => void
  readonly onEnd: (status: number) => void
  /** Nothing was sent to the client yet, unless `begun`. */
  readonly onFailure: (error: Error, begun: boolean) => void
}

/** Both directions end independently: a side that has finished sending may still receive. */
function join(one: Duplex, other: Duplex, onClose: () => void): void {
  const close = (): void => {
    one.destroy()
    other.destroy()
    onClose()
  }
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    if (from instanceof Socket) {
      from.allowHalfOpen = true
      from.setTimeout(0)
      from.setNoDelay(true)
    }
    from.pipe(to)
    from.on('error', close)
    from.on('close', close)
  }
}

/**
 * Forwards a protocol change (exec, attach, port-forward, a watch over WebSocket): once the upstream agrees, the two
 * connections are joined. If the upstream declines, its response is passed back, and the connection ends. Returns a
 * function that aborts it.
 */
export function upgrade(options: UpgradeOptions): () => void {
  const { request, socket, head, upstream, headers, onEnd, onFailure } = options
  let over = false
  let begun = false
  /** Status with which the upstream changed the protocol. */
  let changed: number | undefined
  const end = (status: number): void => {
    if (over) return
    over = true
    onEnd(status)
  }
  const fail = (error: Error): void => {
    if (over) return
    over = true
    onFailure(error, begun)
  }
  const raw = [
    ...withLength(request.method, withoutTrailer(headers)),
    'Connection',
    'Upgrade',
    'Upgrade',
    request.headers.upgrade ?? '',
  ]
  let outgoing: ClientRequest
  try {
    outgoing = openRequest(upstream, request.method ?? 'GET', request.url ?? '/', raw)
  } catch (error) {
    fail(error instanceof Error ? error : new Error(String(error)))
    return () => undefined
  }
  const headed = (answer: IncomingMessage): boolean => {
    try {
      options.onHead(answer)
      begun = true
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)))
      answer.destroy()
    }
    return begun
  }
  outgoing.on('error', fail)
  outgoing.on('response', (answer) => {
    if (!headed(answer)) return
    const status = answer.statusCode ?? 502
    // Its length, if it declares one, ends with the connection anyway.
    socket.write(
      `HTTP/1.1 ${status} ${answer.statusMessage ?? ''}\r\n${headerLines([...endToEnd(answer.rawHeaders), 'Connection', 'close'])}\r\n`,
    )
    answer.pipe(socket, { end: false })
    answer.on('end', () => {
      end(status)
      endSoon(socket)
    })
    answer.on('error', (error) => {
      fail(error)
      socket.destroy()
    })
  })
  outgoing.on('upgrade', (answer, other, otherHead) => {
    if (!headed(answer)) return
    const status = answer.statusCode ?? 101
    changed = status
    if (over) return void other.destroy()
    const changedTo = ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? '']
    const lines = headerLines([...endToEnd(answer.rawHeaders), ...changedTo])
    socket.write(`HTTP/1.1 ${status} ${answer.statusMessage ?? ''}\r\n${lines}\r\n`)
    if (otherHead.length > 0) socket.write(otherHead)
    if (head.length > 0) other.write(head)
    join(socket, other, () => end(status))
  })
  outgoing.end()
  return () => {
    // A client that leaves a connection with a changed protocol has ended it, as either side eventually does.
    if (changed !== undefined) end(changed)
    over = true
    outgoing.destroy()
  }
}
