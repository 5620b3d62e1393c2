import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { EventEmitter } from 'node:events'
import { messageOf } from '../../core/text/text.ts'
import type { Measure } from './measure.ts'

/** gRPC code that the proxy itself returns when it cannot reach etcd. */
const UNAVAILABLE = 14
const LOST = 'The connection to etcd was lost.'

/**
 * Opens a call upstream, immediately if there is a connection; rejects when there is none. Headers: names and values in
 * turns; those that name the authority and scheme are changed.
 */
export type OpenCall = (headers: string[]) => ClientHttp2Stream | Promise<ClientHttp2Stream>

/** The service whose calls are counted, as the member counts them. */
export const COUNTED_SERVICE = 'KV'

/** Calls that went upstream: all of them, those for which etcd returned a status, and those that ended otherwise. */
export interface CallCount {
  begun: number
  answered: number
  givenUp: number
}

/** Notified when a call ends. */
export interface CallObserver {
  /** Called once, with the gRPC status; empty where there was none. */
  ended(status: string): void
}

/** How a call goes upstream. */
export interface Forwarded {
  /** The part of the request that has already been read. */
  readonly first: readonly Buffer[]
  /** `first` is the whole request: nothing that follows is forwarded. */
  readonly whole?: boolean
  readonly measure?: Measure
  /** The response is one message, so the call is over when that message is. */
  readonly unary?: boolean
}

/**
 * Header fields of an HTTP/1.1 connection, which HTTP/2 does not have, and those that name the other side. Node refuses
 * to send some of them, and the other side must not be able to trigger that.
 */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

/** Names and values in turns, in their original order, repetitions included. */
function passedOn(raw: readonly string[]): string[] {
  const fields: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? ''
    if (!OWN_FIELDS.has(name)) fields.push(name, raw[index + 1] ?? '')
  }
  return fields
}

/** A head is forwarded unchanged: Node would add its own date. */
const ALONE = { endStream: true, sendDate: false }
const WITH_TRAILERS = { waitForTrailers: true, sendDate: false }

const ignored = (): void => undefined

/** Receives what the client sends before the call goes upstream. */
export interface Intake {
  push(chunk: Buffer): void
  /** The client has sent everything. */
  end(): void
}

const CALL = Symbol('call')

/** A stream with a reference to its call, until the call is over. */
interface Carrier extends EventEmitter {
  [CALL]?: Call | undefined
}

/** A listener that passes the call of the stream that emitted the event. */
const heard = <A, B, C>(tell: (call: Call, first: A, second: B, third: C) => void) =>
  function (this: Carrier, first: A, second: B, third: C): void {
    const call = this[CALL]
    if (call !== undefined) tell(call, first, second, third)
  }

const forget = (carrier: Carrier): void => {
  carrier[CALL] = undefined
}

/**
 * One call in both directions. Its streams emit each of these events once, so no listener has to be removed, which
 * would cost more than the event.
 *
 * Node keeps every stream until the next full garbage collection (the state of a stream has a function that is assigned
 * to a property, and V8 moves such a function to the old generation at once), and each young collection before that
 * copies whatever is reachable from it. Therefore all calls share the same listeners, and only the streams refer to a
 * call. They drop the reference when the call is over.
 */
