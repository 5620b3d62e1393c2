import { API_VERSION } from '../../core/config/content.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { objectNamed, type FlowSchema, type PriorityLevelConfiguration } from '../../core/config/objects.ts'
import { dumpPriorityLevels, dumpQueues, dumpRequests } from '../../core/engine/dump.ts'
import { parseKubernetesVersion } from '../../core/metrics/versions.ts'
import { NS_PER_MS } from '../../core/units.ts'
import { type ConnectionLimits, listenOnLoopback } from '../listen/connections.ts'
import { LOOPBACK } from '../../core/live/proxyReach.ts'
import type { SimulatedApiServer } from '../ports/source.ts'
import { metricsPage } from './metricsPage.ts'

const LIMITS: ConnectionLimits = {
  new: { most: 32, ms: 10_000 },
  // Watches last as long as their clients keep them open.
  busy: { most: 32, ms: Number.POSITIVE_INFINITY },
  idle: { most: 32, ms: 120_000 },
}

export interface SimulatedHttpServer {
  /** Base URL of the API: `http://127.0.0.1:port`. */
  readonly url: string
  close(): Promise<void>
}

export interface SimulatedHttpOptions {
  readonly server: SimulatedApiServer
  /** 0 chooses a free one. */
  readonly port?: number
}

/**
 * Serves the simulated server over HTTP, on loopback and read-only: metrics, debug dumps, version and the flow-control
 * objects, which can be watched. Requests under a foreign host name (DNS rebinding) are rejected by their Host header.
 * Throws what `listen` throws when the port is in use.
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
      return failure(405, 'MethodNotAllowed', 'the simulated server is read-only')
    }
    const url = URL.parse(request.url ?? '/', `http://${host}`)
    if (url === null) return failure(400, 'BadRequest', 'the address cannot be parsed')
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

/** Keeps a watch of objects open until its reader disconnects; `false` when it is another request. */
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
 * Sends the changes of one kind from now on, as events of a watch. A watch can begin only at the present version: for
 * any other, as on a server that no longer has it, the list must be read anew (410).
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

interface HttpAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

const KINDS = {
  flowschemas: 'FlowSchema',
  prioritylevelconfigurations: 'PriorityLevelConfiguration',
} as const
type Plural = keyof typeof KINDS
const isPlural = (text: string): text is Plural => Object.hasOwn(KINDS, text)

const text = (body: string): HttpAnswer => ({ status: 200, contentType: 'text/plain; charset=utf-8', body })
const json = (value: unknown, status = 200): HttpAnswer => ({
  status,
  contentType: 'application/json',
  body: `${JSON.stringify(value, undefined, 2)}\n`,
})

/** The simulated server's answer to a GET; for an unknown path it is a Status of 404, as on a real one. */
async function answerTo(server: SimulatedApiServer, path: string, query: URLSearchParams): Promise<HttpAnswer> {
  switch (path) {
    case '/metrics':
      return { status: 200, ...(await metricsPage(server)) }
    case '/version':
      return json(versionOf(server))
    case '/debug/api_priority_and_fairness/dump_priority_levels':
      return text(dumpPriorityLevels(server.engine.dump().levels))
    case '/debug/api_priority_and_fairness/dump_queues':
      return text(dumpQueues(server.engine.dump().queues))
    case '/debug/api_priority_and_fairness/dump_requests':
      return text(requestsText(server, (query.get('includeRequestDetails') ?? '') !== ''))
    default:
      return objectAnswer(server, path) ?? failure(404, 'NotFound', 'the server could not find the requested resource')
  }
}

function versionOf({ version }: SimulatedApiServer) {
  const parsed = parseKubernetesVersion(version)
  return { major: String(parsed?.major ?? ''), minor: String(parsed?.minor ?? ''), gitVersion: version }
}

const requestsText = ({ engine, startUnixMs }: SimulatedApiServer, details: boolean): string =>
  dumpRequests(engine.dump().requests, {
    describe: ({ lane, flow, payload }) => ({
      flowSchema: lane.schema,
      distinguisher: flow?.distinguisher ?? '',
      user: payload.user.name,
      info: payload.info,
    }),
    startUnixNs: BigInt(Math.round(startUnixMs)) * BigInt(NS_PER_MS),
    details,
  })

/** Lists and single objects of the two flow-control kinds; `undefined` for any other address. */
function objectAnswer(server: SimulatedApiServer, path: string): HttpAnswer | undefined {
  const [prefix, plural = '', name, ...more] = splitObjectPath(path)
  if (prefix === undefined || !isPlural(plural) || more.length > 0) return undefined
  const objects = objectsOf(server, plural)
  if (name === undefined) {
    return json({
      kind: `${KINDS[plural]}List`,
      apiVersion: API_VERSION,
      metadata: { resourceVersion: server.objects.resourceVersion },
      items: objects,
    })
  }
  const found = objectNamed(objects, name)
  if (found !== undefined) return json({ kind: KINDS[plural], apiVersion: API_VERSION, ...found })
  return failure(404, 'NotFound', `${plural}.flowcontrol.apiserver.k8s.io "${name}" not found`)
}

function splitObjectPath(path: string): readonly (string | undefined)[] {
  const prefix = `/apis/${API_VERSION}/`
  return path.startsWith(prefix) ? [prefix, ...path.slice(prefix.length).split('/')] : []
}

function objectsOf({ objects, startUnixMs }: SimulatedApiServer, plural: Plural) {
  const held: readonly (FlowSchema | PriorityLevelConfiguration)[] =
    plural === 'flowschemas' ? objects.objects.schemas : objects.objects.levels
  const creationTimestamp = new Date(startUnixMs).toISOString().replace(/\.\d+Z$/, 'Z')
  return held.map((object) => ({ ...object, metadata: { creationTimestamp, ...object.metadata } }))
}

function listedKind(path: string): Plural | undefined {
  const [prefix, plural = '', ...more] = splitObjectPath(path)
  return prefix !== undefined && isPlural(plural) && more.length === 0 ? plural : undefined
}

/** All objects of a kind, each complete, by name. */
function objectsByName(server: SimulatedApiServer, plural: Plural) {
  const typed = objectsOf(server, plural).map((object) => ({
    kind: KINDS[plural],
    apiVersion: API_VERSION,
    ...object,
  }))
  return new Map(typed.map((object) => [object.metadata.name, object]))
}

/** A failure in the format of the API. */
const failure = (code: number, reason: string, message: string): HttpAnswer =>
  json({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code }, code)
