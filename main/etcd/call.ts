import { messageOf } from '../../core/errors.ts'
import {
  CANCEL,
  type CallerEvents,
  type CallerStream,
  type Headers,
  NO_ERROR,
  type RawHeaders,
  type ResponseEvents,
  type ResponseStream,
  STREAM_WINDOW_BYTES,
  TOO_MUCH,
  type Trailers,
  type UpstreamSession,
} from './http2.ts'
import type { Measure } from './measure.ts'

/** gRPC codes that the proxy itself returns: the client asks too much, was too slow, or etcd cannot be reached. */
const DEADLINE_EXCEEDED = 4
const RESOURCE_EXHAUSTED = 8
const UNAVAILABLE = 14

/** Passes a connection to etcd, immediately if there is one; else, once it stands, or why there is none. */
export type Connect = (use: (connection: UpstreamSession | Error) => void) => void

/** The connection of the client, of whose bounds the call takes its part. */
export interface Host {
  /** A call begins; `false` when there are too many. */
  enter(): boolean
  /** A call that entered has ended. */
  leave(): void
  /** Keeps bytes in memory; `false` when there are too many. */
  hold(bytes: number): boolean
  release(bytes: number): void
}

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
function passedOn(raw: RawHeaders): string[] {
  const fields: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? ''
    if (!OWN_FIELDS.has(name)) fields.push(name, raw[index + 1] ?? '')
  }
  return fields
}

/** Receives what the client sends before the call goes upstream. */
export interface Intake {
  push(chunk: Buffer): void
  /** The client has sent everything. */
  end(): void
  /** The client has left. */
  gone(): void
}

/** Where a call comes from, and where it goes. */
export interface CallPlace {
  readonly connect: Connect
  readonly host: Host
}

/** Bytes of names and values, with what a string takes. */
function sizeOf(raw: RawHeaders): number {
  let bytes = 0
  for (const text of raw) bytes += text.length + 16
  return bytes
}

/** One call in both directions. */
export class Call implements CallerEvents, ResponseEvents {
  readonly down: CallerStream
  observer: CallObserver | undefined
  readonly #raw: RawHeaders
  readonly #connect: Connect
  readonly #host: Host
  readonly #entered: boolean
  /** Bytes of the client's account: the heads, the request until the response begins, and what is stuck. */
  #held = 0
  #unanswered = 0
  #requestStuck = false
  #responseStuck = false
  readonly #count: CallCount | undefined
  #upstream: ResponseStream | undefined
  /** The headers that went upstream and to the client, which Node keeps with the streams. */
  #asked: string[] | undefined
  #responded: string[] | undefined
  #intake: Intake | undefined
  #pumps = false
  #measure: Measure | undefined
  /** The response is one message. */
  #unary = false
  #trailers: Headers | undefined
  #over = false
  #begun = false
  #answered = false

