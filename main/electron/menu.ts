import type { MenuItemConstructorOptions } from 'electron'
import type { MenuCommand } from '../../core/contract/desktop.ts'

export interface MenuState {
  readonly appName: string
  /** Whether reload and the developer tools are offered: in a checkout, not in the packaged application. */
  readonly developer: boolean
}
export interface MenuActions {
  readonly command: (command: MenuCommand) => void
  /** Asks for files, or for a folder, and opens them as a source. */
  readonly openFiles: (what: 'files' | 'folder') => void
  readonly openOutside: (url: string) => void
}

const APF_MANUAL = 'https://kubernetes.io/docs/concepts/cluster-administration/flow-control/'
const line: MenuItemConstructorOptions = { type: 'separator' }

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
    ? [{ role: 'reload' }, { role: 'toggleDevTools' }, line]
    : []
  const application: MenuItemConstructorOptions = {
    label: state.appName,
    submenu: [
      { role: 'about' },
      line,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      line,
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
        line,
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
        line,
        item('&Pause or Go On', 'toggle-pause', 'CmdOrCtrl+P'),
        item('&Go To…', 'open-palette', 'CmdOrCtrl+K'),
        item('&Sidebar or Rail', 'toggle-sidebar', 'CmdOrCtrl+B'),
        line,
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
        ...(mac ? [] : [line, { role: 'about' } satisfies MenuItemConstructorOptions]),
      ],
    },
  ]
}
