import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page } from '@playwright/test'
import { z } from 'zod'
import { runCommand } from '../../harness/command.ts'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf, kept, lineOf, LONG, type Line } from '../console.ts'
import { expectAccessibleInBoth, expectFine } from '../looks.ts'

/*
 * The editor over the real process, on the simulated server: from a read-only page to a changed server and back.
 */

test.describe.configure({ mode: 'serial' })

const SIZE = { width: 1440, height: 900 }
let running: RunningConsole
let page: Page
let complaints: readonly string[] = []
let line: Line

test.beforeAll(async ({ browser }) => {
  running = await startConsole([])
  const context = await browser.newContext({ viewport: SIZE, reducedMotion: 'reduce' })
  page = await context.newPage()
  complaints = complaintsOf(page)
  line = lineOf(page)
  await page.goto(running.address)
  await open('editor/draft?object=PriorityLevelConfiguration%2Fworkload-low')
})
test.afterAll(async () => {
  await page.context().close()
  await running.stop()
})
test.afterEach(() => expect(complaints).toEqual([]))

const open = async (hash: string): Promise<void> => {
  await page.goto(`${new URL(page.url()).origin}/#/${hash}`)
}
const option = (name: string) => page.getByRole('option', { name: new RegExp(`^${name} ?,`) })
const impact = (level: string) =>
  page.getByRole('table', { name: /^Seats of each level/ }).getByRole('row', { name: new RegExp(`^${level}`) })
const steps = () => page.getByRole('region', { name: 'From draft to server' })
const pane = (name: string) => page.getByRole('region', { name, exact: true })
const text = () => page.getByRole('textbox', { name: 'YAML of workload-low' })
const show = (view: 'Form' | 'YAML') => page.getByRole('radio', { name: view }).click()

