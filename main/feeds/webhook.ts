import { type IncomingMessage, type Server, type ServerResponse, createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { ProblemError } from '../../core/contract/errors.ts'
import type { FeedRecord } from '../../core/feeds/arrival.ts'
import { readAuditBatch } from '../../core/feeds/auditEvent.ts'
import { kubeconfigText } from '../cluster/kubeconfigText.ts'
import { secretCheck } from '../server/secretCheck.ts'

/** PEM, for `127.0.0.1` and `localhost`. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface WebhookOptions {
  /** 0 takes a free one. */
  readonly port: number
  /** What the API server has to show. */
  readonly token: string
  /** `plain-http` only when told: tokens and events then go over loopback as they are. */
  readonly tls: Certificate | 'plain-http'
  /** Takes the records over; the API server is answered when it has returned. */
  readonly onBatch: (records: readonly FeedRecord[]) => void
  /** Hears a sentence of what was posted and is no batch of audit events. */
  readonly onUnreadable: (sentence: string) => void
  readonly mostBodyBytes?: number
}

export interface Webhook {
  /** `https://127.0.0.1:41233/audit`. */
  readonly url: string
  /** Text of the file for `--audit-webhook-config-file`; holds the token. */
  readonly kubeconfig: string
  close(): Promise<void>
}

const HOST = '127.0.0.1'
const PATH = '/audit'
/** An API server posts at most 400 events, cut to 10 MB where it is told to cut. */
const MOST_BODY_BYTES = 32 * 1024 * 1024
/** Of all bodies that are under way at once. */
const MOST_BYTES = 4 * MOST_BODY_BYTES
const MOST_CONNECTIONS = 64
/**
 * An API server closes an idle connection after 90 s itself. Were it closed here while the next batch is on its way, that
 * would come again only ten seconds later, or, when the server is gone by then, never.
 */
const IDLE_MS = 120_000

/** Receives what an API server posts to its audit webhook, on loopback. Throws a `ProblemError` when it cannot listen. */
export async function startWebhook(options: WebhookOptions): Promise<Webhook> {
  const { tls, token, port } = options
  const limits = {
    maxHeaderSize: 16_384,
    requestTimeout: 60_000,
    headersTimeout: 10_000,
    keepAliveTimeout: IDLE_MS,
  }
  const server = tls === 'plain-http' ? createHttpServer(limits) : createHttpsServer({ ...limits, ...tls })
  server.maxConnections = MOST_CONNECTIONS
  const taken = await listen(server, port)
  const hosts = new Set([HOST, 'localhost', '[::1]'].map((name) => `${name}:${taken}`))
  const isAllowed = secretCheck(token)
  const intake = new Intake(options)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!hosts.has(request.headers.host ?? ''))
      return say(response, 421, `Ask as ${HOST}:${taken} or localhost:${taken}.`)
    const [path = ''] = (request.url ?? '').split('?', 1)
    const inPath = path.startsWith(`${PATH}/`) ? path.slice(PATH.length + 1) : undefined
    if (path !== PATH && inPath === undefined) return say(response, 404, `Audit events are posted to ${PATH}.`)
    const shown = inPath ?? /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (!isAllowed(shown)) return say(response, 401, 'The token of the webhook is missing or wrong.')
    if (request.method !== 'POST') return say(response, 405, 'Audit events are posted.')
    intake.receive(request, response)
  })
  const scheme = tls === 'plain-http' ? 'http' : 'https'
  const url = `${scheme}://${HOST}:${taken}${PATH}`
  return {
    url,
    kubeconfig: kubeconfigFor(url, options),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new ProblemError('invalid-input', `The webhook cannot listen on port ${port} of ${HOST}: ${error.message}.`),
      ),
    )
    server.listen(port, HOST, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new ProblemError('internal', 'The webhook has no port.')
  return address.port
}

class Intake {
  private readonly options: WebhookOptions
  private readonly mostBody: number
  private held = 0

  constructor(options: WebhookOptions) {
    this.options = options
    this.mostBody = options.mostBodyBytes ?? MOST_BODY_BYTES
  }

  receive(request: IncomingMessage, response: ServerResponse): void {
    const parts: Buffer[] = []
    let bytes = 0
    let refused = false
    const refuse = (status: number, sentence: string): void => {
      refused = true
      parts.length = 0
      response.setHeader('Connection', 'close')
      if (status === 429) response.setHeader('Retry-After', '1')
      say(response, status, sentence)
    }
    request.on('data', (part: Buffer) => {
      if (refused) return
      bytes += part.length
      this.held += part.length
      parts.push(part)
      if (bytes > this.mostBody)
        refuse(413, `A batch may have ${this.mostBody} bytes; set --audit-webhook-batch-max-size.`)
      else if (this.held > MOST_BYTES) refuse(429, 'Too much is posted at once; try again.')
    })
    request.on('end', () => {
      if (!refused) this.take(Buffer.concat(parts).toString('utf8'), response)
    })
    request.on('error', () => undefined)
    // Whether it was taken over or broken off: its bytes are free again.
    request.on('close', () => {
      this.held -= bytes
    })
  }

  private take(text: string, response: ServerResponse): void {
    const records = readAuditBatch(text)
    if (records === undefined) {
      const sentence = 'What was posted is no EventList of audit.k8s.io/v1.'
      this.options.onUnreadable(sentence)
      return say(response, 400, sentence)
    }
    try {
      this.options.onBatch(records)
    } catch (error) {
      // The API server posts it again; what was taken over of it already counts once.
      const sentence = `A batch could not be taken over: ${error instanceof Error ? error.message : String(error)}.`
      this.options.onUnreadable(sentence)
      return say(response, 500, sentence)
    }
    say(response, 200, '')
  }
}

function say(response: ServerResponse, status: number, sentence: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
  response.end(sentence === '' ? '' : `${sentence}\n`)
}

/** The certificate signs itself, so it is its own authority. */
function kubeconfigFor(url: string, { tls, token }: WebhookOptions): string {
  const authority =
    tls === 'plain-http' ? {} : { 'certificate-authority-data': Buffer.from(tls.cert).toString('base64') }
  return kubeconfigText('apf-console', { server: url, ...authority }, { token })
}
