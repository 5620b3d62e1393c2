import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { EventEmitter } from 'node:events'
import { expect, test, afterAll, describe, beforeAll } from 'vitest'
import * as fc from 'fast-check'
import type { Session, WebContents } from 'electron'
import { tinyPage } from '../../test/harness/page.ts'
import { loadAssets, type Assets } from '../server/assets.ts'
import {
  windowOptions,
  MIN_SIZE,
  fitWindow,
  readWindowState,
  writeWindowState,
  guardNavigation,
  guardPermissions,
  mayOpenOutside,
  answerScheme,
  isOwnUrl,
  registerScheme,
} from './window.ts'

const SHOWN = { x: 1, y: 2, width: 1000, height: 700, maximized: false }

test('the window is as closed as a window can be', () => {
  const { webPreferences, show } = windowOptions('/preload.cjs', SHOWN)
  expect(show).toBe(false)
  expect(webPreferences).toEqual({
    preload: '/preload.cjs',
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
  })
})

const folder = mkdtempSync(path.join(tmpdir(), 'apf-window-'))
afterAll(() => rmSync(folder, { recursive: true }))

const laptop = { x: 0, y: 25, width: 1440, height: 875 }
const beside = { x: 1440, y: 0, width: 2560, height: 1440 }

test('the first time: in the middle of the first display', () => {
  expect(fitWindow(undefined, [beside])).toEqual({ x: 2000, y: 270, width: 1440, height: 900, maximized: false })
})

test('the window comes back where it was', () => {
  const stored = { x: 1600, y: 100, width: 1200, height: 800, maximized: true }
  expect(fitWindow(stored, [laptop, beside])).toEqual(stored)
})

test('a window of a display that is gone moves to the first one, in its usual size', () => {
  const stored = { x: 1600, y: 100, width: 1200, height: 800, maximized: true }
  expect(fitWindow(stored, [laptop])).toEqual({ x: 0, y: 25, width: 1440, height: 875, maximized: false })
})

test('a window larger than its display shrinks', () => {
  const stored = { x: 100, y: 100, width: 5000, height: 4000, maximized: false }
  expect(fitWindow(stored, [laptop])).toMatchObject({ width: laptop.width, height: laptop.height })
})

test('wherever it was and whatever displays there are: it can be grasped, and it is of a usable size', () => {
  const at = fc.integer({ min: -10_000, max: 10_000 })
  const size = fc.integer({ min: 1, max: 10_000 })
  const states = fc.record({ x: at, y: at, width: size, height: size, maximized: fc.boolean() })
  const area = fc.record({
    x: at,
    y: at,
    width: fc.integer({ min: MIN_SIZE.width, max: 5_000 }),
    height: fc.integer({ min: MIN_SIZE.height, max: 3_000 }),
  })
  fc.assert(
    fc.property(
      fc.option(states, { nil: undefined }),
      area,
      fc.array(area, { maxLength: 3 }),
      (stored, first, others) => {
        const { x, y, width, height } = fitWindow(stored, [first, ...others])
        expect(width).toBeGreaterThanOrEqual(MIN_SIZE.width)
        expect(height).toBeGreaterThanOrEqual(MIN_SIZE.height)
        const graspable = [first, ...others].some(
          (one) =>
            Math.min(x + width, one.x + one.width) - Math.max(x, one.x) >= 100 &&
            y >= one.y &&
            y + 100 <= one.y + one.height,
        )
        expect(graspable).toBe(true)
      },
    ),
  )
})

test('a state is kept, and nothing else is read as one', () => {
  const file = path.join(folder, 'window.json')
  expect(readWindowState(file)).toBeUndefined()
  writeWindowState(file, SHOWN)
  expect(readWindowState(file)).toEqual(SHOWN)
  expect(existsSync(`${file}.new`)).toBe(false)
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    '{"x":1}',
    '{"x":1,"y":2,"width":-5,"height":7,"maximized":false}',
    '{"x":"1"}',
  ]) {
    writeFileSync(file, text)
    expect(readWindowState(file)).toBeUndefined()
  }
})

test('a folder that cannot be written to is no reason to fail', () => {
  expect(() => writeWindowState(path.join(folder, 'no', 'such', 'window.json'), SHOWN)).not.toThrow()
})

describe('mayOpenOutside', () => {
  test.each(['https://kubernetes.io/docs/', 'https://github.com/kubernetes/enhancements'])('%s', (url) => {
    expect(mayOpenOutside(url)).toBe(true)
  })
  test.each([
    'http://kubernetes.io/',
    'https://kubernetes.io.evil.test/',
    'https://evil.test/kubernetes.io',
    'https://kubernetes.io@evil.test/',
    'https://kubernetes.io:444/',
    'https://sub.kubernetes.io/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'smb://kubernetes.io/x',
    '',
  ])('not "%s"', (url) => {
    expect(mayOpenOutside(url)).toBe(false)
  })
})

type RequestHandler = Parameters<Session['setPermissionRequestHandler']>[0]
type CheckHandler = Parameters<Session['setPermissionCheckHandler']>[0]
type DeviceHandler = Parameters<Session['setDevicePermissionHandler']>[0]

