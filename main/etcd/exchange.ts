import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { rejectionOf } from '../../core/qos/explain.ts'
import { METHODS, shortMethod, UNLIMITED_METHODS } from '../../core/qos/operations.ts'
import type { QosRequest } from '../../core/qos/request.ts'
import type { Settled } from '../../core/qos/traffic.ts'
import { answer, Call, isOver, type OpenCall } from './call.ts'
import type { Callers, Peer } from './callers.ts'
import type { Admission, Door } from './door.ts'
import { Measure } from './measure.ts'
import { FirstMessage } from './messages.ts'
import { MOST_READ_BYTES, readRequest } from './requests.ts'

export interface ExchangeSurroundings {
  readonly door: Door
  readonly callers: Callers
  /** Who the connection is from. */
  readonly peer: Peer
  readonly open: OpenCall
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
/** Of those, the ones with more than one message in an answer. */
const STREAMED: ReadonlySet<string> = new Set(['Maintenance/Snapshot', 'Election/Observe'])

/**
 * Passes one call on, byte by byte. Of methods that rules are about, the first message is read before anything goes upstream;
 * of all others, unknown ones too, nothing is. `raw`: names and values of the headers in turns.
 */
export function exchange(
  down: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  raw: readonly string[],
  around: ExchangeSurroundings,
): void {
  const method = shortMethod(headers[':path'] ?? '')
  const call = new Call(down, raw, around.open)
  if (inspected.has(method)) inspect(call, { method, headers }, around)
  else call.forward({ first: [] })
  if (method === 'Watch/Watch' && around.meter !== undefined) {
    const { meter } = around
    meter.watch(1)
    down.once('close', () => meter.watch(-1))
  }
}

interface Head {
  readonly method: string
  readonly headers: IncomingHttpHeaders
}

function inspect(call: Call, { method, headers }: Head, around: ExchangeSurroundings): void {
  const { down } = call
  const first = new FirstMessage(MOST_READ_BYTES)
  let gathering = true
  const decide = (): void => {
    gathering = false
    // The client may go on sending what is not gathered.
    if (!first.whole) down.pause()
    if (!admit(call, { method, headers }, first, around)) {
      around.meter?.unread()
      call.forward({ first: first.chunks })
    }
  }
  // Of a whole request nothing more is passed on, so that its stream may flow: taking listeners away costs more.
  down.on('data', (chunk: Buffer) => {
    if (gathering && first.push(chunk)) decide()
  })
  down.on('end', () => {
    if (gathering) decide()
  })
}

/** Lets a request in as the rules decide, now or later; `false` for one that cannot be read. */
function admit(
  call: Call,
  { method, headers }: Head,
  first: FirstMessage,
  { door, callers, peer, now, meter }: ExchangeSurroundings,
): boolean {
  const began = now()
  const { down } = call
  const message = first.read()
  const read = message && readRequest(method, message, headers['grpc-encoding']?.toString())
  if (message === undefined || read === undefined) return false
  const attempts = Number(headers['grpc-previous-rpc-attempts'])
  const request: QosRequest = {
    method,
    ...read,
    user: callers.userOf(headers, peer),
    clientIP: peer.clientIP,
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
    if (isOver(down)) return
    if (decision?.verdict === 'limited') {
      call.onEnd = () => undefined
      return reject(down, decision, door)
    }
    measure.start()
    if (method === 'Auth/Authenticate') call.onOk = () => learn(callers, measure, read.name ?? '')
    call.forward({ first: first.chunks, whole: first.whole, measure, unary: !STREAMED.has(method) })
  })
  if (ended !== undefined) admission.end(measure.observed(ended))
  meter?.overhead(now() - began)
  return true
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
