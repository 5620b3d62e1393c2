import type { BrowserWindow, BrowserWindowConstructorOptions, Screen } from 'electron'
import { PAGE_URL } from './scheme.ts'
import { MIN_SIZE, fitWindow, readWindowState, writeWindowState } from './windowState.ts'
import type { WindowState } from './windowState.ts'

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
}

export function openWindow({ BrowserWindow, screen, preload, stateFile }: WindowEnvironment): BrowserWindow {
  const others = screen.getAllDisplays().map(({ workArea }) => workArea)
  const state = fitWindow(readWindowState(stateFile), [screen.getPrimaryDisplay().workArea, ...others])
  const window = new BrowserWindow(windowOptions(preload, state))
  if (state.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  window.on('close', () =>
    writeWindowState(stateFile, { ...window.getNormalBounds(), maximized: window.isMaximized() }),
  )
  // A page that cannot be loaded is reported by `did-fail-load`; the promise says the same once more.
  window.loadURL(PAGE_URL).catch(() => undefined)
  return window
}