test('is read-only until editing is switched on, and says for what', async () => {
  await expect(page.getByRole('heading', { name: 'workload-low' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Shares' })).toBeHidden()
  await expect(page.getByText('read-only', { exact: true })).toBeVisible()
  await expectAccessibleInBoth(page)
  await page.getByRole('button', { name: /^Switch editing on for / }).click()
  await expect(page.getByRole('textbox', { name: 'Shares' })).toHaveValue('100')
  await expect(page.getByText('editing on', { exact: true })).toBeVisible()
})

test('form and YAML are two views of one text; undo goes back in both', async () => {
  await page.getByRole('textbox', { name: 'Shares' }).fill('30')
  await expect(impact('workload-low')).toContainText(/245.*103/)
  await show('YAML')
  await expect(text()).toContainText('nominalConcurrencyShares: 30')
  await text().click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('# why: less for batch work\n', { delay: 1 })
  await show('Form')
  await page.getByRole('textbox', { name: 'Lendable' }).fill('80')
  await show('YAML')
  await expect(text()).toContainText('lendablePercent: 80')
  await expect(text()).toContainText('# why: less for batch work')
  await show('Form')
  await page.getByRole('textbox', { name: 'Lendable' }).press('Control+z')
  await expect(page.getByRole('textbox', { name: 'Lendable' })).toHaveValue('90')
})

/** Members of each level in the output of `impact --json`. */
const SeatsSchema = z.object({ nominal: z.number(), lower: z.number() })
const ImpactSchema = z.object({
  levels: z.array(z.object({ name: z.string(), before: SeatsSchema, after: SeatsSchema })),
})

test('the command foretells the same seats of every level for the same edit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'apf-edit-'))
  const file = join(folder, 'edit.json')
  const edit = {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'workload-low' },
    spec: { limited: { nominalConcurrencyShares: 30 } },
  }
  await writeFile(file, JSON.stringify(edit))
  const { code, output } = await runCommand('impact', '--edit', file, '--server-limit', '600', '--json')
  await rm(folder, { recursive: true })
  expect(code).toBe(0)
  const { levels } = ImpactSchema.parse(JSON.parse(output))
  expect(levels.length).toBeGreaterThan(7)
  for (const { name, before, after } of levels) {
    const cells = impact(name).getByRole('cell')
    const shown = async (column: number): Promise<(number | undefined)[]> => {
      const numbers = ((await cells.nth(column).textContent()) ?? '').match(/\d+/g)?.map(Number) ?? []
      return [numbers[0], numbers.at(-1)]
    }
    // The draft of the test before was just taken back, and its impact follows the field after a pause.
    await expect
      .poll(async () => ({ name, nominal: await shown(0), lower: await shown(2) }))
      .toEqual({
        name,
        nominal: [before.nominal, after.nominal],
        lower: [before.lower, after.lower],
      })
  }
})

test('says what is wrong under the field and in a list that leads there, and keeps the last good impact', async () => {
  const hand = page.getByRole('textbox', { name: 'Hand size' })
  await hand.fill('200')
  await expect(page.getByText(/^A hand of 200 cannot be dealt from 128 queues/).first()).toBeVisible()
  await expect(impact('workload-low')).toContainText(/245.*103/)
  await expect(page.getByRole('button', { name: /^Apply/ })).toBeDisabled()
  await page.getByRole('textbox', { name: 'Shares' }).focus()
  await pane('Problems of the draft').getByRole('button').click()
  await expect(hand).toBeFocused()
  await expectAccessibleInBoth(page)
  await kept(line, 'drafts.write', () => hand.fill('6'))
  await expect(pane('Problems of the draft')).toBeHidden()
})

test('a draft survives a reload', async () => {
  await page.reload()
  await expect(option('workload-low')).toHaveAccessibleName(/edited/)
  await expect(page.getByRole('textbox', { name: 'Shares' })).toHaveValue('30')
  await expect(page.getByRole('textbox', { name: 'Lendable' })).toHaveValue('90')
})

test('guard rails warn and can be followed by a button; the dry run is the server’s', async () => {
  await expect(steps()).toContainText('Impact opened')
  await page.getByRole('button', { name: 'Dry run' }).click()
  await expect(steps()).toContainText(/Dry run\s*accepted/)
  await expect(pane('Dry run')).toContainText('workload-low would be accepted')
})

test('a preset adds two objects, that the same draft applies', async () => {
  await page.keyboard.press('Escape')
  await option('workload-low').focus()
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('button', { name: /^Isolate lists of events/ }).click()
  await expect(option('list-events')).toHaveCount(2)
  await expect(impact('list-events')).toBeVisible()
  // On a busy machine a forecast takes more than a minute.
  await expect(pane('Forecast').getByRole('table')).toBeVisible(LONG)
  await expectFine(page)
  await page.setViewportSize(SIZE)
})

test('the forecast takes other flags of the server as well', async () => {
  const flags = page.getByLabel('seats after a restart')
  const limits = pane('Forecast').getByRole('table').getByRole('columnheader', { name: /seats/i })
  await expect(limits.first()).toBeVisible()
  const before = await pane('Forecast').getByRole('status').innerText()
  await flags.fill('none')
  await expect(flags).toHaveAttribute('aria-invalid', 'true')
  await flags.fill('20')
  await expect(pane('Forecast').getByRole('status')).not.toHaveText(before, LONG)
  await expect(pane('Forecast').getByRole('status')).not.toContainText('computing', LONG)
  await expect(pane('Forecast').getByRole('row', { name: /^workload-low/ })).toBeVisible()
  await expect(pane('Seat impact')).toContainText('600 → 20 seats on one server')
  await flags.fill('')
  await expect(pane('Seat impact')).not.toContainText('20 seats on one server')
})

test('the draft runs beside live traffic from where it is', async () => {
  await page.getByRole('button', { name: 'Run beside live traffic' }).click()
  await expect(page).toHaveURL(/#\/live/)
  await expect(page.getByRole('heading', { name: /^Draft/ }).first()).toBeVisible()
  await open('editor/draft?object=PriorityLevelConfiguration%2Fworkload-low')
})

test('applies after the names of built-in objects were typed; the Level screen shows it within one adjustment', async () => {
  await page.getByRole('button', { name: /^Apply 3 objects to / }).click()
  const dialog = page.getByRole('dialog')
  const apply = dialog.getByRole('button', { name: /^Apply 3 objects/ })
  await expect(apply).toBeDisabled()
  await expectAccessibleInBoth(page)
  // The simulated server restores its own objects every minute, but not an edit with this annotation.
  await expect(dialog.getByRole('checkbox', { name: 'Keep it' })).toBeChecked()
  await dialog.getByRole('textbox', { name: /workload-low/ }).fill('workload-low')
  await dialog.getByRole('textbox', { name: 'Journal label' }).fill('less for batch work')
  await apply.click()
  await expect(pane('Applied')).toContainText('workload-low is applied')
  await expect(option('workload-low')).not.toHaveAccessibleName(/edited/)
  await open('level/workload-low')
  await expect(page.locator('main header').first()).toContainText(/nominal\s*100/)
  // The charts mark the instant and the edit.
  await expect(page.getByRole('img', { name: /workload-low changed.*: nominalConcurrencyShares/ })).toBeVisible()
})

test('the journal takes it back, and the draft is not needed for that', async () => {
  await open('editor/journal')
  const entry = page.getByRole('row', { name: /less for batch work/ })
  await expect(entry).toContainText('applied')
  await expectFine(page)
  await page.setViewportSize(SIZE)
  await page.getByRole('button', { name: /^Undo 3 objects/ }).click()
  const dialog = page.getByRole('dialog', { name: /^Undo 3 objects on / })
  await expect(dialog).toContainText('workload-low is restored')
  await expectAccessibleInBoth(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(entry).toContainText('applied')
  await page.getByRole('button', { name: /^Undo 3 objects/ }).press('Enter')
  await dialog.getByRole('button', { name: /^Undo 3 objects on / }).press('Enter')
  await expect(entry).toContainText('undone')
  await open('level/workload-low')
  await expect(page.locator('main header').first()).toContainText(/nominal\s*245/)
  await open('editor/draft')
  await expect(option('list-events')).toHaveCount(0)
})

test('without a server the built-in objects of any version can be drafted upon and saved', async () => {
  await open('connection')
  await page.getByRole('button', { name: /^Recorded demo/ }).click()
  await page.getByRole('button', { name: 'Play the recording' }).click()
  await expect(page.getByRole('banner').locator('[data-mode]')).toContainText('REPLAY')
  // The demo was recorded on this release: its built-in objects are the ones that stand in.
  await open('editor/draft?object=PriorityLevelConfiguration%2Fsystem')
  const release = page.getByRole('combobox', { name: /built-in objects of Kubernetes/ })
  await expect(release).toHaveValue(/^v1\.36/)
  await release.selectOption('v1.30.0')
  await page.getByRole('textbox', { name: 'Shares' }).fill('60')
  await expect(impact('system')).toContainText('→')
  await expect(page.getByRole('button', { name: /^Apply/ })).toBeHidden()
  await page.getByRole('button', { name: 'Save as' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: /^YAML/ }).click()
  expect((await download).suggestedFilename()).toBe('draft.yaml')
})
