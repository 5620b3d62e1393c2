import { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { toProblem } from '../../core/errors.ts'
import { shownTarget } from '../../core/live/shownTarget.ts'
import type { LiveCall, LiveRun, Verdict } from '../live/liveRun.ts'
import { answerSocket, answerWhole, engineAnswer, refusalAnswer, type Refusal } from './answers.ts'
import { exchange, isGone, type AnyRequest, type AnyResponse } from './exchange.ts'
import type { Guard } from './guard.ts'
import { endToEnd, withoutWebSocketToken, type RawHeaders } from './headers.ts'
import type { Caller, Identify } from './identity.ts'
import { CLIENT_LIMITS, closable, keepProxyRoom, type ClientLimits, type ProxyListener } from './listen.ts'
import { cannotPass } from './passable.ts'
import { upgrade } from './upgrade.ts'
import type { Upstream } from './upstream.ts'
import { watchStartOf, whenInitialised } from './watchStart.ts'
import { networkProblem } from '../cluster/httpProblems.ts'

export interface ProxyOptions {
  readonly run: Pick<LiveRun, 'arrive'>
  readonly upstream: Upstream
  readonly identify: Identify
  readonly guard: Guard
  /** Defaults to `CLIENT_LIMITS`. */
  readonly limits?: ClientLimits
  /** The schema and level that the server used according to its own headers, as names. */
  readonly serverSays: (answer: IncomingMessage) => ServerSays
}
type ServerSays = Parameters<LiveCall['finished']>[1]

type KnownCaller = Extract<Caller, { kind: 'known' }>

/**
 * Turns a listener into a reverse proxy that delays, forwards or rejects each request as the engine decides. Returns a
 * function that ends it, with every connection.
 */
export function serveProxy(listener: ProxyListener, options: ProxyOptions): () => Promise<void> {
  const room = keepProxyRoom(listener, options.limits ?? CLIENT_LIMITS)
  const begin = (request: AnyRequest, response: AnyResponse): void => {
    const refuse = (refusal: Refusal): void => answerWhole(request, response, refusalAnswer(request, refusal))
    admit(options, request, refuse, (caller) => {
      if (isGone(response)) return
      // Streams of HTTP/2 share their connection.
      if (response instanceof ServerResponse && request instanceof IncomingMessage) room.admit(request, response)
      else room.release(request.socket)
      serve(options, request, response, caller)
    })
  }
  const handle = (request: AnyRequest, response: AnyResponse): void => {
    // A request that arrived before its predecessor was answered waits for its turn, as at the server.
    if (response instanceof ServerResponse && response.socket === null)
      response.once('socket', () => begin(request, response))
    else begin(request, response)
  }
  listener.on('request', handle)
  // The client waits until its body is requested: until the upstream requests it.
  listener.on('checkContinue', handle)
  listener.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const refuse = (refusal: Refusal): void => answerSocket(socket, refusalAnswer(request, refusal))
    admit(options, request, refuse, (caller) => {
      room.release(socket)
      if (socket.readableEnded) socket.destroy()
      else if (!socket.destroyed) serveUpgrade(options, request, socket, head, caller)
    })
  })
  return closable(listener)
}

/** Checks and identifies a request, synchronously where possible: a promise for each request would be costly. */
function admit(
  { guard, identify, upstream }: ProxyOptions,
  request: AnyRequest,
  refuse: (refusal: Refusal) => void,
  then: (caller: KnownCaller) => void,
): void {
  const refusal = guard(request) ?? cannotPass(request)
  if (refusal !== undefined) return refuse(refusal)
  const identified = (caller: Caller): void => (caller.kind === 'refused' ? refuse(caller) : then(caller))
  const current = (): void => {
    const caller = identify(request)
    if (caller instanceof Promise) void caller.then(identified)
    else identified(caller)
  }
  const renewal = upstream.renewal()
  if (renewal === undefined) return current()
  renewal.then(current, (error: unknown) => refuse({ status: 502, sentence: toProblem(error).message }))
}

function upstreamHeaders({ base, headers }: Upstream, request: AnyRequest, caller: KnownCaller): RawHeaders {
  const raw = endToEnd(request.rawHeaders, caller.without)
  for (const added of ['Host', base.host, ...caller.added, ...headers]) raw.push(added)
  return caller.without.has('authorization') ? withoutWebSocketToken(raw) : raw
}

