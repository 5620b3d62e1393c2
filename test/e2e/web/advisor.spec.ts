import { expect, test } from '@playwright/test'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf, lineOf, LONG, passed } from '../console.ts'
import { expectAccessibleInBoth } from '../looks.ts'

/* The search for the smallest edit, on the twin of the simulated server. It takes longest, and files begin by name. */

let running: RunningConsole
test.beforeAll(async () => {
  running = await startConsole([])
})
test.afterAll(() => running.stop())

test('searches for the smallest edit, says with how many seeds it holds, and opens it as a draft', async ({ page }) => {
  const complaints = complaintsOf(page)
  const line = lineOf(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(running.address)
  await page.getByRole('link', { name: /^Overview/ }).waitFor()
  // The twin is fitted to samples, which have to arrive first.
  const speed = page
    .getByRole('group', { name: 'Simulated server' })
    .getByRole('combobox', { name: 'Simulation speed' })
  await speed.selectOption('10')
  await expect.poll(line.newest).not.toBe('')
  await passed(line, line.newest(), 150)
  // The search has the machine for itself.
  await speed.selectOption('1')
  await page.evaluate(() => void (location.hash = '#/editor/advisor'))
  const pane = page.getByRole('region', { name: 'Search for the smallest edit' })
  const goals = pane.getByRole('textbox', { name: 'Goals, one per line' })
  await pane.getByRole('button', { name: 'Search' }).click()
  await expect(pane.getByText('Enter a goal, such as “wait p99 of workload-low < 1 s”.')).toBeVisible()
  await goals.fill('wait p99 of workload-low < 20 s')
  await pane.getByRole('button', { name: 'Search' }).click()
  await expect(pane.getByRole('progressbar')).toBeVisible()
  await pane.getByRole('button', { name: 'Cancel' }).click()
  await expect(pane.getByRole('button', { name: 'Search' })).toBeVisible()
  await pane.getByRole('button', { name: 'Search' }).click()
  await expect(pane.getByRole('status')).toHaveText(/seed|edit/i, LONG)
  await expectAccessibleInBoth(page)
  const draft = pane.getByRole('button', { name: 'Open the smallest edit as draft' })
  if ((await draft.count()) > 0) {
    await draft.click()
    await expect(page.getByRole('heading', { name: 'Seat impact' })).toBeVisible()
  }
  expect(complaints).toEqual([])
})
