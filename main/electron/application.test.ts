import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { fakeWorkspace } from '../../test/harness/handlers.ts'
import { tinyPage } from '../../test/harness/page.ts'
import { boot } from './application.ts'
import type { ElectronApi } from './application.ts'

const page = tinyPage()
const userData = mkdtempSync(path.join(tmpdir(), 'apf-user-'))
afterAll(() => {
  page.remove()
  rmSync(userData, { recursive: true })
})

/** An Electron that only remembers, in order, what was asked of it. */
function fakeElectron({ firstInstance = true } = {}) {
  const done: string[] = []
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
    isPackaged: true,
    getPath: () => userData,
    requestSingleInstanceLock: () => {
      done.push('lock')
      return firstInstance
    },
    whenReady: async () => void done.push('ready'),
    quit: note('quit'),
  })
  const display = { workArea: { x: 0, y: 0, width: 1600, height: 1000 } }
  const api: ElectronApi = Object.assign(Object.create(null), {
    app,
    BrowserWindow,
    Menu: { buildFromTemplate: note('menu'), setApplicationMenu: note('set-menu') },
    dialog: {},
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
  return { api, app, done, windows }
}

async function start(platform: NodeJS.Platform = 'linux', firstInstance = true) {
  const electron = fakeElectron({ firstInstance })
  const window = await boot(electron.api, {
    root: page.root,
    preload: '/preload.cjs',
    platform,
    log: () => undefined,
    now: () => 0,
    given: { arguments: ['--demo'], cwd: '/' },
    openGiven: (given) => void electron.done.push(`given ${given.arguments.join(' ')}`),
    openPaths: (paths) => void electron.done.push(`paths ${paths.join(' ')}`),
    createWorkspace: () => {
      electron.done.push('workspace')
      return { handlers: fakeWorkspace('desktop').handlers, close: () => void electron.done.push('closed') }
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
