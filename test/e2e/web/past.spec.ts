import { readFile } from 'node:fs/promises'
import { expect, test, type Locator, type Page } from '@playwright/test'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf, lineOf, LONG, passed, type Line } from '../console.ts'

/*
 * What the flight recorder kept, on the real screens of the real process: everything that was shown at an instant is
 * shown again when that instant is selected.
 */

test.describe.configure({ mode: 'serial' })

let running: RunningConsole
let page: Page
let complaints: readonly string[] = []
let line: Line

test.beforeAll(async ({ browser }) => {
  running = await startConsole([])
  page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  complaints = complaintsOf(page)
  line = lineOf(page)
  await page.goto(running.address)
})
test.afterAll(async () => {
  await page.context().close()
  await running.stop()
})
test.afterEach(() => expect(complaints).toEqual([]))

const badge = () => page.getByRole('banner').locator('[data-mode]')
/** How much later than `since` the instant is that a badge names, seconds less than a day. */
function secondsAfter(since: number, named: string): number {
  const [day, time] = [new Date(since).toISOString().slice(0, 11), /PAST (\d\d:\d\d:\d\d)/.exec(named)?.[1]]
  return ((Date.parse(`${day}${time ?? ''}Z`) - Math.floor(since / 1_000) * 1_000 + 86_400_000) / 1_000) % 86_400
}
const open = (hash: string): Promise<void> =>
  page.evaluate((to) => {
    location.hash = to
  }, `#/${hash}`)
const live = () => page.getByRole('button', { name: 'Back to live' })

/**
 * Every screen of the source's own numbers; the Live screen is tested below, because requests are recorded as they
 * ended.
 */
const SCREENS = [
  'overview',
  'level/workload-low',
  'level/global-default',
  'level/exempt',
  'allocation',
  'classify/request',
  'classify/coverage',
  'editor/drift',
]
/** Numbers and their labels: headings, tables, descriptions of charts, facts, the roster. */
const parts = (): readonly Locator[] => {
  const main = page.locator('main')
  const grid = main.getByRole('grid')
  return [
    main.getByRole('heading'),
    grid.getByRole('rowheader'),
    grid.getByRole('gridcell'),
    main.getByRole('definition'),
    main.getByRole('img'),
    page.getByRole('navigation', { name: /priority levels/ }).getByRole('link'),
  ]
}
const words = async (): Promise<readonly string[]> => {
  const all = await Promise.all(
    parts().map((part) =>
      part.evaluateAll((elements) =>
        elements
          // Retry-After is that of the present alone.
          .filter((one) => one.previousElementSibling?.textContent?.includes('Retry-After') !== true)
          .map((one) => ({ label: one.getAttribute('aria-label') ?? '', text: one.textContent ?? '' })),
      ),
    ),
  )
  // The past begins with its instant. It is diagnosed by what was recorded until then, the present by up to ten minutes
  // that were not: one may name a cause where the other says why the limit is what it is. The alerts that fire are counted in the sidebar for the present alone.
  return all.flat().map(
    ({ label, text }) =>
      `${label} ${text
        .replace('Cause and remedy', 'Why this limit')
        .replace(/At [\d:]+: /, '')
        .replace(/\d+, \d+ fires?(?=A\s*$)/, '')}`,
  )
}

/**
 * The newest sample and its numbers, once the page has all that it asked for and neither has changed while its own
 * clocks, which tick once a second, went on.
 */
async function standing(read: () => Promise<readonly string[]>): Promise<{ at: string; seen: readonly string[] }> {
  let last: { readonly at: string; readonly seen: readonly string[] }
  do {
    await expect.poll(line.pending).toBe(0)
    last = { at: line.newest(), seen: await read() }
    await page.waitForTimeout(1_200)
  } while (
    line.pending() > 0 ||
    last.at !== line.newest() ||
    JSON.stringify(last.seen) !== JSON.stringify(await read())
  )
  return last
}

const speed = () => page.getByRole('combobox', { name: 'Simulation speed' })
/** Lets the simulation run on from an instant at which it stood, so that this instant is of the past. */
async function goOnFrom(at: string): Promise<void> {
  await speed().selectOption('1')
  await passed(line, at, 3)
}

