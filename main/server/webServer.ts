import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Handlers } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import { LIMITS } from '../../core/contract/protocol.ts'
import { serve } from '../../core/contract/server.ts'
import { webSocketPort } from '../transport/webSocketPort.ts'
import { assetAnswer, loadAssets } from './assets.ts'
import { SECURITY_HEADERS } from './policy.ts'
import { cookieValue, createSessions } from './sessions.ts'

/** Never another interface: whoever can reach the port could otherwise try to be the operator. */
const HOST = '127.0.0.1'
const RPC_PATH = '/rpc'
/** A page uses one socket and, while loading, a handful of connections. */
const MOST_SOCKETS = 16
const MOST_CONNECTIONS = 64

export interface WebServerOptions {
  /** Folder of the built page. */
  readonly root: string
  readonly handlers: Handlers
  /** 0 takes a free one. */
  readonly port?: number
}

export interface WebServer {
  /** The address to open in the first browser; it works once, and that browser then keeps a session. */
  readonly url: string
  /** An address for a further browser. */
  newAddress(): string
  close(): Promise<void>
}

const text = (response: ServerResponse, status: number, sentence: string, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(`${sentence}\n`)

const NO_SESSION =
  'This browser has no session: open the address that APF Console printed in its terminal; each address works once.'

/**
 * Serves the page and the contract on loopback. Throws `not-found` when the page is not built, and what `listen`
 * throws when the port is taken.
 */
export async function startWebServer({ root, handlers, port = 0 }: WebServerOptions): Promise<WebServer> {
  const assets = await loadAssets(root)
  const sessions = createSessions()
  const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 10_000, headersTimeout: 5_000 })
  server.maxConnections = MOST_CONNECTIONS
  const sockets = new WebSocketServer({ noServer: true, maxPayload: LIMITS.messageLength, perMessageDeflate: false })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new ProblemError('internal', 'The server has no port.')
  const host = `${HOST}:${address.port}`
  const origin = `http://${host}`
  // Cookies do not know ports: two consoles on one machine must not take each other's.
  const cookieName = `apf-console-${address.port}`

  const hasSession = (request: IncomingMessage): boolean => {
    const value = cookieValue(request.headers.cookie, cookieName)
    return value !== undefined && sessions.isOpen(value)
  }

  /** Exchanges the token of an address for a cookie. The redirection takes the token out of the address bar. */
  const enter = (request: IncomingMessage, response: ServerResponse, token: string): void => {
    const cookie = sessions.redeem(token)
    if (cookie === undefined && !hasSession(request)) return text(response, 401, NO_SESSION)
    const given =
      cookie === undefined ? {} : { 'set-cookie': `${cookieName}=${cookie}; Path=/; HttpOnly; SameSite=Strict` }
    response.writeHead(303, { location: '/', 'cache-control': 'no-store', ...given }).end()
  }

  server.on('request', (request, response) => {
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
    if (!hasSession(request)) return text(response, 401, NO_SESSION)
    const answer = assetAnswer(assets, pathname, [`ws://${host}`])
    if (answer === undefined) return text(response, 404, 'There is nothing at this address.')
    response.writeHead(200, { ...answer.headers, 'content-length': answer.body.length })
    response.end(request.method === 'HEAD' ? undefined : answer.body)
  })

  const refusal = (request: IncomingMessage): string | undefined => {
    if (request.headers.host !== host) return '421 Misdirected Request'
    if (request.headers.origin !== origin) return '403 Forbidden'
    if (!hasSession(request)) return '401 Unauthorized'
    if (request.url !== RPC_PATH) return '404 Not Found'
    if (sockets.clients.size >= MOST_SOCKETS) return '503 Service Unavailable'
    return undefined
  }
  server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const refused = refusal(request)
    if (refused !== undefined) socket.end(`HTTP/1.1 ${refused}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    else sockets.handleUpgrade(request, socket, head, (accepted) => void serve(webSocketPort(accepted), handlers))
  })

  const newAddress = (): string => `${origin}/?token=${sessions.issueToken()}`
  return {
    url: newAddress(),
    newAddress,
    close: async () => {
      for (const client of sockets.clients) client.terminate()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}
