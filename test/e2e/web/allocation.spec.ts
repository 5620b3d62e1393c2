import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from '../console.ts'

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1100, height: 700 },
]

const open = async (page: Page): Promise<void> => {
  await page.evaluate(() => {
    location.hash = '#/allocation'
  })
  await expect(page.getByRole('table', { name: /^How the limits of/ })).toBeVisible()
}
const shown = (page: Page) => page.getByRole('slider', { name: /^Reallocation/ })

for (const theme of ['dark', 'light'] as const) {
  test(`Allocation, ${theme}: accessible, and whole at both sizes`, async ({ consolePage: page }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await open(page)
    for (const size of SIZES) {
      await page.setViewportSize(size)
      await page.screenshot({ path: `test-results/screens/Allocation-${theme}-${size.width}.png` })
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow).toBe(0)
    }
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
    ).toEqual([])
  })
}

test('the demo server’s limits are the expected ones, in every round', async ({ consolePage: page }) => {
  await open(page)
  await expect(page.getByText(/^Reported as expected/)).toContainText(/So were all \d+ reallocations kept/)
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
