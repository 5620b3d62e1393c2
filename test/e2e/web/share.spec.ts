import { readFile } from 'node:fs/promises'
import { expect, test, type Download, type Page } from '@playwright/test'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf } from '../console.ts'
import { expectAccessibleInBoth } from '../looks.ts'

/* A recording leaves the console as a file or a report, and the file opens again. */

test.describe.configure({ mode: 'serial' })

let running: RunningConsole
let page: Page
let complaints: readonly string[] = []
let file = ''

test.beforeAll(async ({ browser }) => {
  running = await startConsole([])
  page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  complaints = complaintsOf(page)
  await page.goto(running.address)
})
test.afterAll(async () => {
  await page.context().close()
  await running.stop()
})
test.afterEach(() => expect(complaints).toEqual([]))

const saved = async (button: string): Promise<Download> => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ])
  return download
}

test('exports a recording without names', async () => {
  await expect(page.getByRole('banner').locator('[data-mode]')).toContainText('SIMULATED')
  await page.evaluate(() => {
    location.hash = '#/recordings'
  })
  const share = page.getByRole('button', { name: 'Share…' }).first()
  // A simulation on a slow machine may be late: a minute of a recording may have no sample, of which this one has some.
  await expect(page.locator('main').getByRole('img', { name: /^Simulated cluster: / })).toBeVisible()
  await expect(
    page
      .locator('main')
      .getByText(/^(?:[3-5]\d s|\d+ min.*)$/)
      .first(),
  ).toBeVisible()
  await share.click()
  await page.getByLabel('Replace names of users, objects and servers').check()
  const download = await saved('Export the recording')
  expect(download.suggestedFilename()).toMatch(/^name-[0-9a-f]{12}-\d{8}T\d{6}Z\.apfrec$/)
  file = await download.path()
  const bytes = await readFile(file)
  expect(bytes.subarray(0, 9).toString()).toBe('apfrec 1\n')
  expect(bytes.includes('Simulated cluster')).toBe(false)
})

test('prepares a report, which is edited before it is saved', async () => {
  await page.getByLabel('Replace names of users, objects and servers').uncheck()
  await page.getByRole('button', { name: 'Prepare a report' }).click()
  await page.getByLabel('Title', { exact: true }).fill('Flood of lists')
  await page.getByLabel('Your comments').fill('The crawler was rolled out.')
  await page.getByLabel('Glossary').uncheck()
  const html = await readFile(await (await saved('Save as HTML')).path(), 'utf8')
  expect(html).toContain('<h1>Flood of lists</h1>')
  expect(html).toContain('The crawler was rolled out.')
  expect(html).not.toContain('Glossary')
  expect(html).toContain('<h2>Evidence</h2>')
  const markdown = await readFile(await (await saved('Save as Markdown')).path(), 'utf8')
  expect(markdown).toMatch(/^# Flood of lists\n/)
  // The sheet is the saved page, with its charts.
  const sheet = page.locator('article')
  await expect(sheet.getByRole('heading', { name: 'Flood of lists' })).toBeVisible()
  expect(await sheet.locator('svg').count()).toBeGreaterThan(0)
  await expectAccessibleInBoth(page)
})

test('prints the report alone, as a PDF of several pages', async () => {
  await page.evaluate(() => {
    window.print = () => document.body.setAttribute('data-printed', '')
  })
  await page.getByRole('button', { name: 'Print or save as PDF' }).click()
  await expect(page.locator('body[data-printed]')).toHaveCount(1)
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('banner')).toBeHidden()
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
  await page.emulateMedia({ media: null })
  expect(pdf.startsWith('%PDF-')).toBe(true)
  expect(pdf.match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(1)
})

test('opens the file of a recording', async () => {
  await page.evaluate(() => {
    location.hash = '#/connection'
  })
  await page.getByText('A /metrics page, captures').click()
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ])
  await chooser.setFiles({ name: 'flood.apfrec', mimeType: 'application/octet-stream', buffer: await readFile(file) })
  // It opens at its last sample, which is in the past as soon as that is found.
  await expect(page.getByRole('banner').locator('[data-mode]')).toContainText(/RECORDING|PAST/)
})
