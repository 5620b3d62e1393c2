import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Readable, Writable } from 'node:stream'
import { rejectionOf } from '../../core/qos/explain.ts'
import { METHODS, shortMethod, UNLIMITED_METHODS } from '../../core/qos/operations.ts'
import type { QosRequest } from '../../core/qos/request.ts'
import { messageOf } from '../../core/text/text.ts'
import { addressOf, type Callers } from './callers.ts'
import type { Settled } from '../../core/qos/traffic.ts'
import type { Admission, Door } from './door.ts'
import { FirstMessage, MessageScanner } from './messages.ts'
import { MOST_READ_BYTES, readRequest, readToken } from './requests.ts'
import { ScanCount } from './responses.ts'

/** Codes of gRPC that the proxy itself answers with. */
const UNAVAILABLE = 14
const OK = '0'
/** A longer answer to Authenticate holds no token of etcd. */
const MOST_TOKEN_BYTES = 64 * 1024

export interface ExchangeSurroundings {
  readonly door: Door
  readonly callers: Callers
  /** Opens a call upstream; rejects when there is no connection. */
  readonly open: (headers: OutgoingHttpHeaders) => Promise<ClientHttp2Stream>
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly meter?: CallMeter
}

/** Counts what passes. */
export interface CallMeter {
  /** A request that could not be read passed without a rule (QoS specification 10). */
  unread(): void
  /** A watch stream was opened or closed. */
  watch(change: 1 | -1): void
  /** A call that etcd was asked has ended; `status` is the number of gRPC, or empty. */
  ended(method: string, status: string, latencyMs: number): void
  /** How long the proxy took to read a request and to decide about it. */
  overhead(ms: number): void
}

const inspected: ReadonlySet<string> = new Set(METHODS.filter((method) => !UNLIMITED_METHODS.has(method)))

/**
 * Passes one call on, byte by byte. Of methods that rules are about, the first message is read before anything goes upstream;
 * of all others, unknown ones too, nothing is.
 */
export function exchange(down: ServerHttp2Stream, headers: IncomingHttpHeaders, around: ExchangeSurroundings): void {
  const method = shortMethod(headers[':path'] ?? '')
  const call = new Call(down, headers, around)
  if (inspected.has(method)) inspect(call, method, around)
  else call.forward([])
  if (method === 'Watch/Watch' && around.meter !== undefined) {
    const { meter } = around
    meter.watch(1)
    down.once('close', () => meter.watch(-1))
  }
}

function inspect(call: Call, method: string, { door, callers, now, meter }: ExchangeSurroundings): void {
  const { down, headers } = call
  const first = new FirstMessage(MOST_READ_BYTES)
  const decide = (): void => {
    const began = now()
    down.off('data', gather)
    down.off('end', decide)
    down.pause()
    const message = first.read()
    const read = message && readRequest(method, message, headers['grpc-encoding']?.toString())
    if (message === undefined || read === undefined) {
      meter?.unread()
      return call.forward(first.chunks)
    }
    const attempts = Number(headers['grpc-previous-rpc-attempts'])
    const request: QosRequest = {
      method,
      ...read,
      user: callers.userOf(headers, down),
      clientIP: addressOf(down),
      requestBytes: message.payload.length,
      ...(Number.isSafeInteger(attempts) && attempts > 0 && { previousAttempts: attempts }),
    }
    const measure = new Measure(method, now)
    let admission: Admission | undefined
    let ended: string | undefined
    call.onEnd = (status) => {
      ended = status
      const observed = measure.observed(status)
      if (observed.latencyMs !== undefined) meter?.ended(method, status, observed.latencyMs)
      admission?.end(observed)
    }
    admission = door.arrive(request, (decision) => {
      if (down.destroyed) return
      if (decision?.verdict === 'limited') {
        call.onEnd = () => undefined
        return reject(down, decision, door)
      }
      measure.start()
      if (method === 'Auth/Authenticate') call.onOk = () => learn(callers, measure, read.name ?? '')
      call.forward(first.chunks, measure)
    })
    if (ended !== undefined) admission.end(measure.observed(ended))
    meter?.overhead(now() - began)
  }
  const gather = (chunk: Buffer): void => {
    if (first.push(chunk)) decide()
  }
  down.on('data', gather)
  down.once('end', decide)
}

function learn(callers: Callers, { token }: Measure, user: string): void {
  if (token !== undefined) callers.learn(token, user)
}

function reject(
  down: ServerHttp2Stream,
  decision: Extract<Settled, { verdict: 'limited' }>,
  { configuration }: Door,
): void {
  const { code, message, trailers } = rejectionOf(decision, configuration.settings)
  answer(down, code, message, trailers)
}

