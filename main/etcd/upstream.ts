import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { ProblemError } from '../../core/contract/errors.ts'
import { framed, FirstMessage } from './messages.ts'

export interface Upstream {
  /** `http://127.0.0.1:2379`. */
  readonly url: string
  /** PEM texts: the CA of the certificate of etcd, and the client certificate and key of the proxy. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
}

/** Window of a stream; a slow reader buffers no more. */
export const STREAM_WINDOW_BYTES = 256 * 1024
/** Window of a connection, megabytes: thousands of watches may share one. */
export const SESSION_MEGABYTES = 256
const SESSION = {
  maxSessionMemory: SESSION_MEGABYTES,
  peerMaxConcurrentStreams: 2 ** 31 - 1,
  settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
  // gRPC metadata of any name may be repeated.
  strictSingleValueFields: false,
}
/** A call without a body ends by its own flag. */
const OPEN = { endStream: false }
/** Milliseconds between two pings, and until an answer; etcd allows one ping in 5 s. */
const PING_EVERY_MS = 30_000
const PING_MS = 20_000
const CONNECT_MS = 5_000

/**
 * A connection to etcd that is opened on demand, and reopened after it was lost or received a GOAWAY; calls in progress
 * on a connection that goes away end there.
 */
export class UpstreamConnection {
  readonly #upstream: Upstream
  readonly #fields: readonly (readonly [string, string])[]
  #session: Promise<ClientHttp2Session> | undefined
  #current: ClientHttp2Session | undefined
  /** The current one, once it is connected. */
  #ready: ClientHttp2Session | undefined
  #closed = false

  constructor(upstream: Upstream) {
    this.#upstream = upstream
    const { host, protocol } = new URL(upstream.url)
    this.#fields = [
      [':scheme', protocol.slice(0, -1)],
      [':authority', host],
    ]
  }

  /**
   * Opens a call, immediately if there is a connection, with this authority in its headers. Rejects when etcd cannot be
   * reached.
   */
  open(headers: string[]): ClientHttp2Stream | Promise<ClientHttp2Stream> {
    this.#place(headers)
    const ready = this.#ready
    return ready === undefined || ready.closed
      ? this.#connected().then((session) => session.request(headers, OPEN))
      : ready.request(headers, OPEN)
  }

  /** Changes the list in place, because a copy would be kept as long as the stream. */
  #place(headers: string[]): void {
    for (const [name, value] of this.#fields) {
      let at = 0
      while (at < headers.length && headers[at] !== name) at += 2
      headers[at] = name
      headers[at + 1] = value
    }
  }

  close(): void {
    this.#closed = true
    this.#current?.destroy()
  }

  #connected(): Promise<ClientHttp2Session> {
    this.#session ??= this.#connect().catch((error: unknown) => {
      this.#session = undefined
      throw error
    })
    return this.#session
  }

  #connect(): Promise<ClientHttp2Session> {
    return new Promise((resolve, reject) => {
      const { url, tls } = this.#upstream
      const session = connect(url, { ...SESSION, ...tls })
      const leave = (): void => {
        if (this.#current !== session) return
        this.#current = undefined
        this.#ready = undefined
        this.#session = undefined
      }
      this.#current = session
      const timer = setTimeout(() => session.destroy(new Error('no answer')), CONNECT_MS)
      const stopPings = keepAlive(session)
      session.on('error', reject)
      // Calls that were let in end on this connection; new ones use a new connection.
      session.on('goaway', leave)
      session.once('close', () => {
        clearTimeout(timer)
        stopPings()
        leave()
        reject(new Error('the connection was closed'))
      })
      session.once('connect', () => {
        clearTimeout(timer)
        session.setLocalWindowSize(16 * STREAM_WINDOW_BYTES)
        if (this.#closed) session.destroy()
        else {
          if (this.#current === session) this.#ready = session
          resolve(session)
        }
      })
    })
  }
}

/** Destroys a connection whose other side no longer responds. */
function keepAlive(session: ClientHttp2Session): () => void {
  let waiting: NodeJS.Timeout | undefined
  const every = setInterval(() => {
    if (session.destroyed || waiting !== undefined) return
    waiting = setTimeout(() => session.destroy(new Error('no answer to a ping')), PING_MS)
    session.ping(() => {
      clearTimeout(waiting)
      waiting = undefined
    })
  }, PING_EVERY_MS)
  every.unref()
  return () => {
    clearInterval(every)
    clearTimeout(waiting)
  }
}

const MOST_ANSWER_BYTES = 1024 * 1024
const CALL_MS = 5_000

/** A unary call of the proxy itself, from payload to payload. Rejects with `ProblemError` for any status but OK. */
export async function callUnary(connection: UpstreamConnection, path: string): Promise<Buffer> {
  const head = [':method', 'POST', ':path', path, 'content-type', 'application/grpc', 'te', 'trailers']
  const stream = await connection.open(head)
  const first = new FirstMessage(MOST_ANSWER_BYTES)
  return new Promise((resolve, reject) => {
    stream.setTimeout(CALL_MS, () => stream.close(constants.NGHTTP2_CANCEL))
    stream.on('data', (chunk: Buffer) => {
      if (first.push(chunk)) stream.pause()
      const message = first.read()
      if (message !== undefined) resolve(message.payload)
      stream.resume()
    })
    stream.on('error', reject)
    stream.once('close', () => reject(new ProblemError('unreachable', `${path} was not answered.`)))
    stream.end(framed(new Uint8Array()))
  })
}
