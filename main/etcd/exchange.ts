import { ProblemError } from '../../core/errors.ts'
import { rejectionOf } from '../../core/qos/explain.ts'
import { METHODS, shortMethod, UNLIMITED_METHODS } from '../../core/qos/operations.ts'
import type { QosRequest } from '../../core/qos/request.ts'
import type { Settled } from '../../core/qos/seen.ts'
import { answer, Call, type CallCount, type CallObserver, type Connect, COUNTED_SERVICE, type Intake } from './call.ts'
import type { Callers, Peer } from './callers.ts'
import type { Admission, AdmissionGate } from './admissionGate.ts'
import { type CallerStream, type Headers, type RawHeaders, USE_HTTP_1 } from './http2.ts'
import { Measure, OK } from './measure.ts'
import { FirstMessage } from './messages.ts'
import { MOST_READ_BYTES, readRequest } from './requests.ts'
import type { Upstream } from './upstream.ts'
import type { Unfinished, Visit } from './visits.ts'

export interface ExchangeSurroundings {
  readonly gate: AdmissionGate
  readonly callers: Callers
  /** The other end of the connection. */
  readonly peer: Peer
  readonly upstream: Upstream
  readonly connect: Connect
  readonly host: Visit
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly meter?: CallMeter
  readonly calls?: CallCount
}

/** Counts calls. */
export interface CallMeter {
  /** A request that could not be read in full passed without a rule, or was rejected (QoS specification 10). */
  unread(verdict: 'passed' | 'limited'): void
  /** A watch stream was opened or closed. */
  watch(change: 1 | -1): void
  /** A call that was sent to etcd has ended; `status` is the gRPC status number, or empty. */
  ended(method: string, status: string, latencyMs: number): void
  /** How long the proxy took to read a request and to decide. */
  overhead(ms: number): void
}

/** gRPC code of a request that cannot be read in full. */
const INVALID_ARGUMENT = 3
const COUNTED = `${COUNTED_SERVICE}/`
const inspected: ReadonlySet<string> = new Set(METHODS.filter((method) => !UNLIMITED_METHODS.has(method)))
/** Inspected methods whose response has more than one message. */
const STREAMED: ReadonlySet<string> = new Set(['Maintenance/Snapshot', 'Election/Observe'])

/**
 * Forwards one call, byte by byte. For methods that rules cover, the first message is read before anything goes
 * upstream; for all others, unknown ones included, nothing is read. `raw`: names and values of the headers in turns.
 */
export function exchange(down: CallerStream, headers: Headers, raw: RawHeaders, around: ExchangeSurroundings): void {
  // The JSON gateway and its rules are reached over HTTP/1.1 alone, and so is everything but gRPC of an etcd without TLS.
  if (!isGrpc(raw) && (headers[':method'] === 'POST' || !around.upstream.url.startsWith('https')))
    return down.reset(USE_HTTP_1)
  const method = shortMethod(headers[':path'] ?? '')
  const call = new Call(down, raw, around, method.startsWith(COUNTED) ? around.calls : undefined)
  if (down.gone) return
  if (inspected.has(method)) new Gathering(call, { method, headers }, around).begin()
  else call.forward({ first: [] })
  if (method === 'Watch/Watch' && around.meter !== undefined) {
    const { meter } = around
    meter.watch(1)
    call.observer = { ended: () => meter.watch(-1) }
  }
}

/** As etcd decides it, by the first field of that name. */
function isGrpc(raw: RawHeaders): boolean {
  for (let index = 0; index < raw.length; index += 2)
    if (raw[index] === 'content-type') return raw[index + 1]?.includes('application/grpc') === true
  return false
}

interface Head {
  readonly method: string
  readonly headers: Headers
}

/** Collects the first message, then requests a decision. */
class Gathering implements Intake, Unfinished {
  readonly #call: Call
  readonly #head: Head
  readonly #around: ExchangeSurroundings
  readonly #first = new FirstMessage(MOST_READ_BYTES)
  #decided = false

  constructor(call: Call, head: Head, around: ExchangeSurroundings) {
    this.#call = call
    this.#head = head
    this.#around = around
  }

