import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  Agent,
} from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { pipeline } from 'node:stream'
import { rejectionOf } from '../../core/qos/explain.ts'
import { UNLIMITED_METHODS } from '../../core/qos/operations.ts'
import type { QosRequest } from '../../core/qos/request.ts'
import type { Settled } from '../../core/qos/seen.ts'
import type { Observed } from '../../core/qos/tracker.ts'
import { messageOf } from '../../core/errors.ts'
import { networkProblem } from '../cluster/httpProblems.ts'
import { createGuard, type Guard } from '../proxy/guard.ts'
import { endToEnd, withLength } from '../proxy/headers.ts'
import { CLIENT_LIMITS } from '../proxy/listen.ts'
import type { OwnNames } from '../proxy/names.ts'
import { openRequest } from '../proxy/upstream.ts'
import { type CallCount, COUNTED_SERVICE } from './call.ts'
import type { Callers, Peer } from './callers.ts'
import type { Admission, AdmissionGate } from './admissionGate.ts'
import type { CallMeter } from './exchange.ts'
import { type GatewayResponse, gatewayMethod, readGatewayRequest, readGatewayResponse } from './gatewayRequests.ts'
import { MOST_READ_BYTES } from './requests.ts'
import type { Upstream } from './upstream.ts'
import type { Unfinished, Visit } from './visits.ts'

/** A longer response is passed on without being counted. */
const MOST_RESPONSE_BYTES = 1024 * 1024
const MOST_SOCKETS = 256
/** A path that every server reads the same way. */
const PLAIN_PATH = /^\/(?:[\w-][\w.-]*\/?)*$/

export interface GatewayOptions {
  readonly upstream: Upstream
  readonly gate: AdmissionGate
  readonly callers: Callers
  readonly now: () => number
  readonly meter?: CallMeter
  readonly calls?: CallCount
  /** The names by which clients address the proxy. */
  readonly names: () => OwnNames
}

/** The connection that a request came on. */
export interface Guest {
  readonly visit: Visit
  readonly peer: Peer
}

/**
 * What etcd serves over HTTP/1.1, and clients of it use: health, metrics, version, and the JSON gateway, whose requests
 * are subject to the rules of the calls that they stand for.
 */
export class Gateway {
  readonly server: Server
  readonly options: GatewayOptions
  readonly upstream: { readonly base: URL; readonly agent: Agent }

  constructor(options: GatewayOptions, guestOf: (request: IncomingMessage) => Guest | undefined) {
    this.options = options
    const { url, tls } = options.upstream
    const pool = { keepAlive: true, maxSockets: MOST_SOCKETS, maxFreeSockets: 8 }
    this.upstream = {
      base: new URL(url),
      agent: url.startsWith('https') ? new TlsAgent({ ...pool, ...tls }) : new Agent(pool),
    }
    const { headerBytes, headersMs, keepAliveMs } = CLIENT_LIMITS
    this.server = createServer({
      maxHeaderSize: headerBytes,
      keepAliveTimeout: keepAliveMs,
      shouldUpgradeCallback: () => false,
    })
    // A head that does not arrive; while a request is under way there is no limit.
    this.server.timeout = headersMs
    let guard: Guard | undefined
    this.server.on('request', (request, response) => {
      guard ??= createGuard({
        names: options.names(),
        shownAs: 'the address that it listens on',
        clients: 'etcdctl, curl or another client',
      })
      const guest = guestOf(request)
      if (guest === undefined) return void request.socket.destroy()
      new GatewayCall(this, guest, request, response).begin(guard)
    })
  }

  close(): void {
    this.upstream.agent.destroy()
  }
}

/** One request and its response. */
class GatewayCall implements Unfinished {
  readonly #gateway: Gateway
  readonly #guest: Guest
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #body: Buffer[] = []
  #held = 0
  #method = ''
  #outgoing: ClientRequest | undefined
  #admission: Admission | undefined
  #name = ''
  #started: number | undefined
  #over: Observed | undefined

  constructor(gateway: Gateway, guest: Guest, request: IncomingMessage, response: ServerResponse) {
    this.#gateway = gateway
    this.#guest = guest
    this.#request = request
    this.#response = response
  }

