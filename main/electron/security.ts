import type { App, Session, Shell, WebContents, Protocol } from 'electron'
import { assetAnswer, type Assets, SECURITY_HEADERS } from '../server/assets.ts'

/** Where a link in the console may lead, in the operator's own browser. */
const OUTSIDE_HOSTS: ReadonlySet<string> = new Set(['kubernetes.io', 'github.com', 'prometheus.io'])

export function mayOpenOutside(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed !== null && parsed.protocol === 'https:' && parsed.port === '' && OUTSIDE_HOSTS.has(parsed.hostname)
}

/** Copying to the clipboard is all that the page may ask for, and only the page itself. Electron's default is yes. */
const mayHave = (permission: string, requester: string): boolean =>
  permission === 'clipboard-sanitized-write' && isOwnUrl(requester)

type GuardedSession = Pick<
  Session,
  'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'
>

export function guardPermissions(session: GuardedSession): void {
  session.setPermissionRequestHandler((_contents, permission, callback, details) =>
    callback(mayHave(permission, details.requestingUrl)),
  )
  session.setPermissionCheckHandler((_contents, permission, origin) => mayHave(permission, origin))
  session.setDevicePermissionHandler(() => false)
}

type GuardedContents = Pick<WebContents, 'on' | 'setWindowOpenHandler'>

/** No page of this application ever goes anywhere else or opens a window; links lead to the operator's browser. */
export function guardNavigation(contents: GuardedContents, shell: Pick<Shell, 'openExternal'>): void {
  const openOutside = (url: string): void => {
    if (mayOpenOutside(url)) shell.openExternal(url).catch(() => undefined)
  }
  contents.on('will-navigate', (event) => {
    event.preventDefault()
    openOutside(event.url)
  })
  contents.on('will-frame-navigate', (event) => event.preventDefault())
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url)
    return { action: 'deny' }
  })
}

/** Guards whatever contents this application ever makes, its own window included. */
export function guardAllContents(app: Pick<App, 'on'>, shell: Pick<Shell, 'openExternal'>): void {
  app.on('web-contents-created', (_event, contents) => guardNavigation(contents, shell))
}

const SCHEME = 'apf'
const HOST = 'console'
export const PAGE_URL = `${SCHEME}://${HOST}/`

/** Exactly the console's own origin; nothing is decided by how an address begins. */
export function isOwnUrl(url: string): boolean {
  const parsed = URL.parse(url)
  return (
    parsed !== null &&
    parsed.protocol === `${SCHEME}:` &&
    parsed.host === HOST &&
    parsed.username === '' &&
    parsed.password === ''
  )
}

/** Before the application is ready: gives the scheme an origin, and with it storage, fetch and a policy. */
export function registerScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

const refusal = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(null, { status, headers: { ...SECURITY_HEADERS, ...headers } })

/** The answer to one request of the page for one of its files. */
export function answerScheme(assets: Assets, request: Pick<Request, 'url' | 'method'>): Response {
  if (!isOwnUrl(request.url)) return refusal(403)
  if (request.method !== 'GET') return refusal(405, { allow: 'GET' })
  const answer = assetAnswer(assets, new URL(request.url).pathname)
  if (answer === undefined) return refusal(404)
  return new Response(new Uint8Array(answer.body), { headers: { ...SECURITY_HEADERS, ...answer.headers } })
}

export function handleScheme(protocol: Pick<Protocol, 'handle'>, assets: Assets): void {
  protocol.handle(SCHEME, (request) => answerScheme(assets, request))
}
