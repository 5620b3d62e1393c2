import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type {
  BrowserWindow,
  BrowserWindowConstructorOptions,
  Screen,
  App,
  Session,
  Shell,
  WebContents,
  Protocol,
} from 'electron'
import { z } from 'zod'
import { assetAnswer, type Assets, SECURITY_HEADERS } from '../server/assets.ts'

/** Before the first paint, the canvas of the dark theme. */
const BACKGROUND = '#0e1315'

export function windowOptions(preload: string, { x, y, width, height }: WindowState): BrowserWindowConstructorOptions {
  return {
    x,
    y,
    width,
    height,
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    show: false,
    backgroundColor: BACKGROUND,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  }
}

export interface WindowEnvironment {
  readonly BrowserWindow: new (options: BrowserWindowConstructorOptions) => BrowserWindow
  readonly screen: Pick<Screen, 'getAllDisplays' | 'getPrimaryDisplay'>
  readonly preload: string
  /** Where position and size are kept between two starts. */
  readonly stateFile: string
  /** An address in the page: `#/level/system`. */
  readonly address?: string | undefined
}

export function openWindow({ BrowserWindow, screen, preload, stateFile, address }: WindowEnvironment): BrowserWindow {
  const others = screen.getAllDisplays().map(({ workArea }) => workArea)
  const state = fitWindow(readWindowState(stateFile), [screen.getPrimaryDisplay().workArea, ...others])
  const window = new BrowserWindow(windowOptions(preload, state))
  if (state.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  window.on('close', () =>
    writeWindowState(stateFile, { ...window.getNormalBounds(), maximized: window.isMaximized() }),
  )
  showAddress(window, address ?? '')
  return window
}

/** Navigates to an address of the page; without a reload if the page is already loaded. */
export function showAddress(window: Pick<BrowserWindow, 'loadURL'>, address: string): void {
  // A failed load is reported by `did-fail-load`; the promise only repeats it.
  window.loadURL(`${PAGE_URL}${address}`).catch(() => undefined)
}

/** Where the window was, in screen coordinates. */
interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}
const WindowStateSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
  maximized: z.boolean(),
})
type WindowState = z.infer<typeof WindowStateSchema>

export const MIN_SIZE = { width: 900, height: 600 } as const
const DEFAULT_SIZE = { width: 1440, height: 900 } as const
/** The part of the title bar that must stay visible, so that the window can be grabbed. */
const VISIBLE = 100

const clamp = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), Math.max(most, least))

/** Whether enough of the title bar of `window` is within `area` to grab it. */
function isGraspable(window: Rectangle, area: Rectangle): boolean {
  const shown = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x)
  return shown >= VISIBLE && window.y >= area.y && window.y + VISIBLE <= area.y + area.height
}

/**
 * The stored state if the window can still be seen and grabbed on one of the work areas, fitted into that area; else
 * the middle of the first area. Displays come and go between two starts.
 */
export function fitWindow(stored: WindowState | undefined, areas: readonly [Rectangle, ...Rectangle[]]): WindowState {
  const area = stored === undefined ? undefined : areas.find((one) => isGraspable(stored, one))
  if (stored === undefined || area === undefined) {
    const [first] = areas
    const width = clamp(DEFAULT_SIZE.width, MIN_SIZE.width, first.width)
    const height = clamp(DEFAULT_SIZE.height, MIN_SIZE.height, first.height)
    const x = Math.round(first.x + (first.width - width) / 2)
    const y = Math.round(first.y + (first.height - height) / 2)
    return { x, y, width, height, maximized: false }
  }
  const width = clamp(stored.width, MIN_SIZE.width, area.width)
  const height = clamp(stored.height, MIN_SIZE.height, area.height)
  const x = clamp(stored.x, area.x + VISIBLE - width, area.x + area.width - VISIBLE)
  return { x, y: stored.y, width, height, maximized: stored.maximized }
}

/** `undefined` when there is no valid state: the window then opens as on the first start. */
export function readWindowState(file: string): WindowState | undefined {
  try {
    return WindowStateSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

/** Written completely or not at all; a state that cannot be saved is not worth a message. */
export function writeWindowState(file: string, state: WindowState): void {
  try {
    writeFileSync(`${file}.new`, JSON.stringify(state))
    renameSync(`${file}.new`, file)
  } catch {
    return
  }
}

/** Hosts that a link in the console may open, in the operator's own browser. */
const OUTSIDE_HOSTS: ReadonlySet<string> = new Set(['kubernetes.io', 'github.com', 'prometheus.io'])

export function mayOpenOutside(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed !== null && parsed.protocol === 'https:' && parsed.port === '' && OUTSIDE_HOSTS.has(parsed.hostname)
}

/** The permissions that the page may request, and only the page itself. Electron's default is to grant everything. */
const PERMISSIONS: ReadonlySet<string> = new Set(['clipboard-sanitized-write', 'notifications'])
const mayHave = (permission: string, requester: string): boolean => PERMISSIONS.has(permission) && isOwnUrl(requester)

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

/** No page of this application ever navigates elsewhere or opens a window; links open in the operator's browser. */
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

/** Guards all web contents that this application ever creates, including its own window. */
export function guardAllContents(app: Pick<App, 'on'>, shell: Pick<Shell, 'openExternal'>): void {
  app.on('web-contents-created', (_event, contents) => guardNavigation(contents, shell))
}

const SCHEME = 'apf'
const HOST = 'console'
const PAGE_URL = `${SCHEME}://${HOST}/`

/** Compares the exact origin of the console; the beginning of a URL decides nothing. */
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

/** The response to one request of the page for one of its files. */
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
