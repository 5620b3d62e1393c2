/**
 * Any instant of a long run on screen: a run of the simulated cluster of a million events is opened from the built
 * console in Chromium (CHROMIUM_PATH, else the first one on the path), and a pointer is set on random places of the
 * time bar, each once the page is at rest. `instant` is the time from the press until the roster names the new instant,
 * `whole` until the last change of the page, its parts that are drawn in frames of their own included. Goal: 200 ms.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright'
import { seededRandom } from '../../core/simulate/random.ts'
import { ensureBuilt } from '../../main/bootstrap/build.mjs'
import { launchChromium } from '../harness/chromium.ts'
import { runConsole } from '../harness/webConsole.ts'
import { median, report, round } from './statistics.ts'

const RUNS = 60
const GOAL_MS = 200
/** Of the simulated cluster: a million events. */
const SECONDS = 2_200

export async function run(): Promise<void> {
  await ensureBuilt()
  const stateDir = mkdtempSync(path.join(os.tmpdir(), 'apf-instants-'))
  const running = await runConsole(['out/main/cli.js', 'web', '--demo'], { APF_CONSOLE_STATE: stateDir })
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
    await page.goto(running.address)
    await page.locator('main [role="grid"]').first().waitFor()
    await page.evaluate(() => void (location.hash = '#/whatif'))
    await page.getByLabel('Seconds').fill(String(SECONDS))
    await page.getByRole('button', { name: 'Run comparison' }).click()
    await page.getByRole('button', { name: 'Step through A' }).click({ timeout: 120_000 })
    await page
      .getByRole('navigation', { name: 'Screens and priority levels' })
      .getByText(/^At /)
      .waitFor({ timeout: 120_000 })
    // The last event of the run has the number of all of them.
    await page.getByRole('button', { name: 'Step back', exact: true }).click()
    const told = await page.locator('[role="status"]', { hasText: /^event / }).textContent()
    const events = Number(told?.replaceAll(/\D/g, ''))
    await page.waitForTimeout(2_000)
    const random = seededRandom(1)
    const times: Times[] = []
    while (times.length < RUNS) {
      const took = await press(page, random())
      if (took !== null) times.push(took)
    }
    for (const name of ['instant', 'whole'] as const) {
      const sorted = times.map((time) => time[name]).toSorted((a, b) => a - b)
      report({
        bench: 'instants',
        case: name,
        runs: RUNS,
        events,
        ms: {
          median: round(median(sorted), 1),
          p90: round(sorted[Math.floor(0.9 * RUNS)] ?? 0, 1),
          worst: round(sorted.at(-1) ?? 0, 1),
        },
        goal: GOAL_MS,
        ratio: round(median(sorted) / GOAL_MS, 2),
        load: round(os.loadavg()[0] ?? 0, 1),
      })
    }
  } finally {
    await browser.close()
    await running.stop()
    rmSync(stateDir, { recursive: true, force: true })
  }
}

/** Milliseconds from a press on the time bar. */
interface Times {
  /** Until the roster shows another instant. */
  readonly instant: number
  /** Until the page changes no more. */
  readonly whole: number
}

/** `null` for a press on the second that is shown. */
async function press(page: Page, place: number): Promise<Times | null> {
  const track = page.getByRole('slider', { name: 'Instant in the shown range' }).locator('..')
  const { x = 0, y = 0, width = 0 } = (await track.boundingBox()) ?? {}
  await page.evaluate(() => {
    const roster = document.querySelector('nav[aria-label*="priority levels"]')
    const named = (): string | undefined => /At \d\d:\d\d:\d\d(?:\.\d+)?/.exec(roster?.textContent ?? '')?.[0]
    const before = named()
    const began = new Promise<number>((resolve) => {
      addEventListener('pointerdown', ({ timeStamp }) => resolve(timeStamp), { once: true, capture: true })
    })
    const changed = new Promise<{ named: number; last: number } | null>((resolve) => {
      let [namedAt, last] = [0, 0]
      const observer = new MutationObserver(() => {
        last = performance.now()
        if (namedAt === 0 && named() !== before) namedAt = last
      })
      // React sets names and types of inputs again at every render, without a visible change.
      const attributeFilter = ['class', 'style', 'd', 'aria-label', 'aria-valuetext']
      observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributeFilter })
      setTimeout(() => {
        observer.disconnect()
        resolve(namedAt === 0 ? null : { named: namedAt, last })
      }, 1_000)
    })
    Reflect.set(
      globalThis,
      'measured',
      Promise.all([began, changed]).then(([from, to]) => to && { instant: to.named - from, whole: to.last - from }),
    )
  })
  await page.mouse.click(x + 20 + place * (width - 40), y + 10)
  return page.evaluate(() => Reflect.get(globalThis, 'measured') as Promise<Times | null>)
}
