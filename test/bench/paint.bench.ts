/**
 * The responsiveness of the page, in Chromium (CHROMIUM_PATH, else the first one on the path):
 *
 * - `live`: the longest frame of a screen while frames of 12 levels arrive once a second and ten minutes of history are
 *   drawn; every run watches for three seconds. Goal: 50 ms.
 * - `queues`: the longest frame of the Level screen while dumps of 4,096 queues arrive ten times a second, each told
 *   over the contract and drawn as grid; every run watches for three seconds. Goal: 50 ms.
 * - `scrub`: frames a second while the pointer moves over the screen's densest drawing. Goal: 55.
 * - `bundle`: all scripts and styles of the page, those of screens that are loaded later included, compressed with
 *   gzip; fonts are not counted. Goal: 400 kB.
 * - `time-to-data`: from starting the web mode with the demo until a number of seats is on the page. Goal: 2 s.
 *
 * The first three measure the built page over a synthetic story (test/harness/page), so that no server takes part.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright'
import { launchChromium } from '../harness/chromium.ts'
import { addressIn, nextAddressFile } from '../harness/webConsole.ts'
import { buildConsole, ROOT } from './paint/build.ts'
import { frameTimes, rateOf } from './paint/frames.ts'
import { servePage } from './paint/servePage.ts'
import { median, report, round } from './statistics.ts'

const RUNS = 9
const LIVE_MS = 3_000
const SCRUB_MS = 2_000
const QUEUES = 4_096
const GOAL_FRAME_MS = 50
const GOAL_FRAMES_PER_SECOND = 55
const GOAL_BUNDLE_BYTES = 400_000
const GOAL_DATA_MS = 2_000

interface Screen {
  readonly name: string
  readonly hash: string
  /** What the pointer moves over. */
  readonly scrub: string
}

const SCREENS: readonly Screen[] = [
  { name: 'overview', hash: '#/overview', scrub: '[role="grid"]' },
  { name: 'level', hash: '#/level/workload-low', scrub: '[role="slider"]' },
]

/** Keeps the pointer moving to and fro over an element until it is stopped. */
async function movePointer(page: Page, selector: string, signal: AbortSignal): Promise<void> {
  const box = await page.locator(selector).first().boundingBox()
  if (box === null) throw new Error(`Nothing to move over: ${selector}`)
  const height = Math.min(box.height, 300)
  for (let step = 0; !signal.aborted; step++) {
    const swing = Math.abs(((step * 7) % 400) - 200) / 200
    // Each move waits for the browser to have taken it: that is the speed at which a hand's moves arrive.
    await page.mouse.move(box.x + 10 + swing * (box.width - 20), box.y + 5 + swing * (height - 10))
  }
}

async function measureScreen(browser: Browser, url: string, screen: Screen): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
  try {
    await page.goto(`${url}?levels=12&servers=1&history=600&theme=dark${screen.hash}`)
    await page.locator(screen.scrub).first().waitFor()
    // The first seconds compile the code.
    await frameTimes(page, 4_000)

    const longest: number[] = []
    for (let i = 0; i < RUNS; i++) {
      longest.push(Math.max(...(await frameTimes(page, LIVE_MS))))
    }
    report({
      bench: 'paint',
      case: 'live',
      screen: screen.name,
      runs: RUNS,
      longestFrameMs: { median: round(median(longest), 1), worst: round(Math.max(...longest), 1) },
      goalMs: GOAL_FRAME_MS,
      ratio: round(GOAL_FRAME_MS / Math.max(...longest), 2),
    })

    const rates: number[] = []
    for (let i = 0; i < RUNS; i++) {
      const stop = new AbortController()
      const moving = movePointer(page, screen.scrub, stop.signal)
      const times = await frameTimes(page, SCRUB_MS)
      stop.abort()
      await moving
      rates.push(rateOf(times))
    }
    report({
      bench: 'paint',
      case: 'scrub',
      screen: screen.name,
      runs: RUNS,
      framesPerSecond: { median: round(median(rates), 1), worst: round(Math.min(...rates), 1) },
      goal: GOAL_FRAMES_PER_SECOND,
      ratio: round(median(rates) / GOAL_FRAMES_PER_SECOND, 2),
    })
  } finally {
    await page.close()
  }
}

