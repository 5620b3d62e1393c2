import { readFile } from 'node:fs/promises'
import { expect, test, type Locator, type Page } from '@playwright/test'
import { LONG } from '../console.ts'
import { expectAccessible } from '../looks.ts'
import { startMetricsServer } from '../metricsServer.ts'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'

/*
 * Fourteen tasks of a reader who knows the console a little, each within a number of steps: a click, a key or a field that
 * is filled is one. A task begins where the one before would leave its reader, or on the Overview; nothing is counted
 * until it begins.
 */

test.describe.configure({ mode: 'serial' })

let running: RunningConsole
let page: Page
let steps = 0
/** The file of a recording. */
let recording: Buffer

test.beforeAll(async ({ browser }) => {
  running = await startConsole([])
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true })
  page = await context.newPage()
  await page.goto(running.address)
})
test.afterAll(async () => {
  await page.context().close()
  await running.stop()
})

const click = async (what: Locator): Promise<void> => {
  steps += 1
  await what.click()
}
const press = async (key: string): Promise<void> => {
  steps += 1
  await page.keyboard.press(key)
}
const fill = async (what: Locator, text: string): Promise<void> => {
  steps += 1
  await what.fill(text)
}
const begin = (): void => {
  steps = 0
}
const atMost = (bound: number): void => expect(steps, `steps, of ${bound} at most`).toBeLessThanOrEqual(bound)

const open = async (hash: string): Promise<void> => {
  await page.goto(`${new URL(page.url()).origin}/#/${hash}`)
}
const button = (name: string | RegExp) => page.getByRole('button', { name })
const now = () => page.locator('main header').first()
const speed = () => page.getByRole('combobox', { name: 'Simulation speed' })

