import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { BrowserWindow, BrowserWindowConstructorOptions, Screen } from 'electron'
import { z } from 'zod'
import { PAGE_URL } from './security.ts'

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
/** Of the title bar, so that the window can be grasped. */
const VISIBLE = 100

const clamp = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), Math.max(most, least))

/** Whether enough of the title bar of `window` lies within `area`. */
function isGraspable(window: Rectangle, area: Rectangle): boolean {
  const shown = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x)
  return shown >= VISIBLE && window.y >= area.y && window.y + VISIBLE <= area.y + area.height
}

/**
 * The stored state if the window can still be seen and grasped on one of the work areas, fitted into that area; else
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

/** `undefined` when there is no state or it is not one: the window then opens as the first time. */
export function readWindowState(file: string): WindowState | undefined {
  try {
    return WindowStateSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

/** Whole or not at all; a state that cannot be kept is not worth a message. */
export function writeWindowState(file: string, state: WindowState): void {
  try {
    writeFileSync(`${file}.new`, JSON.stringify(state))
    renameSync(`${file}.new`, file)
  } catch {
    return
  }
}
