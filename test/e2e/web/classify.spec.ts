import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test, type Page } from '@playwright/test'
import { z } from 'zod'
import { runCommand } from '../../harness/command.ts'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf, kept, lineOf, LONG, type Line } from '../console.ts'
import { expectFine } from '../looks.ts'

/*
 * Classify on the simulated server, in the real process: one request, the saved table, coverage.
 */

test.describe.configure({ mode: 'serial' })

let running: RunningConsole
let page: Page
let complaints: readonly string[] = []
let line: Line

/** Members of the command's answer. */
const AnswerSchema = z.object({
  nominalLimit: z.number(),
  seats: z.object({ width: z.number(), cap: z.number() }),
})

test.beforeAll(async ({ browser }) => {
  running = await startConsole([])
  page = await (await browser.newContext({ acceptDownloads: true })).newPage()
  complaints = complaintsOf(page)
  line = lineOf(page)
  await page.goto(running.address)
})
test.afterAll(async () => {
  await page.context().close()
  await running.stop()
})
test.afterEach(() => expect(complaints).toEqual([]))

const open = async (name: string): Promise<void> => {
  await page.goto(`${new URL(page.url()).origin}/#/classify/${name}`)
}
const heading = () => page.getByRole('heading', { level: 1 })
const hand = () => page.getByRole('list', { name: 'Hand, in the order of the deal' })

test('a request is explained on the objects of the server, with the present depth of its queues', async () => {
  await open('request')
  await expect(heading()).toContainText('workload-low')
  await expect(page.getByText('matched by service-accounts, precedence 9000, rule 1 of 1')).toBeVisible()
  await expect(page.getByRole('grid', { name: 'Flow schemas in matching order' }).getByRole('row')).toHaveCount(12)
  await expect(hand().getByRole('listitem')).toHaveCount(6)
  await expect(hand()).toContainText(/\d+ waiting/)
  await page.getByRole('radio', { name: 'From dumps' }).click()
  // A wave of lists lasts for most of the first minute; a page that comes later waits two minutes for the next one.
  const seen = page.getByRole('list', { name: 'Requests of the dump' }).getByRole('button')
  const newest = page.getByRole('button', { name: 'Take the newest dump' })
  await expect
    .poll(async () => {
      await newest.click({ timeout: 1_000 }).catch(() => undefined)
      return seen.count()
    }, LONG)
    .toBeGreaterThan(0)
  await seen.first().click()
  await expect(page.getByRole('list', { name: 'Recent requests' }).getByRole('button').first()).toBeVisible()
})

test('a UID of the answer is resolved to its name', async () => {
  await page.getByRole('radio', { name: 'Fields' }).click()
  const uid = page.getByText(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]+$/).last()
  const text = await uid.innerText()
  await page.getByLabel('From a response header').fill(`x-kubernetes-pf-flowschema-uid: ${text}`)
  await expect(page.getByText(/^flow schema [a-z-]+, .+ requests since \d/)).toBeVisible()
})

test('an unfinished form says what is missing and keeps the last answer', async () => {
  await page.getByLabel('User').fill('alice')
  await page.getByLabel(/^Path/).fill('/api/v1/namespaces/default/pods')
  await page.getByLabel('Verb').selectOption('delete')
  await expect(
    page.getByText(/^delete needs the name of an object\. The answer still applies to LIST pods\./),
  ).toBeVisible()
  await page.getByLabel('Name', { exact: true }).fill('web-1')
  await expect(page.getByText(/The answer still applies/)).toBeHidden()
  await expect(heading()).toContainText('global-default')
  await kept(line, 'requests.change', () => page.getByRole('button', { name: 'Keep as a test' }).click())
})

test('the table keeps the request over a reload, runs it, and gives it as a file', async () => {
  await open('tests')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const essential = page.getByRole('menuitem', { name: 'Essential requests of a cluster' })
  await kept(line, 'requests.change', () => essential.click())
  await expect(heading()).toHaveText(/^All \d+ saved requests match as expected\.$/)
  const all = await heading().innerText()
  await page.reload()
  await expect(heading()).toHaveText(all)

  const row = page.getByRole('row', { name: /^alice DELETE pods web-1 in default/ })
  await row.click()
  await page.getByLabel('Expected', { exact: true }).selectOption({ label: 'service-accounts in workload-low' })
  await expect(heading()).toHaveText(/^1 of \d+ saved requests does not match as expected\.$/)
  await page.getByRole('radio', { name: 'Failing' }).click()
  await expect(page.getByRole('grid', { name: 'Saved requests' }).getByRole('row')).toHaveCount(2)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(heading()).toHaveText(all)
  await page.getByRole('radio', { name: 'All', exact: true }).click()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'JSON', exact: true }).click(),
  ])
  const written: unknown = JSON.parse(await readFile(await download.path(), 'utf8'))
  expect(written).toContainEqual(
    expect.objectContaining({
      label: 'alice DELETE pods web-1 in default',
      expect: { flowSchema: 'global-default', priorityLevel: 'global-default' },
    }),
  )
})

test('coverage counts the requests of each schema', async () => {
  await open('coverage')
  const schemas = page.getByRole('grid', { name: 'Flow schemas and their requests' })
  await expect(schemas.getByRole('row', { name: /service-accounts workload-low/ }).first()).toContainText(
    'has traffic',
    {
      timeout: 30_000,
    },
  )
  await expect(schemas.getByRole('row', { name: /catch-all/ })).toContainText('as intended')
  const flows = page.getByRole('grid', { name: 'Flows seen' }).getByRole('row')
  await expect.poll(() => flows.count()).toBeGreaterThan(2)
  await flows.nth(1).click()
  await expect(page).toHaveURL(/classify\/request/)
})

test('the command and the screen agree on the seats of the same source', async ({ browser }) => {
  const files = ['mixed.metrics.txt.gz', 'objects'].flatMap((name) => [
    '--file',
    fileURLToPath(new URL(`../../fixtures/captures/v1.36.3/${name}`, import.meta.url)),
  ])
  const { output } = await runCommand('classify', '--kubectl', 'get configmaps -A --as alice', ...files, '--json')
  const { seats, nominalLimit } = AnswerSchema.parse(JSON.parse(output))
  const other = await startConsole(files)
  const captured = await (await browser.newContext()).newPage()
  try {
    await captured.goto(other.address)
    await captured.goto(`${new URL(captured.url()).origin}/#/classify/request`)
    // The screen is reset with the first source.
    await expect(captured.getByRole('navigation').getByRole('link', { name: /workload-low/ })).toBeVisible()
    await captured.getByRole('radio', { name: 'Text', exact: true }).click()
    await captured.getByLabel('Command, audit event or path').fill('kubectl get configmaps -A --as alice')
    const steps = captured.getByRole('table', { name: 'Width estimate' }).getByRole('row')
    await expect(steps.filter({ hasText: 'objects of configmaps' })).toContainText(/3\s?052/)
    await expect(steps.filter({ hasText: 'at most' }).last()).toContainText(new RegExp(`${seats.cap}$`))
    await expect(steps.last()).toHaveText(`Width${seats.width}`)
    await expect(captured.getByText(`from its nominal limit of ${nominalLimit} of a server of 30 seats`)).toBeVisible()
  } finally {
    await captured.context().close()
    await other.stop()
  }
})

for (const name of ['request', 'tests', 'coverage'] as const) {
  test(`${name}: accessible, and whole at every size in both themes`, async () => {
    await open(name)
    await expect(heading()).toBeVisible()
    await expectFine(page)
  })
}
