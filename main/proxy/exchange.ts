import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import {
  endToEnd,
  headerObject,
  trailerPairs,
  valueOf,
  withLength,
  withoutTrailer,
  type RawHeaders,
} from './headers.ts'
import { openRequest, type Upstream } from './upstream.ts'
import { asksForWatch } from './watchStart.ts'

export type AnyRequest = IncomingMessage | Http2ServerRequest
export type AnyResponse = ServerResponse | Http2ServerResponse

export interface ExchangeOptions {
  readonly request: AnyRequest
  readonly response: AnyResponse
  readonly upstream: Upstream
  /** Headers to send upstream. */
  readonly headers: RawHeaders
  /** Headers to set on the response unless the upstream sets them itself; names in their original spelling. */
  readonly added: Readonly<Record<string, string>>
  /** The response has begun. */
  readonly onHead: (answer: IncomingMessage) => void
  /** The response was forwarded completely. */
  readonly onEnd: (status: number) => void
  /** The upstream could not be reached or broke off; `begun`: part of the response was sent. */
  readonly onFailure: (error: Error, begun: boolean) => void
}

export const isHttp2 = (one: AnyResponse): one is Http2ServerResponse => 'stream' in one

/** The client no longer waits for the response; for HTTP/2 only the stream shows that. */
export const isGone = (response: AnyResponse): boolean =>
  isHttp2(response) ? response.stream.destroyed || response.stream.closed : response.destroyed

export const overHttp2 = (one: AnyRequest): one is Http2ServerRequest => 'stream' in one

/** Whether the client will send anything but the head. */
export function hasBody(request: AnyRequest): boolean {
  if (overHttp2(request)) return !request.stream.endAfterHeaders
  const { headers } = request
  return (
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0')
  )
}

const BROKEN_OFF = Object.assign(new Error('no answer came'), { code: 'ECONNRESET' })

/** Methods that may be sent again on another connection when a kept connection turns out to be closed. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Forwards one request upstream and its response back, chunk by chunk in both directions; neither side is read faster
 * than the other accepts data. Returns a function that aborts it.
 */
export function exchange(options: ExchangeOptions): () => void {
  const one = new Exchange(options)
  one.start()
  return () => one.breakOff()
}

/** One object for each request, instead of a dozen closures. */
class Exchange {
  private readonly options: ExchangeOptions
  private readonly bodied: boolean
  private outgoing: ClientRequest | undefined
  private over = false
  /** The body, or its first chunk, is being sent. */
  private wrote = false
  private continued = false
  /** The head of the response has arrived. */
  private headed = false
  /** Chunks of the response have arrived. */
  private answered = false

  constructor(options: ExchangeOptions) {
    this.options = options
    this.bodied = hasBody(options.request)
  }

  start(): void {
    const { request } = this.options
    const outgoing = this.open()
    if (outgoing === undefined) return
    if (!this.bodied) return void outgoing.end()
    request.on('data', (piece: Buffer) => {
      if (this.over) return
      this.wrote = true
      if (!outgoing.write(piece)) request.pause()
    })
    outgoing.on('drain', () => request.resume())
    request.on('end', () => {
      if (this.over) return
      this.wrote = true
      if (request.rawTrailers.length > 0) outgoing.addTrailers(trailerPairs(request.rawTrailers))
      outgoing.end()
    })
    // A body that does not arrive immediately must not delay the head; one that does shares its packet.
    setImmediate(() => {
      if (!this.over && !this.wrote) outgoing.flushHeaders()
    })
  }

  breakOff(): void {
    this.over = true
    this.outgoing?.destroy()
  }

