import {
  createSecureServer,
  createServer,
  type ClientHttp2Session,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { framed } from '../../main/etcd/messages.ts'

/** Answers every call of gRPC with one empty message, after `delayMs`. */
export interface SmallEtcd {
  readonly url: string
  calls(): number
  /** Connections that were opened so far. */
  connections(): number
  /** Sends GOAWAY to every client: calls in progress end, no further one is accepted. */
  goAway(): void
  close(): Promise<void>
}

export async function smallEtcd(delayMs = 0, tls?: SecureServerOptions, port = 0): Promise<SmallEtcd> {
  // A proxy asks for metrics over HTTP/1.1, which would delay the end by the usual 10 s.
  const server = tls === undefined ? createServer() : createSecureServer({ ...tls, unknownProtocolTimeout: 1 })
  const sessions = new Set<ServerHttp2Session>()
  let connections = 0
  let calls = 0
  server.on('session', (session) => {
    sessions.add(session)
    connections += 1
    session.once('close', () => sessions.delete(session))
  })
  server.on('stream', (stream: ServerHttp2Stream) => {
    calls += 1
    stream.on('error', () => undefined)
    stream.resume()
    stream.once('end', () => {
      setTimeout(() => {
        if (stream.destroyed) return
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
        stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
        stream.end(framed(new Uint8Array()))
      }, delayMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`,
    calls: () => calls,
    connections: () => connections,
    goAway() {
      for (const session of sessions) session.close()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const session of sessions) session.destroy()
      }),
  }
}

/** A Put of a key without a value, as protobuf. */
export const putOf = (key: string): Buffer => framed(Buffer.concat([Buffer.from([0x0a, key.length]), Buffer.from(key)]))

/** The status of gRPC of one Put; `reset` and its code where there was none. `more`: headers that are added or replace others. */
export function putKey(
  session: ClientHttp2Session,
  key: string,
  body = putOf(key),
  more = {},
  told?: (headers: Readonly<Record<string, unknown>>) => void,
): Promise<string> {
  return new Promise((resolve) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/etcdserverpb.KV/Put',
      'content-type': 'application/grpc',
      te: 'trailers',
      ...more,
    })
    let status: string | undefined
    const read = (headers: Readonly<Record<string, unknown>>): void => {
      if (typeof headers['grpc-status'] === 'string') status = headers['grpc-status']
    }
    stream.on('response', read)
    if (told !== undefined) stream.once('response', told)
    stream.on('trailers', read)
    stream.on('error', () => undefined)
    stream.on('close', () => resolve(status ?? `reset ${stream.rstCode}`))
    stream.resume()
    stream.end(body)
  })
}