test('every screen shows an instant again as it was seen', async () => {
  await open('overview')
  // Rejections are among the numbers: of a flood that begins, because one that ends may be over before the clock stops.
  const headline = page.getByRole('heading', { level: 1 })
  await expect.poll(line.newest).not.toBe('')
  await speed().selectOption('10')
  await expect(headline).not.toContainText('rejecting')
  // All of the range is recorded, with what its first numbers are derived from: of a faster simulation some samples are
  // not, and of what was before its connection none.
  await speed().selectOption('2')
  // On a page that draws nothing of it.
  await open('editor/journal')
  await passed(line, line.newest(), 65)
  await open('overview')
  await expect(headline).toContainText('rejecting', LONG)
  // Sample and dump are of one instant once the clock has stopped.
  await speed().selectOption('stopped')
  await expect(badge()).toContainText('STOPPED')
  // Charts far below the window are not drawn: all are compared, whatever stands above them.
  await page.setViewportSize({ width: 1440, height: 3_000 })
  const seen = new Map<string, readonly string[]>()
  for (const screen of SCREENS) {
    await open(`${screen}?range=last+60+s`)
    // A request that was looked at for a moment joins the recent ones, which are not of the source.
    if (screen === 'classify/request') await expect(page.getByRole('heading', { name: 'Recent' })).toBeVisible()
    seen.set(screen, (await standing(words)).seen)
  }
  const { at } = await standing(words)
  expect(seen.get('overview')?.join(' ')).toContain('queue-full')
  await goOnFrom(at)
  const range = `${new Date(Date.parse(at) - 60_000).toISOString()}/${at}`
  for (const screen of SCREENS) {
    await open(`${screen}?range=${encodeURIComponent(range)}&at=${at}`)
    await expect(badge()).toContainText(`PAST ${at.slice(11, 19)}`)
    expect(seen.get(screen)?.length, screen).toBeGreaterThan(10)
    await expect.poll(words, screen).toEqual(seen.get(screen))
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await live().click()
  await expect(badge()).toContainText('SIMULATED')
})

test('an instant is chosen, stepped and replayed by keyboard and buttons', async () => {
  await open('overview')
  const at = new Date(Date.parse(line.newest()) - 12_000)
  await open(`overview?at=${at.toISOString()}`)
  await expect(badge()).toContainText('PAST')
  const time = page.getByRole('region', { name: 'Time' })
  await expect(time).toContainText('recorded')
  await expect(page.getByRole('navigation', { name: /priority levels/ })).toContainText(
    `At ${at.toISOString().slice(11, 19)}`,
  )
  const earlier = new Date(at.getTime() - 10_000).toISOString().slice(11, 19)
  await time.getByRole('button', { name: '−10 s' }).click()
  await expect(badge()).toContainText(`PAST ${earlier}`)
  await time.getByRole('slider', { name: 'Instant in the shown range' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(badge()).toContainText(`PAST ${new Date(at.getTime() - 9_000).toISOString().slice(11, 19)}`)
  await time.getByRole('combobox', { name: 'Speed of replay' }).selectOption('2')
  await time.getByRole('button', { name: 'Replay' }).click()
  // A busy machine does not draw every second that it passes.
  await expect.poll(async () => secondsAfter(at.getTime() - 9_000, await badge().innerText())).toBeGreaterThan(5)
  await time.getByRole('button', { name: 'Hold' }).click()
  await page.keyboard.press('l')
  await expect(badge()).toContainText('SIMULATED')
  await expect(time).toBeHidden()
})

/** Of each second some 150 requests, in a flood 500. */
const NEWEST = 300

/** The requests of the list that are over, as they are saved: the list on the screen shows the newest alone. */
async function saved(): Promise<readonly string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the requests as CSV' }).click(),
  ])
  const [, ...requests] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  return requests.filter((request) => !/,(?:waiting|executing),/.test(request))
}

test('single requests are listed as they ended, those that had come by then', async () => {
  await open('live')
  const rows = page.getByRole('grid', { name: 'Live requests' }).getByRole('row')
  await expect(rows.nth(12)).toBeVisible()
  // Requests are recorded while somebody looks at them.
  await passed(line, line.newest(), 5)
  await speed().selectOption('stopped')
  await expect(badge()).toContainText('STOPPED')
  const { at, seen } = await standing(saved)
  await goOnFrom(at)
  await open(`live?at=${at}`)
  await expect(badge()).toContainText(`PAST ${at.slice(11, 19)}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^The last \d.* requests up to this instant\.$/)
  // The list is drawn after its headline.
  await expect(rows.nth(12)).toBeVisible()
  const past = new Set(await saved())
  const newest = seen.slice(-NEWEST)
  expect(newest).toHaveLength(NEWEST)
  expect(newest.filter((request) => !past.has(request))).toEqual([])
  await live().click()
  await expect(badge()).toContainText('SIMULATED')
})

test('where nothing was recorded the screens say so, and lead to what is nearest', async () => {
  await open(`overview?at=${new Date(Date.now() - 7_200_000).toISOString()}`)
  await expect(page.getByRole('heading', { name: /^Nothing was recorded at/ })).toBeVisible()
  await page.getByRole('button', { name: 'First sample after' }).click()
  await expect(page.getByRole('grid', { name: /Priority levels/ })).toBeVisible()
  await live().click()
  await expect(badge()).toContainText('SIMULATED')
})

test('nothing can be changed in the past', async () => {
  await open(`editor/draft?at=${new Date(Date.parse(line.newest()) - 5_000).toISOString()}`)
  await expect(badge()).toContainText('PAST')
  await expect(page.getByText('The screens show the past. Go back to live (L) to edit.')).toBeVisible()
  await live().click()
})
