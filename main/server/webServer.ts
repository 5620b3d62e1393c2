import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { WebSocketServer } from 'ws'
import type { Handlers } from '../../core/contract/contract.ts'
import { LIMITS } from '../../core/contract/protocol.ts'
import { assertReadOnly } from '../../core/contract/readOnly.ts'
import type { LineTo } from '../../core/contract/relay.ts'
import { serve } from '../../core/contract/server.ts'
import { RPC_PATH, RPC_PROTOCOL, SECRET_HEADER, SESSION_PATH, secretKey } from '../../core/contract/webSession.ts'
import { ProblemError, messageOf } from '../../core/errors.ts'
import { webSocketPorts } from '../transport/webSocketPort.ts'
import { listenOn, quickAnswers, refuseUpgrade, type ServerCertificate } from '../listen/connections.ts'
import { LOOPBACK } from '../../core/live/proxyReach.ts'
import { writeAtomically } from '../files/files.ts'
import { ownFolder } from '../files/ownFolder.ts'
import { assetAnswer, loadAssets, type Answer, SECURITY_HEADERS } from './assets.ts'
import { type Admission, type AccessControl, LOGIN_PATH, LOGOUT_PATH, namesHost, tokenIn } from './accessControl.ts'
import { visitorHandlers } from './visitorHandlers.ts'
import { cookieValues, createSessions, type OpenSession, TOKEN_MINUTES } from './sessions.ts'

/** A page uses one socket and, while loading, a few connections. */
const MOST_SOCKETS = 16
const MOST_CONNECTIONS = 64
/** The same for a console that several users share. */
const SHARED = { sockets: 64, socketsOfSession: 8, connections: 256, sessions: { most: 128, mostOfUser: 8 } }
/** Most logins whose body or response is pending at the same time. */
const MOST_LOGINS = 8
/** Seconds for which a browser keeps its cookie after the last visit: over a weekend, if the console runs that long. */
const COOKIE_SECONDS = 3 * 24 * 3_600

export interface WebServerOptions {
  /** Folder of the built page. */
  readonly root: string
  readonly handlers: Handlers
  /** Lines to sources that run elsewhere. */
  readonly lineTo?: LineTo
  /** 0 selects a free port. */
  readonly port?: number
  /** How the operator gets a new address; shown on the page without a session. */
  readonly renewal?: readonly string[]
  /** Admits other users by a login, read-only; without it, only loopback and one-time addresses. */
  readonly access?: AccessControl
}

interface OneTimeAddress {
  /** Opens one session for the first browser that visits it. */
  readonly url: string
  /** Resolves when the address was visited, has expired or was dropped, or the server closed. */
  readonly spent: Promise<void>
}

