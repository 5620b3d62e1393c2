import type { Page } from '@playwright/test'
import { expect, test } from '../console.ts'
import { expectFine } from '../looks.ts'

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).first()
/** Every screen and every page of one, and a text that it shows once it has loaded. */
const SCREENS: Readonly<Record<string, (page: Page) => ReturnType<Page['locator']>>> = {
  overview: (page) => page.getByRole('grid', { name: /Priority levels/ }),
  'level/workload-low': (page) => page.getByRole('grid', { name: /Flows/ }).getByRole('row').nth(1),
  'level/exempt': (page) => page.getByRole('heading', { name: 'exempt', exact: true }),
  allocation: (page) => page.getByRole('table', { name: /^How the limits of/ }),
  live: heading,
  'classify/request': heading,
  'classify/sharding': heading,
  'classify/coverage': heading,
  'classify/tests': heading,
  'editor/draft?object=PriorityLevelConfiguration%2Fworkload-low': heading,
  'editor/advisor': (page) => page.getByRole('button', { name: 'Examine again' }),
  'editor/drift': heading,
  'editor/journal': heading,
  recordings: (page) => page.getByRole('grid', { name: 'Recordings' }),
  fleet: (page) => page.getByRole('grid', { name: 'Fleet' }),
  etcd: (page) => page.getByText('The connected source is not etcd.'),
  compare: (page) => page.getByRole('table', { name: /^Key numbers/ }),
  'whatif/runs': (page) => page.getByRole('table', { name: 'Variants' }),
  'whatif/scenarios': (page) => page.getByRole('button', { name: 'Run scenario' }),
  alerts: (page) => page.getByRole('grid', { name: 'Alert rules' }),
  diagnosis: (page) => page.getByRole('button', { name: 'Examine again' }),
  settings: heading,
  connection: (page) => page.getByRole('heading', { name: /^Connect(ed)? to/ }),
}

// So many screens are the work of several browsers.
test.describe.configure({ mode: 'parallel' })

for (const [hash, settled] of Object.entries(SCREENS)) {
  test(`${hash}: accessible, and whole at every size in both themes`, async ({ consolePage: page }) => {
    await page.evaluate((to) => {
      location.hash = to
    }, hash)
    await expect(settled(page)).toBeVisible()
    await expectFine(page)
  })
}
