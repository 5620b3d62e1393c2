import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from '../console.ts'

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1100, height: 700 },
]
const THEMES = ['dark', 'light'] as const
const SCREENS = [
  {
    name: 'Overview',
    hash: '#/overview',
    settled: (page: Page) => page.getByRole('grid', { name: /Priority levels/ }),
  },
  {
    name: 'Level',
    hash: '#/level/workload-low',
    settled: (page: Page) => page.getByRole('grid', { name: /Flows/ }).getByRole('row').nth(1),
  },
  {
    name: 'Level exempt',
    hash: '#/level/exempt',
    settled: (page: Page) => page.getByRole('heading', { name: 'exempt', exact: true }),
  },
  {
    name: 'Connection',
    hash: '#/connection',
    settled: (page: Page) => page.getByRole('heading', { name: /^Connect(ed)? to/ }),
  },
]

for (const theme of THEMES) {
  for (const screen of SCREENS) {
    test(`${screen.name}, ${theme}: accessible, and whole at both sizes`, async ({ consolePage: page }) => {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.evaluate((hash) => {
        location.hash = hash
      }, screen.hash)
      await expect(screen.settled(page)).toBeVisible()
      for (const size of SIZES) {
        await page.setViewportSize(size)
        await page.screenshot({ path: `test-results/screens/${screen.name}-${theme}-${size.width}.png` })
        // Nothing sticks out sideways: what does not fit scrolls inside its pane.
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
}
