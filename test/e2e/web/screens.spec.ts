import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from '../console.ts'

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1100, height: 700 },
  { width: 1920, height: 1080 },
]
const THEMES = ['dark', 'light'] as const
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).first()
/** Every screen and every page of one, and what stands there once it has what it waits for. */
const SCREENS: Readonly<Record<string, (page: Page) => ReturnType<Page['locator']>>> = {
  overview: (page) => page.getByRole('grid', { name: /Priority levels/ }),
  'level/workload-low': (page) => page.getByRole('grid', { name: /Flows/ }).getByRole('row').nth(1),
  'level/exempt': (page) => page.getByRole('heading', { name: 'exempt', exact: true }),
  allocation: heading,
  live: heading,
  'classify/request': heading,
  'classify/sharding': heading,
  'classify/coverage': heading,
  'classify/tests': heading,
  'editor/draft?object=PriorityLevelConfiguration%2Fworkload-low': heading,
  'editor/drift': heading,
  'editor/journal': heading,
  recordings: (page) => page.getByRole('grid', { name: 'Recordings' }),
  compare: (page) => page.getByRole('table', { name: 'Difference of key numbers' }),
  whatif: (page) => page.getByRole('table', { name: 'Variants' }),
  connection: (page) => page.getByRole('heading', { name: /^Connect(ed)? to/ }),
}

for (const theme of THEMES) {
  for (const [hash, settled] of Object.entries(SCREENS)) {
    test(`${hash}, ${theme}: accessible, and whole at every size`, async ({ consolePage: page }) => {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.evaluate((to) => {
        location.hash = to
      }, hash)
      await expect(settled(page)).toBeVisible()
      for (const size of SIZES) {
        await page.setViewportSize(size)
        // Nothing sticks out sideways once charts have their new width: what does not fit scrolls inside its pane.
        await expect.poll(() => sideways(page)).toEqual([])
        // A header that is cut has its whole text nowhere: cells of names may be, with the middle left out.
        expect(await cutHeaders(page)).toEqual([])
        // There are no frames, so no page of its own is needed to put their results together.
        const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
        expect(
          violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
        ).toEqual([])
      }
    })
  }
}

/** The page, and what it scrolls in, where these are wider than what is seen of them. */
function sideways(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, main > :not(.sr-only)')].flatMap((box) => {
      const over = box.scrollWidth - box.clientWidth
      return over > 0 ? [`${box.tagName} ${box.className}: ${over} px`] : []
    }),
  )
}

/** Headers of tables whose words do not fit. */
function cutHeaders(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main th[scope=col], main [role=columnheader]')].flatMap((header) =>
      [header, ...header.querySelectorAll('*')].some(
        (part) =>
          getComputedStyle(part).overflow !== 'visible' &&
          part.scrollWidth > part.clientWidth + 1 &&
          part.clientWidth > 1,
      )
        ? [header.textContent]
        : [],
    ),
  )
}
