import { expect, test } from '../console.ts'
import { expectFine } from '../looks.ts'

test('two variants of a comparison are stepped side by side', async ({ consolePage: page }) => {
  await page.keyboard.press('w')
  await page.getByLabel('Seconds').fill('20')
  await page.getByLabel('B: requests in flight', { exact: true }).fill('4')
  await page.getByLabel('B: mutating requests in flight').fill('2')
  await page.getByRole('button', { name: 'Run comparison' }).click()
  await page.getByRole('button', { name: 'First difference' }).click()

  // They stand where the first decision differs.
  const levels = page.getByRole('grid', { name: 'Levels of both variants' })
  await expect(page.getByRole('heading', { level: 1, name: /\bA and B\b/ })).toBeVisible()
  const instant = page.getByText(/^[\d.]+ s after the start\. A baseline, B 4 \+ 2 in flight\./)
  const before = await instant.textContent()
  await expect(levels.getByRole('row').nth(1)).toBeVisible()
  const requests = page.getByRole('grid', { name: /^Requests in / })
  await expect(requests.locator('[aria-selected=true]')).toContainText('≠')
  await expectFine(page, ['dark'])

  await page.getByLabel('Step size').selectOption('second')
  await page.getByRole('button', { name: 'Step', exact: true }).click()
  await expect(instant).not.toHaveText(before ?? '')
  await page.getByRole('button', { name: 'Step back', exact: true }).click()
  await page.getByRole('button', { name: '+10 s' }).click()

  // Another level is shown once it is chosen, and stays with the next step.
  const exempt = levels.getByRole('row').filter({ hasText: 'exempt' })
  await exempt.click()
  const title = page.getByRole('heading', { level: 1, name: /exempt/ })
  await expect(title).toBeVisible()
  await page.getByRole('button', { name: 'Step', exact: true }).click()
  await expect(title).toBeVisible()

  // The same variant is not on both sides.
  await expect(page.getByLabel('Variant A').locator('option:checked')).toHaveText('baseline')
  await expect(page.getByLabel('Variant B').locator('option', { hasText: 'baseline' })).toBeDisabled()
})
