import { expect, test } from '@playwright/test'
import { type RunningConsole, startConsole } from '../../harness/webConsole.ts'
import { complaintsOf, LONG } from '../console.ts'
import { expectAccessibleInBoth } from '../looks.ts'

/* A server whose flow control is the max-in-flight filter: no levels, no queues, and no counter of what it rejects. */

let running: RunningConsole
test.beforeAll(async () => {
  running = await startConsole(['--simulate', '--algorithm', 'max-in-flight'])
})
test.afterAll(() => running.stop())

test('nothing on screen speaks of levels as if the filter had some', async ({ page }) => {
  const complaints = complaintsOf(page)
  await page.goto(running.address)
  const filter = page.getByText('The max-in-flight filter has no priority levels.')
  // The past that a simulation begins with is five times the work without levels.
  await expect(page.getByText('Live.')).toBeAttached(LONG)
  await expect(filter).toBeVisible()
  await expect(page.getByText('with the max-in-flight filter').first()).toBeAttached()
  // Neither hints about bars of seats, nor when limits move.
  for (const text of ['Reading this screen', 'granted as limits', 'next reallocation', 'debug dumps'])
    await expect(page.getByText(text)).toHaveCount(0)
  await expectAccessibleInBoth(page)
  const open = (screen: string): Promise<void> => page.evaluate((to) => void (location.hash = to), `#/${screen}`)
  for (const screen of ['level/workload-low', 'allocation', 'alerts', 'diagnosis', 'compare', 'editor/advisor']) {
    await open(screen)
    await expect(filter).toBeVisible()
    await expect(page.locator('main')).not.toContainText(/No request|No rule is firing|rejected per second/i)
  }
  for (const screen of ['classify', 'editor']) {
    await open(screen)
    await expect(page.getByText('how Priority and Fairness would apply these objects')).toBeVisible()
  }
  await open('fleet')
  await expect(page.locator('main')).toContainText('The levels of 1 cluster are not reported.')
  await page.evaluate(() => void (location.hash = '#/overview'))
  await page.getByRole('button', { name: 'Show its requests' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('requests/s arrive')
  expect(complaints).toEqual([])
})
