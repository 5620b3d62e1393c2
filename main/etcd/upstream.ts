import { ProblemError } from '../../core/errors.ts'
import { networkProblem } from '../cluster/httpProblems.ts'
import type { Connect } from './call.ts'
import { CANCEL, connectTo, type ResponseEvents, STREAM_WINDOW_BYTES, type UpstreamSession } from './http2.ts'
import { framed, FirstMessage } from './messages.ts'

export interface Upstream {
  /** `http://127.0.0.1:2379`. */
  readonly url: string
  /** PEM texts: the CA of the certificate of etcd, and the client certificate and key of the proxy. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
}

/** Window of a connection, megabytes: thousands of watches may share one. */
export const SESSION_MEGABYTES = 256
const SESSION = {
  windowBytes: 16 * STREAM_WINDOW_BYTES,
  maxSessionMemory: SESSION_MEGABYTES,
  peerMaxConcurrentStreams: 2 ** 31 - 1,
  settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
  // gRPC metadata of any name may be repeated.
  strictSingleValueFields: false,
}

type Use = Parameters<Connect>[0]

/**
 * A connection to etcd that is opened on demand, and reopened after it was lost or received a GOAWAY; calls in progress
 * on a connection that goes away end there. `found` tells whether a new one found a member at the address.
 */
export class UpstreamConnection {
  readonly #upstream: Upstream
  readonly #found: (there: boolean) => void
  #session: UpstreamSession | undefined
  /** Calls that wait until the session stands. */
  #waiting: Use[] | undefined
  /** Since it was last opened. */
  #used = false
  #closed = false

  constructor(upstream: Upstream, found: (there: boolean) => void = () => undefined) {
    this.#upstream = upstream
    this.#found = found
  }

  /** Passes the connection, immediately if there is one; else, once it stands, or a `ProblemError` with the reason. */
  readonly use: Connect = (use) => {
    if (this.#closed) return use(new ProblemError('unreachable', 'The connection to etcd is closed.'))
    if (this.#session === undefined || this.#session.gone) this.#connect()
    this.#used = true
    if (this.#waiting !== undefined) this.#waiting.push(use)
    else if (this.#session !== undefined) use(this.#session)
  }

  close(): void {
    this.#closed = true
    this.#session?.destroy()
  }

  #connect(): void {
    const { url, tls } = this.#upstream
    const waiting: Use[] = []
    let stood = false
    this.#used = false
    const leave = (): void => {
      if (this.#session !== session) return
      this.#session = undefined
      this.#waiting = undefined
      // Whether the member is gone is known before the next call.
      if (stood && this.#used && !this.#closed) this.#connect()
    }
    const session = connectTo(
      url,
      { ...SESSION, tls: tls ?? {} },
      {
        ready: () => {
          stood = true
          this.#found(true)
          if (this.#session === session) this.#waiting = undefined
          for (const use of waiting.splice(0)) use(session)
        },
        // Calls that were let in end on this connection; new ones use a new connection.
        leaving: leave,
        closed: (error, secured) => {
          leave()
          if (stood) return
          const problem = unreachable(this.#upstream, error, secured)
          if (!this.#closed) this.#found(secured || problem.problem.code !== 'unreachable')
          for (const use of waiting.splice(0)) use(problem)
        },
      },
    )
    this.#session = session
    this.#waiting = waiting
  }
}

const NO_CERTIFICATE =
  'If etcd requires client certificates, start the proxy with --client-certificate and --client-key, which need --client-ca as well.'
const WRONG_CERTIFICATE =
  "Check that the authority of etcd's --trusted-ca-file signed the certificate of --client-certificate, and that it is still valid."

/** Why etcd cannot be reached, and how to mend it. */
function unreachable(
  { url, tls }: Upstream,
  error: Error & { readonly code?: string },
  secured: boolean,
): ProblemError {
  const advice = tls?.cert === undefined ? NO_CERTIFICATE : WRONG_CERTIFICATE
  const { code, message, details } = networkProblem(error, new URL(url), { ifRefused: advice })
  // A server may close the connection instead of saying what it misses.
  const closed = secured && error.code === 'ECONNRESET'
  return new ProblemError(code, closed ? `${message} ${advice}` : message, details)
}

const MOST_ANSWER_BYTES = 1024 * 1024
const CALL_MS = 5_000

/** A unary call of the proxy itself, from payload to payload. Rejects with `ProblemError` for any status but OK. */
export const callUnary = (connection: UpstreamConnection, path: string): Promise<Buffer> =>
  new Promise((resolve, reject) => connection.use((session) => new OwnCall(path, resolve, reject).begin(session)))

class OwnCall implements ResponseEvents {
  readonly #path: string
  readonly #resolve: (payload: Buffer) => void
  readonly #reject: (error: Error) => void
  readonly #first = new FirstMessage(MOST_ANSWER_BYTES)
  #timer: NodeJS.Timeout | undefined

  constructor(path: string, resolve: (payload: Buffer) => void, reject: (error: Error) => void) {
    this.#path = path
    this.#resolve = resolve
    this.#reject = reject
  }

  begin(session: UpstreamSession | Error): void {
    if (session instanceof Error) return this.#reject(session)
    const head = [':method', 'POST', ':path', this.#path, 'content-type', 'application/grpc', 'te', 'trailers']
    const stream = session.request(head, this)
    if (stream === undefined) return this.#reject(new ProblemError('unreachable', 'The connection to etcd was closed.'))
    this.#timer = setTimeout(() => stream.reset(CANCEL), CALL_MS)
    stream.end(framed(new Uint8Array()))
  }

  chunk(chunk: Buffer): void {
    if (!this.#first.push(chunk)) return
    const message = this.#first.read()
    if (message !== undefined) this.#resolve(message.payload)
  }

  responseClosed(): void {
    clearTimeout(this.#timer)
    this.#reject(new ProblemError('unreachable', `${this.#path} was not answered.`))
  }

  head(): void {}
  trailed(): void {}
  responded(): void {}
  requestDrained(): void {}
}
