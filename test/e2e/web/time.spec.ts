import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test, type Page } from '@playwright/test'
import { syntheticStory } from '../../fixtures/synthetic.ts'
import { recordStory } from '../../harness/recordStory.ts'
import { runConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf } from '../console.ts'

/* The one time control of the console, over a recording of ten minutes that everything is known of. */

test.describe.configure({ mode: 'serial' })

const START = Date.UTC(2026, 10, 20, 3)
const MINUTE = 60_000
const instant = (ms: number): string => new Date(START + ms).toISOString()

let stateDir = ''
let running: RunningConsole
let page: Page
let complaints: readonly string[] = []

test.beforeAll(async ({ browser }) => {
  stateDir = mkdtempSync(path.join(tmpdir(), 'apf-time-'))
  const story = syntheticStory({ seconds: 600, startAt: START })
  await recordStory({ stateDir, name: 'prod', startAt: START, events: [], story, dumps: true })
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

const badge = () => page.getByRole('banner').locator('[data-mode]')
const range = () => page.getByRole('button', { name: /^Time range: / })
const open = (hash: string): Promise<void> => page.evaluate((to) => void (location.hash = to), `#/${hash}`)
const openAt = async (at: number, screen = 'overview'): Promise<void> => {
  await open(`${screen}?range=${instant(0)}/${instant(10 * MINUTE)}&at=${instant(at)}`)
  await expect(badge()).toContainText(`PAST ${instant(at).slice(11, 19)}`)
}
const address = (): Promise<URLSearchParams> =>
  page.evaluate(() => location.hash.split('?')[1] ?? '').then((query) => new URLSearchParams(query))
const inRange = () => page.getByRole('slider', { name: 'Instant in the shown range' })
/** Where the shown range lies in the page. */
const track = async () => {
  const box = await inRange().locator('..').boundingBox()
  if (box === null) throw new Error('The time bar has no shown range.')
  return box
}
const type = async (text: string): Promise<void> => {
  await range().click()
  await page.getByLabel(/^Range \(/).fill(text)
}

test('opens on the whole recording, and takes the last part of it as it is written', async () => {
  await expect(range()).toHaveText('03:00:00 – 03:09:59')
  await type('-5m')
  await page.getByRole('button', { name: 'Show this range' }).click()
  await expect(range()).toHaveText('03:04:59 – 03:09:59')
})

test('takes an instant of a range behind an @, and says what a text means', async () => {
  await type('2026-11-20 03:02:48 + 5m @ 03:07:20')
  await expect(page.getByText(/02:48 to .*07:48, 5 min; every screen shows .*03:07:20\.$/)).toBeVisible()
  await page.getByRole('button', { name: 'Show this range' }).click()
  await expect(range()).toHaveText('03:02:48 – 03:07:48')
  await expect(badge()).toContainText('PAST 03:07:20')
  await type('2026-11-20 02:58:00 UTC to 03:02:00 UTC')
  await expect(page.getByText(/58:00 to .*02:00, 4 min\. 2 min of it are not recorded\.$/)).toBeVisible()
  await page.getByRole('button', { name: 'Show this range' }).click()
  await expect(range()).toHaveText('02:58:00 – 03:02:00')
  await type('around last alert')
  await expect(page.getByText(/^No alert of this source is known|, 10 min\.$/)).toBeVisible()
  await page.keyboard.press('Escape')
})

test('says what is wrong with a range before it is used', async () => {
  await type('2026-11-20 03:00 to 2026-11-22 04:00')
  await expect(page.getByText('A range is at most 24 h long.')).toBeVisible()
  await page.keyboard.press('Escape')
})

test('zooms, moves, goes back and forward by keyboard', async () => {
  await openAt(5 * MINUTE)
  const texts = [await range().innerText()]
  for (const key of ['+', '>', '-', '<']) {
    await page.keyboard.press(key)
    await expect(range()).not.toHaveText(texts.at(-1) ?? '')
    texts.push(await range().innerText())
  }
  expect(texts[1]).toBe('03:02:30 – 03:07:30')
  expect(texts[2]).toBe('03:05:00 – 03:10:00')
  for (const text of texts.slice(0, -1).toReversed()) {
    await page.keyboard.press('Backspace')
    await expect(range()).toHaveText(text)
  }
  await page.keyboard.press('Shift+Backspace')
  await expect(range()).toHaveText(texts[1] ?? '')
})

test('moves the box of the range, and its edges, and goes back in one step', async () => {
  await openAt(5 * MINUTE)
  await open(`overview?range=${instant(3 * MINUTE)}/${instant(7 * MINUTE)}&at=${instant(5 * MINUTE)}`)
  await expect(range()).toHaveText('03:03:00 – 03:07:00')
  const strip = page.getByRole('slider', { name: 'Instant in the recorded time' }).locator('..')
  const outline = async () => {
    const found = await strip.locator('rect').last().boundingBox()
    if (found === null) throw new Error('The time bar has no box for the range.')
    return found
  }
  const drag = async (x: number, y: number, by: number): Promise<void> => {
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + by / 2, y)
    await page.mouse.move(x + by, y)
    await page.mouse.up()
  }
  const box = await outline()
  const middle = box.y + box.height / 2
  await drag(box.x + box.width / 2, middle, box.width / 4)
  await expect(range()).toHaveText(/^03:0(?:3:59|4:0\d) – 03:0(?:7:59|8:0\d)$/)
  await expect(badge()).toContainText(/PAST 03:0(?:5:59|6:0\d)/)
  await page.keyboard.press('Backspace')
  await expect(range()).toHaveText('03:03:00 – 03:07:00')
  await drag(box.x + box.width, middle, -box.width / 4)
  await expect(range()).toHaveText(/^03:03:00 – 03:0(?:5:59|6:0\d)$/)
  // A press without a move chooses the instant, as beside the box.
  const smaller = await outline()
  await page.mouse.click(smaller.x + smaller.width / 2, middle)
  await expect(badge()).toContainText(/PAST 03:04:[23]\d/)
})

test('zooms and moves by the wheel, around the pointer', async () => {
  await openAt(5 * MINUTE)
  const box = await track()
  await page.mouse.move(box.x + box.width / 2, box.y + 10)
  await page.mouse.wheel(0, -400)
  // The pointer stands on a whole pixel.
  await expect(range()).toHaveText(/^03:02:[23]\d – 03:07:[23]\d$/)
  await page.keyboard.down('Shift')
  await page.mouse.wheel(0, 600)
  await page.keyboard.up('Shift')
  await expect(range()).toHaveText(/^03:0[45]:[05]\d – 03:(?:09|10):[05]\d$/)
})

test('a second drag goes on like the first, and the last instant is shown', async () => {
  const box = await track()
  for (const [from, to] of [
    [0.2, 0.8],
    [0.9, 0.3],
    [0.1, 0.5],
  ] as const) {
    await openAt(MINUTE)
    await page.mouse.move(box.x + from * box.width, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + to * box.width, box.y + 10, { steps: 30 })
    // The value of the slider is rounded to its steps, its text is the instant.
    const text = (await inRange().getAttribute('aria-valuetext')) ?? ''
    const at = Date.parse(`${text.replace(' ', 'T')}Z`)
    await expect(badge()).toContainText(`PAST ${text.slice(11)}`)
    await page.mouse.up()
    expect(Math.abs(at - START - to * 10 * MINUTE)).toBeLessThan(10_000)
  }
})

test('an address carries source, range and instant, wherever it is opened', async () => {
  await openAt(4 * MINUTE)
  // The address is written once the instant rests.
  await expect.poll(async () => (await address()).get('at')).toBe(instant(4 * MINUTE))
  const query = await address()
  expect(query.get('range')).toBe(`${instant(0)}/${instant(10 * MINUTE)}`)
  const hash = await page.evaluate(() => location.hash)
  const other = await page.context().newPage()
  // The session is of the browser, not of the page.
  await other.goto(`${new URL(page.url()).origin}/${hash}`)
  await expect(other.getByRole('banner').locator('[data-mode]')).toContainText('PAST 03:04:00')
  await other.close()
})

test('replays at a tenth of the speed and at a thousand times it', async () => {
  await openAt(MINUTE)
  const time = page.getByRole('region', { name: 'Time' })
  const speed = time.getByRole('combobox', { name: 'Speed of replay' })
  const names = await speed.getByRole('option').allTextContents()
  expect([names[0], names.at(-1)]).toEqual(['×0.1', '×1000'])
  await speed.selectOption('1000')
  await time.getByRole('button', { name: 'Replay' }).click()
  await expect(badge()).toContainText('PAST 03:09:59')
  await expect(time.getByRole('button', { name: 'Replay' })).toBeDisabled()
})

test('the status bar and the alert rules are of the instant, and other screens say that they are not', async () => {
  await openAt(8 * MINUTE)
  await expect(page.getByRole('contentinfo')).toContainText('recorded every 1 s')
  await expect(page.getByRole('contentinfo')).not.toContainText('next reallocation')
  await openAt(4 * MINUTE + 10_000, 'alerts')
  await expect(page.getByText(/^as of 03:04:10/)).toBeVisible()
  await expect(page.getByRole('grid', { name: 'Alert rules' }).getByRole('row', { name: /^R1 / })).toContainText(
    'firing',
  )
  await openAt(MINUTE, 'alerts')
  await expect(page.getByText(/^as of 03:01:00/)).toBeVisible()
  await expect(page.getByRole('grid', { name: 'Alert rules' }).getByRole('row', { name: /^R1 / })).toContainText(
    'quiet',
  )
  await openAt(MINUTE, 'connection')
  await expect(page.getByText('Connection shows the present.', { exact: false })).toBeVisible()
})