  private open(): ClientRequest | undefined {
    const { request, response, upstream, headers } = this.options
    const method = request.method ?? 'GET'
    let outgoing: ClientRequest
    try {
      outgoing = openRequest(upstream, method, request.url ?? '/', this.framed(headers))
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)))
      return undefined
    }
    this.outgoing = outgoing
    outgoing.on('error', (error) => {
      if (this.over || outgoing !== this.outgoing) return
      if (outgoing.reusedSocket && !this.bodied && REPEATABLE.has(method) && !response.headersSent) this.again()
      else this.fail(error)
    })
    if (request.headers.expect !== undefined) {
      outgoing.on('continue', () => {
        this.continued = true
        if (!this.over) response.writeContinue()
      })
    }
    outgoing.on('response', (answer) => this.answer(answer))
    // Node emits no other event for a response that changes the protocol without a request to do so.
    outgoing.on('close', () => {
      if (!this.headed && outgoing === this.outgoing) this.fail(BROKEN_OFF)
    })
    return outgoing
  }

  /** The kept connection was closed while idle; each retry removes such a connection, so retries end. */
  private again(): void {
    this.open()?.end()
  }

  /** HTTP/2 needs no length, and the chunks of HTTP/1.1 belong to a connection: either way they are created anew. */
  private framed(headers: RawHeaders): RawHeaders {
    if (!this.bodied) return withLength(this.options.request.method, withoutTrailer(headers))
    if (valueOf(headers, 'content-length') !== undefined) return withoutTrailer(headers)
    return [...headers, 'Transfer-Encoding', 'chunked']
  }

  private fail(error: Error): void {
    if (this.over) return
    this.over = true
    const { options } = this
    const begun = options.response.headersSent
    options.onFailure(error, begun)
    if (begun) breakResponse(options.request, options.response)
    this.outgoing?.destroy()
  }

  private answer(answer: IncomingMessage): void {
    const { response, request } = this.options
    this.headed = true
    if (this.over) return void answer.destroy()
    // Whatever throws here, the request ends and gives its seat back.
    try {
      this.options.onHead(answer)
      this.writeHead(answer)
    } catch (error) {
      return this.fail(error instanceof Error ? error : new Error(String(error)))
    }
    answer.on('data', (piece: Buffer) => {
      this.answered = true
      if (!this.over && !write(response, piece)) answer.pause()
    })
    response.on('drain', () => answer.resume())
    // A watch begins long before its first event. A body that arrives immediately shares the packet of the head.
    setImmediate(() => {
      if (!this.over && !this.answered && !isHttp2(response)) response.flushHeaders()
    })
    answer.on('error', (error) => this.fail(error))
    answer.on('aborted', () => this.fail(new Error('the connection was closed before the end of the answer')))
    answer.on('end', () => {
      if (this.over) return
      this.over = true
      if (answer.rawTrailers.length > 0) this.addTrailers(answer.rawTrailers)
      this.end(answer.statusCode ?? 502)
      if (request.complete || !this.bodied) return
      // The upstream did not read the rest: it is read and discarded, so that the connection can be reused.
      request.resume()
      this.outgoing?.destroy()
    })
  }

  private end(status: number): void {
    const { response, onEnd } = this.options
    // An HTTP/2 response without a body is complete with its head.
    if (isHttp2(response) && response.stream.writableFinished) {
      response.end()
      return onEnd(status)
    }
    response.end(() => onEnd(status))
  }

  private writeHead(answer: IncomingMessage): void {
    const { response, request, added } = this.options
    const raw = endToEnd(this.endsInChunks(answer) ? answer.rawHeaders : withoutTrailer(answer.rawHeaders))
    for (const name in added) {
      const value = added[name]
      if (value !== undefined && answer.headers[name.toLowerCase()] === undefined) raw.push(name, value)
    }
    const status = answer.statusCode ?? 502
    if (isHttp2(response)) return void response.writeHead(status, headerObject(raw))
    // A client that did not receive `100 Continue` may or may not send the body, so the next bytes would be ambiguous.
    if (request.headers.expect !== undefined && !this.continued) raw.push('Connection', 'close')
    response.sendDate = false
    response.writeHead(status, answer.statusMessage, raw)
  }

  /** Whether the response continues in chunks, which trailers can follow. */
  private endsInChunks({ headers }: IncomingMessage): boolean {
    const { request } = this.options
    return headers['transfer-encoding'] !== undefined && request.method !== 'HEAD' && request.httpVersion !== '1.0'
  }

  private addTrailers(raw: RawHeaders): void {
    const { response } = this.options
    if (isHttp2(response)) response.addTrailers(headerObject(raw))
    else response.addTrailers(trailerPairs(raw))
  }
}

const write = (response: AnyResponse, piece: Buffer): boolean =>
  isHttp2(response) ? response.write(piece) : response.write(piece)

/**
 * The client must not take a partial response for the whole. A watch is never whole and resumes where it was, as after
 * a server crash; but a stream reset is an error to client-go, after which it lists everything anew.
 */
function breakResponse(request: AnyRequest, response: AnyResponse): void {
  if (!isHttp2(response)) response.destroy()
  else if (asksForWatch(request)) response.end()
  else response.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
}
