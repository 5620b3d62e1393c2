import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { electronBinary, windowObstacle } from '../../main/bootstrap/desktop.mjs'
import { toolEnvironment, toolScript } from '../../main/bootstrap/install.mjs'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

test('a window needs a display and, on Linux, somebody other than root', () => {
  expect(windowObstacle({ platform: 'linux', env: {}, uid: 1000 })).toBe('there is no display')
  expect(windowObstacle({ platform: 'linux', env: { DISPLAY: ':0' }, uid: 0 })).toContain('root')
  expect(windowObstacle({ platform: 'linux', env: { WAYLAND_DISPLAY: 'wayland-0' }, uid: 1000 })).toBeUndefined()
  expect(windowObstacle({ platform: 'darwin', env: {}, uid: 501 })).toBeUndefined()
  expect(windowObstacle({ platform: 'win32', env: {}, uid: undefined })).toBeUndefined()
})

test('the Electron binary is found by looking at files, in the folder that the variable names', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'apf-electron-'))
  folders.push(folder)
  const env = { ELECTRON_OVERRIDE_DIST_PATH: folder }
  expect(electronBinary(env)).toBeUndefined()
  const relative =
    { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform as string] ?? 'electron'
  mkdirSync(path.dirname(path.join(folder, relative)), { recursive: true })
  writeFileSync(path.join(folder, relative), '')
  expect(electronBinary(env)).toBe(path.join(folder, relative))
})

test('tools are scripts of installed packages, and our Node comes first on the path', () => {
  expect(toolScript('vitest')).toMatch(/node_modules[\\/]vitest[\\/]/)
  expect(toolScript('tsc')).toMatch(/node_modules[\\/]typescript[\\/]/)
  const [first] = (toolEnvironment()['PATH'] ?? '').split(path.delimiter)
  expect(first).toMatch(/node_modules[\\/]node[\\/]bin$/)
})
