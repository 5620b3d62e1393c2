import { expect, test } from '@playwright/test'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf, lineOf, LONG, passed } from '../console.ts'
import { expectAccessibleInBoth } from '../looks.ts'

/* The search for the smallest edit, on the twin of the simulated server. */

let running: RunningConsole
test.beforeAll(async () => {
  running = await startConsole([])
})
test.afterAll(() => running.stop())

test('searches for the smallest edit, can be cancelled, and says where none is needed', async ({ page }) => {
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
  await goals.fill('workload-low never waits')
  await pane.getByRole('button', { name: 'Search' }).click()
  await expect(pane.getByRole('progressbar')).toBeVisible()
  await pane.getByRole('button', { name: 'Cancel' }).click()
  await expect(pane.getByRole('button', { name: 'Search' })).toBeVisible()
  await goals.fill('leader-election never waits')
  await pane.getByRole('button', { name: 'Search' }).click()
  await expect(pane.getByText(/^The current objects already meet the goals with 3 of 3 seeds/)).toBeVisible(LONG)
  await expectAccessibleInBoth(page)
  expect(complaints).toEqual([])
})
