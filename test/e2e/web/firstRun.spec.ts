import { expect, test, type Locator } from '@playwright/test'
import { startConsole } from '../../harness/webConsole.ts'
import { complaintsOf, LONG } from '../console.ts'
import { expectAccessible } from '../looks.ts'

/*
 * The task in which the notes of the first run end, done as a newcomer would on the simulation. A click, a key or a
 * filled field is a step. How long it took is printed: most of it is the time in which the effect is measured.
 */

test('a newcomer finds the culprit, applies a fix and sees its effect, and the task never comes back', async ({
  browser,
}) => {
  const running = await startConsole([])
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  const complaints = complaintsOf(page)
  await page.goto(running.address)
  const task = page.getByRole('complementary', { name: 'First task' })
  const notes = page.getByRole('complementary', { name: 'Reading this screen' })
  const next = task.locator('[aria-current=step]')
  const main = page.getByRole('main')
  const link = (name: string): Locator => task.getByRole('button', { name })
  let [steps, names] = [0, 0]
  const click = async (what: Locator): Promise<void> => {
    steps += 1
    await what.click()
  }

  await expect(notes).toBeVisible()
  await expect(task).toHaveCount(0)
  const begun = Date.now()
  await click(notes.getByRole('button', { name: 'Find the culprit' }))
  // It is on every screen, and leads to where its next step is done.
  await expect(next).toHaveText(/Find the culprit|Try a fix/)
  await expect(main.getByText(/Explains .* of the missing seats/).first()).toBeVisible(LONG)
  await expect(next).toHaveText(/Try a fix/)
  await expectAccessible(page)

  await click(main.getByRole('button', { name: 'Try a fix' }).first())
  await expect(next).toHaveText(/Try a fix/)
  await click(main.getByRole('button', { name: /^Switch editing on for / }))
  await click(main.getByRole('button', { name: /^Apply \d+ objects? to / }))
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  for (const label of await dialog.getByText(/^Type the name to confirm: /).allTextContents()) {
    names += 1
    await dialog.getByRole('textbox', { name: label, exact: true }).fill(label.split(': ')[1] ?? '')
  }
  await click(dialog.getByRole('button', { name: /^Apply \d+ objects? to / }))
  await expect(next).toHaveText(/See its effect/)

  // Whoever looks elsewhere meanwhile, or loads the page again, is led back to it.
  await click(page.getByRole('link', { name: /^Overview/ }))
  await page.reload()
  await expect(next).toHaveText(/See its effect/)
  await click(link('Open the Editor'))
  await expect(main.getByRole('region', { name: 'Effect', exact: true }).getByRole('img').first()).toBeVisible(LONG)
  await expect(task).toHaveCount(0, LONG)
  const seconds = Math.round((Date.now() - begun) / 1_000)
  console.log(`The task of the first run took ${steps + names} steps and ${seconds} s.`)
  // How many built-in objects a fix changes, whose names are typed, depends on what Diagnosis finds.
  expect(steps).toBeLessThanOrEqual(7)

  await page.reload()
  await page.getByRole('link', { name: /^Overview/ }).click()
  await expect(page.getByRole('grid', { name: /Priority levels/ })).toBeVisible()
  await expect(task).toHaveCount(0)
  await expect(notes).toHaveCount(0)
  expect(complaints).toEqual([])
  await page.context().close()
  await running.stop()
})
