import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { lstat, mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { WebSocketServer } from 'ws'
import type { Handlers } from '../../core/contract/contract.ts'
import { LIMITS } from '../../core/contract/protocol.ts'
import type { LineTo } from '../../core/contract/relay.ts'
import { serve } from '../../core/contract/server.ts'
import { RPC_PATH, RPC_PROTOCOL, SECRET_HEADER, SESSION_PATH, SECRET_KEY } from '../../core/contract/webSession.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import { webSocketPort } from '../transport/webSocketPort.ts'
import { listenOnLoopback, LOOPBACK, quickAnswers, refuseUpgrade } from '../listen/connections.ts'
import { writeAtomically } from '../files/files.ts'
import { assetAnswer, loadAssets, type Answer, SECURITY_HEADERS } from './assets.ts'
import { cookieValues, createSessions, TOKEN_MINUTES } from './sessions.ts'
import { messageOf } from '../../core/text/text.ts'

/** A page uses one socket and, while loading, a handful of connections. */
const MOST_SOCKETS = 16
const MOST_CONNECTIONS = 64
/** Seconds for which a browser keeps its cookie after the last visit: over a weekend, if the console runs that long. */
const COOKIE_SECONDS = 3 * 24 * 3_600

export interface WebServerOptions {
  /** Folder of the built page. */
  readonly root: string
  readonly handlers: Handlers
  /** Lines to sources that run elsewhere. */
  readonly lineTo?: LineTo
  /** 0 takes a free one. */
  readonly port?: number
  /** How the operator gets a new address; the page without a session says so. */
  readonly renewal?: readonly string[]
}

interface OneTimeAddress {
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

const sendText = (
  response: ServerResponse,
  status: number,
  sentence: string,
  headers: Record<string, string> = {},
): void =>
  void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(`${sentence}\n`)

/**
 * Serves the page and the contract on loopback. Throws `not-found` when the page is not built, and what `listen`
 * throws when the port is taken.
 */
export async function startWebServer({
  root,
  handlers,
  lineTo,
  port = 0,
  renewal = [],
}: WebServerOptions): Promise<WebServer> {
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
    if (request.headers.host !== host) return sendText(response, 421, `This server answers only as ${host}.`)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return sendText(response, 405, 'Only GET and HEAD are allowed here.', { allow: 'GET, HEAD' })
    }
    const target = request.url ?? '/'
    const [pathname = '/', query = ''] = target.split('?', 2)
    const token = new URLSearchParams(query).get('token')
    if (pathname === '/' && token !== null) {
      // A browser that only looks ahead, and a client that only asks for headers, must not use the address up.
      const looksAhead = request.headers['sec-purpose']?.includes('prefetch') === true
      if (looksAhead || request.method === 'HEAD')
        return sendText(response, 503, 'This address must be opened in a browser.')
      return enter(request, response, token)
    }
    if (pathname === SESSION_PATH) {
      const secret = request.headers[SECRET_HEADER]
      if (typeof secret !== 'string' || !hasSession(request, secret)) return refuse(request, response)
      return void response.writeHead(204, { 'cache-control': 'no-store' }).end()
    }
    const cookie = cookiesOf(request).find((value) => sessions.knowsCookie(value))
    if (cookie === undefined) return refuse(request, response)
    if (!listener.room.admit(request, response)) return sendText(response, 503, 'Too many requests at once; try again.')
    const answer = assetAnswer(assets, pathname, [`ws://${host}`])
    if (answer === undefined) return sendText(response, 404, 'There is nothing at this address.')
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
      void serve(webSocketPort(accepted), handlers, { lineTo })
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

/** The pages that the server makes itself. */

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0) ?? 0};`)

/** `{nonce}` in the text becomes the nonce of the only script and style that may apply. */
function page(text: string): Answer {
  const nonce = randomBytes(18).toString('base64url')
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  const head =
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    '<meta name="color-scheme" content="dark light"><link rel="icon" href="data:,"><title>APF Console</title>'
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
    },
    body: Buffer.from(
      `<!doctype html><html lang="en"><head>${head}</head><body>${text.replaceAll('{nonce}', nonce)}\n`,
    ),
  }
}

/**
 * Answers a valid one-time address: stores the secret in the browser and goes on to the page, which takes the address with
 * its token out of the address bar and the tab's history.
 *
 * `localStorage`, because a second tab, or a browser closed and opened again, belongs to the same session.
 */
const entryPage = (secret: string): Answer =>
  page(
    `<script nonce="{nonce}">localStorage.setItem(${JSON.stringify(SECRET_KEY)}, ${JSON.stringify(secret)})
