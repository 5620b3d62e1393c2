import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../console.ts'

/*
 * What appears while a part of the page is pointed at must not stand on that part: the words on its box are the same
 * before and while the pointer is there.
 */

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1100, height: 700 },
]

/** Words whose box is on that of an element; labels of the drawing itself follow the cursor. */
const wordsOn = (what: Locator): Promise<readonly string[]> =>
  what.evaluate((target) => {
    const box = target.getBoundingClientRect()
    const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const on: string[] = []
    for (let text = words.nextNode(); text !== null; text = words.nextNode()) {
      const own = text.parentElement
      if (own?.checkVisibility() !== true || own.closest('svg, .sr-only') !== null) continue
      const range = document.createRange()
      range.selectNodeContents(text)
      const { left, right, top, bottom } = range.getBoundingClientRect()
      const wide = Math.min(right, box.right) - Math.max(left, box.left)
      const high = Math.min(bottom, box.bottom) - Math.max(top, box.top)
      if (wide > 1 && high > 1) on.push(text.textContent ?? '')
    }
    return on
  })

const PLACES = [0.1, 0.5, 0.9]

/** Points at a chart at several places: its words stay, and those of its pane tell of the cursor. */
async function expectReadBeside(page: Page, title: string, side = ''): Promise<void> {
  const pane = page.getByRole('region', { name: title, exact: true })
  // Its drawing is there once the pane is on the screen.
  await pane.scrollIntoViewIfNeeded()
  const name = `Cursor in ${title}${side}`
  const chart = pane.getByRole('slider', { name, exact: true })
  await chart.scrollIntoViewIfNeeded()
  await page.mouse.move(0, 0)
  const before = await wordsOn(chart)
  const { width, height } = (await chart.boundingBox()) ?? { width: 0, height: 0 }
  const reading = pane.locator('header p')
  for (const share of PLACES) {
    await chart.hover({ position: { x: width * share, y: height / 2 } })
    await expect(reading).toContainText(/^(?:A )?\d+:?\d*.*\d/)
    expect(await wordsOn(chart), `${name} at ${share}`).toEqual(before)
  }
}

async function openPaused(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => void (location.hash = to), hash)
  // Samples that arrive would change the words of the axes.
  const pause = page.getByRole('banner').getByRole('button', { name: /^Pause/ })
  await pause.click()
}

for (const size of SIZES) {
  const at = `${size.width}x${size.height}`

  test(`values at the cursor stand beside the charts of Level, ${at}`, async ({ consolePage: page }) => {
    await page.setViewportSize(size)
    await openPaused(page, '#/level/workload-low')
    for (const title of ['Seats', 'Wait', 'Execution']) await expectReadBeside(page, title)
  })

  test(`values at the cursor stand beside the charts of Compare, ${at}`, async ({ consolePage: page }) => {
    await page.setViewportSize(size)
    await openPaused(page, '#/compare')
    for (const title of ['Rejections', 'workload-low'])
      for (const side of [', A', ', B']) await expectReadBeside(page, title, side)
  })

  test(`values at the cursor stand beside the charts of What-if, ${at}`, async ({ consolePage: page }) => {
    await page.setViewportSize(size)
    await openPaused(page, '#/whatif/runs')
    await page.getByLabel('Seconds').fill('20')
    await page.getByLabel('B: requests in flight', { exact: true }).fill('4')
    await page.getByRole('button', { name: 'Run comparison' }).click()
    for (const title of ['Rejections', 'workload-low'])
      for (const side of [', A', ', B']) await expectReadBeside(page, title, side)
  })

  test(`the meaning of a term stands beside the term, ${at}`, async ({ consolePage: page }) => {
    await page.setViewportSize(size)
    await openPaused(page, '#/overview')
    const terms = page.locator('main [data-state]:not([aria-haspopup])').filter({ visible: true })
    await expect(terms.first()).toBeVisible()
    for (const term of await terms.all()) {
      await term.scrollIntoViewIfNeeded()
      const before = await wordsOn(term)
      await term.hover()
      await expect(page.getByRole('tooltip')).toBeAttached()
      expect(await wordsOn(term)).toEqual(before)
      await page.mouse.move(0, 0, { steps: 5 })
      await expect(page.getByRole('tooltip')).toHaveCount(0)
    }
  })
}
