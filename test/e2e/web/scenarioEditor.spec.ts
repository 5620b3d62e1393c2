import { expect, test } from '../console.ts'
import { expectFine } from '../looks.ts'

test('a scenario of the library is changed in a form, with its text, and run', async ({ consolePage: page }) => {
  await page.keyboard.press('w')
  await page.keyboard.press('w')
  await page.getByRole('button', { name: /^S10 / }).click()
  await page.getByRole('button', { name: 'Edit a copy' }).click()
  const file = page.getByRole('region', { name: 'Scenario file' })
  const text = file.getByRole('textbox', { name: 'YAML of S10.yaml' })
  await expect(text).toContainText('perSecond: 1')
  await page.getByRole('button', { name: 'Run scenario' }).click()
  const checks = page.getByRole('table', { name: /^Verdict/ })
  const offered = checks.getByRole('row').filter({ hasText: 'requests offered of before' })
  await expect(offered).toBeVisible()
  await expect(offered).not.toContainText('expected')

  // The first group of clients is open.
  const rate = file.getByLabel('Rate (/s)')
  await rate.fill('0.')
  await expect(rate).toHaveValue('0.')
  await expect(file.getByText('perSecond must be above 0: nothing would be sent.')).toBeVisible()
  await rate.fill('0.02')
  await expect(text).toContainText('perSecond: 0.02')
  await expect(page.getByText(/^The scenario has changed since this run\./)).toBeVisible()
  await page.getByRole('button', { name: 'Run scenario' }).click()
  await expect(offered).toContainText('expected')
  await expect(page.getByText(/^The scenario has changed since this run\./)).toBeHidden()

  // The form shows what the text contains; undo is the same for both.
  // On a slow machine the two values of the rate are two steps.
  const reaches = (press: () => Promise<void>, value: string): Promise<void> =>
    expect(async () => {
      await press()
      await expect(rate).toHaveValue(value, { timeout: 500 })
    }).toPass()
  await reaches(() => text.press('Control+z'), '1')
  await reaches(() => rate.press('Control+y'), '0.02')

  await file.getByRole('button', { name: 'Duplicate clients before' }).press('Enter')
  await expect(text).toContainText('name: before-2')
  await expectFine(page)

  // The run that is stepped through is that of the text as it was run.
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('article', { name: 'now', exact: true }).getByRole('button', { name: 'Step through' }).click()
  await expect(page.getByRole('banner')).toContainText('S10.yaml now')
})
