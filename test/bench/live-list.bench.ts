/**
 * The Live list in Chromium (CHROMIUM_PATH, else the first one on the path) with 100,000 rows and more, while 2,000
 * requests a second go through the console's own proxy. Nothing is synthetic: proxy, WebSocket and the built page are
 * those of the web mode; upstream and clients are processes of their own. Goals: 55 frames a second, no frame above 50
 * ms.
 *
 * - `follow`: the newest rows on top, drawn ten times a second.
 * - `filter`: the same with a filter that about half of the rows pass.
 * - `narrow`: the same with one that a two-hundredth passes.
 * - `set filter`: the second in which a filter is set, applied to all rows and drawn.
 * - `scroll`: the wheel turns over the list, which stands still and continues to receive rows.
 * - `scroll alone`: the same without requests: the most that this machine draws, as everything is drawn without a
 *   graphics card; `scroll` is to be read beside it.
 */
import os from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright'
import { z } from 'zod'
import { launchChromium } from '../harness/chromium.ts'
import { buildConsole, ROOT } from './paint/build.ts'
import { frameTimes, longTasks, rateOf } from './paint/frames.ts'
import { startPartner, type Partner } from './partner.ts'
import { median, report, round } from './statistics.ts'

const RUNS = 7
const RUN_MS = 3_000
const ROWS = 100_000
const PER_SECOND = 2_000
const LINES = 256
/** Answers take a while, so that rows change between two events, as they do behind a real server. */
const SLOWEST_MS = 40
const GOALS = { framesPerSecond: 55, longestFrameMs: 50 }

const UsageSchema = z.object({ requests: z.number() })
const ConsoleSchema = z.object({ proxy: z.number(), address: z.string() })
const SCRIPTS = {
  upstream: new URL('./proxy/upstream.ts', import.meta.url),
  load: new URL('./proxy/load.ts', import.meta.url),
  console: new URL('./live/console.ts', import.meta.url),
} as const

const BUFFER = /^buffer (.+) of/

/** Requests in the list, from its footer. */
async function rowsOf(page: Page): Promise<number> {
  const said = await page.getByText(BUFFER).textContent()
  return Number(BUFFER.exec(said ?? '')?.[1]?.replaceAll(/\D/g, '') ?? 0)
}

async function setFilter(page: Page, text: string): Promise<void> {
  await page.getByRole('combobox', { name: /filter/i }).fill(text)
  await page.keyboard.press('Escape')
}

/** Turns the wheel over the list, down and up again, until it is stopped. */
async function scroll(page: Page, signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) await page.mouse.wheel(0, turn % 60 < 40 ? 400 : -400)
}

interface Run {
  readonly framesPerSecond: number
  readonly longestFrameMs: number
  readonly longTasks: readonly number[]
}

/** Watches the page's frames while `meanwhile` acts on it. */
async function watch(page: Page, ms: number, meanwhile?: (signal: AbortSignal) => Promise<void>): Promise<Run> {
  const stop = new AbortController()
  const acting = meanwhile?.(stop.signal)
  const [times, tasks] = await Promise.all([frameTimes(page, ms), longTasks(page, ms)])
  stop.abort()
  await acting
  return { framesPerSecond: rateOf(times), longestFrameMs: Math.max(...times), longTasks: tasks }
}

/** The page, and how many requests have come. */
interface Watched {
  readonly page: Page
  readonly requests: () => Promise<number>
}

async function measure({ page, requests }: Watched, name: string, act: (nth: number) => Promise<Run>): Promise<void> {
  const before = { requests: await requests(), at: performance.now() }
  const runs: Run[] = []
  for (let nth = 0; nth < RUNS; nth++) runs.push(await act(nth))
  const seconds = (performance.now() - before.at) / 1_000
  const longest = runs.map(({ longestFrameMs }) => longestFrameMs)
  const rates = runs.map(({ framesPerSecond }) => framesPerSecond)
  const tasks = runs.flatMap((one) => one.longTasks)
  report({
    bench: 'live-list',
    case: name,
    runs: RUNS,
    rows: await rowsOf(page),
    requestsPerSecond: round(((await requests()) - before.requests) / seconds, 0),
    framesPerSecond: { median: round(median(rates), 1), worst: round(Math.min(...rates), 1) },
    longestFrameMs: { median: round(median(longest), 1), worst: round(Math.max(...longest), 1) },
    longTasks: { count: tasks.length, longestMs: round(Math.max(0, ...tasks), 0) },
    goals: GOALS,
    load: round(os.loadavg()[0] ?? Number.NaN, 1),
  })
}

async function measureAll(watched: Watched, load: Partner): Promise<void> {
  const { page } = watched
  await measure(watched, 'follow', () => watch(page, RUN_MS))
  await setFilter(page, 'user:user-1*')
  await measure(watched, 'filter', () => watch(page, RUN_MS))
  await setFilter(page, 'user:user-17')
  await measure(watched, 'narrow', () => watch(page, RUN_MS))
  await setFilter(page, '')
  const texts = ['user:user-1*', 'user:user-17', 'pods verb:get']
  await measure(watched, 'set filter', (nth) => {
    const text = texts[nth % texts.length] ?? ''
    return watch(page, 1_000, () => setFilter(page, text))
  })
  await setFilter(page, '')
  await page.getByRole('grid', { name: 'Live requests' }).hover()
  const scrolling = (): Promise<Run> => watch(page, RUN_MS, (signal) => scroll(page, signal))
  await measure(watched, 'scroll', scrolling)
  load.end()
  await measure(watched, 'scroll alone', scrolling)
}

/** Requests go through the proxy until the page has enough of them. */
async function fill(page: Page, send: (perSecond: number, seconds: number) => Partner): Promise<void> {
  for (let tries = 0; (await rowsOf(page)) < ROWS; tries++) {
    if (tries === 20) throw new Error(`The page has ${await rowsOf(page)} rows of ${tries * 10_000}.`)
    await send(PER_SECOND * 2, 2.5).next()
  }
}

export async function run(): Promise<void> {
  await buildConsole()
  const upstream = startPartner(SCRIPTS.upstream)
  const started: Partner[] = [upstream]
  const browser = await launchChromium()
  try {
    const port = z.number().parse(await upstream.next())
    upstream.tell(String(SLOWEST_MS))
    const console = startPartner(SCRIPTS.console, port, path.join(ROOT, 'out/renderer'))
    started.push(console)
    const { proxy, address } = ConsoleSchema.parse(await console.next())
    const send = (perSecond: number, seconds: number): Partner => {
      const load = startPartner(SCRIPTS.load, proxy, 'http1', 'rate', perSecond, seconds, LINES)
      started.push(load)
      return load
    }
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
    await page.goto(address)
    await page.goto(`${new URL(address).origin}/#/live`)
    await page.getByText(BUFFER).waitFor()
    await fill(page, send)
    const load = send(PER_SECOND, 600)
    // The first seconds compile the code.
    await frameTimes(page, 4_000)
    await measureAll({ page, requests: async () => UsageSchema.parse(await console.ask()).requests }, load)
  } finally {
    await browser.close()
    for (const one of started) one.end()
  }
}
