import path from 'node:path'
import type * as Electron from 'electron'
import { z } from 'zod'
import type { IpcMain, WebContents, WebFrameMain, MenuItemConstructorOptions, MessageBoxOptions } from 'electron'
import { serve } from '../../core/contract/server.ts'
import { COMMAND_CHANNEL, CONNECT_CHANNEL, type MenuCommand } from '../../core/contract/desktop.ts'
import type { Port } from '../../core/contract/protocol.ts'
import { loadAssets } from '../server/assets.ts'
import { messagePort } from '../transport/messagePort.ts'
import type { Ask } from '../cluster/consent.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { watchPage, type Log } from './crash.ts'
import { LINK_SCHEME } from './link.ts'
import {
  handleScheme,
  registerScheme,
  guardAllContents,
  guardPermissions,
  mayOpenOutside,
  isOwnUrl,
  openWindow,
  showAddress,
} from './window.ts'

export type ElectronApi = Pick<
  typeof Electron,
  'app' | 'BrowserWindow' | 'Menu' | 'dialog' | 'ipcMain' | 'protocol' | 'screen' | 'session' | 'shell'
>

/** The data from another process of this application. */
const GivenSchema = z.object({ arguments: z.array(z.string()), cwd: z.string() })

export interface GivenArguments {
  readonly arguments: readonly string[]
  readonly cwd: string
}

export interface DesktopOptions {
  /** Folder of the built page, and the built preload script. */
  readonly root: string
  readonly preload: string
  /**
   * Creates what serves the page; called once, when Electron is ready, with the files that the system opened it for.
   */
  readonly createWorkspace: (files: readonly string[]) => Pick<Workspace, 'handlers' | 'lineTo' | 'close'>
  /** The arguments of this start of the application, and the folder that relative paths refer to. */
  readonly given: GivenArguments
  /** Connects the source that the arguments of a later start name; does nothing when they name none. */
  readonly openGiven: (given: GivenArguments) => void
  /** The address in the page, `#/level/system`, of a link among the arguments; an invalid link is reported. */
  readonly addressIn: (given: readonly string[]) => string | undefined
  /** Connects files or folders. */
  readonly openPaths: (paths: readonly string[]) => void
  readonly platform: NodeJS.Platform
  readonly log: Log
  readonly now: () => number
}

/**
 * Runs the desktop application. Resolves once the window exists, or with `undefined` when another instance is already
 * running, which is then brought to the front.
 */
