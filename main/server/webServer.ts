import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Handlers } from '../../core/contract/contract.ts'
import { LIMITS } from '../../core/contract/protocol.ts'
import { serve } from '../../core/contract/server.ts'
import { RPC_PATH, RPC_PROTOCOL, SECRET_HEADER, SESSION_PATH } from '../../core/contract/webSession.ts'
import { webSocketPort } from '../transport/webSocketPort.ts'
import { listenOnLoopback, LOOPBACK, quickAnswers, refuseUpgrade } from '../listen/connections.ts'
import { assetAnswer, loadAssets, type Answer } from './assets.ts'
import { entryPage, noSessionPage } from './ownPages.ts'
import { SECURITY_HEADERS } from './policy.ts'
import { cookieValues, createSessions } from './sessions.ts'

/** A page uses one socket and, while loading, a handful of connections. */
const MOST_SOCKETS = 16
const MOST_CONNECTIONS = 64
/** Seconds for which a browser keeps its cookie after the last visit: over a weekend, if the console runs that long. */
const COOKIE_SECONDS = 3 * 24 * 3_600

export interface WebServerOptions {
  /** Folder of the built page. */
  readonly root: string
  readonly handlers: Handlers
  /** 0 takes a free one. */
  readonly port?: number
  /** How the operator gets a new address; the page without a session says so. */
  readonly renewal?: readonly string[]
}

export interface OneTimeAddress {
  /** Opens one session for the browser that visits it first. */
  readonly url: string
  /** Resolves when the address was visited, has expired or was dropped, or the server closed. */
  readonly spent: Promise<void>
}

export interface WebServer {
  /** `http://127.0.0.1:41233`; opens nothing without a session. */
  readonly origin: string
  newAddress(): OneTimeAddress
  close(): Promise<void>
}

const text = (response: ServerResponse, status: number, sentence: string, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(`${sentence}\n`)

/**
 * Serves the page and the contract on loopback. Throws `not-found` when the page is not built, and what `listen`
 * throws when the port is taken.
 */
export async function startWebServer({ root, handlers, port = 0, renewal = [] }: WebServerOptions): Promise<WebServer> {
  const assets = await loadAssets(root)
  const sessions = createSessions()
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.messageLength,
    perMessageDeflate: false,
    // The page offers its secret as another protocol, which no answer may repeat.
    handleProtocols: () => RPC_PROTOCOL,
  })
  const listener = await listenOnLoopback(port, quickAnswers(MOST_CONNECTIONS))
  const host = `${LOOPBACK}:${listener.port}`
  const origin = `http://${host}`
  // Cookies do not know ports: two consoles on one machine must not take each other's.
  const cookieName = `apf-console-${listener.port}`

  const cookiesOf = (request: IncomingMessage): readonly string[] => cookieValues(request.headers.cookie, cookieName)
  const hasSession = (request: IncomingMessage, secret: string): boolean =>
    cookiesOf(request).some((cookie) => sessions.isOpen(cookie, secret))
  const setCookie = (cookie: string): Record<string, string> => ({
    'set-cookie': `${cookieName}=${cookie}; Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Strict`,
  })

  const send = (
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    { headers, body }: Answer,
    more: Record<string, string> = {},
  ): void => {
    response.writeHead(status, { ...headers, ...more, 'content-length': body.length })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
  const refuse = (request: IncomingMessage, response: ServerResponse): void =>
    send(request, response, 401, noSessionPage(renewal))

  /** Opens a session for the token of an address. */
  const enter = (request: IncomingMessage, response: ServerResponse, token: string): void => {
    const session = sessions.redeem(token)
    if (session !== undefined) {
      listener.room.admit(request, response)
      return send(request, response, 200, entryPage(session.secret), setCookie(session.cookie))
    }
    // A used address in the browser that used it, from its history for example.
    if (!cookiesOf(request).some((cookie) => sessions.knowsCookie(cookie))) return refuse(request, response)
    response.writeHead(303, { location: '/', 'cache-control': 'no-store' }).end()
  }

  listener.server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
    // A foreign name that resolves to this address (DNS rebinding) stops here, before anything else is looked at.
    if (request.headers.host !== host) return text(response, 421, `This server answers only as ${host}.`)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return text(response, 405, 'Only GET and HEAD are answered here.', { allow: 'GET, HEAD' })
    }
    const target = request.url ?? '/'
    const [pathname = '/', query = ''] = target.split('?', 2)
    const token = new URLSearchParams(query).get('token')
    if (pathname === '/' && token !== null) {
      // A browser that only looks ahead, and a client that only asks for headers, must not use the address up.
      const looksAhead = request.headers['sec-purpose']?.includes('prefetch') === true
      if (looksAhead || request.method === 'HEAD') return text(response, 503, 'This address opens by a visit only.')
      return enter(request, response, token)
    }
    if (pathname === SESSION_PATH) {
      const secret = request.headers[SECRET_HEADER]
      if (typeof secret !== 'string' || !hasSession(request, secret)) return refuse(request, response)
      return void response.writeHead(204, { 'cache-control': 'no-store' }).end()
    }
    const cookie = cookiesOf(request).find((value) => sessions.knowsCookie(value))
    if (cookie === undefined) return refuse(request, response)
    if (!listener.room.admit(request, response)) return text(response, 503, 'Too many requests at once; try again.')
    const answer = assetAnswer(assets, pathname, [`ws://${host}`])
    if (answer === undefined) return text(response, 404, 'There is nothing at this address.')
    send(request, response, 200, answer, pathname === '/' ? setCookie(cookie) : {})
  })

  const refusal = (request: IncomingMessage): string | undefined => {
    if (request.headers.host !== host) return '421 Misdirected Request'
    if (request.headers.origin !== origin) return '403 Forbidden'
    const [protocol, secret = ''] = (request.headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/)
    if (protocol !== RPC_PROTOCOL || !hasSession(request, secret)) return '401 Unauthorized'
    if (request.url !== RPC_PATH) return '404 Not Found'
    if (sockets.clients.size >= MOST_SOCKETS) return '503 Service Unavailable'
    return undefined
  }
  listener.server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
    const refused = refusal(request)
    if (refused !== undefined) return refuseUpgrade(socket, refused)
    socket.on('error', () => socket.destroy())
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      listener.room.release(socket)
      void serve(webSocketPort(accepted), handlers)
    })
  })

  return {
    origin,
    newAddress() {
      const { text: token, spent } = sessions.issueToken()
      return { url: `${origin}/?token=${token}`, spent }
    },
    close() {
      sessions.close()
      for (const client of sockets.clients) client.terminate()
      return listener.close()
    },
  }
}