describe('permissions', () => {
  let request: RequestHandler
  let check: CheckHandler
  let device: DeviceHandler
  guardPermissions({
    setPermissionRequestHandler: (handler) => void (request = handler),
    setPermissionCheckHandler: (handler) => void (check = handler),
    setDevicePermissionHandler: (handler) => void (device = handler),
  })
  const PERMISSIONS = ['media', 'geolocation', 'clipboard-read', 'openExternal', 'hid', 'unknown'] as const
  const contents: WebContents = Object.create(null)
  const ALLOWED = ['clipboard-sanitized-write', 'notifications'] as const
  const requested = (permission: (typeof PERMISSIONS)[number] | (typeof ALLOWED)[number], requestingUrl: string) => {
    let granted: boolean | undefined
    request?.(contents, permission, (answer) => (granted = answer), { requestingUrl, isMainFrame: true })
    return granted
  }

  test.each(ALLOWED)('the page may write text to the clipboard and tell of alerts: %s', (permission) => {
    expect(requested(permission, 'apf://console/')).toBe(true)
    expect(check?.(null, permission, 'apf://console', { isMainFrame: true })).toBe(true)
  })
  test.each(ALLOWED)('nobody else may: %s', (permission) => {
    expect(requested(permission, 'https://evil.test/')).toBe(false)
    expect(check?.(null, permission, 'https://evil.test', { isMainFrame: true })).toBe(false)
  })
  test.each(PERMISSIONS)('%s is denied', (permission) => {
    expect(requested(permission, 'apf://console/')).toBe(false)
    expect(check?.(null, permission, 'apf://console', { isMainFrame: true })).toBe(false)
  })
  test('no device is given', () => {
    expect(device?.({ deviceType: 'usb', origin: 'apf://console', device: Object.create(null) })).toBe(false)
  })
})

describe('navigation', () => {
  type OpenHandler = Parameters<WebContents['setWindowOpenHandler']>[0]
  const guarded = () => {
    const emitter = new EventEmitter()
    const outside: string[] = []
    let open: OpenHandler | undefined
    const contents: WebContents = Object.assign(Object.create(null), {
      on: emitter.on.bind(emitter),
      setWindowOpenHandler: (handler: OpenHandler) => (open = handler),
    })
    guardNavigation(contents, { openExternal: async (url) => void outside.push(url) })
    return { emitter, outside, open: (url: string) => open?.({ ...REQUEST, url }) }
  }
  const REQUEST = {
    frameName: '',
    features: '',
    disposition: 'new-window' as const,
    referrer: { url: '', policy: 'default' as const },
  }

  test.each(['will-navigate', 'will-frame-navigate', 'will-redirect', 'will-attach-webview'])(
    '%s is prevented',
    (event) => {
      const { emitter } = guarded()
      let prevented = false
      emitter.emit(event, { url: 'apf://console/', preventDefault: () => (prevented = true) })
      expect(prevented).toBe(true)
    },
  )

  test('windows are denied; a link to a known place opens in the browser', () => {
    const { open, outside } = guarded()
    expect(open('https://kubernetes.io/')).toEqual({ action: 'deny' })
    expect(open('https://evil.test/')).toEqual({ action: 'deny' })
    expect(open('file:///etc/passwd')).toEqual({ action: 'deny' })
    expect(outside).toEqual(['https://kubernetes.io/'])
  })
})

const page = tinyPage()
let assets: Assets
beforeAll(async () => {
  assets = await loadAssets(page.root)
})
afterAll(() => page.remove())

describe('isOwnUrl', () => {
  test.each(['apf://console/', 'apf://console/index.html', 'apf://console/#/level/x', 'apf://console'])('%s', (url) => {
    expect(isOwnUrl(url)).toBe(true)
  })
  test.each([
    '',
    'apf:',
    'apf:console',
    'apf:/console/',
    'apf://console.evil/',
    'apf://console:1/',
    'apf://user@console/',
    'apf://user:word@console/',
    'apf://evil/console/',
    'apfs://console/',
    'https://console/',
    'file:///console/',
    'about:blank',
    'data:text/html,apf://console/',
    'javascript:apf://console/',
    'not an address',
  ])('not "%s"', (url) => {
    expect(isOwnUrl(url)).toBe(false)
  })
})

describe('answerScheme', () => {
  const get = (url: string, method = 'GET'): Response => answerScheme(assets, { url, method })

  test('serves the page under a policy with a nonce that the page is told', async () => {
    const response = get('apf://console/')
    expect(response.status).toBe(200)
    const policy = response.headers.get('content-security-policy') ?? ''
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
    expect(await response.text()).toContain(`content="${nonce}"`)
    expect(policy).toContain("connect-src 'self';")
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(get('apf://console/').headers.get('content-security-policy')).not.toBe(policy)
  })

  test.each([
    ['apf://console/../secret.json', 404],
    ['apf://console/%2e%2e%2fsecret.json', 404],
    ['apf://console/assets/link.json', 404],
    ['apf://console/assets/index-Ab3_xY9-.js.map', 404],
    ['apf://evil/index.html', 403],
    ['file:///etc/hostname', 403],
  ])('%s is refused with %i', async (url, status) => {
    const response = get(url)
    expect(response.status).toBe(status)
    expect(await response.text()).toBe('')
  })

  test.each(['POST', 'PUT', 'DELETE', 'HEAD'])('%s is refused', (method) => {
    expect(get('apf://console/', method).status).toBe(405)
  })
})

test('the scheme has an origin and no more privileges than it needs', () => {
  const registered: unknown[] = []
  registerScheme({ registerSchemesAsPrivileged: (schemes) => registered.push(...schemes) })
  expect(registered).toEqual([
    { scheme: 'apf', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
})
