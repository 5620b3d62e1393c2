import { connect, type Socket } from 'node:net'

/** A client that writes and reads the very bytes of a connection. */
export interface RawClient {
  readonly socket: Socket
  /** Everything received. */
  readonly text: () => string
  /** Resolves once the received text contains `wanted`, maybe a pattern; rejects when the connection ends before. */
  readonly until: (wanted: string | RegExp) => Promise<string>
  readonly closed: Promise<void>
}

export function rawClient(port: number, allowHalfOpen = false): RawClient {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen })
  let text = ''
  let over = false
  const watchers = new Set<() => void>()
  const lookAll = (): void => watchers.forEach((watcher) => watcher())
  socket.on('data', (piece) => {
    text += piece.toString('latin1')
    lookAll()
  })
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      over = true
      lookAll()
      resolve()
    })
  })
  const until = (wanted: string | RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)
        if (!found && !over) return
        watchers.delete(look)
        if (found) resolve(text)
        else reject(new Error(`the connection ended before ${String(wanted)}: ${text.slice(-500)}`))
      }
      watchers.add(look)
      look()
    })
  return { socket, text: () => text, until, closed }
}

/** A request head; `Host` is right unless given. */
export const requestHead = (port: number, line: string, headers: readonly string[] = []): string =>
  [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'X-Remote-User: alice', ...headers, '', ''].join('\r\n')