  constructor(down: CallerStream, raw: RawHeaders, { connect, host }: CallPlace, count?: CallCount) {
    this.down = down
    this.#raw = raw
    this.#connect = connect
    this.#host = host
    this.#count = count
    down.listen(this)
    this.#entered = host.enter()
    if (!this.#entered)
      answer(down, RESOURCE_EXHAUSTED, 'The proxy has as many clients and calls as it takes; try again later.')
    else this.#hold(sizeOf(raw))
  }

  /** The client sent no whole message in time. */
  tooLate(): void {
    answer(this.down, DEADLINE_EXCEEDED, 'The request did not arrive in time; send it whole.')
  }

  /** `false` if the client has no room for it; then the call has ended. */
  #hold(bytes: number): boolean {
    if (this.#host.hold(bytes)) {
      this.#held += bytes
      return true
    }
    this.#refuse(
      'This connection has more requests and responses under way than the proxy keeps; send fewer at a time, and read the responses.',
    )
    return false
  }

  /** No more than is held: a drain may come after the close, which gave everything back. */
  #release(bytes: number): void {
    const freed = Math.min(bytes, this.#held)
    this.#host.release(freed)
    this.#held -= freed
  }

  /** The client asks too much. */
  #refuse(why: string): void {
    const { down } = this
    if (down.responded) down.reset(TOO_MUCH)
    else answer(down, RESOURCE_EXHAUSTED, why)
  }

  /** Nothing more is read of the request; what the client has sent by then is kept. */
  pause(): void {
    this.down.pause()
    if (!this.#requestStuck) this.#requestStuck = this.#hold(STREAM_WINDOW_BYTES)
  }

  #resume(): void {
    if (this.#requestStuck) this.#release(STREAM_WINDOW_BYTES)
    this.#requestStuck = false
    this.down.resume()
  }

  /** Passes what the client sends to an intake, until the call goes upstream. */
  read(intake: Intake): void {
    this.#intake = intake
    this.down.read()
  }

  /** Begins the call upstream, in the same turn of the event loop if there is a connection. */
  forward(forwarded: Forwarded): void {
    if (this.down.gone || this.down.responded) return
    this.#begun = true
    if (this.#count !== undefined) this.#count.begun += 1
    this.#connect((connection) => this.#begin(connection, forwarded))
  }

  #begin(connection: UpstreamSession | Error, { first, whole = false, measure, unary = false }: Forwarded): void {
    const { down } = this
    if (down.gone) return
    if (connection instanceof Error) return this.#fail(connection)
    this.#asked = passedOn(this.#raw)
    const up = connection.request(this.#asked, this)
    if (up === undefined)
      return this.#fail(new Error('the connection was closed, or HTTP/2 does not allow the headers of the call'))
    this.#upstream = up
    this.#measure = measure
    this.#unary = unary
    this.#intake = undefined
    if (whole) {
      up.end(first.length === 1 ? first[0] : Buffer.concat(first))
      down.resume()
      return
    }
    for (const chunk of first) up.write(chunk)
    if (down.readAll) return up.end()
    // Forwards what the client sends, as fast as etcd accepts it; buffers no more than the HTTP/2 windows.
    this.#pumps = true
    down.read()
    this.#resume()
  }

  #fail(error: Error): void {
    this.#finish(String(UNAVAILABLE))
    answer(this.down, UNAVAILABLE, `etcd cannot be reached: ${sentence(messageOf(error))}`)
  }

  received(chunk: Buffer): void {
    if (this.#intake !== undefined) {
      if (this.down.responded) return
      if (!this.#hold(chunk.length)) return
      this.#unanswered += chunk.length
      this.#intake.push(chunk)
    } else if (this.#pumps && this.#upstream?.write(chunk) === false) this.pause()
  }

  receivedAll(): void {
    if (this.#intake !== undefined) this.#intake.end()
    else if (this.#pumps) this.#upstream?.end()
  }

  requestDrained(): void {
    if (this.#pumps) this.#resume()
  }

  callerDrained(): void {
    if (this.#responseStuck) this.#release(STREAM_WINDOW_BYTES)
    this.#responseStuck = false
    this.#upstream?.resume()
  }

  callerClosed(): void {
    this.#intake?.gone()
    this.#upstream?.reset(this.#over ? NO_ERROR : CANCEL)
    this.#finish('')
    this.#release(this.#held)
    if (this.#entered) this.#host.leave()
    if (this.#count !== undefined && this.#begun) this.#count[this.#answered ? 'answered' : 'givenUp'] += 1
    if (this.#asked !== undefined) this.#asked.length = 0
    if (this.#responded !== undefined) this.#responded.length = 0
  }

  head(headers: Headers, raw: RawHeaders, last: boolean): void {
    this.#release(this.#unanswered)
    this.#unanswered = 0
    if (last) this.#status(headers)
    this.#responded = passedOn(raw)
    this.down.respond(this.#responded, last)
  }

  chunk(chunk: Buffer): void {
    const { down } = this
    const measure = this.#measure
    measure?.push(chunk)
    if (this.#unary && measure?.whole === true) down.end(chunk)
    else if (!down.write(chunk)) {
      this.#upstream?.pause()
      if (!this.#responseStuck) this.#responseStuck = this.#hold(STREAM_WINDOW_BYTES)
    }
  }

  trailed(trailers: Headers): void {
    this.#trailers = trailers
    const fields: Trailers = {}
    for (const name of Object.keys(trailers)) if (!OWN_FIELDS.has(name)) fields[name] = trailers[name]
    this.down.trailers(fields)
  }

  responded(): void {
    // Trailers may overtake data that is not read yet, and the response is measured to its end.
    if (this.#trailers !== undefined) this.#status(this.#trailers)
    if (this.down.responded) this.down.end()
  }

  /**
   * The upstream aborted the call, or its connection is lost, unless the response is complete. The client receives a
   * status, which tells more than a reset does.
   */
  responseClosed(code: number, lost: Error | undefined): void {
    const { down } = this
    if (down.gone || this.#over) return
    this.#finish(String(UNAVAILABLE))
    const message = whyClosed(code, lost)
    if (!down.responded) return answer(down, UNAVAILABLE, message)
    down.trailers({ 'grpc-status': String(UNAVAILABLE), 'grpc-message': percentEncoded(message) })
    down.end()
  }

  #status(headers: Headers): void {
    this.#answered = true
    this.#finish(headers['grpc-status']?.toString() ?? '')
  }

  #finish(status: string): void {
    if (this.#over) return
    this.#over = true
    const { observer } = this
    this.observer = undefined
    observer?.ended(status)
  }
}

function whyClosed(code: number, lost: Error | undefined): string {
  if (lost !== undefined) return `The connection to etcd was lost: ${sentence(messageOf(lost))}`
  return code === NO_ERROR
    ? 'etcd ended the call without a status.'
    : `etcd reset the call with error code ${code} of HTTP/2.`
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`)

/** Answers without the upstream: headers and status in one. */
export function answer(
  down: CallerStream,
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
    true,
  )
}

/** Encodes messages of a gRPC status. */
export const percentEncoded = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^ -$&-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
