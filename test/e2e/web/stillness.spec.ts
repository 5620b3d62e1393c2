import type { Page } from '@playwright/test'
import { expect, test } from '../console.ts'

/** Samples that have to arrive while nothing moves: a minute at one a second. */
const SAMPLES = 60

interface Shifts {
  /** What browsers call the cumulative layout shift. */
  readonly sum: number
  /**
   * Boxes that moved. A number that is aligned to the right begins elsewhere when it gets a digit more: no box moves. Nor
   * do cells count, whose columns may still give way by some pixels. What is rejected comes and goes inside its pane.
   */
  readonly boxes: readonly string[]
}

/** Collects what moves from now on. */
async function watchShifts(page: Page): Promise<void> {
  await page.evaluate(() => {
    const shifts = { sum: 0, boxes: [] as string[] }
    Object.assign(globalThis, { layoutShifts: shifts })
    const boxOf = (node: Node | null): readonly string[] =>
      node instanceof HTMLElement &&
      node.tagName !== 'SPAN' &&
      node.tagName !== 'TD' &&
      !getComputedStyle(node).display.startsWith('inline') &&
      node.closest('section')?.querySelector('h2')?.textContent !== 'Rejections'
        ? [`${node.tagName} ${node.className} ${(node.textContent ?? '').slice(0, 40)}`]
        : []
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources } = entry as PerformanceEntry & {
          value: number
          sources: readonly { readonly node: Node | null }[]
        }
        shifts.sum += value
        shifts.boxes.push(...sources.flatMap(({ node }) => boxOf(node)))
      }
    }).observe({ type: 'layout-shift' })
  })
}
const shiftsOf = (page: Page): Promise<Shifts> =>
  page.evaluate(() => (globalThis as unknown as { layoutShifts: Shifts }).layoutShifts)

for (const size of [
  { width: 1440, height: 900 },
  { width: 1100, height: 700 },
]) {
  test(`nothing moves on the live Overview, ${size.width} wide`, async ({ consolePage: page }) => {
    test.setTimeout(240_000)
    await page.setViewportSize(size)
    await page.evaluate(() => {
      location.hash = '#/overview'
    })
    const executing = page.getByRole('grid', { name: /Priority levels/ })
    await expect(executing).toBeVisible({ timeout: 30_000 })
    // The history of the range and the first dump come after the first sample.
    await expect(page.getByRole('heading', { name: 'What changed' })).toBeVisible({ timeout: 30_000 })
    await expect(page.locator('header p').first()).toContainText(/rejected/, { timeout: 30_000 })
    await watchShifts(page)
    await page.evaluate(
      (samples) =>
        new Promise<void>((resolve) => {
          const grid = document.querySelector('[role=grid]')
          let last = grid?.textContent
          let seen = 0
          const observer = new MutationObserver(() => {
            if (grid?.textContent === last) return
            last = grid?.textContent
            seen += 1
            if (seen < samples) return
            observer.disconnect()
            resolve()
          })
          observer.observe(grid ?? document.body, { subtree: true, childList: true, characterData: true })
        }),
      SAMPLES,
    )
    const { sum, boxes } = await shiftsOf(page)
    expect(boxes).toEqual([])
    expect(sum).toBeLessThan(0.05)
  })
}