export async function boot(
  electron: ElectronApi,
  options: DesktopOptions,
): Promise<Electron.BrowserWindow | undefined> {
  const { app, dialog, shell } = electron
  const { log, now, platform, preload, root } = options
  // First of all: a second instance must not touch what the first one uses.
  // Its arguments are passed to the first one as given: Chromium reorders those of the event.
  if (!app.requestSingleInstanceLock({ ...options.given })) {
    app.quit()
    return undefined
  }
  registerScheme(electron.protocol)
  guardAllContents(app, shell)
  // macOS reports a file that was opened before the application is ready.
  const early: string[] = []
  let openPaths = (paths: readonly string[]): void => {
    for (const added of paths) early.push(added)
  }
  app.on('open-file', (event, file) => {
    event.preventDefault()
    openPaths([file])
  })
  let link: string | undefined
  let openLink = (opened: string): void => void (link = opened)
  app.on('open-url', (event, opened) => {
    event.preventDefault()
    openLink(opened)
  })
  await app.whenReady()
  // On the other systems the package registers the scheme (electron-builder.yml).
  if (platform === 'win32' && app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME)

  const assets = await loadAssets(root)
  guardPermissions(electron.session.defaultSession)
  handleScheme(electron.protocol, assets)
  const workspace = options.createWorkspace(early)
  onConnect(
    electron.ipcMain,
    (port) => void serve(port, workspace.handlers, workspace),
    () => log('line-refused', {}),
  )

  let window: Electron.BrowserWindow | undefined
  const open = (address?: string): Electron.BrowserWindow => {
    const opened = openWindow({
      BrowserWindow: electron.BrowserWindow,
      screen: electron.screen,
      preload,
      stateFile: path.join(app.getPath('userData'), 'window.json'),
      address,
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
  const front = (address?: string): Electron.BrowserWindow => {
    if (window === undefined) return open(address)
    if (address !== undefined) showAddress(window, address)
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
    const given = GivenSchema.safeParse(data)
    front(given.success ? options.addressIn(given.data.arguments) : undefined)
    if (given.success) options.openGiven(given.data)
  })
  openPaths = (paths) => {
    front()
    options.openPaths(paths)
  }
  openLink = (opened) => void front(options.addressIn([opened]))
  app.on('activate', () => void front())
  app.on('child-process-gone', (_event, { type, reason }) => log('child-gone', { type, reason }))
  app.on('window-all-closed', () => {
    if (platform !== 'darwin') app.quit()
  })
  app.on('will-quit', () => void workspace.close())
  return open(options.addressIn(link === undefined ? options.given.arguments : [link]))
}

/*
 * The only file of the main process that uses Electron's raw message channels. There are two: one on which the page
 * requests a line, and one on which the menu sends commands to the page. Everything else goes through the contract,
 * over the line.
 */

/** Accepts only the page itself, in the main frame; a detached frame is not trusted. */
export function isTrustedFrame(frame: Pick<WebFrameMain, 'url' | 'parent' | 'detached'> | null): boolean {
  return frame !== null && !frame.detached && frame.parent === null && isOwnUrl(frame.url)
}

/**
 * Calls `accept` with a line for each request of the page. A page has one line: a new one (after a reload) closes the
 * previous one. Requests from anywhere else have their ports closed and are reported to `onRefused`.
 */
export function onConnect(
  ipcMain: Pick<IpcMain, 'on'>,
  accept: (port: Port) => void,
  onRefused: (url: string) => void,
): void {
  let current: Port | undefined
  ipcMain.on(CONNECT_CHANNEL, (event) => {
    const [channel, ...more] = event.ports
    if (!isTrustedFrame(event.senderFrame) || channel === undefined || more.length > 0) {
      for (const port of event.ports) port.close()
      return onRefused(event.senderFrame?.url ?? 'a detached frame')
    }
    current?.close()
    current = messagePort(channel)
    accept(current)
  })
}

function sendCommand(contents: Pick<WebContents, 'send'>, command: MenuCommand): void {
  contents.send(COMMAND_CHANNEL, command)
}

interface MenuState {
  readonly appName: string
  /** Whether reload and the developer tools are offered: in a checkout, not in the packaged application. */
  readonly developer: boolean
}
interface MenuActions {
  readonly command: (command: MenuCommand) => void
  /** Shows a dialog for files, or for a folder, and opens them as a source. */
  readonly openFiles: (what: 'files' | 'folder') => void
  readonly openOutside: (url: string) => void
}

const APF_MANUAL = 'https://kubernetes.io/docs/concepts/cluster-administration/flow-control/'
const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' }

/** The application menu of one platform, as a value. */
export function menuTemplate(
  state: MenuState,
  platform: NodeJS.Platform,
  { command, openFiles, openOutside }: MenuActions,
): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin'
  const item = (label: string, name: MenuCommand, accelerator?: string): MenuItemConstructorOptions => ({
    id: name,
    label,
    click: () => command(name),
    ...(accelerator === undefined ? {} : { accelerator }),
  })
  const developer: MenuItemConstructorOptions[] = state.developer
    ? [{ role: 'reload' }, { role: 'toggleDevTools' }, SEPARATOR]
    : []
  const application: MenuItemConstructorOptions = {
    label: state.appName,
    submenu: [
      { role: 'about' },
      SEPARATOR,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      SEPARATOR,
      { role: 'quit' },
    ],
  }
  return [
    ...(mac ? [application] : []),
    {
      label: '&File',
      submenu: [
        item('Choose &Source…', 'choose-source', 'CmdOrCtrl+O'),
        { label: 'Open &Files…', accelerator: 'CmdOrCtrl+Shift+O', click: () => openFiles('files') },
        { label: 'Open F&older…', click: () => openFiles('folder') },
        SEPARATOR,
        { role: mac ? 'close' : 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        item('&Overview', 'go-overview', 'CmdOrCtrl+1'),
        item('&Level', 'go-level', 'CmdOrCtrl+2'),
        item('Live &Requests', 'go-live', 'CmdOrCtrl+5'),
        item('&Connection', 'go-connection', 'CmdOrCtrl+9'),
        SEPARATOR,
        item('&Pause or Resume', 'toggle-pause', 'CmdOrCtrl+P'),
        item('&Go To…', 'open-palette', 'CmdOrCtrl+K'),
        item('Toggle &Sidebar', 'toggle-sidebar', 'CmdOrCtrl+B'),
        SEPARATOR,
        ...developer,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        item('&Keyboard Shortcuts', 'show-shortcuts'),
        { label: 'API Priority and Fairness', click: () => openOutside(APF_MANUAL) },
        ...(mac ? [] : [SEPARATOR, { role: 'about' } satisfies MenuItemConstructorOptions]),
      ],
    },
  ]
}

type ShowMessageBox = (options: MessageBoxOptions) => Promise<{ readonly response: number }>

const ALLOW = 1

/** Asks in a message box of the system, whose buttons no page can press; closing it refuses. */
export const askOperator =
  (show: ShowMessageBox): Ask =>
  async ([message = '', ...lines], signal) => {
    const { response } = await show({
      type: 'warning',
      message,
      detail: lines.map((line) => line.trim()).join('\n'),
      buttons: ['Refuse', 'Allow'],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
      signal,
    })
    return signal.aborted ? undefined : response === ALLOW
  }
