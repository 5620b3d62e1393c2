import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ConnectionLimits, listenOnLoopback, LOOPBACK } from '../listen/connections.ts'
import type { SimulatedApiServer } from '../ports/source.ts'
import { answerTo, failure, listedKind, type HttpAnswer, objectsByName, type Plural } from './answers.ts'

const LIMITS: ConnectionLimits = {
  new: { most: 32, ms: 10_000 },
  // Watches last as long as their clients want.
  busy: { most: 32, ms: Number.POSITIVE_INFINITY },
  idle: { most: 32, ms: 120_000 },
}

export interface SimulatedHttpServer {
  /** Where the API begins: `http://127.0.0.1:port`. */
  readonly url: string
  close(): Promise<void>
}

export interface SimulatedHttpOptions {
  readonly server: SimulatedApiServer
  /** 0 takes a free one. */
  readonly port?: number
}

/**
 * Lets the simulated server answer over HTTP, on loopback and only to be read: metrics, debug dumps, version and the
 * flow-control objects, which can be watched. A page that a foreign name brought here (DNS rebinding) is refused by its Host. Throws what
 * `listen` throws when the port is taken.
 */
export async function startSimulatedHttpServer({
  server,
  port = 0,
}: SimulatedHttpOptions): Promise<SimulatedHttpServer> {
  const listener = await listenOnLoopback(port, LIMITS)
  const host = `${LOOPBACK}:${listener.port}`

  const answer = async (request: IncomingMessage): Promise<HttpAnswer> => {
    if (request.headers.host !== host) return failure(421, 'BadRequest', `this server answers only as ${host}`)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return failure(405, 'MethodNotAllowed', 'the simulated server is only to be read')
    }
    const url = URL.parse(request.url ?? '/', `http://${host}`)
    if (url === null) return failure(400, 'BadRequest', 'the address cannot be read')
    return answerTo(server, url.pathname, url.searchParams)
  }
  listener.server.on('request', (request, response) => {
    if (request.headers.host === host && !listener.room.admit(request, response)) {
      return send(response, failure(429, 'TooManyRequests', 'too many requests at once'), false)
    }
    if (watches(server, request, response, host)) return
    answer(request).then(
      (given) => send(response, given, request.method === 'HEAD'),
      (error: unknown) => send(response, failure(500, 'InternalError', String(error)), false),
    )
  })
  return {
    url: `http://${host}`,
    close: () => listener.close(),
  }
}

/** Keeps a watch of objects open until its reader goes; `false` when it is another request. */
function watches(
  server: SimulatedApiServer,
  request: IncomingMessage,
  response: ServerResponse,
  host: string,
): boolean {
  const url = URL.parse(request.url ?? '/', `http://${host}`)
  const wanted = /^(?:true|1)$/.test(url?.searchParams.get('watch') ?? '')
  const kind = url === null || !wanted ? undefined : listedKind(url.pathname)
  if (url === null || kind === undefined || request.method !== 'GET' || request.headers.host !== host) return false
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.flushHeaders()
  const tell = (event: object): void => void response.write(`${JSON.stringify(event)}\n`)
  watchKind(server, kind, url.searchParams.get('resourceVersion'), tell, gone.signal)
  return true
}

function send(response: ServerResponse, { status, contentType, body }: HttpAnswer, headOnly: boolean): void {
  const bytes = Buffer.from(body)
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': bytes.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  response.end(headOnly ? undefined : bytes)
}

/**
 * Tells what changes of one kind from now on, as events of a watch. From another version than the present one a watch
 * cannot begin: as on a server that has forgotten it, the list is to be read anew (410).
 */
function watchKind(
  server: SimulatedApiServer,
  plural: Plural,
  resourceVersion: string | null,
  tell: (event: object) => void,
  signal: AbortSignal,
): void {
  if (resourceVersion !== null && resourceVersion !== server.objects.resourceVersion) {
    tell({
      type: 'ERROR',
      object: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 },
    })
    return
  }
  let known = objectsByName(server, plural)
  const compare = (): void => {
    const now = objectsByName(server, plural)
    for (const [name, object] of now) {
      const before = known.get(name)
      if (before === undefined) tell({ type: 'ADDED', object })
      else if (before.metadata.resourceVersion !== object.metadata.resourceVersion) tell({ type: 'MODIFIED', object })
    }
    for (const [name, object] of known) {
      if (!now.has(name)) {
        const metadata = { ...object.metadata, resourceVersion: server.objects.resourceVersion }
        tell({ type: 'DELETED', object: { ...object, metadata } })
      }
    }
    known = now
    // What changed of the other kind counts too: the version is one for both.
    tell({ type: 'BOOKMARK', object: { metadata: { resourceVersion: server.objects.resourceVersion } } })
  }
  server.onObjects(compare, signal)
}