export interface WebServer {
  /** `http://127.0.0.1:41233`; opens nothing without a session. */
  readonly origin: string
  newAddress(): OneTimeAddress
  /** Uses another certificate for new connections. Throws when it is not usable. */
  readonly renew: (certificate: ServerCertificate) => void
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
 * Serves the page and the contract, on loopback unless access is controlled. Throws `not-found` when the page is not built,
 * and the error of `listen` when the port is in use.
 */
export async function startWebServer({
  root,
  handlers,
  lineTo,
  port = 0,
  renewal = [],
  access,
}: WebServerOptions): Promise<WebServer> {
  const base = access?.base ?? '/'
  const prefix = base.slice(0, -1)
  const assets = await loadAssets(root, base)
  const sessions = createSessions(access && SHARED.sessions)
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.messageLength,
    perMessageDeflate: false,
    // The page offers its secret as another protocol, which no response may repeat.
    handleProtocols: () => RPC_PROTOCOL,
  })
  const certificate = access?.certificate
  const listener = await listenOn({
    port,
    address: access === undefined ? LOOPBACK : access.address,
    limits: quickAnswers(access === undefined ? MOST_CONNECTIONS : SHARED.connections),
    certificate,
  })
  const secure = certificate !== undefined
  const ownHost = `${LOOPBACK}:${listener.port}`
  const originOf = (host: string): string => `${secure ? 'https' : 'http'}://${host}`
  const origin = originOf(ownHost)
  const servesAs = (host: string | undefined): host is string =>
    access === undefined ? host === ownHost : namesHost(host, access.hosts)
  // Cookies are not separated by port: two consoles on one machine must not overwrite each other's.
  // Browsers take `__Host-` for the whole host only; at a path, other paths of the host do not receive the cookie.
  const cookieName = `${secure ? (base === '/' ? '__Host-' : '__Secure-') : ''}apf-console-${listener.port}`
  const cookieHeader = (value: string, seconds: number): string =>
    `${cookieName}=${value}; Path=${prefix || '/'}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`

  const cookiesOf = (request: IncomingMessage): readonly string[] => cookieValues(request.headers.cookie, cookieName)
  const sessionOf = (request: IncomingMessage, secret: string): OpenSession | undefined =>
    cookiesOf(request)
      .map((cookie) => sessions.find(cookie, secret))
      .find((session) => session !== undefined)
  const setCookie = (cookie: string): Record<string, string> => ({
    'set-cookie': cookieHeader(cookie, COOKIE_SECONDS),
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
    access === undefined
      ? send(request, response, 401, noSessionPage(renewal))
      : send(request, response, 401, loginPage(base), LOGIN_HEADERS)

  /** Opens a session for the token of an address. */
  const enter = (request: IncomingMessage, response: ServerResponse, token: string): void => {
    const session = sessions.redeem(token)
    if (session !== undefined) {
      listener.room.admit(request, response)
      return send(request, response, 200, entryPage(base, session.secret), setCookie(session.cookie))
    }
    // A used address in the browser that used it, from its history for example.
    if (!cookiesOf(request).some((cookie) => sessions.knowsCookie(cookie))) return refuse(request, response)
    response.writeHead(303, { location: base, 'cache-control': 'no-store' }).end()
  }

  /** An address as it is below the path of the console, which an ingress may have removed. */
  const within = (target = '/'): string => {
    const rest = target.startsWith(prefix) ? target.slice(prefix.length) : target
    return /^(?:\?|$)/.test(rest) ? `/${rest}` : rest.startsWith('/') ? rest : target
  }

  let logins = 0
  /** Opens a session for a user whom the API server authenticates. */
  const login = async (
    { login: admit, recheckMs }: AccessControl,
    request: IncomingMessage,
    response: ServerResponse,
  ) => {
    const token = await tokenIn(request)
    const admission: Admission =
      token === undefined
        ? { status: 401, sentence: 'Not a token: paste the whole token, as kubectl prints it.' }
        : await admit(token, request.socket.remoteAddress ?? '')
    if ('status' in admission) {
      const { status, sentence, retryAfterSeconds: seconds } = admission
      const more = { ...LOGIN_HEADERS, ...(seconds !== undefined && { 'retry-after': String(seconds) }) }
      return send(request, response, status, loginPage(base, sentence), more)
    }
    const { cookie, secret, ended, end } = sessions.openFor(admission.user, admission.ms)
    // A user who loses the rights loses the session; while they cannot be checked, it continues until it expires.
    const recheck = setInterval(() => void admission.stillMay().then((may) => (may ? undefined : end())), recheckMs)
    recheck.unref()
    ended.addEventListener('abort', () => clearInterval(recheck), { once: true })
    send(request, response, 200, entryPage(base, secret), setCookie(cookie))
  }
  /** Whether the request is the form of a login page, which is then handled here. */
  const tookForm = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (access === undefined || request.method !== 'POST') return false
    const pathname = within(request.url)
    if (pathname !== LOGIN_PATH && pathname !== LOGOUT_PATH) return false
    // Only this server's own page: no other site may sign a browser in or out.
    if (request.headers.origin !== originOf(request.headers.host ?? '')) {
      sendText(response, 403, 'This form is not from this server.')
    } else if (logins >= MOST_LOGINS || !listener.room.admit(request, response)) {
      sendText(response, 503, 'Too many requests at once; try again.')
    } else if (pathname === LOGOUT_PATH) {
      for (const cookie of cookiesOf(request)) sessions.endOf(cookie)
      request.resume()
      send(request, response, 200, loginPage(base, 'Signed out.'), {
        ...LOGIN_HEADERS,
        'set-cookie': cookieHeader('', 0),
      })
    } else {
      logins += 1
      void login(access, request, response)
        .catch(() => request.destroy())
        .finally(() => (logins -= 1))
    }
    return true
  }

  listener.server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
    // A foreign name that resolves to this address (DNS rebinding) is rejected here, before anything else is read.
    const { host } = request.headers
    if (!servesAs(host)) {
      return sendText(response, 421, `This server answers only as ${access?.hosts.join(', ') ?? ownHost}.`)
    }
    if (secure) response.setHeader('strict-transport-security', 'max-age=31536000')
    if (tookForm(request, response)) return
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return sendText(response, 405, 'Only GET and HEAD are allowed here.', { allow: 'GET, HEAD' })
    }
    const target = within(request.url)
    const [pathname = '/', query = ''] = target.split('?', 2)
    const token = new URLSearchParams(query).get('token')
    if (pathname === '/' && token !== null) {
      // A browser that prefetches, and a client that only requests headers, must not use the address up.
      const looksAhead = request.headers['sec-purpose']?.includes('prefetch') === true
      if (looksAhead || request.method === 'HEAD')
        return sendText(response, 503, 'This address must be opened in a browser.')
      return enter(request, response, token)
    }
    if (pathname === SESSION_PATH) {
      const secret = request.headers[SECRET_HEADER]
      if (typeof secret !== 'string' || sessionOf(request, secret) === undefined) return refuse(request, response)
      return void response.writeHead(204, { 'cache-control': 'no-store' }).end()
    }
    const cookie = cookiesOf(request).find((value) => sessions.knowsCookie(value))
    if (cookie === undefined) return refuse(request, response)
    if (!listener.room.admit(request, response)) return sendText(response, 503, 'Too many requests at once; try again.')
    if (access !== undefined && pathname === LOGOUT_PATH)
      return send(request, response, 200, logoutPage(base), LOGIN_HEADERS)
    const answer = assetAnswer(assets, pathname, [originOf(host).replace('http', 'ws')])
    if (answer === undefined) return sendText(response, 404, 'There is nothing at this address.')
    send(request, response, 200, answer, pathname === '/' ? setCookie(cookie) : {})
  })

  const portOf = webSocketPorts()
  /** Open sockets of each session, keyed by its end. */
  const socketsOf = new Map<AbortSignal, number>()
  const count = (session: AbortSignal, change: number): void => {
    const left = (socketsOf.get(session) ?? 0) + change
    if (left > 0) socketsOf.set(session, left)
    else socketsOf.delete(session)
  }
  /** In a shared console, settings belong to a session, so that one user does not change what others see. */
  const handlersOf = new WeakMap<AbortSignal, Handlers>()
  const handlersFor = ({ ended }: OpenSession): Handlers => {
    if (access === undefined) return handlers
    const own = handlersOf.get(ended) ?? visitorHandlers(handlers)
    handlersOf.set(ended, own)
    return own
  }
  const admitted = (request: IncomingMessage): OpenSession | string => {
    const { host } = request.headers
    if (!servesAs(host)) return '421 Misdirected Request'
    if (request.headers.origin !== originOf(host)) return '403 Forbidden'
    const [protocol, secret = ''] = (request.headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/)
    const session = protocol === RPC_PROTOCOL ? sessionOf(request, secret) : undefined
    if (session === undefined) return '401 Unauthorized'
    if (within(request.url) !== RPC_PATH) return '404 Not Found'
    const ofSession = socketsOf.get(session.ended) ?? 0
    if (sockets.clients.size >= (access === undefined ? MOST_SOCKETS : SHARED.sockets)) return '503 Service Unavailable'
    return access !== undefined && ofSession >= SHARED.socketsOfSession ? '503 Service Unavailable' : session
  }
  listener.server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
    const session = admitted(request)
    if (typeof session === 'string') return refuseUpgrade(socket, session)
    socket.on('error', () => socket.destroy())
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      listener.room.release(socket)
      const over = (): void => accepted.terminate()
      session.ended.addEventListener('abort', over, { once: true })
      count(session.ended, 1)
      accepted.once('close', () => {
        count(session.ended, -1)
        session.ended.removeEventListener('abort', over)
      })
      const assertAllowed = access && assertReadOnly
      void serve(portOf(accepted), handlersFor(session), { lineTo, assertAllowed })
    })
  })

  return {
    origin,
    newAddress() {
      const { text: token, spent } = sessions.issueToken()
      return { url: `${origin}/?token=${token}`, spent }
    },
    renew: (renewed) => listener.renew(renewed),
    close() {
      sessions.close()
      for (const client of sockets.clients) client.terminate()
      return listener.close()
    },
  }
}