/** Events of a request may occur before `arrive` has returned: then they are reported right after. */
class Telling {
  private call: LiveCall | undefined
  private early: ((call: LiveCall) => void) | undefined

  tell(what: (call: LiveCall) => void): void {
    if (this.call === undefined) this.early = what
    else what(this.call)
  }

  begun(call: LiveCall): void {
    this.call = call
    this.early?.(call)
  }
}

const NO_HEADERS: Readonly<Record<string, string>> = {}

function serve(options: ProxyOptions, request: AnyRequest, response: AnyResponse, caller: KnownCaller): void {
  const { run, upstream, serverSays } = options
  const telling = new Telling()
  let says: ServerSays
  let over = false
  let breakOff: (() => void) | undefined
  const forward = (added: Readonly<Record<string, string>>): void => {
    breakOff = exchange({
      request,
      response,
      upstream,
      headers: upstreamHeaders(upstream, request, caller),
      added: upstream.classifies ? NO_HEADERS : added,
      onHead(answer) {
        if (answer.statusCode === 401) upstream.refused()
        says = serverSays(answer)
        telling.tell((call) => {
          if (call.isWatch) whenInitialised(answer, watchStartOf(request.url ?? '/'), () => call.initialised())
        })
      },
      onEnd(status) {
        over = true
        telling.tell((call) => call.finished(status, says))
      },
      onFailure(error, begun) {
        over = true
        telling.tell((call) => call.abandon('failed'))
        if (!begun) answerWhole(request, response, refusalAnswer(request, badGateway(error, upstream.base)))
      },
    })
  }
  const decide = (verdict: Verdict): void => {
    if (verdict.kind === 'run') return forward(verdict.headers)
    over = true
    answerWhole(request, response, engineAnswer(request, verdict.answer))
  }
  response.on('close', () => {
    if (over) return
    over = true
    breakOff?.()
    telling.tell((call) => call.abandon('cancelled'))
  })
  telling.begun(run.arrive(arrivalOf(request, caller, decide)))
}

function serveUpgrade(
  options: ProxyOptions,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  caller: KnownCaller,
): void {
  const { run, upstream, serverSays } = options
  const telling = new Telling()
  let says: ServerSays
  let breakOff: (() => void) | undefined
  // Until the protocol has changed, a client that closes its sending half has disconnected; afterwards each direction
  // ends by itself.
  const left = (): void => void socket.destroy()
  const decide = (verdict: Verdict): void => {
    if (verdict.kind === 'refuse') return answerSocket(socket, engineAnswer(request, verdict.answer))
    breakOff = upgrade({
      request,
      socket,
      head,
      upstream,
      headers: upstreamHeaders(upstream, request, caller),
      onHead(answer) {
        if (answer.statusCode === 401) upstream.refused()
        if (answer.statusCode === 101) socket.off('end', left)
        says = serverSays(answer)
        // A watch over WebSocket does not mark its initial events in a way that a proxy could parse cheaply.
        telling.tell((call) => call.initialised())
      },
      onEnd: (status) => telling.tell((call) => call.finished(status, says)),
      onFailure(error, begun) {
        telling.tell((call) => call.abandon('failed'))
        if (begun) socket.destroy()
        else answerSocket(socket, refusalAnswer(request, badGateway(error, upstream.base)))
      },
    })
  }
  socket.on('end', left)
  socket.on('close', () => {
    breakOff?.()
    telling.tell((call) => call.abandon('cancelled'))
  })
  telling.begun(run.arrive(arrivalOf(request, caller, decide)))
}

const arrivalOf = (
  request: AnyRequest,
  { user, refusedThere = false }: KnownCaller,
  decide: (verdict: Verdict) => void,
) => ({
  user,
  refusedThere,
  method: request.method ?? 'GET',
  target: shownTarget(request.url ?? '/'),
  address: request.socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, ''),
  bytes: request.rawHeaders.reduce((sum, text) => sum + text.length, request.url?.length ?? 0),
  decide,
})

/** The proxy's response when the upstream could not be reached, or broke off before its response. */
export function badGateway(error: Error, base: URL): Refusal {
  const { message, details = '' } = networkProblem(error, base)
  // A sentence that refers to the details for the reason includes them: the response has no separate details.
  const sentence =
    details === '' ? message : message.replace(/(details show the cause)\.$/, (_, words) => `${words}: ${details}.`)
  return { status: 502, sentence }
}
