import { type IncomingMessage, type Server, type ServerResponse, createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { ProblemError, messageOf } from '../../core/errors.ts'
import type { FeedRecord } from '../../core/feeds/request.ts'
import { readAuditBatch } from '../../core/feeds/logReader.ts'
import { kubeconfigText } from '../cluster/kubeconfigFile.ts'
import type { CertificateAndKey } from '../listen/certificate.ts'
import { closeServer, type ConnectionLimits, keepRoom } from '../listen/connections.ts'
import { secretCheck } from '../listen/secrets.ts'

export interface WebhookOptions {
  /** 0 chooses a free one. */
  readonly port: number
  /** The token that the API server has to send. */
  readonly token: string
  /** Of `127.0.0.1` and `localhost`. `plain-http` only if configured: tokens and events are then sent unencrypted over loopback. */
  readonly tls: CertificateAndKey | 'plain-http'
  /** Accepts the records; the API server is answered when it has returned. */
  readonly onBatch: (records: readonly FeedRecord[]) => void
  /** Called with a sentence for a post that is not a batch of audit events. */
  readonly onUnreadable: (sentence: string) => void
  /** Called with a sentence for everything else that is not accepted: posts, and connections that were closed. */
  readonly onRefused: (sentence: string) => void
  readonly mostBodyBytes?: number
  /** Replaces `LIMITS`. */
  readonly limits?: ConnectionLimits
}

export interface Webhook {
  /** `https://127.0.0.1:41233/audit`. */
  readonly url: string
  /** Text of the file for `--audit-webhook-config-file`; contains the token. */
  readonly kubeconfig: string
  close(): Promise<void>
}

const HOST = '127.0.0.1'
const PATH = '/audit'
/** An API server posts at most 400 events, truncated to 10 MB if configured to. */
const MOST_BODY_BYTES = 32 * 1024 * 1024
/** All bodies under way together may be this many times as large as one. */
const MOST_BODIES = 4
/**
 * An API server itself closes an idle connection after 90 s. If it were closed here while the next batch is on its way,
 * that batch would be sent again only ten seconds later, or, if the server is gone by then, never.
 */
const IDLE_MS = 120_000
const LIMITS = {
  new: { most: 64, ms: 10_000 },
  busy: { most: 64, ms: 60_000 },
  idle: { most: 64, ms: IDLE_MS },
} as const

/** Receives what an API server posts to its audit webhook, on loopback. Throws a `ProblemError` when it cannot listen. */
export async function startWebhook(options: WebhookOptions): Promise<Webhook> {
  const { tls, token, port } = options
  // Deadlines are those of the room.
  const http = { maxHeaderSize: 16_384, requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: IDLE_MS }
  const server = tls === 'plain-http' ? createHttpServer(http) : createHttpsServer({ ...http, ...tls })
  const { onRefused, limits = LIMITS } = options
  const room = keepRoom(server, {
    limits,
    onDropped: (why) =>
      onRefused(
        why === 'slow'
          ? 'A connection was closed because its request did not arrive in time.'
          : `A connection was closed because ${limits.new.most} newer ones had sent no request either.`,
      ),
  })
  const taken = await listen(server, port)
  const hosts = new Set([HOST, 'localhost', '[::1]'].map((name) => `${name}:${taken}`))
  const isAllowed = secretCheck(token)
  const intake = new Intake(options)
  const refusal = ({ headers, url = '', method }: IncomingMessage): Refusal | undefined => {
    if (!hosts.has(headers.host ?? '')) return [421, `Use ${HOST}:${taken} or localhost:${taken} as the host.`]
    const [path = ''] = url.split('?', 1)
    const inPath = path.startsWith(`${PATH}/`) ? path.slice(PATH.length + 1) : undefined
    if (path !== PATH && inPath === undefined) return [404, `Post audit events to ${PATH}.`]
    const shown = inPath ?? /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
    if (!isAllowed(shown)) return [401, 'The token of the webhook is missing or wrong.']
    return method === 'POST' ? undefined : [405, 'Send audit events with POST.']
  }
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    // Nothing is read of a body before its sender has shown the token.
    const refused = refusal(request) ?? (room.admit(request, response) ? undefined : CROWDED)
    if (refused === undefined) return intake.receive(request, response)
    onRefused(`Answered ${refused[0]}: ${refused[1]}`)
    refuse(response, refused)
  }
  server.on('request', serve)
  server.on('checkContinue', (request, response) => {
    if (refusal(request) === undefined) response.writeContinue()
    serve(request, response)
  })
  const scheme = tls === 'plain-http' ? 'http' : 'https'
  const url = `${scheme}://${HOST}:${taken}${PATH}`
  return {
    url,
    kubeconfig: kubeconfigFor(url, options),
    close: () => closeServer(server),
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

type Refusal = readonly [status: number, sentence: string]
const CROWDED: Refusal = [429, 'Too many posts at once; try again.']

class Intake {
  private readonly options: WebhookOptions
  private readonly mostBody: number
  /** Bytes of all bodies that are under way. */
  private held = 0

  constructor(options: WebhookOptions) {
    this.options = options
    this.mostBody = options.mostBodyBytes ?? MOST_BODY_BYTES
  }

  receive(request: IncomingMessage, response: ServerResponse): void {
    let parts: Buffer[] = []
    let bytes = 0
    let refused = false
    const free = (): void => {
      this.held -= bytes
      bytes = 0
      parts = []
    }
    const stop = (refusal: Refusal): void => {
      refused = true
      free()
      this.options.onRefused(`Answered ${refusal[0]}: ${refusal[1]}`)
      refuse(response, refusal)
    }
    request.on('data', (part: Buffer) => {
      if (refused) return
      bytes += part.length
      this.held += part.length
      parts.push(part)
      if (bytes > this.mostBody) {
        stop([413, `The batch exceeds ${this.mostBody} bytes; lower --audit-webhook-batch-max-size.`])
      } else if (this.held > this.mostBody * MOST_BODIES) stop(CROWDED)
    })
    request.on('end', () => {
      if (!refused) this.take(Buffer.concat(parts).toString('utf8'), response)
    })
    request.on('error', () => undefined)
    // However it ends: a request whose connection is closed during it may emit no `close` of its own.
    response.on('close', free)
  }

  private take(text: string, response: ServerResponse): void {
    const records = readAuditBatch(text)
    if (records === undefined) {
      const sentence = 'The body is not an EventList of audit.k8s.io/v1.'
      this.options.onUnreadable(sentence)
      return say(response, 400, sentence)
    }
    try {
      this.options.onBatch(records)
    } catch (error) {
      // The API server posts it again; the events already accepted count once.
      const sentence = `Cannot read a batch: ${messageOf(error)}.`
      this.options.onUnreadable(sentence)
      return say(response, 500, sentence)
    }
    say(response, 200, '')
  }
}

/** The connection ends with it, for the rest of the body is not read. */
function refuse(response: ServerResponse, [status, sentence]: Refusal): void {
  response.setHeader('Connection', 'close')
  if (status === 429) response.setHeader('Retry-After', '1')
  say(response, status, sentence)
}

function say(response: ServerResponse, status: number, sentence: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
  response.end(sentence === '' ? '' : `${sentence}\n`)
}

/** The certificate is self-signed, so it is its own authority. */
function kubeconfigFor(url: string, { tls, token }: WebhookOptions): string {
  const authority =
    tls === 'plain-http' ? {} : { 'certificate-authority-data': Buffer.from(tls.cert).toString('base64') }
  return kubeconfigText('apf-console', { server: url, ...authority }, { token })
}
