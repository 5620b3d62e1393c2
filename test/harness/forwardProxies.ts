import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A forward proxy on loopback. Whatever name it is asked for, it connects to `target`, a port of loopback. */
export interface ForwardProxy {
  readonly port: number
  /** `HOST:PORT` of each connection that clients asked for. */
  readonly asked: readonly string[]
  /** User name and password of each, where clients gave some. */
  readonly logins: readonly string[]
  close(): Promise<void>
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

function joined(client: Socket, target: number, onOpen: (upstream: Socket) => void): void {
  const upstream = connect(target, '127.0.0.1', () => {
    onOpen(upstream)
    upstream.pipe(client).pipe(upstream)
  })
  upstream.on('error', () => client.destroy())
  client.on('error', () => upstream.destroy())
}

const closed = (server: Server, sockets: ReadonlySet<Socket>): Promise<void> => {
  for (const socket of sockets) socket.destroy()
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

/** An HTTP proxy: `CONNECT HOST:PORT`. */
export async function startConnectProxy(target: number): Promise<ForwardProxy> {
  const asked: string[] = []
  const logins: string[] = []
  const sockets = new Set<Socket>()
  const server = createHttpServer((_request, response) => response.writeHead(501).end())
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', (request, client: Socket) => {
    asked.push(request.url ?? '')
    const [, login] = /^Basic (.*)$/.exec(request.headers['proxy-authorization'] ?? '') ?? []
    if (login !== undefined) logins.push(Buffer.from(login, 'base64').toString())
    joined(client, target, () => client.write('HTTP/1.1 200 Connection established\r\n\r\n'))
  })
  return { port: await listening(server), asked, logins, close: () => closed(server, sockets) }
}

/** A SOCKS5 proxy (RFC 1928, RFC 1929). Names are asked for as names; addresses as addresses. */
export async function startSocksProxy(target: number): Promise<ForwardProxy> {
  const asked: string[] = []
  const logins: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    client.once('data', (greeting: Buffer) => {
      const withLogin = greeting.subarray(2).includes(2)
      client.write(Buffer.from([5, withLogin ? 2 : 0]))
      client.once('data', (first: Buffer) => {
        if (!withLogin) return answer(first)
        const nameLength = first[1] ?? 0
        logins.push(`${first.toString('utf8', 2, 2 + nameLength)}:${first.toString('utf8', 3 + nameLength)}`)
        client.write(Buffer.from([1, 0]))
        client.once('data', answer)
      })
    })
    const answer = (request: Buffer): void => {
      const isName = request[3] === 3
      const length = isName ? (request[4] ?? 0) : 4
      const at = isName ? 5 : 4
      const host = isName ? request.toString('utf8', at, at + length) : [...request.subarray(at, at + length)].join('.')
      asked.push(`${host}:${request.readUInt16BE(at + length)}`)
      joined(client, target, () => client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])))
    }
  })
  return { port: await listening(server), asked, logins, close: () => closed(server, sockets) }
}