export class Call {
  static readonly #down = {
    close: heard((call) => call.#closed()),
    data: heard((call, chunk: Buffer) => call.#received(chunk)),
    end: heard((call) => call.#receivedAll()),
    drain: heard((call) => call.#upstream?.resume()),
    wantTrailers: heard((call) => call.#wantTrailers()),
  }

  static readonly #up = {
    response: heard((call, headers: IncomingHttpHeaders, flags: number, raw: readonly string[]) =>
      call.#respond(headers, flags, raw),
    ),
    data: heard((call, chunk: Buffer) => call.#pass(chunk)),
    trailers: heard((call, trailers: IncomingHttpHeaders) => call.#gotTrailers(trailers)),
    end: heard((call) => call.#ended()),
    drain: heard((call) => call.down.resume()),
    close: heard((call) => call.#lost()),
  }

  readonly down: ServerHttp2Stream
  observer: CallObserver | undefined
  readonly #raw: readonly string[]
  readonly #open: OpenCall
  readonly #count: CallCount | undefined
  #upstream: ClientHttp2Stream | undefined
  /** The headers that went upstream and to the client, which Node keeps with the streams. */
  #asked: string[] | undefined
  #told: string[] | undefined
  #intake: Intake | undefined
  /** Data from the client is being read and forwarded. */
  #reads = false
  #pumps = false
  #measure: Measure | undefined
  /** The response is one message. */
  #unary = false
  #trailers: IncomingHttpHeaders | undefined
  /** Everything before the trailers is sent. */
  #wantsTrailers = false
  #over = false
  #begun = false
  #answered = false

  constructor(down: ServerHttp2Stream, raw: readonly string[], open: OpenCall, count?: CallCount) {
    this.down = down
    this.#raw = raw
    this.#open = open
    this.#count = count
    const carrier: Carrier = down
    carrier[CALL] = this
    // `close` follows and reports what a reset means.
    down.on('error', ignored)
    down.on('close', Call.#down.close)
  }

  /** Passes what the client sends to an intake, until the call goes upstream. */
  read(intake: Intake): void {
    this.#intake = intake
    this.#read()
  }

  /** Begins the call upstream, in the same turn of the event loop if there is a connection. */
  forward(forwarded: Forwarded): void {
    this.#begun = true
    if (this.#count !== undefined) this.#count.begun += 1
    try {
      this.#asked = passedOn(this.#raw)
      const opened = this.#open(this.#asked)
      if (opened instanceof Promise) this.#beginLater(opened, forwarded)
      else this.#begin(opened, forwarded)
    } catch (error) {
      this.#fail(error)
    }
  }

  #beginLater(opening: Promise<ClientHttp2Stream>, forwarded: Forwarded): void {
    opening.then(
      (up) => this.#begin(up, forwarded),
      (error: unknown) => this.#fail(error),
    )
  }

  #closed(): void {
    const up = this.#upstream
    if (up !== undefined && !up.closed) up.close(this.#over ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_CANCEL)
    this.#finish('')
    if (this.#count !== undefined && this.#begun) this.#count[this.#answered ? 'answered' : 'givenUp'] += 1
    forget(this.down)
    if (up !== undefined) forget(up)
    if (this.#asked !== undefined) this.#asked.length = 0
    if (this.#told !== undefined) this.#told.length = 0
  }

  #fail(error: unknown): void {
    const { down } = this
    if (isOver(down)) return
    this.#finish(String(UNAVAILABLE))
    answer(down, UNAVAILABLE, `etcd cannot be reached: ${messageOf(error)}.`)
  }

  #begin(up: ClientHttp2Stream, { first, whole = false, measure, unary = false }: Forwarded): void {
    const { down } = this
    up.on('error', ignored)
    if (isOver(down)) return up.close(constants.NGHTTP2_CANCEL)
    this.#upstream = up
    this.#measure = measure
    this.#unary = unary
    this.#listen(up)
    this.#intake = undefined
    if (whole) {
      up.end(first.length === 1 ? first[0] : Buffer.concat(first))
      down.resume()
      return
    }
    for (const chunk of first) up.write(chunk)
    if (down.readableEnded) up.end()
    else this.#pump(up)
  }

  /** Forwards what the client sends, as fast as etcd accepts it; buffers no more than the HTTP/2 windows. */
  #pump(up: ClientHttp2Stream): void {
    this.#pumps = true
    up.on('drain', Call.#up.drain)
    this.#read()
    this.down.resume()
  }

  #read(): void {
    if (this.#reads) return
    this.#reads = true
    this.down.on('data', Call.#down.data)
    this.down.on('end', Call.#down.end)
  }

  #received(chunk: Buffer): void {
    const up = this.#upstream
    if (this.#intake !== undefined) this.#intake.push(chunk)
    else if (this.#pumps && up?.writable === true && !up.write(chunk)) this.down.pause()
  }

  #receivedAll(): void {
    const up = this.#upstream
    if (this.#intake !== undefined) this.#intake.end()
    else if (this.#pumps && up?.writable === true) up.end()
  }

  #listen(up: ClientHttp2Stream): void {
    const carrier: Carrier = up
    carrier[CALL] = this
    up.on('response', Call.#up.response)
    up.on('data', Call.#up.data)
    up.on('trailers', Call.#up.trailers)
    up.on('end', Call.#up.end)
    up.on('close', Call.#up.close)
  }

  #respond(headers: IncomingHttpHeaders, flags: number, raw: readonly string[]): void {
    const { down } = this
    if (isOver(down)) return
    this.#told = passedOn(raw)
    if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) {
      this.#status(headers)
      down.respond(this.#told, ALONE)
      down.resume()
      return
    }
    down.respond(this.#told, WITH_TRAILERS)
    down.on('wantTrailers', Call.#down.wantTrailers)
    down.on('drain', Call.#down.drain)
  }

  /** A chunk of the response. */
  #pass(chunk: Buffer): void {
    const { down } = this
    const measure = this.#measure
    measure?.push(chunk)
    if (!down.writable) return
    if (this.#unary && measure?.whole === true) down.end(chunk)
    else if (!down.write(chunk)) this.#upstream?.pause()
  }

  #ended(): void {
    const { down } = this
    // Trailers may overtake data that is not read yet, and the response is measured to its end.
    if (this.#trailers !== undefined) this.#status(this.#trailers)
    if (down.headersSent && down.writable) down.end()
  }

  /** The upstream aborted the call, or its connection is lost, unless the response is complete. */
  #lost(): void {
    const { down } = this
    const up = this.#upstream
    if (up === undefined || isOver(down) || this.#over) return
    if (up.rstCode !== constants.NGHTTP2_NO_ERROR && up.session?.destroyed === false) down.close(up.rstCode)
    else if (down.headersSent) {
      this.#trailers ??= { 'grpc-status': String(UNAVAILABLE), 'grpc-message': LOST }
      if (this.#wantsTrailers) this.#sendTrailers()
      else down.end()
    } else {
      this.#finish(String(UNAVAILABLE))
      answer(down, UNAVAILABLE, LOST)
    }
  }

  #gotTrailers(trailers: IncomingHttpHeaders): void {
    this.#trailers = trailers
    if (this.#wantsTrailers) this.#sendTrailers()
  }

  #wantTrailers(): void {
    this.#wantsTrailers = true
    this.#sendTrailers()
  }

  #sendTrailers(): void {
    const { down } = this
    if (isOver(down) || this.#trailers === undefined) return
    this.#wantsTrailers = false
    const fields: OutgoingHttpHeaders = {}
    for (const name of Object.keys(this.#trailers)) if (!OWN_FIELDS.has(name)) fields[name] = this.#trailers[name]
    down.sendTrailers(fields)
    // The client has its response; anything that it still sends is discarded.
    down.resume()
  }

  #status(headers: IncomingHttpHeaders): void {
    this.#answered = true
    const status = headers['grpc-status']?.toString() ?? ''
    this.#finish(status)
  }

  #finish(status: string): void {
    if (this.#over) return
    this.#over = true
    const { observer } = this
    this.observer = undefined
    observer?.ended(status)
  }
}

/** Whether nothing more can be sent: a stream that was reset is closed some turns before it is destroyed. */
export const isOver = ({ destroyed, closed }: ServerHttp2Stream): boolean => destroyed || closed

/** Answers without the upstream: headers and status in one. */
export function answer(
  down: ServerHttp2Stream,
  code: number,
  message: string,
  more: Readonly<Record<string, string>> = {},
): void {
  down.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(code),
      'grpc-message': percentEncoded(message),
      ...more,
    },
    { endStream: true },
  )
  // Anything that the client still sends is not needed, and must not fill the window.
  down.resume()
}

/** Encodes messages of a gRPC status. */
export const percentEncoded = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^ -$&-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
