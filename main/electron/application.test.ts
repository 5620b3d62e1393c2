import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { EventEmitter } from 'node:events'
import { afterAll, describe, expect, test } from 'vitest'
import type {
  IpcMain,
  MenuItemConstructorOptions,
  MessageBoxOptions,
  OpenDialogOptions,
  OpenDialogReturnValue,
} from 'electron'
import { fakeWorkspace } from '../../test/harness/handlers.ts'
import { tinyPage } from '../../test/harness/page.ts'
import { CONNECT_CHANNEL, MENU_COMMANDS } from '../../core/contract/desktop.ts'
import type { Port } from '../../core/contract/protocol.ts'
import { boot, type ElectronApi, isTrustedFrame, onConnect, menuTemplate, askOperator } from './application.ts'
import { addressIn } from './sourceArguments.ts'
import { mayOpenOutside } from './window.ts'

const page = tinyPage()
const userData = mkdtempSync(path.join(tmpdir(), 'apf-user-'))
afterAll(() => {
  page.remove()
  rmSync(userData, { recursive: true })
})

/** A fake Electron that records its calls in order. */
function fakeElectron({
  firstInstance,
  early,
  links = [],
  packaged = true,
}: {
  readonly firstInstance: boolean
  readonly early: readonly string[]
  readonly links?: readonly string[]
  readonly packaged?: boolean
}) {
  const done: string[] = []
  const menus: (readonly MenuItemConstructorOptions[])[] = []
  const questions: OpenDialogOptions[] = []
  const choice: { now: OpenDialogReturnValue } = { now: { canceled: true, filePaths: [] } }
  const note =
    (name: string) =>
    (..._args: unknown[]): void =>
      void done.push(name)
  const windows: EventEmitter[] = []
  class BrowserWindow extends EventEmitter {
    readonly webContents = Object.assign(new EventEmitter(), { send: note('send'), setWindowOpenHandler: note('open') })
    constructor() {
      super()
      done.push('window')
      windows.push(this)
    }
    readonly loadURL = async (url: string): Promise<void> => void done.push(`load ${url}`)
    readonly show = note('show')
    readonly focus = note('focus')
    readonly restore = note('restore')
    readonly isMinimized = (): boolean => true
    readonly isMaximized = (): boolean => false
    readonly getNormalBounds = () => ({ x: 0, y: 0, width: 1000, height: 700 })
  }
  const app = Object.assign(new EventEmitter(), {
    name: 'APF Console',
    isPackaged: packaged,
    getPath: () => userData,
    requestSingleInstanceLock: () => {
      done.push('lock')
      return firstInstance
    },
    whenReady: async () => {
      for (const file of early) app.emit('open-file', { preventDefault: note('prevented') }, file)
      for (const link of links) app.emit('open-url', { preventDefault: note('prevented') }, link)
      done.push('ready')
    },
    quit: note('quit'),
    setAsDefaultProtocolClient: (scheme: string) => done.push(`protocol ${scheme}`),
  })
  const display = { workArea: { x: 0, y: 0, width: 1600, height: 1000 } }
  const api: ElectronApi = Object.assign(Object.create(null), {
    app,
    BrowserWindow,
    Menu: {
      buildFromTemplate: (template: readonly MenuItemConstructorOptions[]) => menus.push(template),
      setApplicationMenu: note('set-menu'),
    },
    dialog: {
      showOpenDialog: async (_window: unknown, question: OpenDialogOptions) => {
        questions.push(question)
        return choice.now
      },
    },
    ipcMain: new EventEmitter(),
    protocol: { registerSchemesAsPrivileged: note('scheme'), handle: note('handle') },
    screen: { getAllDisplays: () => [display], getPrimaryDisplay: () => display },
    session: {
      defaultSession: {
        setPermissionRequestHandler: note('permissions'),
        setPermissionCheckHandler: note('checks'),
        setDevicePermissionHandler: note('devices'),
      },
    },
    shell: {},
  })
  return { api, app, done, windows, menus, questions, choice }
}

interface StartOptions {
  readonly given?: readonly string[]
  readonly links?: readonly string[]
  readonly packaged?: boolean
}

async function start(
  platform: NodeJS.Platform = 'linux',
  firstInstance = true,
  early: readonly string[] = [],
  { given = ['--demo'], links = [], packaged = true }: StartOptions = {},
) {
  const electron = fakeElectron({ firstInstance, early, links, packaged })
  const window = await boot(electron.api, {
    root: page.root,
    preload: '/preload.cjs',
    platform,
    log: () => undefined,
    now: () => 0,
    given: { arguments: given, cwd: '/' },
    addressIn,
    openGiven: (later) => void electron.done.push(`given ${later.arguments.join(' ')}`),
    openPaths: (paths) => void electron.done.push(`paths ${paths.join(' ')}`),
    createWorkspace: (files) => {
      electron.done.push(['workspace', ...files].join(' '))
      return {
        handlers: fakeWorkspace('desktop').handlers,
        lineTo: () => undefined,
        close: async () => void electron.done.push('closed'),
      }
    },
  })
  return { ...electron, window }
}

