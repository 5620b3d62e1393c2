import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import https from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Certificate } from './hostileServerCertificates.ts'

/** An HTTP server on loopback whose behaviour can be changed while it runs. */
export interface HostileServer {
  readonly port: number
  /** `https://127.0.0.1:PORT/metrics`, or another path. */
  url(path?: string): string
  /** What it does with each request from now on. */
  behave(behaviour: RequestListener): void
  /** Requests so far, newest last. */
  readonly requests: readonly SeenRequest[]
  /** Breaks all connections and stops listening. */
  close(): Promise<void>
}

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
}

export interface HostileServerOptions {
  readonly tls?: Certificate
  /** Requires client certificates of this authority (PEM). */
  readonly clientCa?: string
  /** A free one by default. */
  readonly port?: number
  readonly behaviour?: RequestListener
}

export async function startHostileServer(options: HostileServerOptions = {}): Promise<HostileServer> {
  let behaviour: RequestListener = options.behaviour ?? answerPage(() => metricsPage({}))
  const requests: SeenRequest[] = []
  const listener: RequestListener = (request, response) => {
    requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers })
    response.on('error', () => {})
    behaviour(request, response)
  }
  const { tls } = options
  const clientAuthentication = options.clientCa === undefined ? {} : { ca: options.clientCa, requestCert: true }
  const server =
    tls === undefined ? http.createServer(listener) : https.createServer({ ...tls, ...clientAuthentication }, listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const port = portOf(server.address())
  return {
    port,
    url: (path = '/metrics') => `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}${path}`,
    behave(next) {
      behaviour = next
    },
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export interface PageOptions {
  readonly startedAt?: number
  /** Added to every counter and gauge, so that pages differ. */
  readonly step?: number
  readonly version?: string
}

/** A small page of the shape of an API server's. */
export function metricsPage({ startedAt = 1_700_000_000, step = 0, version = 'v1.36.3' }: PageOptions): string {
  const levels = ['catch-all', 'exempt', 'global-default', 'workload-low']
  const of = (family: string, type: string, value: number): string =>
    `# HELP ${family} A family.\n# TYPE ${family} ${type}\n` +
    levels.map((level) => `${family}{priority_level="${level}"} ${value}\n`).join('')
  return (
    of('apiserver_flowcontrol_nominal_limit_seats', 'gauge', 20) +
    of('apiserver_flowcontrol_current_limit_seats', 'gauge', 20 + step) +
    of('apiserver_flowcontrol_lower_limit_seats', 'gauge', 10) +
    of('apiserver_flowcontrol_upper_limit_seats', 'gauge', 40) +
    '# TYPE apiserver_flowcontrol_dispatched_requests_total counter\n' +
    levels
      .map(
        (level) =>
          `apiserver_flowcontrol_dispatched_requests_total{flow_schema="s",priority_level="${level}"} ${step}\n`,
      )
      .join('') +
    `# TYPE kubernetes_build_info gauge\nkubernetes_build_info{git_version="${version}",major="1",minor="36"} 1\n` +
    `# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds ${startedAt}\n`
  )
}

const PLAIN = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }

/** Answers with the page, compressed if the request accepts it. */
export function answerPage(page: () => string): RequestListener {
  return (request, response) => {
    if (/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) {
      response.writeHead(200, { ...PLAIN, 'Content-Encoding': 'gzip' }).end(gzipSync(page()))
    } else response.writeHead(200, PLAIN).end(page())
  }
}

export function answerStatus(status: number, body = '', headers: Record<string, string> = {}): RequestListener {
  return (_, response) => response.writeHead(status, { 'Content-Type': 'text/plain', ...headers }).end(body)
}

/** Accepts the request and sends nothing. */
export const saySilent: RequestListener = () => {}

export const resetConnection: RequestListener = (request) => request.socket.resetAndDestroy()

/** Half a page, then the connection breaks; the head promised all of it, or chunks that would end properly. */
export function truncate(page: string, promise: 'length' | 'chunks'): RequestListener {
  return (request, response) => {
    const half = page.slice(0, page.length / 2)
    response.writeHead(200, promise === 'length' ? { ...PLAIN, 'Content-Length': page.length } : PLAIN)
    response.write(half, () => setTimeout(() => request.socket.destroy(), 20))
  }
}

/** A head that promises less than the body has. */
export function tooShortLength(page: string): RequestListener {
  return (request) => {
    request.socket.end(
      `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${Math.floor(page.length / 2)}\r\n\r\n${page}`,
    )
  }
}

/** A valid page of about this size: the flow-control part first, then series of unused families. */
export function answerHuge(page: string, bytes: number): RequestListener {
  return (_, response) => {
    response.writeHead(200, PLAIN)
    response.write(page)
    pour(response, bytes)
  }
}

/** Lines without end. */
export const answerEndless: RequestListener = (_, response) => {
  response.writeHead(200, PLAIN)
  pour(response, Number.POSITIVE_INFINITY)
}

const FILLER = Array.from(
  { length: 400 },
  (_, i) => `etcd_request_duration_seconds_bucket{operation="get",type="/registry/things/${i}",le="0.05"} ${i}\n`,
).join('')

function pour(response: ServerResponse, bytes: number): void {
  let sent = 0
  const more = (): void => {
    while (sent < bytes && !response.destroyed) {
      sent += FILLER.length
      if (!response.write(FILLER)) {
        response.once('drain', more)
        return
      }
    }
    response.end()
  }
  more()
}

/** A byte now and then: never idle for long, never done. */
export function drip(everyMs: number): RequestListener {
  return (_, response) => {
    response.writeHead(200, PLAIN).flushHeaders()
    const timer = setInterval(() => response.write('#'), everyMs)
    response.on('close', () => clearInterval(timer))
  }
}

/** Zeros that decompress to about a thousand times the sent bytes. */
export function gzipBomb(unfoldedBytes: number): RequestListener {
  const bomb = gzipSync(Buffer.alloc(unfoldedBytes, '#'))
  return (_, response) => response.writeHead(200, { ...PLAIN, 'Content-Encoding': 'gzip' }).end(bomb)
}

export const answerHtml: RequestListener = (_, response) =>
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Sign in</title>')

/** The same page under a false name. */
export const answerDisguisedHtml: RequestListener = (_, response) =>
  response.writeHead(200, PLAIN).end('\n <!doctype html><title>Sign in</title>')

/** An HTTP proxy for TLS (CONNECT) on loopback that records the requested addresses. */
export async function startProxy(): Promise<{
  readonly port: number
  readonly targets: readonly string[]
  close(): Promise<void>
}> {
  const targets: string[] = []
  const sockets = new Set<Socket>()
  const proxy = http.createServer()
  proxy.on('connect', (request: IncomingMessage, client: Socket) => {
    const target = request.url ?? ''
    targets.push(target)
    const upstream = connect(Number(target.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    for (const socket of [upstream, client]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    port: portOf(proxy.address()),
    targets,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        for (const socket of sockets) socket.destroy()
        proxy.closeAllConnections()
      }),
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port')
  return address.port
}
