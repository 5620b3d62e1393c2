import { expect, test, type Page } from '@playwright/test'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf } from '../console.ts'
import { expectFine } from '../looks.ts'

/*
 * Classify › Sharding and the glossary on the simulated server, in the real process: the flows are those that its debug
 * dumps show.
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
  await page.goto(`${new URL(page.url()).origin}/#/classify/sharding?object=workload-low`)
})
test.afterAll(async () => {
  await page.context().close()
  await running.stop()
})
test.afterEach(() => expect(complaints).toEqual([]))

const heading = () => page.getByRole('heading', { level: 1 })
const flows = () => page.getByRole('grid', { name: 'Flows and their hands' })

test('says the chance first, and the flows of the simulated server’s dumps have their hands', async () => {
  await expect(heading()).toContainText(
    'With 128 queues and hands of 6, 16 elephants cover a small flow’s hand with probability 2.21 %.',
  )
  await expect.poll(() => flows().getByRole('row').count()).toBeGreaterThan(1)
  const hand = flows().getByRole('row').nth(1).getByRole('gridcell').nth(3)
  await expect(hand).toHaveText(/^(\d{1,3} ){5}\d{1,3}$/)
})

test('an illegal shape is refused with its bits; a recommended one can be tried', async () => {
  await page.getByLabel('Queues', { exact: true }).fill('512')
  await page.getByLabel('Hand size', { exact: true }).fill('8')
  await expect(heading()).toContainText('No server accepts this shape.')
  await expect(page.getByText(/needs 72 bits of the flow’s hash and only 60 may be used/)).toBeVisible()
  await page.getByRole('button', { name: 'Reset to workload-low' }).click()
  const shapes = page.getByRole('grid', { name: 'Smallest shapes for a target' })
  await shapes.getByRole('row', { name: /^154 6 / }).click()
  await expect(heading()).toContainText('With 154 queues and hands of 6, 16 elephants')
  await expect(page.getByText(/is within the target of 1 %/)).toBeVisible()
  await page.getByRole('button', { name: 'Reset to workload-low' }).click()
  // Until then the button of the next test moves.
  await expect(heading()).toContainText('With 128 queues and hands of 6')
})

test('a term opens its entry, and from there the next', async () => {
  const dialog = page.getByRole('dialog', { name: 'Shortcuts and glossary' })
  const entry = dialog.getByRole('button', { expanded: true })
  // A page that hung for seconds may have lost the press; a user would press again.
  await expect(async () => {
    if (!(await dialog.isVisible())) await page.getByRole('button', { name: 'Entropy bits' }).click()
    await expect(entry).toHaveText('entropy bits', { timeout: 3_000 })
  }).toPass()
  await expect(entry).toBeInViewport()
  await dialog.getByText('see also').getByRole('button', { name: 'shuffle sharding' }).click()
  await expect(entry).toHaveText('shuffle sharding')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})

test('accessible, and whole at every size in both themes, with and without the glossary', async () => {
  await expectFine(page)
  await page.getByRole('main').focus()
  await page.keyboard.press('?')
  await expect(page.getByRole('searchbox', { name: 'Search the glossary' })).toBeVisible()
  await expectFine(page)
  await page.keyboard.press('Escape')
})
