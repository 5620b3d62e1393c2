import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FrameSchema } from '../../core/frame/frame.ts'
import { ensureBuilt } from '../../main/bootstrap/build.mjs'
import { launchChromium } from '../harness/chromium.ts'
import { runCommand } from '../harness/command.ts'
import { startConsole, type RunningConsole } from '../harness/webConsole.ts'
import { flowControl, level, limited } from './flowControl.ts'
import { VIEWER } from './identities.ts'
import { runLoad, type LoadClient } from './load.ts'
import { loads, seed } from './profiles.ts'
import { startRecordingRelay, type RecordingRelay } from './recordingRelay.ts'
import { falseStatements, readTruth, type Said, type TruePage } from './statements.ts'
import { noCluster, useCluster } from './suite.ts'

/** How long all phases take together. The proof of a release is half an hour. */
const MINUTES = Number(process.env['APF_STATEMENTS_MINUTES'] ?? '3')
const BATCH = 'batch-of-the-test'
/** A reading is of one of the newest pages; which one, the page does not say. */
const CANDIDATES = 8

const PHASES = ['waves', 'mixed', 'list-storm', 'torn', 'creation', 'deletion', 'restart'] as const

describe.skipIf(noCluster)('what the screens say of a real server', () => {
  const cluster = useCluster({ maxInflight: 80, maxMutatingInflight: 40 })
  const objects = flowControl(cluster)
  let folder = ''
  let relay: RecordingRelay | undefined
  let running: RunningConsole | undefined
  let browser: Browser | undefined
  let overview: Page | undefined
  let allocation: Page | undefined
  let levelPage: Page | undefined
  const truth: TruePage[] = []

  beforeAll(async () => {
    await ensureBuilt()
    await seed(cluster())
    folder = await mkdtemp(join(tmpdir(), 'apf-statements-'))
    relay = await startRecordingRelay(cluster(), VIEWER)
    await relay.writeKubeconfig(join(folder, 'kubeconfig'))
    running = await startConsole(['--kubeconfig', join(folder, 'kubeconfig')])
    browser = await launchChromium()
    const context = await browser.newContext({ viewport: { width: 1700, height: 1000 } })
    overview = await context.newPage()
    await overview.goto(running.address)
    await overview.getByRole('grid', { name: /Priority levels/ }).waitFor({ timeout: 60_000 })
    allocation = await context.newPage()
    await allocation.goto(`${new URL(running.address).origin}/#/allocation`)
    levelPage = await context.newPage()
    await levelPage.goto(`${new URL(running.address).origin}/#/level/workload-low`)
  })
  afterAll(async () => {
    await browser?.close()
    await running?.stop()
    await relay?.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** The pages so far, each read once. */
  const pages = (): readonly TruePage[] => {
    for (const page of relay?.pages.slice(truth.length) ?? []) truth.push(readTruth(page))
    return truth
  }

  /** Compares what is said until `until` is over; what no page explains is false. */
  async function compare(until: number, gone: ReadonlySet<string>): Promise<{ compared: number; wrong: string[] }> {
    const wrong: string[] = []
    let compared = 0
    while (Date.now() < until) {
      const said = await readOverview(overview)
      // The console says itself that its values are old: nothing is claimed of now.
      if (said !== undefined && !/^(No sample from|The console itself)/.test(said.headline)) {
        const known = pages()
        const first = Math.max(0, known.length - CANDIDATES)
        const about = { pages: known, dumps: relay?.dumps ?? [] }
        const tries = known.slice(first).map((_, i) => falseStatements(said, about, first + i, gone))
        const best = tries.toSorted((a, b) => a.length - b.length)[0] ?? []
        if (tries.every(({ length }) => length > 0)) wrong.push(`${said.headline} | ${best.join('; ')}`)
        compared++
      }
      const header = await readLevel(levelPage)
      if (header !== undefined) {
        const known = pages()
        const levels = known
          .slice(-CANDIDATES)
          .flatMap(({ levels: all }) => all.find(({ name }) => name === header.name) ?? [])
        const holds = levels.some(
          ({ nominal, queued }) =>
            header.facts.includes(`nominal${nominal}`) && header.head.includes('queueing') === queued > 0,
        )
        if (!holds) wrong.push(`Level: ${header.head} | ${header.facts}`)
      }
      const text = (await allocation?.locator('main').innerText()) ?? ''
      if (/may follow other rules/.test(text)) wrong.push(`Allocation: ${/Not as expected[^\n]*/.exec(text)?.[0]}`)
      await sleep(250)
    }
    return { compared, wrong }
  }

  const load = async (clients: readonly LoadClient[], ms: number, gone: ReadonlySet<string> = new Set()) => {
    const end = new AbortController()
    const over = runLoad(cluster(), clients, ms / 1_000 + 5, end.signal)
    const result = await compare(Date.now() + ms, gone)
    end.abort()
    await over
    return result
  }

  it(
    `is never false in ${MINUTES} min of load, changes and a restart`,
    async () => {
      const share = Math.round((MINUTES * 60) / PHASES.length) * 1_000
      for (const name of ['waves', 'mixed', 'list-storm'] as const) {
        const { compared, wrong } = await load(loads[name], share)
        expect({ name, wrong }).toEqual({ name, wrong: [] })
        expect({ name, compared: compared > 0 }).toEqual({ name, compared: true })
      }
      relay?.tear(true)
      const torn = await load(loads.mixed, share)
      relay?.tear(false)
      expect(torn.wrong).toEqual([])
      expect(torn.compared).toBeGreaterThan(0)
      await objects.applyAs('statements', level(BATCH, limited(60)))
      const created = await load(loads.mixed, share, new Set([BATCH]))
      expect(created.wrong).toEqual([])
      expect(Object.keys((await readOverview(overview))?.rows ?? {})).toContain(BATCH)

      await objects.remove('PriorityLevelConfiguration', BATCH)
      const deleted = await load(loads.mixed, share, new Set([BATCH]))
      expect(deleted.wrong).toEqual([])
      // The server exports its series on, and the console counts them nowhere.
      expect(
        pages()
          .at(-1)
          ?.levels.map(({ name }) => name),
      ).toContain(BATCH)
      const main = overview?.locator('main')
      await expect.poll(() => main?.innerText(), { timeout: 30_000 }).toContain(`${BATCH} was deleted`)
      expect(Object.keys((await readOverview(overview))?.rows ?? {})).not.toContain(BATCH)

      await cluster().stopApiserver()
      await cluster().startApiserver()
      // After its failed tries the console waits before the next one.
      await expect
        .poll(async () => (await readOverview(overview))?.headline, { timeout: 90_000 })
        .not.toMatch(/^(No sample from|The console itself)/)
      const restarted = await load(loads.mixed, share, new Set([BATCH]))
      expect(restarted.wrong).toEqual([])
      expect(restarted.compared).toBeGreaterThan(0)
    },
    MINUTES * 60_000 + 300_000,
  )

  it('is what the command line says of the same page', async () => {
    const before = relay?.pages.length ?? 0
    const { code, output, told } = await runCommand('snapshot', '--kubeconfig', join(folder, 'kubeconfig'))
    expect({ code, told }).toMatchObject({ code: 0 })
    const [server] = FrameSchema.parse(JSON.parse(output)).servers
    const said = server?.levels.map(({ name, seats, limits, requests }) =>
      [name, seats.executing, limits.current, limits.nominal, requests.queued].join(' '),
    )
    const read = (relay?.pages ?? [])
      .slice(before)
      .map((page) =>
        readTruth(page).levels.map(({ name, executing, limit, nominal, queued }) =>
          [name, executing, limit, nominal, queued].join(' '),
        ),
      )
    expect(read).toContainEqual(said)
  })
})

/** What the header of the Level screen says; nothing while its values are old. */
const readLevel = (page: Page | undefined): Promise<{ name: string; head: string; facts: string } | undefined> =>
  page === undefined
    ? Promise.resolve(undefined)
    : page.evaluate(() => {
        const head = document.querySelector('[data-screen=level] > header')
        if (head === null || document.querySelector('[data-mode=live]') === null) return undefined
        return {
          name: head.querySelector('h1')?.textContent ?? '',
          head: head.firstElementChild?.textContent ?? '',
          facts: head.querySelector('dl')?.textContent ?? '',
        }
      })

/** Everything that the Overview says, in one turn, so that all of it is of one sample. */
const readOverview = (page: Page | undefined): Promise<Said | undefined> =>
  page === undefined
    ? Promise.resolve(undefined)
    : page.evaluate(() => {
        const text = (element: Element | null | undefined): string => (element?.textContent ?? '').trim()
        const grid = document.querySelector('[role=grid][aria-label="Priority levels"]')
        if (grid === null) return undefined
        const headers = [...grid.querySelectorAll('th')].map(text)
        const rows = [...grid.querySelectorAll('tbody tr')].map((row) => {
          const cells = [...row.querySelectorAll('td')]
          const values = Object.fromEntries(cells.map((cell, i) => [headers[i] ?? '', text(cell)]))
          return [text([...(cells[0]?.querySelectorAll('span') ?? [])].at(-1)), values] as const
        })
        const numbers = [...document.querySelectorAll('dl[aria-label^="Key numbers"] > div')].map(
          (item) => [text(item.querySelector('dt')), text(item.querySelector('dd'))] as const,
        )
        return {
          // Without the chip of the level before it.
          headline: [...(document.querySelector('main h1')?.childNodes ?? [])]
            .flatMap((node) => (node instanceof Text ? [node.data] : []))
            .join('')
            .trim(),
          evidence: text(document.querySelector('main header p')),
          rows: Object.fromEntries(rows),
          roster: [...document.querySelectorAll('nav a[title*="seats executing"]')].map(
            (item) => item.getAttribute('title') ?? '',
          ),
          numbers: Object.fromEntries(numbers),
          ledger: document.querySelector('svg[aria-label^="Seat ledger: "]')?.getAttribute('aria-label') ?? '',
          accounts: [...document.querySelectorAll('[aria-label="Levels in the seat ledger"] [role=option]')].map(text),
        }
      })
