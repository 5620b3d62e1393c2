import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Readable, Writable } from 'node:stream'
import { messageOf } from '../../core/text/text.ts'
import { type Measure, OK } from './measure.ts'

/** Code of gRPC that the proxy itself answers with when there is no etcd. */
const UNAVAILABLE = 14
const LOST = 'The connection to etcd was lost.'

/** Opens a call upstream, at once on a connection that is there; rejects when there is none. Names and values in turns. */
export type OpenCall = (headers: readonly string[]) => ClientHttp2Stream | Promise<ClientHttp2Stream>

/** How a call goes upstream. */
export interface Forwarded {
  /** What was read of it already. */
  readonly first: readonly Buffer[]
  /** `first` is the whole request: nothing that follows is passed on. */
  readonly whole?: boolean
  readonly measure?: Measure
  /** The answer is one message, so that it is over when that is. */
  readonly unary?: boolean
}

/**
 * Fields of a connection, which HTTP/2 has not, and those that name the other side. Node refuses to send some of them, and the
 * other side must not be able to make it.
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

/** Names and values in turns, in their order: what is repeated stays so. */
function passedOn(raw: readonly string[]): string[] {
  const fields: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? ''
    if (!OWN_FIELDS.has(name)) fields.push(name, raw[index + 1] ?? '')
  }
  return fields
}

const ignored = (): void => undefined

/**
 * One call in both directions. Its streams emit each of these events once, so that nobody has to take a listener away, which
 * costs more than the event.
 */
export class Call {
  readonly down: ServerHttp2Stream
  /** Called once, with the status of gRPC; empty where there was none. */
  onEnd: (status: string) => void = () => undefined
  onOk: () => void = () => undefined
  readonly #raw: readonly string[]
  readonly #open: OpenCall
  #up: ClientHttp2Stream | undefined
  #trailers: IncomingHttpHeaders | undefined
  /** Everything before the trailers is sent. */
  #wantsTrailers = false
  #over = false

  constructor(down: ServerHttp2Stream, raw: readonly string[], open: OpenCall) {
    this.down = down
    this.#raw = raw
    this.#open = open
    // What a reset says is told by `close`, which follows.
    down.on('error', ignored)
    down.on('close', () => {
      const up = this.#up
      if (up !== undefined && !up.closed) up.close(this.#over ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_CANCEL)
      this.#finish('')
    })
  }

  /** Begins the call upstream, in this turn where there is a connection. */
  forward(forwarded: Forwarded): void {
    try {
      const opened = this.#open(passedOn(this.#raw))
      if (!(opened instanceof Promise)) return this.#begin(opened, forwarded)
      opened.then(
        (up) => this.#begin(up, forwarded),
        (error: unknown) => this.#fail(error),
      )
    } catch (error) {
      this.#fail(error)
    }
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
    this.#up = up
    this.#answers(up, measure, unary)
    if (whole) {
      up.end(first.length === 1 ? first[0] : Buffer.concat(first))
      down.resume()
      return
    }
    for (const chunk of first) up.write(chunk)
    if (down.readableEnded) up.end()
    else pump(down, up)
  }

  #answers(up: ClientHttp2Stream, measure: Measure | undefined, unary: boolean): void {
    const { down } = this
    up.on('response', (headers, flags, raw) => {
      if (isOver(down)) return
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) {
        this.#status(headers)
        down.respond(passedOn(raw), { endStream: true })
        down.resume()
        return
      }
      down.respond(passedOn(raw), { waitForTrailers: true })
      down.on('wantTrailers', () => {
        this.#wantsTrailers = true
        this.#sendTrailers()
      })
      pump(up, down, (chunk) => {
        measure?.push(chunk)
        return unary && measure?.whole === true
      })
    })
    up.on('trailers', (trailers) => {
      this.#trailers = trailers
      if (this.#wantsTrailers) this.#sendTrailers()
    })
    // Trailers may overtake what is not read yet, and the answer is measured to its end.
    up.on('end', () => {
      if (this.#trailers !== undefined) this.#status(this.#trailers)
    })
    up.on('close', () => {
      if (isOver(down) || this.#over) return
      // The upstream gave the call up, or its connection is lost.
      if (up.rstCode !== constants.NGHTTP2_NO_ERROR && up.session?.destroyed === false) down.close(up.rstCode)
      else if (down.headersSent) {
        this.#trailers ??= { 'grpc-status': String(UNAVAILABLE), 'grpc-message': LOST }
        if (this.#wantsTrailers) this.#sendTrailers()
        else down.end()
      } else {
        this.#finish(String(UNAVAILABLE))
        answer(down, UNAVAILABLE, LOST)
      }
    })
  }

  #sendTrailers(): void {
    const { down } = this
    if (isOver(down) || this.#trailers === undefined) return
    this.#wantsTrailers = false
    const fields: OutgoingHttpHeaders = {}
    for (const name of Object.keys(this.#trailers)) if (!OWN_FIELDS.has(name)) fields[name] = this.#trailers[name]
    down.sendTrailers(fields)
    // The client has its answer; what it still sends goes nowhere.
    down.resume()
  }

  #status(headers: IncomingHttpHeaders): void {
    const status = headers['grpc-status']?.toString() ?? ''
    if (status === OK) this.onOk()
    this.#finish(status)
  }

  #finish(status: string): void {
    if (this.#over) return
    this.#over = true
    this.onEnd(status)
  }
}

/**
 * Passes bytes on as fast as the slower side takes them; nothing more than the windows of HTTP/2 is held. `isLast` sees each
 * chunk, and says whether nothing follows it.
 */
function pump(from: Readable, to: Writable, isLast?: (chunk: Buffer) => boolean): void {
  from.on('data', (chunk: Buffer) => {
    const last = isLast?.(chunk) === true
    if (!to.writable) return
    if (last) to.end(chunk)
    else if (!to.write(chunk)) from.pause()
  })
  to.on('drain', () => from.resume())
  from.on('end', () => {
    if (to.writable) to.end()
  })
  from.resume()
}

/** Whether nothing can be sent any more: a stream that was reset is closed some turns before it is destroyed. */
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
  // What the client still sends is of no use, and must not fill the window.
  down.resume()
}

/** As gRPC writes messages of a status. */
export const percentEncoded = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^ -$&-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
