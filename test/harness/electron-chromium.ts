import { EventEmitter } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { BrowserWindowConstructorOptions, MenuItemConstructorOptions } from 'electron'
import type { Browser, Page, Request as PageRequest, Route } from 'playwright'
import { launchChromium } from './chromium.ts'
import { preloadScript } from './electron-chromium.page.ts'

/*
 * Electron for tests: a module with the same names, whose windows are pages of a real Chromium. The main process' own
 * code runs unchanged against it: its scheme handler serves the page under its own policy, its built preload script
 * runs before the page, its check of senders sees the real address of the real frame.
 *
 * What it cannot show: the operating system's sandbox, fuses, the privileges of the real `apf:` scheme (the page is
 * served as https://console.apf.test), MessagePortMain itself, isolated worlds, native menus and dialogs. Those are
 * for test/e2e/electron.spec.ts, where an Electron binary is.
 */
const STAND_IN = 'https://console.apf.test/'
const OWN = 'apf://console/'
const toOwn = (url: string): string => (url.startsWith(STAND_IN) ? OWN + url.slice(STAND_IN.length) : url)
const toStandIn = (url: string): string => (url.startsWith(OWN) ? STAND_IN + url.slice(OWN.length) : url)

/** What the application did, for tests to inspect. */
export const seen = {
  schemes: [] as unknown[],
  outside: [] as string[],
  /** The application's decisions about windows that the page tried to open. */
  openAnswers: [] as string[],
  menu: [] as MenuItemConstructorOptions[],
  dialogs: [] as string[],
  quits: 0,
  windows: [] as BrowserWindow[],
  /** Errors and refusals that the browser wrote to the page's console: violations of the policy are among them. */
  complaints: [] as string[],
}

let browser: Browser | undefined
let schemeHandler: ((request: Request) => Response | Promise<Response>) | undefined
let userData: string | undefined

export const ipcMain = new EventEmitter()
export const app = Object.assign(new EventEmitter(), {
  name: 'APF Console',
  isPackaged: false,
  getVersion: () => '0.0.0-harness',
  getPath: () => (userData ??= mkdtempSync(path.join(tmpdir(), 'apf-user-'))),
  requestSingleInstanceLock: () => true,
  whenReady: async () => {
    browser ??= await launchChromium()
  },
  quit: () => {
    seen.quits += 1
    app.emit('will-quit', { preventDefault: () => undefined })
  },
  exit: () => app.quit(),
})
export const protocol = {
  registerSchemesAsPrivileged: (schemes: unknown[]) => void seen.schemes.push(...schemes),
  handle: (_scheme: string, handler: NonNullable<typeof schemeHandler>) => {
    schemeHandler = handler
  },
}
export const session = {
  defaultSession: {
    setPermissionRequestHandler: () => undefined,
    setPermissionCheckHandler: () => undefined,
    setDevicePermissionHandler: () => undefined,
  },
}
export const shell = { openExternal: async (url: string) => void seen.outside.push(url) }
export const Menu = {
  buildFromTemplate: (template: MenuItemConstructorOptions[]) => template,
  setApplicationMenu: (template: MenuItemConstructorOptions[]) => {
    seen.menu = template
  },
}
export const dialog = {
  showMessageBox: async (_window: unknown, { message }: { message: string }) => {
    seen.dialogs.push(message)
    return { response: 0 }
  },
  showErrorBox: (title: string, content: string) => void seen.dialogs.push(`${title}: ${content}`),
}
const display = { workArea: { x: 0, y: 0, width: 1600, height: 1000 } }
export const screen = { getPrimaryDisplay: () => display, getAllDisplays: () => [display] }

/** The main-process end of a port in a page. */
class PortMain extends EventEmitter {
  readonly #deliver: (kind: 'message' | 'close', data?: unknown) => void
  constructor(deliver: (kind: 'message' | 'close', data?: unknown) => void) {
    super()
    this.#deliver = deliver
  }
  postMessage(message: unknown): void {
    this.#deliver('message', message)
  }
  start(): void {
    this.emit('started')
  }
  close(): void {
    this.#deliver('close')
    this.emit('close')
  }
}

/** All messages between a page and the main process. */
class Contents extends EventEmitter {
  openHandler: (details: { url: string }) => { action: 'allow' | 'deny' } = () => ({ action: 'allow' })
  readonly #ports = new Map<string, PortMain>()
  #page: Page | undefined

  setWindowOpenHandler(handler: Contents['openHandler']): void {
    this.openHandler = handler
  }
  send(channel: string, data: unknown): void {
    this.#deliver('send', channel, data)
  }
  reload(): void {
    this.#page?.reload().catch(() => undefined)
  }

