import type { App, Session, Shell, WebContents } from 'electron'
import { isOwnUrl } from './scheme.ts'

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
