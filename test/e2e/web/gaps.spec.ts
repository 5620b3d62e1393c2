import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test, type Page } from '@playwright/test'
import { syntheticStory, type StoryMoment } from '../../fixtures/synthetic.ts'
import { recordStory } from '../../harness/recordStory.ts'
import { runConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf } from '../console.ts'

/*
 * A recording of half an hour whose servers did not answer for three minutes: its samples are merged where all of it is
 * shown.
 */

test.describe.configure({ mode: 'serial' })

const START = Date.UTC(2026, 10, 20, 3)
const SECONDS = 1_800
const SILENT = { from: 900, to: 1_080 }
const instant = (second: number): string => new Date(START + second * 1_000).toISOString()
const WHEN = /no samples from 03:14:59 to 03:1(?:7:5\d|8:00) \((?:2 min 5\d s|3 min)\)/

function* withSilence(): Generator<StoryMoment> {
  let second = 0
  for (const moment of syntheticStory({ seconds: SECONDS, startAt: START })) {
    const silent = second >= SILENT.from && second < SILENT.to
    yield silent ? { ...moment, frame: { ...moment.frame, servers: [] } } : moment
    second++
  }
}

let stateDir = ''
let running: RunningConsole
let page: Page
let complaints: readonly string[] = []

test.beforeAll(async ({ browser }) => {
  stateDir = mkdtempSync(path.join(tmpdir(), 'apf-gaps-'))
  await recordStory({ stateDir, name: 'prod', startAt: START, events: [], story: withSilence() })
  const [id = ''] = readdirSync(path.join(stateDir, 'recordings'))
  running = await runConsole(['out/main/cli.js', 'web', '--recording', id], { APF_CONSOLE_STATE: stateDir })
  page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  complaints = complaintsOf(page)
  await page.goto(running.address)
  await page.locator('main [role="grid"]').first().waitFor()
})
test.afterAll(async () => {
  await page.context().close()
  await running.stop()
  rmSync(stateDir, { recursive: true, force: true })
})
test.afterEach(() => expect(complaints).toEqual([]))

const openAt = async (second: number, screen: string): Promise<void> => {
  await page.evaluate(
    (to) => void (location.hash = to),
    `#/${screen}?range=${instant(0)}/${instant(SECONDS)}&at=${instant(second)}`,
  )
  await expect(page.getByRole('banner').locator('[data-mode]')).toContainText(`PAST ${instant(second).slice(11, 19)}`)
}

test('Overview says when, and draws one gap in merged samples', async () => {
  await openAt(1_500, 'overview')
  await expect(page.getByText(WHEN).first()).toBeVisible()
  await expect(page.getByText('no gaps')).toHaveCount(0)
  await page.screenshot({ path: test.info().outputPath('overview.png') })
})

test('Level names the gap in its chart', async () => {
  await openAt(1_500, 'level/workload-low')
  await expect(page.getByRole('img', { name: WHEN }).first()).toBeVisible()
  await expect(page.locator('svg text', { hasText: /^(no samples, )?3 min$/ }).first()).toBeVisible()
  await page.screenshot({ path: test.info().outputPath('level.png') })
})