/** Answers without the upstream: headers and status in one. */
function answer(down: ServerHttp2Stream, code: number, message: string, more: OutgoingHttpHeaders = {}): void {
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
const percentEncoded = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^ -$&-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

/** What a call costs, from the bytes of its answer. */
class Measure {
  readonly #now: () => number
  readonly #scan: ScanCount
  readonly #scanner: MessageScanner
  readonly #kept: Buffer[] | undefined
  #started: number | undefined
  #counts = true

  constructor(method: string, now: () => number) {
    this.#now = now
    this.#scan = ScanCount.of(method)
    this.#kept = method === 'Auth/Authenticate' ? [] : undefined
    this.#scanner = new MessageScanner({
      onHead: (compressed, length) => {
        // Of a compressed answer only the size is known.
        if (compressed || (this.#kept !== undefined && length > MOST_TOKEN_BYTES)) this.#counts = false
      },
      onPiece: (piece) => {
        if (!this.#counts) return
        this.#scan.push(piece)
        this.#kept?.push(piece)
      },
    })
  }

  start(): void {
    this.#started = this.#now()
  }

  push(chunk: Buffer): void {
    this.#scanner.push(chunk)
  }

  get token(): string | undefined {
    if (this.#kept === undefined || !this.#counts) return undefined
    try {
      return readToken(Buffer.concat(this.#kept))
    } catch {
      return undefined
    }
  }

  observed(status: string) {
    const ok = status === OK
    return {
      ok,
      scannedKeys: ok && this.#counts ? this.#scan.keys : undefined,
      responseBytes: this.#scanner.bytes,
      latencyMs: this.#started === undefined ? undefined : this.#now() - this.#started,
    }
  }
}

/** Fields of a connection, which HTTP/2 has not, and those that name the other side. */
const OWN_FIELDS: ReadonlySet<string> = new Set([':status', 'connection', 'host'])

function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const fields: OutgoingHttpHeaders = {}
  for (const name of Object.keys(headers)) if (!OWN_FIELDS.has(name)) fields[name] = headers[name]
  return fields
}

/** One call in both directions. */
class Call {
  readonly down: ServerHttp2Stream
  readonly headers: IncomingHttpHeaders
  /** Called once, with the status of gRPC; empty where there was none. */
  onEnd: (status: string) => void = () => undefined
  onOk: () => void = () => undefined
  readonly #open: ExchangeSurroundings['open']
  #up: ClientHttp2Stream | undefined
  #trailers: IncomingHttpHeaders | undefined
  #over = false

  constructor(down: ServerHttp2Stream, headers: IncomingHttpHeaders, { open }: ExchangeSurroundings) {
    this.down = down
    this.headers = headers
    this.#open = open
    // What a reset says is told by `close`, which follows.
    down.on('error', () => undefined)
    down.once('close', () => {
      const up = this.#up
      if (up !== undefined && !up.closed) up.close(this.#over ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_CANCEL)
      this.#finish('')
    })
  }

  /** Begins the call upstream; `first` is what was read of it already. */
  forward(first: readonly Buffer[], measure?: Measure): void {
    void this.#begin(first, measure)
  }

  async #begin(first: readonly Buffer[], measure: Measure | undefined): Promise<void> {
    const { down } = this
    let up: ClientHttp2Stream
    try {
      up = await this.#open(passedOn(this.headers))
    } catch (error) {
      if (down.destroyed) return
      this.#finish(String(UNAVAILABLE))
      answer(down, UNAVAILABLE, `etcd cannot be reached: ${messageOf(error)}.`)
      return
    }
    if (down.destroyed) return up.close(constants.NGHTTP2_CANCEL)
    this.#up = up
    this.#answers(up, measure)
    for (const chunk of first) up.write(chunk)
    if (down.readableEnded) up.end()
    else pump(down, up)
  }

  #answers(up: ClientHttp2Stream, measure: Measure | undefined): void {
    const { down } = this
    up.on('error', () => undefined)
    up.once('response', (headers, flags) => {
      if (down.destroyed) return
      const fields: OutgoingHttpHeaders = { ...passedOn(headers), ':status': headers[':status'] }
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) {
        this.#status(headers)
        down.respond(fields, { endStream: true })
        down.resume()
        return
      }
      down.respond(fields, { waitForTrailers: true })
      down.once('wantTrailers', () => this.#sendTrailers())
      pump(up, down, measure && ((chunk) => measure.push(chunk)))
    })
    up.once('trailers', (trailers) => {
      this.#trailers = trailers
    })
    // Trailers may overtake what is not read yet, and the answer is measured to its end.
    up.once('end', () => {
      if (this.#trailers !== undefined) this.#status(this.#trailers)
    })
    up.once('close', () => {
      if (down.destroyed || this.#over) return
      // The upstream gave the call up, or its connection is lost.
      if (up.rstCode !== constants.NGHTTP2_NO_ERROR && up.session?.destroyed === false) down.close(up.rstCode)
      else if (down.headersSent) down.end()
      else {
        this.#finish(String(UNAVAILABLE))
        answer(down, UNAVAILABLE, 'The connection to etcd was lost.')
      }
    })
  }

  #sendTrailers(): void {
    if (this.down.destroyed) return
    this.down.sendTrailers(
      (this.#trailers && passedOn(this.#trailers)) ?? {
        'grpc-status': String(UNAVAILABLE),
        'grpc-message': 'The connection to etcd was lost.',
      },
    )
    // The client has its answer; what it still sends goes nowhere.
    this.down.resume()
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

/** Passes bytes on as fast as the slower side takes them; nothing more than the windows of HTTP/2 is held. */
function pump(from: Readable, to: Writable, onChunk?: (chunk: Buffer) => void): void {
  from.on('data', (chunk: Buffer) => {
    onChunk?.(chunk)
    if (to.writable && !to.write(chunk)) from.pause()
  })
  to.on('drain', () => from.resume())
  from.once('end', () => to.end())
  from.resume()
}