  begin(): void {
    this.#around.host.visits.begin(this)
    this.#call.read(this)
  }

  tooLate(): void {
    this.#decided = true
    this.#call.tooLate()
  }

  gone(): void {
    this.#around.host.visits.finish(this)
  }

  push(chunk: Buffer): void {
    // After a whole request nothing more is forwarded, so its stream may flow.
    if (!this.#decided && this.#first.push(chunk)) this.end()
  }

  end(): void {
    if (this.#decided) return
    this.#decided = true
    this.#around.host.visits.finish(this)
    const first = this.#first
    // The client may send more than is collected.
    if (!first.whole) this.#call.pause()
    try {
      admit(this.#call, this.#head, first, this.#around)
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      this.#unread(error.message)
    }
  }

  /** No rule is evaded by a request that cannot be read; it passes only if none could apply. */
  #unread(why: string): void {
    const { gate, meter } = this.#around
    if (!gate.limits) {
      meter?.unread('passed')
      return this.#call.forward({ first: this.#first.chunks })
    }
    meter?.unread('limited')
    answer(this.#call.down, INVALID_ARGUMENT, why)
  }
}

/** Lets a request in as the rules decide, now or later. Throws `ProblemError` for one that cannot be read in full. */
function admit(call: Call, { method, headers }: Head, first: FirstMessage, around: ExchangeSurroundings): void {
  const { callers, peer, now, meter } = around
  const began = now()
  const attempts = Number(headers['grpc-previous-rpc-attempts'])
  const request: QosRequest = {
    method,
    ...readRequest(method, first, headers['grpc-encoding']?.toString()),
    user: callers.userOf(headers, peer),
    clientIP: peer.clientIP,
    ...(Number.isSafeInteger(attempts) && attempts > 0 && { previousAttempts: attempts }),
  }
  new Inspected(call, request, first, around).arrive()
  meter?.overhead(now() - began)
}

/**
 * A call that rules decide about. Its end is reported to an object instead of a function: V8 keeps a function that is
 * assigned to a property, and everything reachable from it, until the next full collection.
 */
class Inspected implements CallObserver {
  readonly #call: Call
  readonly #request: QosRequest
  readonly #first: FirstMessage
  readonly #around: ExchangeSurroundings
  readonly #measure: Measure
  #admission: Admission | undefined
  #ended: string | undefined

  constructor(call: Call, request: QosRequest, first: FirstMessage, around: ExchangeSurroundings) {
    this.#call = call
    this.#request = request
    this.#first = first
    this.#around = around
    this.#measure = new Measure(request.method, around.now)
  }

  arrive(): void {
    this.#call.observer = this
    this.#admission = this.#around.gate.arrive(this.#request, (decision) => this.#decided(decision))
    if (this.#ended !== undefined) this.#admission.end(this.#measure.observed(this.#ended))
  }

  ended(status: string): void {
    this.#ended = status
    const observed = this.#measure.observed(status)
    if (status === OK && this.#request.method === 'Auth/Authenticate') this.#learn()
    if (observed.latencyMs !== undefined) this.#around.meter?.ended(this.#request.method, status, observed.latencyMs)
    this.#admission?.end(observed)
  }

  #decided(decision: Settled | undefined): void {
    const { down } = this.#call
    if (down.gone) return
    if (decision?.verdict === 'limited') {
      this.#call.observer = undefined
      return reject(down, decision, this.#around.gate)
    }
    this.#measure.start()
    this.#call.forward({
      first: this.#first.chunks,
      whole: this.#first.whole,
      measure: this.#measure,
      unary: !STREAMED.has(this.#request.method),
    })
  }

  #learn(): void {
    const { token } = this.#measure
    if (token !== undefined) this.#around.callers.learn(token, this.#request.name ?? '')
  }
}

function reject(
  down: CallerStream,
  decision: Extract<Settled, { verdict: 'limited' }>,
  { configuration }: AdmissionGate,
): void {
  const { code, message, trailers } = rejectionOf(decision, configuration.settings)
  answer(down, code, message, trailers)
}
