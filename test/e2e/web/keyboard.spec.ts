import { expect, test } from '../console.ts'

test.beforeEach(async ({ consolePage: page }) => {
  await page.evaluate(() => {
    location.hash = '#/overview'
  })
  await expect(page.getByRole('grid', { name: /Priority levels/ })).toBeVisible()
})

test('number keys lead to screens, brackets to levels', async ({ consolePage: page }) => {
  await page.keyboard.press('2')
  await expect(page).toHaveURL(/#\/level/)
  const before = page.url()
  await page.keyboard.press(']')
  await expect(page).not.toHaveURL(before)
  await page.keyboard.press('9')
  await expect(page).toHaveURL(/#\/connection/)
  await page.keyboard.press('1')
  await expect(page).toHaveURL(/#\/overview/)
})

test('Space pauses and goes on; what is shown stays while samples are buffered', async ({ consolePage: page }) => {
  await page.keyboard.press('Space')
  await expect(page.getByRole('banner').getByText(/^PAUSED/)).toBeVisible()
  const grid = page.getByRole('grid', { name: /Priority levels/ })
  // Sparklines that come into view in between are drawings, and change the blanks around them.
  const shown = async (): Promise<string> => (await grid.innerText()).replaceAll(/\s+/g, ' ')
  const held = await shown()
  await expect(page.getByRole('banner')).toContainText(/buffered/)
  // The longest badge leaves the source its name, at the smallest width as well.
  await page.setViewportSize({ width: 1100, height: 700 })
  const source = page.getByRole('banner').locator('button b').first()
  expect(await source.evaluate((name) => name.scrollWidth - name.clientWidth)).toBeLessThanOrEqual(0)
  expect(await shown()).toBe(held)
  await page.keyboard.press('Space')
  await expect(page.getByRole('banner').getByText(/^PAUSED/)).toBeHidden()
})

test('the palette reaches a level by its name', async ({ consolePage: page }) => {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('@leader')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#\/level\/leader-election/)
})

test('? lists the keys, Escape closes', async ({ consolePage: page }) => {
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
})

test('every chart of the level screen has a table of its name, and exports', async ({ consolePage: page }) => {
  await page.evaluate(() => {
    location.hash = '#/level/workload-low'
  })
  const frames = page.getByRole('button', { name: / as table$/ })
  await expect(frames.first()).toBeVisible()
  const titles = await frames.evaluateAll((buttons) =>
    buttons.map((button) => (button.getAttribute('aria-label') ?? '').replace(/ as table$/, '')),
  )
  expect(titles.length).toBeGreaterThanOrEqual(5)
  for (const title of titles) {
    await expect(page.getByRole('table', { name: title, exact: true })).toHaveCount(1)
  }
  await page.getByRole('button', { name: 'Export Seats' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Save as CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/\.csv$/)
  await page.getByRole('button', { name: 'Export Seats' }).click()
  const picture = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Save as PNG' }).click()
  expect((await picture).suggestedFilename()).toMatch(/\.png$/)
})

test('an address carries its range; one that cannot be read is said, and changes nothing', async ({
  consolePage: page,
}) => {
  const range = page.getByRole('banner').getByRole('button', { name: /Time range/ })
  const go = (hash: string) =>
    page.evaluate((to) => {
      location.hash = to
    }, hash)
  await go('#/overview?range=last+300+s')
  await expect(range).toContainText('5 min')
  await go('#/level/workload-low?range=last+300+parsecs')
  await expect(page.getByText(/^The range of this address cannot be shown\./)).toBeVisible()
  await expect(range).toContainText('5 min')
})
