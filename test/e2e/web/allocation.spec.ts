import type { Page } from '@playwright/test'
import { expect, test } from '../console.ts'

const open = async (page: Page): Promise<void> => {
  await page.evaluate(() => {
    location.hash = '#/allocation'
  })
  await expect(page.getByRole('table', { name: /^How the limits of/ })).toBeVisible()
}
const shown = (page: Page) => page.getByRole('slider', { name: /^Reallocation/ })

test('the demo server’s limits are the expected ones, in every round', async ({ consolePage: page }) => {
  await open(page)
  await expect(page.getByText(/^Reported as expected/)).toContainText(
    /All \d+ comparable reallocations are as expected/,
  )
})

test('comma and full stop go from round to round; Escape follows the newest', async ({ consolePage: page }) => {
  await page.keyboard.press('3')
  await expect(page).toHaveURL(/#\/allocation/)
  const slider = shown(page)
  await expect(slider).toBeVisible()
  const newest = Number(await slider.getAttribute('aria-valuenow'))
  await page.keyboard.press(',')
  await page.keyboard.press(',')
  await page.keyboard.press('.')
  // A round may have ended meanwhile: what was chosen stays.
  const chosen = Number(await slider.getAttribute('aria-valuenow'))
  expect([newest - 1, newest]).toContain(chosen)
  await expect(page.getByText(new RegExp(`^round ${chosen},`))).toBeVisible()
  await slider.focus()
  await page.keyboard.press('Home')
  await expect(page.getByRole('button', { name: 'Previous reallocation' })).toBeDisabled()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Follow the newest' })).toBeHidden()
})

test('a level’s limit is explained from its own screen', async ({ consolePage: page }) => {
  await page.evaluate(() => {
    location.hash = '#/level/workload-low'
  })
  await page.getByRole('button', { name: /^Explain \d+ seats?$/ }).click()
  await expect(page).toHaveURL(/#\/allocation/)
  const row = page.getByRole('table', { name: /^How the limits of/ }).getByRole('row', { name: /workload-low/ })
  await expect(row).toHaveAttribute('aria-current', 'true')
})
