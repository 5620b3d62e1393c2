/**
 * An instant of the past on each screen that shows one: an hour of a server with 30 levels at one sample a second, with
 * dumps every 5 s, opened from the built console in Chromium (CHROMIUM_PATH, else the first one on the path).
 *
 * - `ms`: from opening the screen at an instant that nobody has read yet until the page changes no more. Goal: 1 s.
 * - `reading`: the same samples read by an archive of its own, without a judgement and without a page; `ratio`: of both.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright'
import { ALERTS_LEAD_MS } from '../../core/bounds.ts'
import { seededRandom } from '../../core/simulate/random.ts'
import { MS_PER_SECOND, rfc3339 } from '../../core/units.ts'
import { ensureBuilt } from '../../main/bootstrap/build.mjs'
import { createArchive } from '../../main/recordings/archive.ts'
import { KEPT_MS } from '../../main/recordings/keptPages.ts'
import { syntheticStory } from '../fixtures/synthetic.ts'
import { launchChromium } from '../harness/chromium.ts'
import { recordStory } from '../harness/recordStory.ts'
import { runConsole } from '../harness/webConsole.ts'
import { median, report, round } from './statistics.ts'

const LEVELS = 30
const HOUR_MS = 3_600_000
const RANGE_MS = 600_000
const RUNS = 5
const GOAL_MS = 1_000
/** How long a page must not change to be at rest. */
const REST_MS = 1_000

/** How much before an instant each screen reads; a minute holds the state of an instant. */
const SCREENS = {
  overview: 60_000,
  'level/workload-low': 60_000,
  compare: 2 * 60_000,
  diagnosis: KEPT_MS,
  alerts: ALERTS_LEAD_MS,
  'editor/advisor': HOUR_MS,
} as const

export async function run(): Promise<void> {
  await ensureBuilt()
  const stateDir = mkdtempSync(path.join(os.tmpdir(), 'apf-past-'))
  const startAt = Math.floor(Date.now() / 60_000) * 60_000 - 2 * HOUR_MS
  const story = syntheticStory({ seconds: HOUR_MS / MS_PER_SECOND, levels: LEVELS, startAt })
  await recordStory({ stateDir, name: 'bench', startAt, events: [], story, dumps: true })
  const folder = path.join(stateDir, 'recordings')
  const [id = ''] = readdirSync(folder)
  const source = { kind: 'scrape', name: 'bench', via: '/metrics' } as const
  const browser = await launchChromium()
  const random = seededRandom(1)
  try {
    for (const [screen, leadMs] of Object.entries(SCREENS)) {
      const [shown, reading]: [number[], number[]] = [[], []]
      for (let index = 0; index < RUNS; index++) {
        const at = Math.round(startAt + RANGE_MS + random() * (HOUR_MS - 2 * RANGE_MS))
        // Each time a console that has read nothing yet.
        const running = await runConsole(['out/main/cli.js', 'web', '--recording', id], { APF_CONSOLE_STATE: stateDir })
        const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
        await page.goto(running.address)
        await page.locator('main [role="grid"]').first().waitFor()
        await page.waitForTimeout(REST_MS)
        shown.push(await timeUntilRest(page, `#/${screen}?${timeOf(at)}`))
        await page.close()
        await running.stop()
        const archive = createArchive({ folder, ids: new Set([id]), source, now: () => performance.now() })
        archive.extent()
        const started = performance.now()
        // Nothing takes the samples.
        for (const _ of archive.events(at - leadMs, at)) continue
        reading.push(performance.now() - started)
      }
      report({
        bench: 'past',
        screen,
        levels: LEVELS,
        runs: RUNS,
        ms: { median: round(median(shown), 0), worst: round(Math.max(...shown), 0) },
        reading: round(median(reading), 0),
        ratio: round(median(shown) / median(reading), 2),
        goal: GOAL_MS,
        load: round(os.loadavg()[0] ?? 0, 1),
      })
    }
  } finally {
    await browser.close()
    rmSync(stateDir, { recursive: true, force: true })
  }
}

const timeOf = (at: number): string =>
  new URLSearchParams({
    range: `${rfc3339(at - RANGE_MS / 2)}/${rfc3339(at + RANGE_MS / 2)}`,
    at: rfc3339(at),
  }).toString()

/** Milliseconds from a change of the address until the last change of the page. */
const timeUntilRest = (page: Page, hash: string): Promise<number> =>
  page.evaluate(
    ({ to, restMs }) =>
      new Promise<number>((resolve) => {
        const started = performance.now()
        let last = started
        const observer = new MutationObserver(() => (last = performance.now()))
        const attributeFilter = ['class', 'style', 'd', 'aria-label', 'aria-valuetext', 'aria-busy']
        observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributeFilter })
        location.hash = to
        const timer = setInterval(() => {
          if (document.querySelector('main [aria-busy="true"]') !== null || performance.now() - last < restMs) return
          clearInterval(timer)
          observer.disconnect()
          resolve(last - started)
        }, 50)
      }),
    { to: hash, restMs: REST_MS },
  )