  #deliver(kind: string, target: string, data?: unknown): void {
    const message = JSON.stringify([kind, target, data])
    // A closed page receives nothing more.
    this.#page?.evaluate(`window.__apfDeliver(...${message})`).catch(() => undefined)
  }

  async attach(page: Page, preload: string): Promise<void> {
    this.#page = page
    await page.exposeBinding('__apfPost', ({ frame }, channel: string, _message: unknown, ids: string[]) => {
      const ports = ids.map((id) => {
        const port = new PortMain((kind, data) => this.#deliver(kind, id, data))
        this.#ports.set(id, port)
        return port
      })
      const senderFrame = { url: toOwn(frame.url()), parent: frame.parentFrame(), detached: frame.isDetached() }
      ipcMain.emit(channel, { ports, senderFrame, sender: this })
    })
    await page.exposeBinding('__apfPort', (_source, id: string, data: unknown) => {
      this.#ports.get(id)?.emit('message', { data, ports: [] })
    })
    await page.exposeBinding('__apfDocument', ({ frame }) => {
      // A port closes with its document. Navigation within the same document closes none.
      if (frame !== page.mainFrame()) return
      for (const port of this.#ports.values()) port.emit('close')
      this.#ports.clear()
    })
    await page.addInitScript('window.__apfDocument()')
    await page.addInitScript(preloadScript(readFileSync(preload, 'utf8')))
    page.on('console', (message) => {
      if (message.type() === 'error') seen.complaints.push(message.text())
    })
    page.on('pageerror', (error) => seen.complaints.push(error.message))
    page.on('crash', () => this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 }))
  }
}

export class BrowserWindow extends EventEmitter {
  readonly webContents = new Contents()
  readonly options: BrowserWindowConstructorOptions
  isShown = false
  readonly ready: Promise<Page>
  readonly #loaded = Promise.withResolvers<Page>()

  constructor(options: BrowserWindowConstructorOptions) {
    super()
    this.options = options
    this.ready = this.#loaded.promise
    seen.windows.push(this)
    app.emit('web-contents-created', {}, this.webContents)
  }

  async loadURL(url: string): Promise<void> {
    const page = await openPage(this.webContents)
    await this.webContents.attach(page, this.options.webPreferences?.preload ?? '')
    await page.goto(toStandIn(url))
    this.emit('ready-to-show')
    this.#loaded.resolve(page)
  }
  show(): void {
    this.isShown = true
  }
  focus(): void {
    this.emit('focus')
  }
  isMinimized(): boolean {
    return false
  }
  isMaximized(): boolean {
    return false
  }
  getNormalBounds() {
    return { x: 0, y: 0, width: 1000, height: 700 }
  }
}

/**
 * A page whose requests go only to the application's scheme handler. The application first decides about its navigation
 * and the windows that it opens.
 */
async function openPage(contents: Contents): Promise<Page> {
  if (browser === undefined) throw new Error('the application is not ready')
  const context = await browser.newContext()
  const page = await context.newPage()
  // A request that belongs to no page of the application comes from a window that it tries to open.
  await context.route('**/*', async (route) => {
    seen.openAnswers.push(contents.openHandler({ url: toOwn(route.request().url()) }).action)
    await route.abort()
  })
  page.on('popup', (popup) => void popup.close().catch(() => undefined))
  await page.route('**/*', (route) => answer(route, page, contents))
  return page
}

async function answer(route: Route, page: Page, contents: Contents): Promise<void> {
  const request = route.request()
  const url = toOwn(request.url())
  if (request.isNavigationRequest() && page.url() !== 'about:blank' && !isReload(request)) {
    let prevented = false
    contents.emit('will-navigate', { url, preventDefault: () => (prevented = true) })
    if (prevented) return route.abort('aborted')
  }
  if (!url.startsWith(OWN) || schemeHandler === undefined) return route.abort()
  const response = await schemeHandler(new Request(url, { method: request.method() }))
  const body = Buffer.from(await response.arrayBuffer())
  return route.fulfill({ status: response.status, headers: Object.fromEntries(response.headers), body })
}

const isReload = (request: PageRequest): boolean => request.url() === request.frame().page().url().split('#')[0]

/** Chooses an item of the application menu. */
export function choose(id: string): void {
  const items = seen.menu.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
  const item: { click?: unknown } | undefined = items.find((one) => one.id === id)
  if (typeof item?.click !== 'function') throw new Error(`the menu has no ${id}`)
  item.click()
}

/** A foreign page, at that address, that has the preload script nevertheless. */
export async function openForeignPage(url: string, preload: string): Promise<Page> {
  if (browser === undefined) throw new Error('the application is not ready')
  const page = await (await browser.newContext()).newPage()
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<title>foreign</title>' }))
  await new Contents().attach(page, preload)
  await page.goto(url)
  return page
}

export async function closeHarness(): Promise<void> {
  await browser?.close()
  browser = undefined
  if (userData !== undefined) rmSync(userData, { recursive: true })
  userData = undefined
}
