import type { EventEmitter } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2'
import { connect as connectSocket, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

// The only module of the proxy that touches `node:http2`, because the order of Node's events is not what it seems to
// be: over TLS, data comes before the head of its response when one read has both; a session is announced that is
// already destroyed; a stream fails in the turn that created it; and each operation throws on what is over. Here
// events come in one order, each object ends with exactly one event, and operations on what is over do nothing.

export const {
  NGHTTP2_NO_ERROR: NO_ERROR,
  NGHTTP2_CANCEL: CANCEL,
  NGHTTP2_INTERNAL_ERROR: INTERNAL_ERROR,
  NGHTTP2_ENHANCE_YOUR_CALM: TOO_MUCH,
  NGHTTP2_HTTP_1_1_REQUIRED: USE_HTTP_1,
} = constants

/** Window of a stream; a slow reader buffers no more. */
export const STREAM_WINDOW_BYTES = 256 * 1024

export type Headers = IncomingHttpHeaders
/** Names and values in turns, in their original order, repetitions included. */
export type RawHeaders = readonly string[]
export type Trailers = OutgoingHttpHeaders

/** Returns whether Node accepted it. What it refuses, it refuses because the other side is gone or sent nonsense. */
function accepted(operation: () => unknown): boolean {
  try {
    operation()
    return true
  } catch {
    return false
  }
}

const ignored = (): void => undefined

const OWNER = Symbol('owner')

/** A stream of Node with a reference to its owner, until it is closed. */
interface Carrier<T> extends EventEmitter {
  [OWNER]?: T | undefined
}

/**
 * A listener that passes events to the owner of the stream.
 *
 * Node keeps every stream until the next full garbage collection (the state of a stream has a function that is assigned
 * to a property, and V8 moves such a function to the old generation at once), and each young collection before that
 * copies whatever is reachable from it. Therefore all streams share the same listeners, and drop their owner when they
 * are closed. Nothing is heard of a stream after that.
 */
const heard = <T, A, B, C>(tell: (owner: T, first: A, second: B, third: C) => void) =>
  function (this: Carrier<T>, first: A, second: B, third: C): void {
    const owner = this[OWNER]
    if (owner !== undefined) tell(owner, first, second, third)
  }

/** What both kinds of streams can do. */
abstract class Stream<N extends ServerHttp2Stream | ClientHttp2Stream> {
  protected readonly node: N

  constructor(node: N) {
    this.node = node
    const carrier: Carrier<this> = node
    carrier[OWNER] = this
  }

  /** Whether nothing more can be sent: a stream that was reset is closed some turns before it is destroyed. */
  get gone(): boolean {
    return this.node.destroyed || this.node.closed
  }

  /** Whether the other side has sent everything, and it was read. */
  get readAll(): boolean {
    return this.node.readableEnded
  }

  /** Bytes that wait to be sent. */
  get unsent(): number {
    return this.node.writableLength
  }

  /** Returns whether more may follow now; otherwise there is an event as soon as it may. */
  write(chunk: Uint8Array): boolean {
    return !this.node.writable || this.node.write(chunk)
  }

  end(chunk?: Uint8Array): void {
    if (this.node.writable) this.node.end(chunk)
  }

  pause(): void {
    this.node.pause()
  }

  resume(): void {
    this.node.resume()
  }

  reset(code: number): void {
    if (!this.gone) this.node.close(code)
  }

  /** Nothing is heard from now on. */
  protected forget(): void {
    const carrier: Carrier<this> = this.node
    carrier[OWNER] = undefined
  }
}

/** Receives the events of a caller's stream. */
export interface CallerEvents {
  received(chunk: Buffer): void
  receivedAll(): void
  /** More of the response may be written. */
  callerDrained(): void
  /** The last event, and the only one that always comes. */
  callerClosed(): void
}

/** A head is forwarded unchanged: Node would add its own date. */
const LAST = { endStream: true, sendDate: false }
const FIRST = { waitForTrailers: true, sendDate: false }

/** A call of a client: its request is read, its response written. */
export class CallerStream extends Stream<ServerHttp2Stream> {
  static readonly #close = heard((stream: CallerStream) => {
    stream.forget()
    stream.#events?.callerClosed()
  })
  static readonly #data = heard((stream: CallerStream, chunk: Buffer) => stream.#events?.received(chunk))
  static readonly #end = heard((stream: CallerStream) => stream.#events?.receivedAll())
  static readonly #drain = heard((stream: CallerStream) => stream.#events?.callerDrained())
  static readonly #wantTrailers = heard((stream: CallerStream) => {
    stream.#wantsTrailers = true
    stream.#sendTrailers()
  })

  #events: CallerEvents | undefined
  #reads = false
  #trailers: Trailers | undefined
  /** Everything before the trailers is sent. */
  #wantsTrailers = false

  constructor(node: ServerHttp2Stream) {
    super(node)
    // `close` follows and reports what an error means.
    node.on('error', ignored)
    node.on('close', CallerStream.#close)
  }

  /** Call it in the turn in which the stream arrived. */
  listen(events: CallerEvents): void {
    this.#events = events
  }

  /** Begins to read the request. */
  read(): void {
    if (this.#reads) return
    this.#reads = true
    this.node.on('data', CallerStream.#data)
    this.node.on('end', CallerStream.#end)
  }

  get responded(): boolean {
    return this.node.headersSent
  }

  /** Sends the head; `last`: that is the whole response. Unless it is, end it with trailers. */
  respond(head: Trailers | string[], last = false): void {
    if (this.gone || this.node.headersSent) return
    if (!accepted(() => this.node.respond(head, last ? LAST : FIRST))) return this.reset(INTERNAL_ERROR)
    if (last) return this.#discard()
    this.node.on('wantTrailers', CallerStream.#wantTrailers)
    this.node.on('drain', CallerStream.#drain)
  }

  /** Trailers to send once everything before them is sent; `end` may come before or after. The last ones count. */
  trailers(fields: Trailers): void {
    this.#trailers = fields
    if (this.#wantsTrailers) this.#sendTrailers()
  }

  #sendTrailers(): void {
    const fields = this.#trailers
    if (this.gone || fields === undefined) return
    this.#wantsTrailers = false
    if (!accepted(() => this.node.sendTrailers(fields))) return this.reset(INTERNAL_ERROR)
    this.#discard()
  }

  /**
   * The client has its response: what it still sends is not needed, and must not fill the window. A client that sends no
   * end is told that it need not, as servers of gRPC do, because it would keep the call open for ever.
   */
  #discard(): void {
    this.resume()
    if (!this.readAll) setImmediate(CallerStream.#hangUp, this)
  }

  static #hangUp(this: void, stream: CallerStream): void {
    if (!stream.readAll) stream.reset(NO_ERROR)
  }
}

/** Receives the events of a response: the head, then data and trailers, then its end; `responseClosed` is the last. */
export interface ResponseEvents {
  /** `last`: nothing but the close follows. */
  head(headers: Headers, raw: RawHeaders, last: boolean): void
  chunk(chunk: Buffer): void
  /** Trailers may overtake data that is not read yet. */
  trailed(trailers: Headers): void
  responded(): void
  /** More of the request may be written. */
  requestDrained(): void
  /**
   * The last event, and the only one that always comes. `code` is how etcd reset the stream, if it did; `lost` is why its
   * connection ended, if that is what ended the stream.
   */
  responseClosed(code: number, lost: Error | undefined): void
}

/** A call to etcd: its request is written, its response read. */
export class ResponseStream extends Stream<ClientHttp2Stream> {
  static readonly #failure = heard((stream: ResponseStream, error: Error) => {
    stream.#error ??= error
  })
  static readonly #response = heard((stream: ResponseStream, headers: Headers, flags: number, raw: RawHeaders) =>
    stream.#head(headers, raw, (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0),
  )
  static readonly #data = heard((stream: ResponseStream, chunk: Buffer) => {
    if (stream.#early === undefined) stream.#events.chunk(chunk)
    else stream.#early.push(() => stream.#events.chunk(chunk))
  })
  static readonly #trailers = heard((stream: ResponseStream, trailers: Headers) => {
    if (stream.#early === undefined) stream.#events.trailed(trailers)
    else stream.#early.push(() => stream.#events.trailed(trailers))
  })
  static readonly #end = heard((stream: ResponseStream) => {
    if (stream.#early === undefined) stream.#events.responded()
    else stream.#early.push(() => stream.#events.responded())
  })
  static readonly #drain = heard((stream: ResponseStream) => stream.#events.requestDrained())
  static readonly #close = heard((stream: ResponseStream) => stream.#closed())

  readonly #events: ResponseEvents
  readonly #session: UpstreamSession
  /** What came before the head. */
  #early: (() => void)[] | undefined = []
  #error: Error | undefined

  constructor(node: ClientHttp2Stream, session: UpstreamSession, events: ResponseEvents) {
    super(node)
    this.#session = session
    this.#events = events
    node.on('error', ResponseStream.#failure)
    node.on('response', ResponseStream.#response)
    node.on('data', ResponseStream.#data)
    node.on('trailers', ResponseStream.#trailers)
    node.on('end', ResponseStream.#end)
    node.on('drain', ResponseStream.#drain)
    node.on('close', ResponseStream.#close)
  }

  #head(headers: Headers, raw: RawHeaders, last: boolean): void {
    const early = this.#early
    if (early === undefined) return
    this.#early = undefined
    this.#events.head(headers, raw, last)
    for (const tell of early) tell()
  }

  #closed(): void {
    this.forget()
    this.#early = undefined
    this.#events.responseClosed(this.node.rstCode, this.#session.gone ? (this.#error ?? CLOSED) : undefined)
  }
}

/** Why a connection ended where the system tells no reason. */
const CLOSED = Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })

/** Milliseconds between two pings, and until an answer; etcd allows one ping in 5 s. */
const PING_EVERY_MS = 30_000
const PING_MS = 20_000
/**
 * Milliseconds for the calls of a connection whose other side takes no further ones. Node stops to read from it after a
 * protocol error, and then neither the end of the connection nor a ping tells that nothing will come any more.
 */
const LEAVING_MS = 300_000

/** Milliseconds for what is still to be sent on a connection that ends. */
const FLUSH_MS = 1_000

/** Ends a connection. Node waits until everything is sent, which a peer that does not read would delay for ever. */
function end(session: ServerHttp2Session | ClientHttp2Session, socket: Pick<Socket, 'destroy'>, why?: Error): void {
  session.destroy(why)
  setTimeout(() => socket.destroy(), FLUSH_MS).unref()
}

/** Destroys a connection whose other side no longer responds. Returns a function that ends that. */
function keepAlive(session: ServerHttp2Session | ClientHttp2Session, socket: Pick<Socket, 'destroy'>): () => void {
  let waiting: NodeJS.Timeout | undefined
  let leaving: NodeJS.Timeout | undefined
  session.on('goaway', () => {
    leaving ??= setTimeout(() => end(session, socket), LEAVING_MS)
  })
  const every = setInterval(() => {
    if (waiting !== undefined) return
    waiting = setTimeout(() => end(session, socket, new Error('no answer to a ping')), PING_MS)
    const answered = (): void => {
      clearTimeout(waiting)
      waiting = undefined
    }
    // There is no answer on a connection that is over.
    if (!accepted(() => session.ping(answered))) answered()
  }, PING_EVERY_MS)
  every.unref()
  return () => {
    clearInterval(every)
    clearTimeout(waiting)
    clearTimeout(leaving)
  }
}

/**
 * Calls `closed` once, after which nothing is heard of the connection. Node keeps one whose other side never
 * acknowledged its settings, and with it whatever its listeners reach: through the socket and the trace of the error
 * that ended it even the memory of HTTP/2, some 25 kB, which any client could collect without bound.
 */
function onceClosed(node: ServerHttp2Session | ClientHttp2Session, closed: () => void): void {
  node.on('close', () => {
    node.removeAllListeners()
    node.on('error', ignored)
    closed()
  })
}

/** Receives the events of a connection to etcd. */
export interface UpstreamEvents {
  /** Calls may be sent: etcd accepted the connection, and with it the certificate of the proxy. */
  ready(): void
  /** No further call may be sent; those in progress end on this connection. */
  leaving(): void
  /** The last event, and the only one that always comes. `secured`: there was TLS, so something answers there. */
  closed(error: Error, secured: boolean): void
}

/** A call without a body ends by its own flag. */
const OPEN = { endStream: false }
const CONNECT_MS = 5_000

/** A connection to etcd. */
export class UpstreamSession {
  readonly #node: ClientHttp2Session
  readonly #socket: Pick<Socket, 'destroy'>
  readonly #place: readonly (readonly [string, string])[]

  constructor(
    node: ClientHttp2Session,
    socket: Pick<Socket, 'destroy'>,
    { url: { host, protocol }, windowBytes }: { readonly url: URL; readonly windowBytes: number },
    events: UpstreamEvents,
  ) {
    this.#node = node
    this.#socket = socket
    this.#place = [
      [':scheme', protocol.slice(0, -1)],
      [':authority', host],
    ]
    let failure: Error | undefined
    let connected = false
    const timer = setTimeout(
      () => end(node, socket, Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
      CONNECT_MS,
    )
    const stopPings = keepAlive(node, socket)
    node.on('error', (error: Error) => {
      failure ??= error
      end(node, socket)
    })
    node.on('connect', () => {
      connected = true
      accepted(() => node.setLocalWindowSize(windowBytes))
    })
    // Over TLS 1.3 a client stands connected before the server has seen its certificate; its settings come after that.
    node.on('remoteSettings', () => {
      clearTimeout(timer)
      if (!this.gone) events.ready()
    })
    node.on('goaway', () => events.leaving())
    onceClosed(node, () => {
      clearTimeout(timer)
      stopPings()
      events.closed(failure ?? CLOSED, connected && protocol === 'https:')
    })
  }

  /** Whether its connection has ended. */
  get gone(): boolean {
    return this.#node.destroyed
  }

  /**
   * Begins a call; `undefined` when etcd cannot be asked that, or no longer. The list of headers is changed in place,
   * because a copy would be kept as long as the stream: authority and scheme are those of etcd.
   */
  request(headers: string[], events: ResponseEvents): ResponseStream | undefined {
    if (this.#node.destroyed || this.#node.closed) return undefined
    for (const [name, value] of this.#place) {
      let at = 0
      while (at < headers.length && headers[at] !== name) at += 2
      headers[at] = name
      headers[at + 1] = value
    }
    let stream: ResponseStream | undefined
    accepted(() => (stream = new ResponseStream(this.#node.request(headers, OPEN), this, events)))
    return stream
  }

  destroy(): void {
    end(this.#node, this.#socket)
  }
}

/** Options of a connection, and the window of the whole of it, bytes. */
export interface UpstreamSessionOptions extends ClientSessionOptions {
  readonly windowBytes: number
  /** PEM texts. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string }
}

/** Connects to an address. */
export function connectTo(
  address: string,
  { windowBytes, tls, ...options }: UpstreamSessionOptions,
  events: UpstreamEvents,
): UpstreamSession {
  const url = new URL(address)
  const secure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const to = { host, port: Number(url.port === '' ? (secure ? 443 : 80) : url.port) }
  const socket = secure
    ? connectTls({ ...to, ...tls, ...(isIP(host) === 0 && { servername: host }), ALPNProtocols: ['h2'] })
    : connectSocket(to)
  // Node does not close one that fails after its handshake, as it does without the client certificate that etcd wants.
  socket.on('error', () => socket.destroy())
  return new UpstreamSession(
    connect(url, { ...options, createConnection: () => socket }),
    socket,
    { url, windowBytes },
    events,
  )
}

/** Receives the events of a client's connection. */
export interface CallerSessionEvents {
  /** The client speaks HTTP/2. */
  opened(): void
  /** A call arrived; `listen` to it in the same turn. */
  call(stream: CallerStream, headers: Headers, raw: RawHeaders): void
  /** The client asks whether this side is there; Node answers. */
  pinged(): void
  /** The last event, and the only one that always comes. */
  closed(): void
}

/** The connection of a client. */
export class CallerSession {
  readonly #node: ServerHttp2Session
  readonly #socket: Pick<Socket, 'destroy'>

  constructor(node: ServerHttp2Session, socket: Pick<Socket, 'destroy'>, events: CallerSessionEvents) {
    this.#node = node
    this.#socket = socket
    const stopPings = keepAlive(node, socket)
    node.on('error', () => end(node, socket))
    node.on('stream', (stream, headers, _flags, raw) => events.call(new CallerStream(stream), headers, raw))
    node.once('remoteSettings', () => events.opened())
    node.on('ping', () => events.pinged())
    onceClosed(node, () => {
      stopPings()
      events.closed()
    })
  }

  /** Ends it once its calls have ended. */
  leave(): void {
    this.#node.close()
  }

  /** Ends it at once, and tells the client that it asked too much. */
  refuse(): void {
    accepted(() => this.#node.goaway(TOO_MUCH))
    end(this.#node, this.#socket)
  }
}

/** HTTP/2 on a connection of a client whose first bytes were not read, or were put back; `undefined` when it is over. */
export function acceptSession(
  socket: Socket,
  options: ServerOptions,
  events: CallerSessionEvents,
): CallerSession | undefined {
  let session: CallerSession | undefined
  accepted(() => (session = new CallerSession(performServerHandshake(socket, options), socket, events)))
  if (session === undefined) socket.destroy()
  return session
}