async function measureQueues(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
  try {
    await page.goto(`${url}?levels=12&servers=1&history=600&theme=dark&queues=${QUEUES}#/level/workload-low`)
    const field = page.getByRole('listbox', { name: /^Queues of workload-low/ })
    await field.waitFor()
    await field.scrollIntoViewIfNeeded()
    await frameTimes(page, 4_000)
    const longest: number[] = []
    const rates: number[] = []
    for (let i = 0; i < RUNS; i++) {
      const [times, changes] = await Promise.all([frameTimes(page, LIVE_MS), fieldChanges(page, LIVE_MS)])
      longest.push(Math.max(...times))
      rates.push((changes / LIVE_MS) * 1_000)
    }
    report({
      bench: 'paint',
      case: 'queues',
      queues: QUEUES,
      runs: RUNS,
      longestFrameMs: { median: round(median(longest), 1), worst: round(Math.max(...longest), 1) },
      fieldsPerSecond: { median: round(median(rates), 1), worst: round(Math.min(...rates), 1) },
      goalMs: GOAL_FRAME_MS,
      ratio: round(GOAL_FRAME_MS / Math.max(...longest), 2),
    })
  } finally {
    await page.close()
  }
}

/** How often the queue field was redrawn: its label contains how many requests wait. */
const fieldChanges = (page: Page, ms: number): Promise<number> =>
  page.evaluate(
    (length) =>
      new Promise<number>((resolve, reject) => {
        const field = document.querySelector('[role="listbox"][aria-label^="Queues of"]')
        if (field === null) return reject(new Error('There is no queue field.'))
        let changes = 0
        const observer = new MutationObserver(() => void (changes += 1))
        observer.observe(field, { attributes: true, attributeFilter: ['aria-label'] })
        setTimeout(() => {
          observer.disconnect()
          resolve(changes)
        }, length)
      }),
    ms,
  )

/** Scripts and styles of the built console, each compressed as a server would. */
function measureBundle(): void {
  const folder = path.join(ROOT, 'out/renderer/assets')
  const files = readdirSync(folder).filter((file) => /\.(?:js|css)$/.test(file))
  const sizes = files.map((file) => ({
    file,
    bytes: gzipSync(readFileSync(path.join(folder, file)), { level: 9 }).length,
  }))
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  report({
    bench: 'paint',
    case: 'bundle',
    files: files.length,
    compressedBytes: total,
    largest: sizes.toSorted((a, b) => b.bytes - a.bytes)[0],
    goalBytes: GOAL_BUNDLE_BYTES,
    ratio: round(GOAL_BUNDLE_BYTES / total, 2),
  })
}

/** Milliseconds from starting the command until a level's seats are on the page. */
async function timeToData(browser: Browser): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, [path.join(ROOT, 'out/main/cli.js'), 'web', '--demo'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const page = await browser.newPage()
  try {
    await page.goto(addressIn(await nextAddressFile(child)))
    await page.getByText('workload-low').first().waitFor()
    return performance.now() - started
  } finally {
    await page.close()
    child.kill('SIGTERM')
  }
}

async function measureTimeToData(browser: Browser): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < RUNS; i++) {
    times.push(await timeToData(browser))
  }
  report({
    bench: 'paint',
    case: 'time-to-data',
    runs: RUNS,
    ms: { median: round(median(times), 0), worst: round(Math.max(...times), 0) },
    goalMs: GOAL_DATA_MS,
    ratio: round(GOAL_DATA_MS / median(times), 2),
  })
}

export async function run(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'apf-console-paint-'))
  const browser = await launchChromium()
  try {
    const served = await servePage(folder)
    for (const screen of SCREENS) {
      // One after the other, or they would measure each other.
      await measureScreen(browser, served.url, screen)
    }
    await measureQueues(browser, served.url)
    await served.close()
    await buildConsole()
    measureBundle()
    await measureTimeToData(browser)
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
