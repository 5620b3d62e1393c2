import type { Page } from '@playwright/test'
import { expect, test } from '../console.ts'
import { expectFine } from '../looks.ts'

/** Connects a simulated cluster beside the demo and opens the Fleet screen by its key. */
async function openFleet(page: Page): Promise<void> {
  await page.evaluate(() => {
    location.hash = '#/connection'
  })
  await page.getByRole('heading', { name: /^Connected to/ }).waitFor()
  const sources = page.getByRole('region', { name: 'Sources' })
  if ((await sources.getByRole('button', { name: /^Disconnect / }).count()) < 2) {
    await page.getByRole('checkbox', { name: 'Keep this source connected' }).check()
    await page.getByRole('button', { name: /^Simulat/ }).click()
    await page.getByRole('button', { name: /^Start/ }).click()
    await expect(
      page
        .getByRole('banner')
        .getByText(/SIMULATED/)
        .first(),
    ).toBeVisible()
  }
  await page.keyboard.press('h')
  await expect(page.getByRole('grid', { name: 'Fleet' })).toBeVisible()
}

test('two sources side by side: a row opens to servers and levels, and leads to the level of its source', async ({
  consolePage: page,
}) => {
  await openFleet(page)
  const grid = page.getByRole('grid', { name: 'Fleet' })
  await expect(page.getByRole('navigation').getByRole('link', { name: /^Fleet/ })).toBeVisible()
  await expect(grid.getByRole('row').filter({ hasText: 'Simulated cluster' })).toContainText(/1\.\d+\.\d+/)
  await grid.getByRole('button', { name: 'Open Demo' }).click()
  await grid.getByRole('button', { name: 'Open demo-apiserver' }).click()
  await page.getByRole('searchbox', { name: 'Search the fleet' }).fill('cluster:demo level:workload-low')
  await expect(grid.getByRole('row')).toHaveCount(4)
  await grid.getByRole('row').nth(3).click()
  await expect(page.getByRole('heading', { name: 'workload-low', exact: true })).toBeVisible()
  await expect(page.getByRole('banner').getByRole('button', { name: /^Demo/ })).toBeVisible()
})

test('accessible and whole at every size in both themes', async ({ consolePage: page }) => {
  await openFleet(page)
  await page.getByRole('button', { name: 'Open Demo' }).click()
  await expectFine(page)
})
