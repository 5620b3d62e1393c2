import type { Page } from '@playwright/test'
import { expect, LONG, test } from '../console.ts'

/** Samples that have to arrive while nothing moves: a minute at one a second. */
const SAMPLES = 60
/** Samples before that: the window of rates is 10 s. */
const SETTLING = 12

interface Shifts {
  /** What browsers call the cumulative layout shift. */
  readonly sum: number
  /**
   * Elements that moved. A number that is aligned to the right ends where it ended when it gets another digit: it grows,
   * and nothing moves.
   */
  readonly moved: readonly string[]
}

/** Collects what moves from now on. */
async function watchShifts(page: Page): Promise<void> {
  await page.evaluate(() => {
    interface Source {
      readonly node: Node | null
      readonly previousRect: DOMRectReadOnly
      readonly currentRect: DOMRectReadOnly
    }
    const shifts = { sum: 0, moved: [] as string[] }
    Object.assign(globalThis, { layoutShifts: shifts })
    const describe = ({ node, previousRect: was, currentRect: is }: Source): readonly string[] =>
      node instanceof HTMLElement && (Math.abs(was.right - is.right) >= 1 || Math.abs(was.top - is.top) >= 1)
        ? [
            `${node.tagName} ${node.className} ${(node.textContent ?? '').slice(0, 40)}: ${was.x},${was.y} → ${is.x},${is.y}`,
          ]
        : []
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources } = entry as PerformanceEntry & { value: number; sources: readonly Source[] }
        shifts.sum += value
        shifts.moved.push(...sources.flatMap(describe))
      }
    }).observe({ type: 'layout-shift' })
  })
}
const shiftsOf = (page: Page): Promise<Shifts> =>
  page.evaluate(() => (globalThis as unknown as { layoutShifts: Shifts }).layoutShifts)

/** Resolves once the table of levels, or the list of them beside every screen, has changed so many times. */
const changes = (page: Page, count: number, of = 'main [role=grid]'): Promise<void> =>
  page.evaluate(
    ({ samples, selector }) =>
      new Promise<void>((resolve) => {
        const grid = document.querySelector(selector)
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
    { samples: count, selector: of },
  )

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1100, height: 700 },
] as const

test('nothing moves on the live Overview, at either width', async ({ consolePage }) => {
  // A session belongs to the browser, so the second page is of the same one. Both wait for the same minute.
  const second = await consolePage.context().newPage()
  await second.goto(consolePage.url())
  await Promise.all([expectStill(consolePage, SIZES[0]), expectStill(second, SIZES[1])])
  await second.close()
})

async function expectStill(page: Page, size: (typeof SIZES)[number]): Promise<void> {
  await page.setViewportSize(size)
  await page.evaluate(() => {
    location.hash = '#/overview'
  })
  await expect(page.getByRole('grid', { name: /Priority levels/ })).toBeVisible()
  // The history of the range and the first dump come after the first sample.
  await expect(page.getByRole('heading', { name: 'What changed' })).toBeVisible()
  await expect(page.locator('header p').first()).not.toBeEmpty()
  // Rates and quantiles of the first samples are still to come.
  await changes(page, SETTLING)
  await watchShifts(page)
  await changes(page, SAMPLES)
  const { sum, moved } = await shiftsOf(page)
  expect(moved).toEqual([])
  // Two decimals, as browsers report it: 0.00.
  expect(sum).toBeLessThan(0.005)
}

/** Screens that are open while samples arrive, and the ones that each page shows after that. */
const LIVE_SCREENS = [
  ['overview', 'compare'],
  ['fleet', 'recordings'],
  ['level/workload-low', 'level/exempt'],
  ['level/workload-low', 'diagnosis', 'Demand and virtual time'],
  ['allocation', 'editor/advisor'],
  ['live', 'editor/drift'],
  ['classify/coverage', 'whatif/runs'],
  ['editor/draft?object=PriorityLevelConfiguration%2Fworkload-low', 'editor/journal'],
  ['alerts', 'settings'],
  ['connection', 'whatif/scenarios'],
] as const
/** The sidebar, which shows the levels beside every screen. */
const ROSTER = 'nav'
/** Samples that have to arrive on each; 60 are a minute. */
const LOOKS = Number(process.env['APF_STILLNESS_SAMPLES'] ?? 5)
/** Samples before that on a screen that is opened later: rates are known by then. */
const OPENING = 3
/** What browsers call a page that is good to read. */
const MOST_SHIFT = 0.02
/** All panes of a screen are in the window: browsers report nothing that moves outside of it. */
const TALL = { width: 1440, height: 2_000 }

