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
import { falseOfLevel, falseOfSteps, linesOfFrame, linesOfPage } from './limitStatements.ts'
import { readLevel, readOverview, readSteps } from './readScreens.ts'
import { falseStatements } from './statements.ts'
import { readTruth, type TruePage } from './truePages.ts'
import { noCluster, useCluster } from './suite.ts'

/** How long all phases take together. The proof of a release is half an hour. */
const MINUTES = Number(process.env['APF_STATEMENTS_MINUTES'] ?? '3')
const BATCH = 'batch-of-the-test'
/** A reading is of one of the newest pages; the screen does not show which one. */
const CANDIDATES = 8
/** The console marks its values as stale, or has none. */
const OLD = /^(?:No sample from|The console itself|$)/
/** A reallocation is shown until the next one. */
const ROUND_CANDIDATES = 40
/** Time for the command line to start under load. */
const SNAPSHOT_SECONDS = 30

const SCREENS = ['overview', 'level', 'allocation'] as const
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
  const compared = { overview: 0, level: 0, allocation: 0 }

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

  /** The false statements of a reading on each of the newest pages; none if it holds on one of them. */
  function falseOfAll(
    candidates: number,
    falseOn: (known: readonly TruePage[], at: number) => readonly string[],
  ): string {
    const known = pages()
    const first = Math.max(0, known.length - candidates)
    const tries = known.slice(first).map((_, i) => falseOn(known, first + i))
    return (tries.toSorted((a, b) => a.length - b.length)[0] ?? []).join('; ')
  }

  interface Compared {
    readonly wrong: readonly string[]
    /** How many readings of each screen were compared. */
    readonly counts: Readonly<Record<(typeof SCREENS)[number], number>>
  }

  /** Compares statements until `until` is over; one that no page explains is false. */
  async function compare(until: number, gone: ReadonlySet<string>): Promise<Compared> {
    const wrong: string[] = []
    const counts = { overview: 0, level: 0, allocation: 0 }
    const check = (screen: keyof typeof counts, said: string, falsehood: string): void => {
      counts[screen]++
      if (falsehood !== '') wrong.push(`${screen}: ${said} | ${falsehood}`)
    }
    while (Date.now() < until) {
      const said = overview && (await readOverview(overview))
      // The console marks its values as stale: it makes no claim about the present.
      if (said !== undefined && !OLD.test(said.headline)) {
        const dumps = relay?.dumps ?? []
        const falseOn = (known: readonly TruePage[], at: number) =>
          falseStatements(said, { pages: known, dumps }, at, gone)
        check('overview', said.headline, falseOfAll(CANDIDATES, falseOn))
      }
      const header = levelPage && (await readLevel(levelPage))
      if (header !== undefined) {
        const falseOn = (known: readonly TruePage[], at: number) => falseOfLevel(header, known, at)
        check('level', header.states.join(), falseOfAll(CANDIDATES, falseOn))
      }
      const steps = allocation && (await readSteps(allocation))
      if (steps !== undefined) {
        const falseOn = (known: readonly TruePage[], at: number) => falseOfSteps(steps, known[at], gone)
        check('allocation', Object.keys(steps).join(' '), falseOfAll(ROUND_CANDIDATES, falseOn))
      }
      const text = (await allocation?.locator('main').innerText()) ?? ''
      if (/may not follow the algorithm/.test(text))
        wrong.push(`Allocation: ${/Not as expected[^\n]*/.exec(text)?.[0]}`)
      await sleep(250)
    }
    return { wrong, counts }
  }

  /** What the command line prints, and the same of the pages that it received meanwhile. */
  async function snapshot(): Promise<{ printed: readonly string[]; read: readonly (readonly string[])[] }> {
    const before = relay?.pages.length ?? 0
    const { code, output, told } = await runCommand('snapshot', '--kubeconfig', join(folder, 'kubeconfig'))
    expect({ code, told }).toMatchObject({ code: 0 })
    const [server] = FrameSchema.parse(JSON.parse(output)).servers
    const read = (relay?.pages ?? []).slice(before).map((page) => linesOfPage(readTruth(page)))
    return { printed: server === undefined ? [] : linesOfFrame(server), read }
  }

  /** Until the screens are of now: after failed tries the console waits before the next one. */
  const current = async (): Promise<void> => {
    await expect
      .poll(async () => (overview && (await readOverview(overview)))?.headline ?? '', { timeout: 90_000 })
      .not.toMatch(OLD)
  }

  const load = async (clients: readonly LoadClient[], ms: number, gone: ReadonlySet<string> = new Set()) => {
    await current()
    const end = new AbortController()
    const over = runLoad(cluster(), clients, ms / 1_000 + SNAPSHOT_SECONDS, end.signal)
    const { wrong, counts } = await compare(Date.now() + ms, gone)
    // While requests wait and are rejected: the command line is of one page, as the screens are.
    const { printed, read } = await snapshot()
    end.abort()
    await over
    expect(wrong).toEqual([])
    expect(counts.overview).toBeGreaterThan(0)
    for (const screen of SCREENS) compared[screen] += counts[screen]
    const kept = (lines: readonly string[]) => lines.filter((line) => !gone.has(line.split(' ', 1)[0] ?? ''))
    expect(read.map(kept)).toContainEqual(kept(printed))
  }

  it(
    `is never false in ${MINUTES} min of load, changes and a restart`,
    async () => {
      const share = Math.round((MINUTES * 60) / PHASES.length) * 1_000
      for (const name of ['waves', 'mixed', 'list-storm'] as const) {
        await load(loads[name], share)
      }
      relay?.tear(true)
      await load(loads.mixed, share)
      relay?.tear(false)
      await objects.applyAs('statements', level(BATCH, limited(60)))
      await load(loads.mixed, share, new Set([BATCH]))
      expect(Object.keys((overview && (await readOverview(overview)))?.rows ?? {})).toContain(BATCH)

      await objects.remove('PriorityLevelConfiguration', BATCH)
      await load(loads.mixed, share, new Set([BATCH]))
      // The server exports its series on, and the console ignores them.
      expect(
        pages()
          .at(-1)
          ?.levels.map(({ name }) => name),
      ).toContain(BATCH)
      const main = overview?.locator('main')
      await expect.poll(() => main?.innerText(), { timeout: 30_000 }).toContain(`${BATCH} was deleted`)
      expect(Object.keys((overview && (await readOverview(overview)))?.rows ?? {})).not.toContain(BATCH)

      await cluster().stopApiserver()
      await cluster().startApiserver()
      await load(loads.mixed, share, new Set([BATCH]))
      expect(SCREENS.filter((screen) => compared[screen] === 0)).toEqual([])
    },
    MINUTES * 60_000 + 300_000,
  )
})
