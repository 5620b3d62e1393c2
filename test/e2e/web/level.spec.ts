import { expect, test, type Page } from '@playwright/test'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf, LONG } from '../console.ts'
import { expectAccessibleInBoth, expectFine } from '../looks.ts'

/*
 * The Level screen on the simulated server, with its objects: hands, limits of queues, fair shares.
 */

test.describe.configure({ mode: 'serial' })

let running: RunningConsole
let page: Page
let complaints: readonly string[] = []

test.beforeAll(async ({ browser }) => {
  running = await startConsole([])
  page = await (await browser.newContext()).newPage()
  complaints = complaintsOf(page)
  await page.goto(running.address)
  await page.goto(`${new URL(page.url()).origin}/#/level/workload-low`)
})
test.afterAll(async () => {
  await page.context().close()
  await running.stop()
})
test.afterEach(() => expect(complaints).toEqual([]))

const field = () => page.getByRole('listbox', { name: /^Queues of workload-low/ })
const hands = () => page.getByRole('list', { name: /^Hand of / })
const shown = (name: string) => page.getByRole('radio', { name })
const speed = () =>
  page.getByRole('group', { name: 'Simulated server' }).getByRole('combobox', { name: 'Simulation speed' })

test('its header says what the objects say', async () => {
  const header = page.locator('main header').first()
  await expect(header).toContainText(/shares\s*100\s*of 245/)
  await expect(header).toContainText('128 queues × hand 6 × length 50')
  await expect(header).toContainText(/widest request\s*37 seats/)
  await expect(header).toContainText(/Retry-After\s*\d+ s/)
})

test('a wave of lists fills hands: two are shown as dealt, and their requests wait in them', async () => {
  // On a slow machine the wave would pass before it is read: the clock stops while hands are filled.
  await expect(async () => {
    await speed().selectOption('1')
    await expect(field()).toHaveAttribute('aria-label', /requests wait in/, { timeout: 90_000 })
    await speed().selectOption('stopped')
    await expect(page.getByText(/numbered as dealt/)).toBeVisible()
  }).toPass(LONG)
  const ofHand = /, [1-9]\d* requests? waiting, .*number [1-6] of the chosen flow’s hand$/
  await expect(field().getByRole('option', { name: ofHand }).first()).toBeAttached()
  const flows = page.getByRole('grid', { name: 'Flows of workload-low' })
  await expect(flows.getByRole('img', { name: /^\d+ of \d+ seats, fair share/ }).first()).toBeVisible()
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect(flows.getByRole('row').nth(1)).toBeInViewport()
  await shown('Demand and virtual time').click()
  await expect(hands()).toHaveCount(2)
  for (const hand of await hands().all()) await expect(hand.getByRole('listitem')).toHaveCount(6)
  await expect(page.getByTitle(/^R .*, epoch 0, S /)).toBeVisible()
  await expectFine(page)
  await shown('Seats and queues').click()
})

// At every size the screen is looked at in screens.spec.ts; here the hands are filled.
for (const shape of ['Bars', 'Grid'] as const) {
  test(`${shape} of filled hands: accessible`, async () => {
    await page.getByRole('radio', { name: shape }).click()
    await field().scrollIntoViewIfNeeded()
    await expectAccessibleInBoth(page)
  })
}

test('an edit of the queues deals other hands at once', async () => {
  await speed().selectOption('1')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Edit this level' }).click()
  await page.getByRole('button', { name: /^Switch editing on for / }).click()
  await page.getByRole('textbox', { name: 'Queues' }).fill('512')
  await page.getByRole('textbox', { name: 'Hand size' }).fill('4')
  await page.getByRole('button', { name: /^Apply 1 object to / }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /^Type the name/ }).fill('workload-low')
  await dialog.getByRole('button', { name: /^Apply 1 object/ }).click()
  await expect(page.getByText('is applied.')).toBeVisible()
  await page.getByRole('link', { name: /^workload-low/ }).click()
  await expect(page.locator('main header').first()).toContainText('512 queues × hand 4 × length 50')
  await expect(page.getByRole('radio', { name: 'Grid' })).toBeChecked()
  await shown('Demand and virtual time').click()
  await expect(page.getByText('4 of 512', { exact: true })).toBeVisible()
  await page.screenshot({ path: 'test-results/screens/Level hands-512.png' })
})
