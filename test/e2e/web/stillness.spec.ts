import type { Page } from '@playwright/test'
import { startConsole } from '../../harness/webConsole.ts'
import { expect, LONG, openConsole, test } from '../console.ts'

/** How long every screen is watched, and how many samples have to arrive meanwhile. */
const WATCHED_MS = 60_000
const SAMPLES = 20
/** Samples before that: the window of rates is 10 s. */
const SETTLING = 12
/** What browsers call a page that is good to read. */
const MOST_SHIFT = 0.02

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

/** Resolves once the sidebar, which shows the levels beside every screen, has changed so many times. */
const changes = (page: Page, count: number): Promise<void> =>
  page.evaluate(
    (samples) =>
      new Promise<void>((resolve) => {
        const roster = document.querySelector('nav')
        let last = roster?.textContent
        let seen = 0
        const observer = new MutationObserver(() => {
          if (roster?.textContent === last) return
          last = roster?.textContent
          seen += 1
          if (seen < samples) return
          observer.disconnect()
          resolve()
        })
        observer.observe(roster ?? document.body, { subtree: true, childList: true, characterData: true })
      }),
    count,
  )

/** All panes of a screen are in the window: browsers report nothing that moves outside of it. */
const TALL = { width: 1440, height: 2_000 }

interface Watched {
  readonly screen: string
  readonly size?: { readonly width: number; readonly height: number }
  /** What else is done on the page before it is watched. */
  readonly prepare?: (page: Page) => Promise<void>
  /** Nothing at all may move. */
  readonly strictly?: true
  /** What the screen has found changes with the samples, and so does the room that it takes. */
  readonly most?: number
}
const FINDINGS = 0.5

/** The history of the range and the first dump come after the first sample. */
async function complete(page: Page): Promise<void> {
  await expect(page.getByRole('grid', { name: /Priority levels/ })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'What changed' })).toBeVisible()
  await expect(page.locator('header p').first()).not.toBeEmpty()
}

/** Every screen while samples arrive; `etcd` has a console of its own, because it shows another source. */
const SCREENS: readonly Watched[] = [
  { screen: 'overview', size: { width: 1440, height: 900 }, prepare: complete, strictly: true },
  { screen: 'overview', size: { width: 1100, height: 700 }, prepare: complete, strictly: true },
  { screen: 'overview' },
  { screen: 'fleet' },
  { screen: 'level/workload-low' },
  {
    screen: 'level/workload-low',
    prepare: (page) => page.getByRole('radio', { name: 'Demand and virtual time' }).click(),
  },
  { screen: 'level/exempt' },
  { screen: 'allocation' },
  { screen: 'classify/request' },
  { screen: 'classify/tests' },
  { screen: 'classify/coverage' },
  { screen: 'classify/sharding' },
  { screen: 'live' },
  { screen: 'editor/draft?object=PriorityLevelConfiguration%2Fworkload-low' },
  { screen: 'editor/advisor', most: FINDINGS },
  { screen: 'editor/drift' },
  { screen: 'editor/journal' },
  { screen: 'recordings' },
  { screen: 'compare' },
  { screen: 'whatif/runs' },
  { screen: 'whatif/scenarios' },
  { screen: 'alerts', most: FINDINGS },
  { screen: 'diagnosis', most: FINDINGS },
  { screen: 'connection' },
  { screen: 'settings' },
]
/** Two runs, at their first difference. */
async function runBeside(page: Page): Promise<void> {
  await page.getByLabel('Seconds').fill('20')
  await page.getByLabel('B: requests in flight', { exact: true }).fill('4')
  await page.getByLabel('B: mutating requests in flight').fill('2')
  await page.getByRole('button', { name: 'Run comparison' }).click()
  await page.getByRole('button', { name: 'First difference' }).click()
  await expect(page.getByRole('grid', { name: 'Levels of both variants' }).getByRole('row').nth(1)).toBeVisible()
}
async function exploreEtcd(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^etcd proxy/ }).click()
  await page.getByRole('button', { name: 'Explore a simulated etcd' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('limited, most by rule-event', LONG)
}

/** Screens of other sources, each in a console of its own. */
const OTHERS: readonly Watched[] = [
  { screen: 'whatif/runs', prepare: runBeside },
  { screen: 'connection', prepare: exploreEtcd },
]
/** A session may have 16 pages. */
const MOST_PAGES = 15

const openAll = (of: Page, screens: readonly Watched[]): Promise<Page[]> =>
  Promise.all(
    screens.map(async (watched) => {
      const page = await of.context().newPage()
      await page.goto(of.url())
      return open(page, watched)
    }),
  )

async function open(page: Page, { screen, size = TALL, prepare }: Watched): Promise<Page> {
  await page.setViewportSize(size)
  await page.goto(`${new URL(page.url()).origin}/#/${screen}`)
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  await prepare?.(page)
  return page
}

test('no screen moves what is read while samples arrive', async ({ consolePage, browser }) => {
  const shown = [...OTHERS.map((one) => [one]), SCREENS.slice(MOST_PAGES)]
  // A session belongs to a browser.
  const consoles = await Promise.all(
    shown.map(async (screens) => ({ screens, running: await startConsole(), context: await browser.newContext() })),
  )
  try {
    const [beside = [], etcd = [], rest = []] = await Promise.all(
      consoles.map(async ({ screens, running, context }) => {
        const first = await context.newPage()
        await openConsole(first, running)
        return openAll(first, screens)
      }),
    )
    const pages = [...(await openAll(consolePage, SCREENS.slice(0, MOST_PAGES))), ...rest]
    const others = [...beside, ...etcd]
    await Promise.all(pages.map((page) => changes(page, SETTLING)))
    const all = [...pages, ...others]
    await Promise.all(all.map(watchShifts))
    await Promise.all([consolePage.waitForTimeout(WATCHED_MS), ...pages.map((page) => changes(page, SAMPLES))])
    const shifts = await Promise.all(all.map(shiftsOf))
    const found = [...SCREENS, ...OTHERS].map((watched, index) => ({ ...watched, ...shifts[index] }))
    expect(found.filter(({ sum = 0, moved = [], most = MOST_SHIFT }) => sum > most && moved.length > 0)).toEqual([])
    expect(found.filter(({ strictly, moved = [] }) => strictly && moved.length > 0)).toEqual([])
    await Promise.all(pages.map((page) => page.close()))
  } finally {
    await Promise.all(consoles.map(({ context }) => context.close()))
    await Promise.all(consoles.map(({ running }) => running.stop()))
  }
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
