/**
 * Scrubbing through a recording of the built console in Chromium (CHROMIUM_PATH, else the first one on the path): ten
 * minutes of a server with 30 levels at one sample a second, with dumps every 5 s. A pointer is dragged to and fro over
 * the time bar, so that every frame requests another instant.
 *
 * - `scrub`: frames a second and the longest frame, for each screen, and how many instants a second the screen showed.
 *   Goal: 55 frames, read beside `rest`, because everything is drawn without a graphics card.
 * - `rest`: the same screen while the instant does not change.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright'
import { ensureBuilt } from '../../main/bootstrap/build.mjs'
import { syntheticStory } from '../fixtures/synthetic.ts'
import { launchChromium } from '../harness/chromium.ts'
import { recordStory } from '../harness/recordStory.ts'
import { runConsole } from '../harness/webConsole.ts'
import { countCost, frameTimes, rateOf, type FrameCost } from './paint/frames.ts'
import { median, report, round } from './statistics.ts'

const LEVELS = 30
const SECONDS = 600
const SCREENS = ['overview', 'level/workload-low', 'allocation']
const RUNS = 5
const RUN_MS = 3_000
const GOAL_FRAMES_PER_SECOND = 55

export async function run(): Promise<void> {
  await ensureBuilt()
  const stateDir = mkdtempSync(path.join(os.tmpdir(), 'apf-scrub-'))
  const startAt = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000
  const story = syntheticStory({ seconds: SECONDS, levels: LEVELS, startAt })
  await recordStory({ stateDir, name: 'bench', startAt, events: [], story, dumps: true })
  const [id = ''] = readdirSync(path.join(stateDir, 'recordings'))
  const running = await runConsole(['out/main/cli.js', 'web', '--recording', id], { APF_CONSOLE_STATE: stateDir })
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
    await page.goto(running.address)
    await page.locator('main [role="grid"]').first().waitFor()
    const instant = (seconds: number): string => new Date(startAt + seconds * 1_000).toISOString()
    const query = new URLSearchParams({ range: `${instant(0)}/${instant(SECONDS - 1)}`, at: instant(SECONDS / 2) })
    for (const screen of SCREENS) {
      await page.evaluate((to) => void (location.hash = to), `#/${screen}?${query.toString()}`)
      await page
        .getByRole('banner')
        .getByText(/^PAST /)
        .waitFor()
      await page.waitForTimeout(3_000)
      await measure(page, screen, 'rest', async () => undefined)
      await measure(page, screen, 'scrub', scrub)
    }
  } finally {
    await browser.close()
    await running.stop()
    rmSync(stateDir, { recursive: true, force: true })
  }
}

async function measure(
  page: Page,
  screen: string,
  name: string,
  act: (page: Page, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const runs: { readonly times: readonly number[]; readonly cost: FrameCost; readonly shown: number }[] = []
  for (let index = 0; index < RUNS; index++) {
    const stop = new AbortController()
    const acting = act(page, stop.signal)
    const cost = await countCost(page)
    const shown = countInstants(page, RUN_MS)
    const times = await frameTimes(page, RUN_MS)
    runs.push({ times, cost: await cost(times.length), shown: await shown })
    stop.abort()
    await acting
  }
  // A drag that moves nothing costs nothing.
  if (name === 'scrub' && runs.some(({ shown }) => shown === 0))
    throw new Error(`A drag over ${screen} showed nothing.`)
  const rates = runs.map(({ times }) => rateOf(times))
  const longest = runs.map(({ times }) => Math.max(...times))
  const of = (part: (cost: FrameCost) => number): number => round(median(runs.map(({ cost }) => part(cost))), 1)
  report({
    bench: 'scrub',
    case: name,
    screen,
    levels: LEVELS,
    runs: RUNS,
    framesPerSecond: { median: round(median(rates), 1), worst: round(Math.min(...rates), 1) },
    longestFrameMs: { median: round(median(longest), 1), worst: round(Math.max(...longest), 1) },
    instantsPerSecond: round((median(runs.map(({ shown }) => shown)) * 1_000) / RUN_MS, 1),
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

/** How often the roster names another instant in the next `ms` milliseconds. */
const countInstants = (page: Page, ms: number): Promise<number> =>
  page.evaluate(
    (length) =>
      new Promise<number>((resolve) => {
        const roster = document.querySelector('nav[aria-label*="priority levels"]')
        const named = (): string | undefined => /At \d\d:\d\d:\d\d/.exec(roster?.textContent ?? '')?.[0]
        let last = named()
        let changes = 0
        const observer = new MutationObserver(() => {
          const now = named()
          if (now !== last) changes++
          last = now
        })
        if (roster !== null) observer.observe(roster, { subtree: true, childList: true, characterData: true })
        setTimeout(() => {
          observer.disconnect()
          resolve(changes)
        }, length)
      }),
    ms,
  )

/** Drags over the shown range to and fro until it is stopped. */
async function scrub(page: Page, signal: AbortSignal): Promise<void> {
  const track = page.getByRole('slider', { name: 'Instant in the shown range' }).locator('..')
  const { x = 0, y = 0, width = 0 } = (await track.boundingBox()) ?? {}
  await page.mouse.move(x + 20, y + 10)
  await page.mouse.down()
  for (let step = 0; !signal.aborted; step++) {
    const place = Math.abs((step % 400) - 200) / 200
    await page.mouse.move(x + 20 + place * (width - 40), y + 10)
  }
  await page.mouse.up()
}