test('no screen moves what is read while samples arrive', async ({ consolePage }) => {
  // All screens wait for the same seconds.
  const { origin } = new URL(consolePage.url())
  const open = async (page: Page, hash: string): Promise<void> => {
    await page.goto(`${origin}/#/${hash}`)
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  }
  const pages = await Promise.all(
    LIVE_SCREENS.map(async ([first, then, part]) => {
      const page = await consolePage.context().newPage()
      await page.setViewportSize(TALL)
      await open(page, first)
      if (part !== undefined) await page.getByRole('radio', { name: part }).click()
      return { page, shown: [part ?? first, then] as const }
    }),
  )
  const moving = async (round: 0 | 1, samples: number): Promise<readonly (Shifts & { readonly screen: string })[]> => {
    await Promise.all(pages.map(({ page }) => changes(page, samples, ROSTER)))
    await Promise.all(pages.map(({ page }) => watchShifts(page)))
    await Promise.all(pages.map(({ page }) => changes(page, LOOKS, ROSTER)))
    const shifts = pages.map(async ({ page, shown }) => ({ screen: shown[round], ...(await shiftsOf(page)) }))
    return (await Promise.all(shifts)).filter(({ sum }) => sum > MOST_SHIFT)
  }
  expect(await moving(0, SETTLING)).toEqual([])
  await Promise.all(pages.map(({ page, shown }) => open(page, shown[1])))
  expect(await moving(1, OPENING)).toEqual([])
  await Promise.all(pages.map(({ page }) => page.close()))
})

test('the wheel over a list inside the page goes on to the page', async ({ consolePage: page }) => {
  await page.setViewportSize({ width: 1100, height: 700 })
  for (const hash of ['#/overview', '#/level/workload-low', '#/allocation', '#/live']) {
    await page.evaluate((to) => {
      location.hash = to
    }, hash)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const trapped = await page.evaluate(() =>
      [...document.querySelectorAll('main *')]
        .filter((box) => box.scrollHeight > box.clientHeight + 1)
        .filter((box) => {
          const { overflowY, overscrollBehaviorY } = getComputedStyle(box)
          return ['auto', 'scroll'].includes(overflowY) && overscrollBehaviorY !== 'auto'
        })
        .map(({ tagName, className }) => `${tagName} ${className}`),
    )
    expect(trapped).toEqual([])
  }
})

const FILLING_MS = 20_000

test('two runs beside each other and a simulated etcd stand still as well', async ({ consolePage: page }) => {
  const still = async (): Promise<void> => {
    await watchShifts(page)
    await page.waitForTimeout(LOOKS * 1_000)
    const { sum, moved } = await shiftsOf(page)
    expect(sum > MOST_SHIFT ? moved : []).toEqual([])
  }
  await page.setViewportSize(TALL)
  await page.goto(`${new URL(page.url()).origin}/#/whatif/runs`)
  await page.getByLabel('Seconds').fill('20')
  await page.getByLabel('B: requests in flight', { exact: true }).fill('4')
  await page.getByLabel('B: mutating requests in flight').fill('2')
  await page.getByRole('button', { name: 'Run comparison' }).click()
  await page.getByRole('button', { name: 'First difference' }).click()
  await expect(page.getByRole('grid', { name: 'Levels of both variants' }).getByRole('row').nth(1)).toBeVisible()
  await still()
  await page.goto(`${new URL(page.url()).origin}/#/connection`)
  await page.getByRole('button', { name: /^etcd proxy/ }).click()
  await page.getByRole('button', { name: 'Explore a simulated etcd' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('limited, most by rule-event', LONG)
  // Rows come with the first requests of each kind.
  await page.waitForTimeout(FILLING_MS)
  await still()
})
