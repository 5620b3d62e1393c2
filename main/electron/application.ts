import path from 'node:path'
import type * as Electron from 'electron'
import { z } from 'zod'
import type { Handlers } from '../../core/contract/contract.ts'
import { serve } from '../../core/contract/server.ts'
import { loadAssets } from '../server/assets.ts'
import { watchPage } from './crash.ts'
import { onConnect, sendCommand } from './ipc.ts'
import type { Log } from './log.ts'
import { menuTemplate } from './menu.ts'
import { handleScheme, registerScheme } from './scheme.ts'
import { guardAllContents, guardPermissions, mayOpenOutside } from './security.ts'
import { openWindow } from './window.ts'

export type ElectronApi = Pick<
  typeof Electron,
  'app' | 'BrowserWindow' | 'Menu' | 'dialog' | 'ipcMain' | 'protocol' | 'screen' | 'session' | 'shell'
>

/** As it comes from another process of this application. */
const GivenSchema = z.object({ arguments: z.array(z.string()), cwd: z.string() })

export interface GivenArguments {
  readonly arguments: readonly string[]
  readonly cwd: string
}

export interface DesktopOptions {
  /** Folder of the built page, and the built preload script. */
  readonly root: string
  readonly preload: string
  /** Makes what answers the page; called once, when Electron is ready. */
  readonly createWorkspace: () => { readonly handlers: Handlers; close(): void }
  /** What was given to this start of the application, and the folder that relative paths are from. */
  readonly given: GivenArguments
  /** Connects what the arguments of a later start name; nothing when they name no source. */
  readonly openGiven: (given: GivenArguments) => void
  /** Connects files or folders. */
  readonly openPaths: (paths: readonly string[]) => void
  readonly platform: NodeJS.Platform
  readonly log: Log
  readonly now: () => number
}

/**
 * The life of the desktop application. Resolves once the window exists, or with `undefined` when another instance
 * runs already, which is then brought to the front.
 */
export async function boot(
  electron: ElectronApi,
  options: DesktopOptions,
): Promise<Electron.BrowserWindow | undefined> {
  const { app, dialog, shell } = electron
  const { log, now, platform, preload, root } = options
  // First of all: a second instance must not touch what the first one holds.
  // Its arguments go to the first one as they were given: Chromium reorders those of the event.
  if (!app.requestSingleInstanceLock({ ...options.given })) {
    app.quit()
    return undefined
  }
  registerScheme(electron.protocol)
  guardAllContents(app, shell)
  await app.whenReady()

  const assets = await loadAssets(root)
  guardPermissions(electron.session.defaultSession)
  handleScheme(electron.protocol, assets)
  const workspace = options.createWorkspace()
  onConnect(
    electron.ipcMain,
    (port) => void serve(port, workspace.handlers),
    () => log('line-refused', {}),
  )

  let window: Electron.BrowserWindow | undefined
  const open = (): Electron.BrowserWindow => {
    const opened = openWindow({
      BrowserWindow: electron.BrowserWindow,
      screen: electron.screen,
      preload,
      stateFile: path.join(app.getPath('userData'), 'window.json'),
    })
    const ask = async (question: Electron.MessageBoxOptions): Promise<number> =>
      (await dialog.showMessageBox(opened, question)).response
    watchPage(opened, { ask, log, now, quit: () => app.quit() })
    opened.once('closed', () => {
      window = undefined
    })
    window = opened
    return opened
  }
  const front = (): Electron.BrowserWindow => {
    if (window === undefined) return open()
    if (window.isMinimized()) window.restore()
    window.focus()
    return window
  }

  const template = menuTemplate({ appName: app.name, developer: !app.isPackaged }, platform, {
    command: (command) => sendCommand(front().webContents, command),
    openFiles: (what) => {
      const properties =
        what === 'folder' ? ['openDirectory' as const] : ['openFile' as const, 'multiSelections' as const]
      const ask = async (): Promise<void> => {
        const { canceled, filePaths } = await dialog.showOpenDialog(front(), { properties })
        if (!canceled && filePaths.length > 0) options.openPaths(filePaths)
      }
      ask().catch(() => log('open-refused', {}))
    },
    openOutside: (url) => {
      if (mayOpenOutside(url)) shell.openExternal(url).catch(() => undefined)
    },
  })
  electron.Menu.setApplicationMenu(electron.Menu.buildFromTemplate(template))

  app.on('second-instance', (_event, _argv, _cwd, data) => {
    front()
    const given = GivenSchema.safeParse(data)
    if (given.success) options.openGiven(given.data)
  })
  app.on('open-file', (event, file) => {
    event.preventDefault()
    front()
    options.openPaths([file])
  })
  app.on('activate', () => void front())
  app.on('child-process-gone', (_event, { type, reason }) => log('child-gone', { type, reason }))
  app.on('window-all-closed', () => {
    if (platform !== 'darwin') app.quit()
  })
  app.on('will-quit', () => workspace.close())
  return open()
}
