import { expect, test, type Page } from '@playwright/test'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf, LONG } from '../console.ts'
import { expectAccessibleInBoth } from '../looks.ts'

/*
 * The console as it starts without any source: on the simulated server, in the real process.
 */

test.describe.configure({ mode: 'serial' })

let running: RunningConsole
let page: Page
let complaints: readonly string[] = []

test.beforeAll(async ({ browser }) => {
  running = await startConsole([])
  const context = await browser.newContext()
  page = await context.newPage()
  complaints = complaintsOf(page)
  await page.goto(running.address)
})
test.afterAll(async () => {
  await page.context().close()
  await running.stop()
})
test.afterEach(() => expect(complaints).toEqual([]))

const badge = () => page.getByRole('banner').locator('[data-mode]')
const row = (level: string) =>
  page.getByRole('grid', { name: /Priority levels/ }).getByRole('row', { name: new RegExp(`^${level}`) })
const open = async (hash: string): Promise<void> => {
  await page.goto(`${new URL(page.url()).origin}/#/${hash}`)
}
/** All numbers of the table: the same only while no new sample arrives. */
const shownNumbers = () => page.getByRole('grid', { name: /Priority levels/ }).innerText()

test('without a source it opens the simulation, which says that it is one', async () => {
  await expect(badge()).toContainText('SIMULATED ×1')
  await expect(badge()).toContainText('not your cluster')
  await expect(row('workload-low')).toBeVisible()
  // With the notes of a first run.
  await expect(page.getByRole('button', { name: 'Hide all' })).toBeVisible()
  await expectAccessibleInBoth(page)
})

test('a wave of lists makes workload-low queue and borrow', async () => {
  // It lasts for most of the first minute; a page that comes later waits two minutes for the next one.
  await expect(row('workload-low')).toContainText('queueing', LONG)
  await open('level/workload-low')
  await expect(page.getByText(/^borrowing/).first()).toBeVisible()
})

test('its time can be stopped, stepped event by event, made faster and let go', async () => {
  await open('overview')
  // The view has the only pause; the server's own time is a speed.
  await expect(page.getByRole('button', { name: /pause/i })).toHaveCount(1)
  const steer = page.getByRole('group', { name: 'Simulated server' })
  const speed = steer.getByRole('combobox', { name: 'Simulation speed' })
  await speed.selectOption('stopped')
  await expect(badge()).toContainText('STOPPED')
  // The state at which it stopped is drawn after the badge; from then on nothing moves, and nothing becomes stale.
  await page.waitForTimeout(1_000)
  const before = await shownNumbers()
  await page.waitForTimeout(4_000)
  await expect(badge()).toContainText('STOPPED')
  expect(await shownNumbers()).toBe(before)

  const step = steer.getByRole('button', { name: 'Advance the simulation by one event' })
  for (let events = 0; events < 30; events++) await step.click()
  await expect(badge()).toContainText('STOPPED')

  await speed.selectOption('10')
  await expect(badge()).toContainText('SIMULATED ×10')
  await expect.poll(shownNumbers).not.toBe(before)
  await speed.selectOption('1')
  await expect(badge()).toContainText('SIMULATED ×1')
})

test('a level of it can be edited, where the draft is', async () => {
  await open('level/workload-low')
  await page.getByRole('button', { name: 'Edit this level' }).click()
  await expect(page.getByRole('heading', { name: 'workload-low' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Switch editing on for / })).toBeVisible()
})

test('another source takes its place, and the way back is on the Connect screen', async () => {
  await open('connection')
  await page.getByRole('button', { name: /^Recorded demo/ }).click()
  await page.getByRole('button', { name: 'Play the recording' }).click()
  await expect(badge()).toContainText('REPLAY')
  await expect(page.getByRole('group', { name: 'Simulated server' })).toBeHidden()
  await open('level/workload-low')
  await expect(page.getByRole('button', { name: 'Edit this level' })).toBeHidden()
  await open('connection')
  await page.getByRole('button', { name: /^Simulation/ }).click()
  await page.getByRole('combobox', { name: 'Version of the server' }).selectOption('v1.33.0')
  await page.getByRole('button', { name: 'Start the simulation' }).click()
  await expect(badge()).toContainText('SIMULATED ×1')
  await expect(page.getByText('v1.33.0').filter({ visible: true }).first()).toBeVisible()
})

test('a source can be connected beside it, and the screens show the one that is chosen', async () => {
  await open('connection')
  await page.getByRole('checkbox', { name: 'Keep this source connected' }).check()
  await page.getByRole('button', { name: /^Recorded demo/ }).click()
  await page.getByRole('button', { name: 'Play the recording' }).click()
  await expect(badge()).toContainText('REPLAY')
  await expect(page.getByText('demo-apiserver').first()).toBeVisible()

  await page.getByRole('banner').getByRole('button', { name: /^Demo/ }).click()
  const list = page.getByRole('listbox', { name: 'Source and server' })
  await expect(list.getByRole('option', { name: /^Simulated cluster/ })).toBeVisible()
  await list.getByRole('option', { name: /^Simulated cluster/ }).click()
  await expect(badge()).toContainText('SIMULATED ×1')
  await expect(row('workload-low')).toBeVisible()

  // Leaving one leaves the other as it is.
  await open('connection')
  const sources = page.getByRole('region', { name: 'Sources' })
  await expect(sources.getByRole('button', { name: /^Disconnect / })).toHaveCount(2)
  await sources.getByRole('button', { name: 'Disconnect Simulated cluster' }).click()
  await expect(badge()).toContainText('REPLAY')
  await open('overview')
  await expect(row('workload-low')).toBeVisible()
})