test('1: why does workload-low reject: 1, the noisy flow: 0', async () => {
  await open('overview')
  // A wave of lists comes within the first minutes of the simulated server.
  await expect(now()).toContainText(/workload-low is (full and )?rejecting/, LONG)
  begin()
  await expect(now()).toContainText('inventory:crawler')
  atMost(0)
  await click(now().getByRole('button', { name: /workload-low/ }))
  await expect(page).toHaveURL(/#\/level\/workload-low/)
  await expect(page.getByText(/queue-full|concurrency-limit|time-out/).first()).toBeVisible()
  atMost(1)
  // At the smallest window, too, the sentence names who is to blame.
  await page.setViewportSize({ width: 1100, height: 700 })
  await open('overview')
  await expect(now().getByText('inventory:crawler').first()).toBeInViewport()
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('2: raise its shares, with the effect foretold and then shown: 6; undo: 3; 5: compare before and after: 1', async () => {
  await open('level/workload-low')
  await expect(button('Edit this level')).toBeVisible()
  begin()
  await click(button('Edit this level'))
  await click(button(/^Switch editing on for /))
  await fill(page.getByRole('textbox', { name: 'Shares' }), '300')
  await expect(page.getByRole('region', { name: 'Forecast', exact: true })).toContainText('workload-low', LONG)
  await click(button(/^Apply 1 object to /))
  const dialog = page.getByRole('dialog')
  await fill(dialog.getByRole('textbox', { name: /workload-low/ }), 'workload-low')
  await press('Enter')
  const nominal = page.getByRole('table', { name: 'Nominal seats of the changed levels' })
  await expect(nominal.getByRole('row', { name: /^workload-low/ })).toHaveText(/workload-low245(?!245)\d+/)
  atMost(6)
  // The outcome comes 50 s after the edit, at any speed of the simulated server, which nobody restored by then.
  await speed().selectOption('10')
  const effect = page.getByRole('region', { name: 'Effect', exact: true })
  await expect(effect.getByRole('table').first().getByRole('row').nth(1)).toContainText('workload-low', LONG)
  await expect(effect.getByRole('img', { name: /workload-low/ }).first()).toBeVisible()
  await expect(effect).not.toContainText('There was no forecast')
  await expect(page.getByRole('status', { name: 'Reverted edits' })).toHaveText('')
  await expect(page.getByText('workload-low is applied')).toBeVisible()
  // The edit must stay in the ten minutes that are shown, however long the checks take.
  await speed().selectOption('1')
  await expectAccessible(page)
  atMost(6)

  begin()
  await click(page.getByRole('link', { name: /^Compare/ }))
  // The headline tells what came out, which differs; the sentence below it names the edit.
  await expect(now()).toContainText('Before and after: Change PriorityLevelConfiguration workload-low')
  atMost(1)

  await open('editor/journal')
  begin()
  await click(button(/^Undo 1 object/).first())
  await click(page.getByRole('dialog').getByRole('button', { name: /^Undo 1 object/ }))
  await expect(page.getByRole('row', { name: /workload-low/ }).first()).toContainText('undone')
  atMost(3)
})

test('3: classify a request with the right seats: 2', async () => {
  await open('overview')
  begin()
  await click(page.getByRole('link', { name: /^Classify/ }))
  await fill(page.getByLabel('Command, audit event or path'), 'kubectl get pods -A --as alice')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('global-default')
  const estimate = page.getByRole('table', { name: 'Width estimate' }).getByRole('row')
  await expect(estimate.first()).toHaveText(/^objects of pods in the whole cluster\d/)
  // Without object counts the width is 1.
  await expect(estimate.last()).toHaveText(/^Width(?:[2-9]|\d\d+)$/)
  atMost(2)
  // A command without a user is nobody's, not that of the one before.
  await page.getByLabel('Command, audit event or path').fill('kubectl get nodes')
  await expect(page.getByRole('heading', { level: 1 })).not.toContainText('alice')
})

test('6: export a chart with all its data: 2', async () => {
  await open('level/workload-low')
  await expect(button('Export Seats')).toBeVisible()
  begin()
  await click(button('Export Seats'))
  const download = page.waitForEvent('download')
  await click(page.getByRole('menuitem', { name: 'Save as CSV' }))
  expect((await download).suggestedFilename()).toMatch(/\.csv$/)
  atMost(2)
})

test('4: which flow suffers: 2; filter live requests: 2', async () => {
  await open('overview')
  begin()
  await click(page.getByRole('link', { name: 'Live requests' }))
  await click(page.getByRole('radio', { name: 'Wait' }))
  await expect(page.getByRole('grid', { name: 'Flows' }).getByRole('columnheader', { name: 'Wait p99' })).toBeVisible()
  atMost(2)
  await open('overview')
  begin()
  await click(page.getByRole('link', { name: 'Live requests' }))
  await fill(page.getByRole('combobox', { name: 'Filter requests' }), 'verb:list')
  await expect.poll(() => page.getByRole('grid', { name: 'Live requests' }).getByRole('row').count()).toBeGreaterThan(1)
  atMost(2)
})

test('7: what happened at an instant: 3', async () => {
  await open('overview')
  // The newest: what the simulation had before the console connected is not recorded.
  const changes = page.getByRole('list', { name: 'Changes, newest first' })
  const at = (await changes.locator('time').first().textContent()) ?? ''
  begin()
  await click(button(/^Time range: /))
  await fill(page.getByRole('textbox', { name: /^Range/ }), at)
  await press('Enter')
  await expect(page.getByRole('banner').locator('[data-mode]')).toContainText(at)
  await expect(now()).not.toContainText('Nothing was recorded')
  atMost(3)
  await button('Back to live').click()
})

test('9: share an incident report: 5', async () => {
  await open('overview')
  begin()
  await click(page.getByRole('link', { name: /^Recordings/ }))
  await click(button('Share…').first())
  await click(button('Prepare a report'))
  const summary = page.locator('main article')
  await expect(summary).toContainText('inventory:crawler')
  const download = page.waitForEvent('download')
  await click(button('Save as HTML'))
  expect((await download).suggestedFilename()).toMatch(/\.html$/)
  atMost(5)
  await expectAccessible(page)
  const file = page.waitForEvent('download')
  await button('Export the recording').click()
  recording = await readFile(await (await file).path())
})

test('8: open a recording: 2; from a file: 4', async () => {
  await open('overview')
  begin()
  await click(page.getByRole('link', { name: /^Recordings/ }))
  await click(page.getByRole('button', { name: 'Open', exact: true }).first())
  await expect(page.getByRole('banner').locator('[data-mode]')).toContainText(/PAST|RECORDING/)
  await expect(page.getByRole('grid', { name: /Priority levels/ })).toBeVisible()
  await expect(now()).not.toContainText('Nothing was recorded')
  atMost(2)

  // A range that has nothing to do with it is shown while it is opened.
  await open('overview?range=last+300+s')
  begin()
  await click(page.getByRole('link', { name: /^Connection/ }))
  await click(button(/^File/))
  const chooser = page.waitForEvent('filechooser')
  await click(button('Choose files'))
  steps += 1
  await (await chooser).setFiles({ name: 'flood.apfrec', mimeType: 'application/octet-stream', buffer: recording })
  await expect(page).toHaveURL(/#\/overview/)
  await expect(page.getByRole('banner').locator('[data-mode]')).toContainText(/PAST|RECORDING/)
  await expect(page.getByRole('grid', { name: /Priority levels/ })).toBeVisible()
  await expect(now()).not.toContainText('Nothing was recorded')
  atMost(4)
})

test('10: an alert that notifies: 2', async () => {
  await open('overview')
  begin()
  await click(page.getByRole('link', { name: /^Alerts/ }))
  await click(page.getByRole('radiogroup', { name: 'Notifications' }).getByRole('radio', { name: 'Critical' }))
  await expect(page.getByRole('radio', { name: 'Critical' })).toBeChecked()
  atMost(2)
})

test('11: a scenario, and its first difference: 5', async () => {
  await open('overview')
  begin()
  await click(page.getByRole('link', { name: /^What-if/ }))
  await click(page.getByRole('link', { name: 'Scenarios' }))
  // One that is simulated within a second.
  await click(button(/^S14/))
  await click(button('Run scenario'))
  await expect(button('First difference').first()).toBeVisible()
  await expectAccessible(page)
  await click(button('First difference').first())
  const marked = page.getByRole('grid', { name: /^Requests in / }).locator('[aria-selected=true]')
  await expect(marked).toContainText('≠')
  atMost(5)
})

test('13: what people ask for is found by the palette: 3', async () => {
  // The other queries are in renderer/app/palette.data.test.ts.
  for (const [query, screen] of [
    ['settings', /#\/settings/],
    ['incident report', /#\/recordings/],
    ['S2', /#\/whatif\/scenarios/],
    ['why rejected', /#\/diagnosis/],
    ['token', /#\/connection/],
  ] as const) {
    await open('overview')
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
    begin()
    await press('Control+k')
    await fill(page.getByRole('combobox', { name: /Go to|Search/ }), query)
    // Recordings and scenarios are listed once they have come.
    await expect(page.getByRole('option', { selected: true })).toBeVisible()
    await press('Enter')
    await expect(page).toHaveURL(screen)
    atMost(3)
  }
})

test('14: every screen by one key', async () => {
  for (const [key, screen] of Object.entries({
    1: 'overview',
    2: 'level',
    3: 'allocation',
    4: 'classify',
    5: 'live',
    6: 'editor',
    7: 'recordings',
    8: 'compare',
    9: 'connection',
    w: 'whatif',
    a: 'alerts',
    d: 'diagnosis',
    'Control+,': 'settings',
  })) {
    begin()
    await press(key)
    await expect(page).toHaveURL(new RegExp(`#/${screen}`))
    await expect(page.locator('h1').first()).toBeVisible()
    atMost(1)
  }
})

test('12: connect to a folder, and to a metrics address with a token: 4 each', async () => {
  // Both begin where a newcomer is: at the simulation.
  const startSimulation = async (): Promise<void> => {
    await open('connection')
    await button(/^Simulation/).click()
    await button('Start the simulation').click()
    // It opens the Overview itself, once it is connected.
    await expect(page).toHaveURL(/#\/overview/)
  }
  await startSimulation()
  begin()
  await click(page.getByRole('banner').getByRole('button', { name: 'Connect your cluster' }))
  await click(button(/^File/))
  const chooser = page.waitForEvent('filechooser')
  await click(button('Choose a folder'))
  steps += 1
  await (await chooser).setFiles('test/fixtures/captures/v1.36.3/idle')
  await expect(page.getByRole('grid', { name: /Priority levels/ })).toBeVisible()
  await expect(page).toHaveURL(/#\/overview/)
  atMost(4)

  const server = await startMetricsServer()
  await startSimulation()
  begin()
  await click(page.getByRole('banner').getByRole('button', { name: 'Connect your cluster' }))
  await fill(page.getByRole('textbox', { name: /^Metrics addresses/ }), server.url)
  await fill(page.getByLabel('Bearer token'), 't0k')
  await click(page.getByRole('button', { name: 'Connect', exact: true }))
  await expect(page.getByRole('banner').locator('[data-mode]')).toContainText('LIVE')
  await expect(page).toHaveURL(/#\/overview/)
  atMost(4)
  await server.die()
})