test('everything is guarded before the window exists', async () => {
  const { done } = await start()
  expect(done.slice(0, 3)).toEqual(['lock', 'scheme', 'ready'])
  const before = done.slice(0, done.indexOf('window'))
  expect(before).toEqual(expect.arrayContaining(['permissions', 'checks', 'devices', 'handle', 'workspace']))
  expect(done.at(-1)).toBe('load apf://console/')
})

test('a second instance does nothing but leave', async () => {
  const { done, window } = await start('linux', false)
  expect(done).toEqual(['lock', 'quit'])
  expect(window).toBeUndefined()
})

test('the first instance then comes to the front', async () => {
  const { app, done, windows } = await start()
  app.emit('second-instance')
  expect(done.slice(-2)).toEqual(['restore', 'focus'])
  expect(windows).toHaveLength(1)
})

test('and opens what the second one was given', async () => {
  const { app, done } = await start()
  app.emit('second-instance', {}, [], '/', { arguments: ['--file', 'x'], cwd: '/tmp' })
  expect(done.at(-1)).toBe('given --file x')
  app.emit('second-instance', {}, [], '/', { arguments: 'x' })
  expect(done.at(-1)).toBe('focus')
})

test('a file that the system hands over is opened', async () => {
  const { app, done } = await start('darwin')
  app.emit('open-file', { preventDefault: () => done.push('prevented') }, '/tmp/metrics.txt')
  expect(done).toContain('prevented')
  expect(done.at(-1)).toBe('paths /tmp/metrics.txt')
})

test('one that comes before the application is ready is what it opens first', async () => {
  const { done } = await start('darwin', true, ['/tmp/incident.apfrec'])
  expect(done).toContain('workspace /tmp/incident.apfrec')
  expect(done.filter((what) => what.startsWith('paths'))).toEqual([])
})

describe('a link', () => {
  const LINK = 'apf-console://level/system?at=2026-08-01T10:00:00Z'
  const LOADED = 'load apf://console/#/level/system?at=2026-08-01T10%3A00%3A00Z'
  test('that the application is started with is where its window opens', async () => {
    expect((await start('linux', true, [], { given: [LINK] })).done.at(-1)).toBe(LOADED)
    const { done } = await start('darwin', true, [], { links: [LINK] })
    expect(done).toContain('prevented')
    expect(done.at(-1)).toBe(LOADED)
  })
  test('that is opened later moves the window that is there', async () => {
    const { app, done, windows } = await start()
    app.emit('second-instance', {}, [], '/', { arguments: [LINK], cwd: '/' })
    app.emit('open-url', { preventDefault: () => done.push('prevented') }, LINK)
    expect(done.filter((what) => what === LOADED)).toHaveLength(2)
    expect(done).toContain('prevented')
    expect(done.at(-1)).toBe('focus')
    expect(windows).toHaveLength(1)
  })
  test('opens a new window where the last one was closed', async () => {
    const { app, done, windows } = await start('darwin')
    windows[0]?.emit('closed')
    app.emit('open-url', { preventDefault: () => undefined }, LINK)
    expect(windows).toHaveLength(2)
    expect(done.at(-1)).toBe(LOADED)
  })
  test('is registered by the packaged application on Windows, elsewhere by the package', async () => {
    const registered = async (platform: NodeJS.Platform, packaged: boolean) =>
      (await start(platform, true, [], { packaged })).done.filter((what) => what.startsWith('protocol'))
    expect(await registered('win32', true)).toEqual(['protocol apf-console'])
    expect(await registered('win32', false)).toEqual([])
    expect(await registered('linux', true)).toEqual([])
    expect(await registered('darwin', true)).toEqual([])
  })
})