/** The pages that the server generates. */

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0) ?? 0};`)

/** `{nonce}` in the text is replaced by the nonce of the only permitted script and style. */
function page(text: string, formAction = "'none'"): Answer {
  const nonce = randomBytes(18).toString('base64url')
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src data:',
    "base-uri 'none'",
    `form-action ${formAction}`,
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
 * Responds to a valid one-time address: stores the secret in the browser and continues to the page, which removes the
 * address with its token from the address bar and the tab's history.
 *
 * `localStorage`, because a second tab, or a browser closed and opened again, belongs to the same session.
 */
const entryPage = (base: string, secret: string): Answer =>
  page(
    `<script nonce="{nonce}">localStorage.setItem(${JSON.stringify(secretKey(base))}, ${JSON.stringify(secret)})
location.replace(${JSON.stringify(base)})</script><noscript>APF Console needs JavaScript.</noscript>`,
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

/**
 * The response for a browser without a session. `ways`: how to get a new address, each a clause such as "press Enter".
 */
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

/** A browser sends the origin of a form (`Origin`) only where the referrer policy permits it. */
const LOGIN_HEADERS = { 'referrer-policy': 'same-origin' } as const

const FORM_STYLE = `
form { display: grid; gap: .75rem; margin: 1.5rem 0 }
input { font: inherit; padding: .5rem .75rem; color: inherit; background: transparent; border: 1px solid #5b686c; border-radius: 4px }
button { font: inherit; justify-self: start; padding: .5rem 1.25rem; color: #e9ecea; background: #1d5f6e; border: 0; border-radius: 4px }
:focus-visible { outline: 2px solid #4fb3c8; outline-offset: 2px }
[role=alert] { color: #e9ecea; border-left: 3px solid #d9822b; padding-left: .75rem }
@media (prefers-color-scheme: light) { [role=alert] { color: #14191b } button { color: #fff } }`

/** The form for a token. `sentence`: a sentence about the previous attempt. */
const loginPage = (base: string, sentence?: string): Answer =>
  page(
    `<style nonce="{nonce}">${STYLE}${FORM_STYLE}</style><main><h1>Sign in to APF Console</h1>
${sentence === undefined ? '' : `<p role="alert">${escaped(sentence)}</p>`}
<form method="post" action="${base}${LOGIN_PATH.slice(1)}"><label for="token">Bearer token of this cluster</label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required autofocus>
<button>Sign in</button></form>
<p>The API server checks the token and whether its user may read the metrics, the debug dumps and the flow-control objects. The
console does not keep the token. For a service account, <code>kubectl create token NAME</code> prints one.</p></main>`,
    "'self'",
  )

const logoutPage = (base: string): Answer =>
  page(
    `<style nonce="{nonce}">${STYLE}${FORM_STYLE}</style><main><h1>Sign out of APF Console</h1>
<form method="post" action="${base}${LOGOUT_PATH.slice(1)}"><button>Sign out</button></form><p><a href="${base}">Back to the console</a></p></main>`,
    "'self'",
  )

const NAME = /^apf-console-[\da-f]{16}\.html$/

/** Rejects unless only this user can list and change the folder. Creates it if it is missing. */
async function privateFolder(folder: string): Promise<void> {
  ownFolder(folder)
  const found = await lstat(folder)
  if (!found.isDirectory()) throw new Error('it is not a folder')
  if (process.getuid === undefined) return
  if ((found.mode & 0o077) !== 0) throw new Error('other users have access to it')
}

const pageTo = (url: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>APF Console</title>
<meta http-equiv="refresh" content="0; url=${url}"><a href="${url}">Open APF Console</a>\n`

/** Removes files that a killed console left behind; their tokens have expired or ended with it. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    const found = NAME.test(name) ? await lstat(file).catch(() => undefined) : undefined
    if (found !== undefined && Date.now() - found.mtimeMs > TOKEN_MINUTES * 60_000) await rm(file, { force: true })
  }
}

/**
 * Writes a page that only this user can read and that sends a browser to a one-time address. The arguments of a
 * browser, which every user of the machine can read, then contain the path of the file instead of the address. The file
 * is removed when the address is spent. Uses the first private folder; rejects with a `ProblemError` when there is
 * none.
 */
export async function writeAddressFile(folders: readonly string[], { url, spent }: OneTimeAddress): Promise<string> {
  const reasons: string[] = []
  for (const folder of folders) {
    const file = path.join(folder, `apf-console-${randomBytes(8).toString('hex')}.html`)
    try {
      await privateFolder(folder)
      await sweep(folder)
      await writeAtomically(file, pageTo(url))
    } catch (error) {
      reasons.push(`${folder}: ${messageOf(error)}`)
      continue
    }
    // Synchronously, because the process may be about to exit.
    void spent.then(() => rmSync(file, { force: true })).catch(() => undefined)
    return file
  }
  throw new ProblemError(
    'forbidden',
    'The file with the address of the console cannot be written. Run it in a terminal, or set APF_CONSOLE_STATE to a folder of your own.',
    reasons.join('; '),
  )
}