location.replace('/')</script><noscript>APF Console needs JavaScript.</noscript>`,
  )

const STYLE = `
body { margin: 0; background: #0e1315; color: #b3bdbd; font: 15px/1.5 Inter, 'Segoe UI', 'Noto Sans', system-ui, sans-serif }
main { max-width: 36rem; margin: 18vh auto 0; padding: 0 1.5rem }
h1 { color: #e9ecea; font-size: 20px; font-weight: 600 }
code { font-family: 'JetBrains Mono', 'DejaVu Sans Mono', monospace; color: #e9ecea }
a, b { color: #e9ecea }
@media (prefers-color-scheme: light) {
  body { background: #fff; color: #3f4a4e }
  h1, code, a, b { color: #14191b }
}`

/** Answers a browser without a session. `ways`: how to get a new address, each a clause such as "press Enter". */
function noSessionPage(ways: readonly string[]): Answer {
  const remedy =
    ways.length === 0
      ? 'Start the console again to get an address.'
      : `To get a new address, ${ways.map(escaped).join(', or ')}.`
  return page(
    `<style nonce="{nonce}">${STYLE}</style><main><h1>This browser has no session</h1>
<p>Each address works once, within ${TOKEN_MINUTES} minutes. It may have been used already, or belong to an earlier run of the
console.</p>
<p><b>${remedy}</b> Then open the address or the file that the console prints.</p>
<p>The browser must allow cookies and site data for 127.0.0.1. If it has a session already, <a href="/">open the
console</a>.</p></main>`,
  )
}

const NAME = /^apf-console-[\da-f]{16}\.html$/

/** Rejects unless the folder is one that only this user can list and change. Creates it when it is missing. */
async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await lstat(folder)
  if (!found.isDirectory()) throw new Error('it is not a folder')
  if (process.getuid === undefined) return
  if (found.uid !== process.getuid()) throw new Error('it belongs to another user')
  if ((found.mode & 0o077) !== 0) throw new Error('other users have access to it')
}

const pageTo = (url: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>APF Console</title>
<meta http-equiv="refresh" content="0; url=${url}"><a href="${url}">Open APF Console</a>\n`

/** Files that a killed console left behind; their tokens have expired or died with it. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    const found = NAME.test(name) ? await lstat(file).catch(() => undefined) : undefined
    if (found !== undefined && Date.now() - found.mtimeMs > TOKEN_MINUTES * 60_000) await rm(file, { force: true })
  }
}

/**
 * Writes a page that only this user can read and that sends a browser to a one-time address. The arguments of a browser,
 * which every user of the machine can read, then hold the path of the file instead of the address. The file is removed
 * when the address is spent. Takes the first of the folders that is private; rejects with a `ProblemError` when none is.
 */
export async function writeAddressFile(folders: readonly string[], { url, spent }: OneTimeAddress): Promise<string> {
  const reasons: string[] = []
  for (const folder of folders) {
    const file = path.join(folder, `apf-console-${randomBytes(8).toString('hex')}.html`)
    try {
      await ownFolder(folder)
      await sweep(folder)
      await writeAtomically(file, pageTo(url))
    } catch (error) {
      reasons.push(`${folder}: ${messageOf(error)}`)
      continue
    }
    // At once, because the process may be about to exit.
    void spent.then(() => rmSync(file, { force: true })).catch(() => undefined)
    return file
  }
  throw new ProblemError(
    'forbidden',
    'The file with the address of the console cannot be written. Run it in a terminal, or set APF_CONSOLE_STATE to a folder of your own.',
    reasons.join('; '),
  )
}