  begin(guard: Guard): void {
    const request = this.#request
    const { visit } = this.#guest
    request.socket.setTimeout(0)
    request.on('error', () => undefined)
    this.#response.on('error', () => undefined)
    const entered = visit.enter()
    this.#response.on('close', () => {
      visit.visits.finish(this)
      visit.release(this.#held)
      if (entered) visit.leave()
      this.#outgoing?.destroy()
      this.#finish({ status: '', scannedKeys: undefined, token: undefined }, 0)
    })
    if (!entered) return this.#refuse(503, 14, 'The proxy has as many clients and calls as it takes; try again later.')
    const refusal = guard(request)
    if (refusal !== undefined) return this.#refuse(refusal.status, 7, refusal.sentence)
    const [path = ''] = (request.url ?? '').split('?', 1)
    if (!PLAIN_PATH.test(path)) return this.#refuse(400, 3, 'The path must be plain; nothing in it is encoded.')
    const method = request.method === 'POST' ? gatewayMethod(path) : undefined
    if (method === undefined || UNLIMITED_METHODS.has(method)) return this.#forward(undefined)
    this.#method = method
    this.#gather()
  }

  /** Reads the whole of a request. */
  #gather(): void {
    const { visit } = this.#guest
    visit.visits.begin(this)
    this.#request.on('data', (chunk: Buffer) => {
      if (this.#response.headersSent) return
      this.#body.push(chunk)
      if (!visit.hold(chunk.length))
        return this.#refuse(429, 8, 'This connection has more requests under way than the proxy keeps.')
      this.#held += chunk.length
      if (this.#held > MOST_READ_BYTES) this.#refuse(413, 8, 'The request is larger than 8 MiB.')
    })
    this.#request.on('end', () => {
      visit.visits.finish(this)
      if (!this.#response.headersSent) this.#admit(Buffer.concat(this.#body))
    })
  }

  tooLate(): void {
    this.#refuse(408, 4, 'The request did not arrive in time; send it whole.')
  }

  #admit(body: Buffer): void {
    const { gate, callers, now, meter } = this.#gateway.options
    const { peer } = this.#guest
    const { headers } = this.#request
    const began = now()
    let read
    try {
      read = readGatewayRequest(this.#method, body.toString('utf8'))
    } catch (error) {
      return this.#refuse(400, 3, `The request is no JSON of ${this.#method}: ${messageOf(error)}.`)
    }
    // The gateway passes metadata on under these names.
    const token = headers['grpc-metadata-token']
    const authorization = headers.authorization ?? headers['grpc-metadata-authorization']?.toString()
    this.#name = read.name ?? ''
    const request: QosRequest = {
      method: this.#method,
      ...read,
      user: callers.userOf(
        { ...(token !== undefined && { token }), ...(authorization !== undefined && { authorization }) },
        peer,
      ),
      clientIP: peer.clientIP,
      requestBytes: body.length,
    }
    this.#admission = gate.arrive(request, (decision) => this.#decided(decision, body))
    if (this.#over !== undefined) this.#admission.end(this.#over)
    meter?.overhead(now() - began)
  }

  #decided(decision: Settled | undefined, body: Buffer): void {
    if (this.#response.destroyed) return
    if (decision?.verdict !== 'limited') return this.#forward(body)
    const { code, message, trailers } = rejectionOf(decision, this.#gateway.options.gate.configuration.settings)
    // Its end is the decision itself.
    this.#over = { ok: false, scannedKeys: undefined, responseBytes: undefined, latencyMs: undefined }
    for (const name of Object.keys(trailers)) this.#response.setHeader(name, trailers[name] ?? '')
    this.#refuse(429, code, message)
  }

  /** Sends it to etcd, with the body that was read, or as it comes. */
  #forward(body: Buffer | undefined): void {
    const { upstream, options } = this.#gateway
    const request = this.#request
    const method = request.method ?? 'GET'
    const raw = endToEnd(request.rawHeaders)
    this.#started = options.now()
    if (this.#counted !== undefined) this.#counted.begun += 1
    try {
      this.#outgoing = openRequest(
        upstream,
        method,
        request.url ?? '/',
        body === undefined ? raw : withLength(method, raw),
      )
    } catch (error) {
      return this.#failed(error)
    }
    this.#outgoing.on('error', (error) => this.#failed(error))
    this.#outgoing.on('response', (answer) => this.#answer(answer))
    if (body === undefined) pipeline(request, this.#outgoing, () => undefined)
    else this.#outgoing.end(body)
  }

  get #counted(): CallCount | undefined {
    return this.#method.startsWith(`${COUNTED_SERVICE}/`) ? this.#gateway.options.calls : undefined
  }

  #answer(answer: IncomingMessage): void {
    const response = this.#response
    let bytes = 0
    let kept: Buffer[] | undefined = this.#method === '' ? undefined : []
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MOST_RESPONSE_BYTES) kept = undefined
      kept?.push(chunk)
    })
    answer.on('end', () => {
      const ok = answer.statusCode === 200
      this.#finish(kept === undefined ? unread(ok) : this.#read(ok, Buffer.concat(kept).toString('utf8')), bytes)
    })
    try {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders))
    } catch {
      return void response.destroy()
    }
    pipeline(answer, response, () => undefined)
  }

  #read(ok: boolean, body: string): GatewayResponse {
    try {
      return readGatewayResponse(this.#method, ok, body)
    } catch {
      return unread(ok)
    }
  }

  /** The call has ended; later ends of it are none. */
  #finish({ status, scannedKeys, token }: GatewayResponse, responseBytes: number): void {
    const started = this.#started
    if (this.#method === '' || this.#over !== undefined) return
    const { callers, meter, now } = this.#gateway.options
    const latencyMs = started === undefined ? undefined : now() - started
    const ok = status === '0'
    this.#over = { ok, scannedKeys: ok ? scannedKeys : undefined, responseBytes, latencyMs }
    if (started !== undefined && this.#counted !== undefined) this.#counted[status === '' ? 'givenUp' : 'answered'] += 1
    if (token !== undefined && this.#method === 'Auth/Authenticate') callers.learn(token, this.#name)
    if (latencyMs !== undefined) meter?.ended(this.#method, status, latencyMs)
    this.#admission?.end(this.#over)
  }

  #failed(error: unknown): void {
    const { url } = this.#gateway.options.upstream
    const why = error instanceof Error ? networkProblem(error, new URL(url)).message : String(error)
    this.#refuse(503, 14, `etcd cannot be reached: ${why}`)
  }

  /** Answers as the gateway does. */
  #refuse(status: number, code: number, message: string): void {
    const response = this.#response
    if (response.headersSent) return void response.destroy()
    const body = JSON.stringify({ error: message, code, message, details: [] })
    response.writeHead(status, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' }).end(body)
    this.#request.resume()
  }
}

/** A response that was too long to be read, or is no JSON. */
const unread = (ok: boolean): GatewayResponse => ({
  status: ok ? '0' : '',
  scannedKeys: undefined,
  token: undefined,
})
