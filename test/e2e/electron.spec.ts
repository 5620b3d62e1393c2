import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { _electron, expect, test } from '@playwright/test'
import type { ElectronApplication, Page } from '@playwright/test'
import { electronBinary, windowObstacle } from '../../main/bootstrap/desktop.mjs'

/*
 * What the Chromium harness cannot show (test/harness/electron-chromium.ts), on the real thing: the sandbox, the real
 * scheme, MessagePortMain, the isolated world. Needs the built application.
 */

const root = path.resolve(import.meta.dirname, '..', '..')
/** Found by its files: importing `electron` would download it. */
const binary = electronBinary()
const obstacle =
  binary === undefined
    ? 'no Electron binary: run `npx install-electron`, or name its folder in ELECTRON_OVERRIDE_DIST_PATH'
    : windowObstacle({ platform: process.platform, env: process.env, uid: process.getuid?.() })
test.skip(obstacle !== undefined, obstacle ?? '')
// The list of results hides why; workers would say it again.
if (obstacle !== undefined && process.env['TEST_WORKER_INDEX'] === undefined) {
  process.stderr.write(`electron: skipped, ${obstacle}\n`)
}

let application: ElectronApplication
let page: Page
let home: string
const complaints: string[] = []

test.beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'apf-electron-'))
  application = await _electron.launch({
    args: [root, `--user-data-dir=${home}`],
    ...(binary === undefined ? {} : { executablePath: binary }),
  })
  page = await application.firstWindow()
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
})
test.afterAll(async () => {
  await application.close()
  rmSync(home, { recursive: true, force: true })
})

test('the console opens on its own origin and the simulation runs', async () => {
  expect(page.url()).toMatch(/^apf:\/\/console\//)
  await expect(page.getByText('workload-low').first()).toBeVisible()
  expect(complaints).toEqual([])
})

test('the page has no Node and only the small bridge', async () => {
  const found = await page.evaluate(() => ({
    node: ['require', 'process', 'module', 'Buffer'].filter((name) => name in globalThis),
    bridge: Object.keys(Reflect.get(globalThis, 'apfDesktop')),
  }))
  expect(found).toEqual({ node: [], bridge: ['connect', 'onCommand'] })
})

test('the page cannot open windows or leave', async () => {
  const before = page.url()
  await page.evaluate(() => {
    window.open('https://evil.test/')
    window.location.assign('https://evil.test/')
  })
  await page.waitForTimeout(500)
  expect(application.windows()).toHaveLength(1)
  expect(page.url()).toBe(before)
})

test('after a reload the simulation goes on', async () => {
  await page.reload()
  await expect(page.getByText('workload-low').first()).toBeVisible()
})

test('a link of a second start moves the page, and a hostile one does not', async () => {
  const open = (link: string) =>
    application.evaluate(({ app, dialog }, given) => {
      dialog.showErrorBox = () => undefined
      app.emit('second-instance', {}, [], '/', { arguments: [given], cwd: '/' })
    }, link)
  await open('apf-console://alerts')
  await expect(page).toHaveURL(/#\/alerts/)
  await open('apf-console://overview?kubeconfig=/tmp/evil')
  await expect(page).toHaveURL(/#\/alerts/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('the menu moves the page', async () => {
  await application.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('go-connection')?.click())
  await expect(page).toHaveURL(/connection/)
})