describe('the File menu', () => {
  const FILES = { label: 'Open &Files…', properties: ['openFile', 'multiSelections'], paths: ['/a/metrics.txt', '/b'] }
  const FOLDER = { label: 'Open F&older…', properties: ['openDirectory'], paths: ['/captures'] }
  const choose = async (label: string, now: OpenDialogReturnValue) => {
    const electron = await start()
    electron.choice.now = now
    const items = electron.menus.flat().flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
    const click = items.find((item) => item.label === label)?.click
    if (click === undefined) throw new Error(`no ${label} in the menu`)
    Reflect.apply(click, undefined, [])
    await setImmediate()
    return electron
  }
  test.each([FILES, FOLDER])('$label asks for paths and opens them', async ({ label, properties, paths }) => {
    const { done, questions } = await choose(label, { canceled: false, filePaths: paths })
    expect(questions).toEqual([{ properties }])
    expect(done.filter((what) => what.startsWith('paths'))).toEqual([`paths ${paths.join(' ')}`])
  })
  test.each([FILES, FOLDER])('$label opens nothing when nothing is chosen', async ({ label, paths }) => {
    for (const none of [
      { canceled: true, filePaths: paths },
      { canceled: false, filePaths: [] },
    ]) {
      const { done, questions } = await choose(label, none)
      expect(questions).toHaveLength(1)
      expect(done.filter((what) => what.startsWith('paths'))).toEqual([])
    }
  })
})

describe('when the last window is closed', () => {
  const closeAll = async (platform: NodeJS.Platform) => {
    const electron = await start(platform)
    electron.windows[0]?.emit('closed')
    electron.app.emit('window-all-closed')
    return electron
  }
  test('the application ends', async () => {
    const { done } = await closeAll('linux')
    expect(done.at(-1)).toBe('quit')
  })
  test('on macOS it stays, and opens a new window when it is activated', async () => {
    const { app, done, windows } = await closeAll('darwin')
    expect(done).not.toContain('quit')
    app.emit('activate')
    expect(windows).toHaveLength(2)
  })
})

test('the source is closed when the application ends', async () => {
  const { app, done } = await start()
  app.emit('will-quit')
  expect(done.at(-1)).toBe('closed')
})

test('a window appears when its page is ready, not before', async () => {
  const { done, windows } = await start()
  expect(done).not.toContain('show')
  windows[0]?.emit('ready-to-show')
  expect(done.at(-1)).toBe('show')
})

const frame = (url: string, more = {}) => ({ url, parent: null, detached: false, ...more })

describe('isTrustedFrame', () => {
  test('the page itself', () => {
    expect(isTrustedFrame(frame('apf://console/'))).toBe(true)
    expect(isTrustedFrame(frame('apf://console/#/level/system'))).toBe(true)
  })
  test('nobody else', () => {
    for (const url of [
      'apf://console.evil/',
      'https://console/',
      'file:///apf://console/',
      'about:blank',
      'apf:console',
    ]) {
      expect(isTrustedFrame(frame(url))).toBe(false)
    }
    expect(isTrustedFrame(null)).toBe(false)
  })
  test('not a frame inside the page, nor one that is gone', () => {
    const parent = Object.create(null)
    expect(isTrustedFrame(frame('apf://console/', { parent }))).toBe(false)
    expect(isTrustedFrame(frame('apf://console/', { detached: true }))).toBe(false)
  })
})

class FakePort extends EventEmitter {
  closed = false
  start(): void {
    this.emit('started')
  }
  postMessage(): void {
    this.emit('posted')
  }
  close(): void {
    this.closed = true
    this.emit('close')
  }
}

describe('onConnect', () => {
  const listening = () => {
    const emitter = new EventEmitter()
    const ipcMain: IpcMain = Object.assign(Object.create(null), { on: emitter.on.bind(emitter) })
    const accepted: Port[] = []
    const refused: string[] = []
    onConnect(
      ipcMain,
      (port) => accepted.push(port),
      (url) => refused.push(url),
    )
    const ask = (url: string | null, count = 1): FakePort[] => {
      const ports = Array.from({ length: count }, () => new FakePort())
      emitter.emit(CONNECT_CHANNEL, { ports, senderFrame: url === null ? null : frame(url) })
      return ports
    }
    return { accepted, refused, ask }
  }

  test('accepts one port from the page', () => {
    const { accepted, refused, ask } = listening()
    const [port] = ask('apf://console/')
    expect(accepted).toHaveLength(1)
    expect(port?.closed).toBe(false)
    expect(refused).toEqual([])
  })
  test.each([
    ['from elsewhere', 'https://evil.test/', 1],
    ['from a frame that is gone', null, 1],
    ['without a port', 'apf://console/', 0],
    ['with two ports', 'apf://console/', 2],
  ])('refuses a request %s and closes what it brought', (_what, url, count) => {
    const { accepted, refused, ask } = listening()
    const ports = ask(url, count)
    expect(accepted).toEqual([])
    expect(refused).toHaveLength(1)
    expect(ports.every(({ closed }) => closed)).toBe(true)
  })
  test('a reload replaces the line; a refused request does not', () => {
    const { ask } = listening()
    const [first] = ask('apf://console/')
    ask('https://evil.test/')
    expect(first?.closed).toBe(false)
    const [second] = ask('apf://console/')
    expect(first?.closed).toBe(true)
    expect(second?.closed).toBe(false)
  })
})

