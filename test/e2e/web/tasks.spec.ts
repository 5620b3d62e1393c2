import { expect, test, type Locator, type Page } from '@playwright/test'
import { startMetricsServer } from '../metricsServer.ts'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'

/*
 * Eight tasks, each within a number of steps: a click, a key or a field that is filled is one. A task begins where the
 * one before would leave its reader, or on the Overview; nothing is counted until it begins.
 */

test.describe.configure({ mode: 'serial' })

let running: RunningConsole
let page: Page
let steps = 0

test.beforeAll(async ({ browser }) => {
  running = await startConsole([])
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true })
  page = await context.newPage()
  await page.goto(running.address)
})
test.afterAll(async () => {
  await page.context().close()
  await running.stop()
})

const click = async (what: Locator): Promise<void> => {
  steps += 1
  await what.click()
}
const press = async (key: string): Promise<void> => {
  steps += 1
  await page.keyboard.press(key)
}
const fill = async (what: Locator, text: string): Promise<void> => {
  steps += 1
  await what.fill(text)
}
const begin = (): void => {
  steps = 0
}
const atMost = (bound: number): void => expect(steps, `steps, of ${bound} at most`).toBeLessThanOrEqual(bound)

const open = async (hash: string): Promise<void> => {
  await page.goto(`${new URL(page.url()).origin}/#/${hash}`)
}
const button = (name: string | RegExp) => page.getByRole('button', { name })
const now = () => page.locator('main header').first()

test('why does workload-low reject: 1, the noisy flow: 0', async () => {
  await open('overview')
  // A wave of lists comes within the first minutes of the simulated server.
  await expect(now()).toContainText(/workload-low is (full and )?rejecting/, { timeout: 180_000 })
  begin()
  await expect(now()).toContainText('inventory:crawler')
  atMost(0)
  await click(now().getByRole('button', { name: /workload-low/ }))
  await expect(page).toHaveURL(/#\/level\/workload-low/)
  await expect(page.getByText(/queue-full|concurrency-limit|time-out/).first()).toBeVisible()
  atMost(1)
})

test('raise its shares and see the effect: 6; compare before and after: 3', async () => {
  await open('level/workload-low')
  await expect(button('Edit this level')).toBeVisible()
  begin()
  await click(button('Edit this level'))
  await click(button(/^Switch editing on for /))
  await fill(page.getByRole('textbox', { name: 'Shares' }), '300')
  await click(button(/^Apply 1 object to /))
  const dialog = page.getByRole('dialog')
  await fill(dialog.getByRole('textbox', { name: /workload-low/ }), 'workload-low')
  await press('Enter')
  const nominal = page.getByRole('table', { name: 'Nominal seats of the changed levels' })
  await expect(nominal.getByRole('row', { name: /^workload-low/ })).toHaveText(/workload-low245(?!245)\d+/)
  atMost(6)

  begin()
  await click(button('See the effect on workload-low'))
  await expect(page.locator('main header').first()).toContainText('workload-low')
  await expect(page.getByRole('table', { name: 'Seats', exact: true })).toHaveCount(1)
  atMost(3)
})

test('classify a request with the right seats: 2', async () => {
  await open('overview')
  begin()
  await click(page.getByRole('link', { name: /^Classify/ }))
  await fill(page.getByLabel('Command, audit event or path'), 'kubectl get pods -A --as alice')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('global-default')
  const estimate = page.getByRole('table', { name: 'Width estimate' }).getByRole('row')
  await expect(estimate.first()).toHaveText(/^objects of pods in the whole cluster\d/)
  // Without object counts the width is 1.
  await expect(estimate.last()).toHaveText(/^Width(?:[2-9]|\d\d+)$/)
  atMost(2)
})

test('export a chart with all its data: 2', async () => {
  await open('level/workload-low')
  await expect(button('Export Seats')).toBeVisible()
  begin()
  await click(button('Export Seats'))
  const download = page.waitForEvent('download')
  await click(page.getByRole('menuitem', { name: 'Save as CSV' }))
  expect((await download).suggestedFilename()).toMatch(/\.csv$/)
  atMost(2)
})

test('filter live requests: 2', async () => {
  await open('overview')
  begin()
  await click(page.getByRole('link', { name: 'Live requests' }))
  await fill(page.getByRole('combobox', { name: 'Filter requests' }), 'verb:list')
  await expect.poll(() => page.getByRole('grid', { name: 'Live requests' }).getByRole('row').count()).toBeGreaterThan(1)
  atMost(2)
})

test('connect to a folder, and to a metrics address with a token: 4 each', async () => {
  await open('overview')
  begin()
  await click(page.getByRole('banner').getByRole('button', { name: 'Connect your cluster' }))
  await click(button(/^File/))
  const chooser = page.waitForEvent('filechooser')
  await click(button('Choose a folder'))
  steps += 1
  await (await chooser).setFiles('test/fixtures/captures/v1.36.3/idle')
  await expect(page.getByRole('grid', { name: /Priority levels/ })).toBeVisible()
  await expect(page).toHaveURL(/#\/overview/)
  atMost(4)

  const server = await startMetricsServer()
  await open('connection')
  await button(/^Simulation/).click()
  await button('Start the simulation').click()
  await open('overview')
  begin()
  await click(page.getByRole('banner').getByRole('button', { name: 'Connect your cluster' }))
  await fill(page.getByRole('textbox', { name: /^Metrics addresses/ }), server.url)
  await fill(page.getByLabel('Bearer token'), 't0k')
  await click(page.getByRole('button', { name: 'Connect', exact: true }))
  await expect(page.getByRole('banner').locator('[data-mode]')).toContainText('LIVE')
  await expect(page).toHaveURL(/#\/overview/)
  atMost(4)
  await server.die()
})
