/**
 * The Fleet screen in Chromium (CHROMIUM_PATH, else the first one on the path) with 1,000 servers of 30 levels, whose
 * summary comes over the contract every second. The page is built as for production; the servers are synthetic.
 *
 * - `open`: from leaving the Overview until the row of the cluster counts its servers; code, summary, parsing and
 *   drawing included. Goal: 1 s.
 * - `scroll`: frames a second while the wheel turns over the 1,000 rows, and the longest frame. Goal: 60, read beside
 *   `rest`, because everything is drawn without a graphics card.
 * - `rest`: the same while nothing is scrolled.
 *
 * Both say how many milliseconds of the page's thread a frame took, which a busy machine changes less than its frames a
 * second.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright'
import { launchChromium } from '../harness/chromium.ts'
import { countCost, frameTimes, rateOf, type FrameCost } from './paint/frames.ts'
import { servePage } from './paint/servePage.ts'
import { median, report, round } from './statistics.ts'

const SERVERS = 1_000
const LEVELS = 30
const OPENINGS = 5
const RUNS = 5
const RUN_MS = 3_000
const GOAL_OPEN_MS = 1_000
const GOAL_FRAMES_PER_SECOND = 60

export async function run(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'apf-fleet-'))
  const { url, close } = await servePage(folder)
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
    await page.goto(`${url}?fleet=${SERVERS}&levels=${LEVELS}&servers=1&history=120&theme=dark#/overview`)
    await page.locator('[role="grid"]').first().waitFor()
    await measureOpening(page)
    await page.getByRole('button', { name: 'Open demo' }).click()
    await page.locator(`[role="grid"][aria-rowcount="${SERVERS + 2}"]`).waitFor()
    await measureFrames(page, 'rest', async () => undefined)
    await measureFrames(page, 'scroll', scroll)
  } finally {
    await browser.close()
    await close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureOpening(page: Page): Promise<void> {
  const times: number[] = []
  for (let index = 0; index < OPENINGS; index++) {
    times.push(await page.evaluate(openFleet))
    await page.evaluate(() => {
      location.hash = '#/overview'
    })
    await page.getByRole('grid', { name: 'Priority levels' }).waitFor()
  }
  await page.evaluate(openFleet)
  report({
    bench: 'fleet',
    case: 'open',
    servers: SERVERS,
    levels: LEVELS,
    ms: {
      first: round(times[0] ?? Number.NaN, 0),
      median: round(median(times), 0),
      worst: round(Math.max(...times), 0),
    },
    goalMs: GOAL_OPEN_MS,
    ratio: round(GOAL_OPEN_MS / median(times), 2),
    load: round(os.loadavg()[0] ?? 0, 1),
  })
}

/** Milliseconds until the cluster counts its servers; runs in the page. */
const openFleet = (): Promise<number> =>
  new Promise((resolve) => {
    const began = performance.now()
    location.hash = '#/fleet'
    const look = (): void => {
      const cells = [...document.querySelectorAll('[role="grid"][aria-label="Fleet"] td')]
      if (cells.some(({ textContent }) => textContent.replaceAll(/\D/g, '') === '1000'))
        resolve(performance.now() - began)
      else requestAnimationFrame(look)
    }
    look()
  })

async function measureFrames(
  page: Page,
  name: string,
  act: (page: Page, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const rates: number[] = []
  const longest: number[] = []
  const costs: FrameCost[] = []
  for (let index = 0; index < RUNS; index++) {
    const stop = new AbortController()
    const acting = act(page, stop.signal)
    const cost = await countCost(page)
    const times = await frameTimes(page, RUN_MS)
    costs.push(await cost(times.length))
    stop.abort()
    await acting
    rates.push(rateOf(times))
    longest.push(Math.max(...times))
  }
  const of = (part: (cost: FrameCost) => number): number => round(median(costs.map(part)), 1)
  report({
    bench: 'fleet',
    case: name,
    rows: SERVERS + 1,
    runs: RUNS,
    framesPerSecond: { median: round(median(rates), 1), worst: round(Math.min(...rates), 1) },
    longestFrameMs: { median: round(median(longest), 1), worst: round(Math.max(...longest), 1) },
    threadMsPerFrame: {
      script: of(({ script }) => script),
      style: of(({ style }) => style),
      layout: of(({ layout }) => layout),
      all: of(({ all }) => all),
    },
    goal: GOAL_FRAMES_PER_SECOND,
    ratio: round(median(rates) / GOAL_FRAMES_PER_SECOND, 2),
    load: round(os.loadavg()[0] ?? 0, 1),
  })
}

/** Turns the wheel over the rows, down and up again, until it is stopped. */
async function scroll(page: Page, signal: AbortSignal): Promise<void> {
  const box = await page.locator('[role="grid"]').first().boundingBox()
  await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 200)
  for (let turn = 0; !signal.aborted; turn++) await page.mouse.wheel(0, turn % 60 < 40 ? 400 : -400)
}
