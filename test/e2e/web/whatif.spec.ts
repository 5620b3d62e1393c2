import { expect, test } from '../console.ts'
import { expectFine } from '../looks.ts'

test('variants are compared on the same requests, cancelled, and mistakes are named', async ({ consolePage: page }) => {
  await page.keyboard.press('w')
  await expect(page.getByRole('heading', { level: 1, name: 'What-if' })).toBeVisible()

  await page.getByLabel('Seconds').fill('nine')
  await page.getByLabel('B: servers').fill('0')
  await page.getByRole('button', { name: 'Run comparison' }).click()
  await expect(page.getByText('Enter a whole number from 1 to 3600.')).toBeVisible()
  await expect(page.getByRole('alert')).toHaveText('B, servers: Enter a whole number from 1 to 100.')

  await page.getByLabel('B: servers').fill('1')
  await page.getByLabel('Seconds').fill('3600')
  await page.getByRole('button', { name: 'Run comparison' }).click()
  await expect(page.getByRole('progressbar', { name: 'Progress of the comparison' })).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { name: 'No comparison yet' })).toBeVisible()

  await page.getByLabel('Seconds').fill('20')
  await page.getByLabel('B: requests in flight', { exact: true }).fill('4')
  await page.getByLabel('B: mutating requests in flight').fill('2')
  await page.getByRole('button', { name: 'Run comparison' }).click()
  const levels = page.getByRole('grid', { name: 'Difference by level' })
  await expect(levels.getByRole('row').nth(1)).toContainText('All levels')
  await expect(page.getByRole('heading', { level: 1, name: /^B \(4 \+ 2 in flight\) rejects/ })).toBeVisible()
  await expect(page.getByText(/^At [\d.]+ s the decisions differ for the first time:/)).toBeVisible()

  await page.getByRole('button', { name: 'Add candidate' }).click()
  await expect(page.getByText(/^The requests or variants have changed since this run\./)).toBeVisible()
  // The longest name.
  await page.getByLabel('C: algorithm').selectOption('kep-no-linger')
  await expectFine(page, ['dark'])
})

test('a sweep of a scenario shows how a number depends on two settings', async ({ consolePage: page }) => {
  await page.evaluate(() => void (location.hash = '#/whatif/scenarios'))
  await page.getByRole('button', { name: 'Set up a sweep' }).click()
  const text = page.getByLabel('Settings and results')
  const example = await text.inputValue()
  await text.fill(example.replace('executionFactor', 'executionFacto'))
  await page.getByRole('button', { name: 'Run sweep' }).click()
  await expect(page.getByRole('alert')).toContainText('Line 5: There is no field “executionFacto”')
  await text.fill(example)
  await page.getByRole('button', { name: 'Run sweep' }).click()
  const results = page.getByRole('table', { name: /^failedPercent \(%\) by maxRequestsInFlight/ })
  await expect(results.getByRole('row')).toHaveCount(4)
  await page.getByLabel('Result', { exact: true }).selectOption('waitP99')
  await expect(page.getByRole('table', { name: /^waitP99 \(ms\) by maxRequestsInFlight/ })).toBeVisible()
  await expectFine(page, ['dark'])
})