const PLATFORMS = ['linux', 'darwin', 'win32'] as const

function menu(platform: NodeJS.Platform, developer = false) {
  const commands: string[] = []
  const outside: string[] = []
  const template = menuTemplate({ appName: 'APF Console', developer }, platform, {
    command: (name) => commands.push(name),
    openFiles: (what) => commands.push(`open ${what}`),
    openOutside: (url) => outside.push(url),
  })
  const items = template.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
  const press = ({ click }: MenuItemConstructorOptions): unknown => click && Reflect.apply(click, undefined, [])
  return { template, items, press, commands, outside }
}
const shape = (items: readonly MenuItemConstructorOptions[]): unknown =>
  items.map(({ role, label, type, submenu }) =>
    Array.isArray(submenu) ? { [role ?? label ?? '']: shape(submenu) } : (role ?? label ?? type),
  )

test('the shape on Linux', () => {
  expect(shape(menu('linux').template)).toMatchInlineSnapshot(`
    [
      {
        "&File": [
          "Choose &Source…",
          "Open &Files…",
          "Open F&older…",
          "separator",
          "quit",
        ],
      },
      "editMenu",
      {
        "&View": [
          "&Overview",
          "&Level",
          "Live &Requests",
          "&Connection",
          "separator",
          "&Pause or Resume",
          "&Go To…",
          "Toggle &Sidebar",
          "separator",
          "resetZoom",
          "zoomIn",
          "zoomOut",
          "togglefullscreen",
        ],
      },
      "windowMenu",
      {
        "help": [
          "&Keyboard Shortcuts",
          "API Priority and Fairness",
          "separator",
          "about",
        ],
      },
    ]
  `)
})
test('the shape on macOS', () => {
  expect(shape(menu('darwin').template)).toMatchInlineSnapshot(`
    [
      {
        "APF Console": [
          "about",
          "separator",
          "hide",
          "hideOthers",
          "unhide",
          "separator",
          "quit",
        ],
      },
      {
        "&File": [
          "Choose &Source…",
          "Open &Files…",
          "Open F&older…",
          "separator",
          "close",
        ],
      },
      "editMenu",
      {
        "&View": [
          "&Overview",
          "&Level",
          "Live &Requests",
          "&Connection",
          "separator",
          "&Pause or Resume",
          "&Go To…",
          "Toggle &Sidebar",
          "separator",
          "resetZoom",
          "zoomIn",
          "zoomOut",
          "togglefullscreen",
        ],
      },
      "windowMenu",
      {
        "help": [
          "&Keyboard Shortcuts",
          "API Priority and Fairness",
        ],
      },
    ]
  `)
})

describe.each(PLATFORMS)('on %s', (platform) => {
  test('every command is there once and says itself', () => {
    const { items, press, commands } = menu(platform)
    for (const item of items) if (item.id !== undefined) press(item)
    expect(commands.toSorted()).toEqual([...MENU_COMMANDS].toSorted())
  })
  test('no two items share an accelerator', () => {
    const accelerators = menu(platform).items.flatMap(({ accelerator }) => accelerator ?? [])
    expect(new Set(accelerators).size).toBe(accelerators.length)
  })
  test('reload and developer tools are for developers', () => {
    const roles = (developer: boolean) => menu(platform, developer).items.map(({ role }) => role)
    expect(roles(true)).toContain('toggleDevTools')
    expect(roles(false)).not.toContain('toggleDevTools')
    expect(roles(false)).not.toContain('reload')
  })
  test('links lead only to places that may be opened', () => {
    const { items, press, outside } = menu(platform)
    for (const item of items) if (item.id === undefined) press(item)
    expect(outside.length).toBeGreaterThan(0)
    expect(outside.filter((url) => !mayOpenOutside(url))).toEqual([])
  })
  test('the application can be left', () => {
    expect(menu(platform).items.filter(({ role }) => role === 'quit')).toHaveLength(1)
  })
})

test('a message box shows the whole question, and only its second button allows', async () => {
  const shown: MessageBoxOptions[] = []
  const answer = (response: number, signal = new AbortController().signal) =>
    askOperator((options) => {
      shown.push(options)
      return Promise.resolve({ response })
    })(['A page asks.', '  program  x', '  argument y'], signal)
  expect(await answer(1)).toBe(true)
  // Closing the box returns its cancel button.
  expect(await answer(shown[0]?.cancelId ?? 1)).toBe(false)
  expect(await answer(0, AbortSignal.abort())).toBeUndefined()
  expect(shown[0]).toMatchObject({ message: 'A page asks.', detail: 'program  x\nargument y', defaultId: 0 })
})
