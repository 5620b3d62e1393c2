import { expect, test } from '../console.ts'
import { expectAccessible, expectAccessibleInBoth, expectFine } from '../looks.ts'

// The screen of an etcd on the simulated one, from the form of the Connection screen on.

test('the etcd screen shows what is limited, explains and changes it, at every size in both themes', async ({
  consolePage: page,
}) => {
  await page.evaluate(() => {
    location.hash = '#/connection'
  })
  await page.getByRole('button', { name: /^etcd proxy/ }).click()
  await page.getByRole('button', { name: 'Explore a simulated etcd' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('limited, most by rule-event', {
    timeout: 60_000,
  })
  await expect(page.getByRole('grid', { name: 'Rejected requests' }).getByText('rule-event').first()).toBeVisible()

  await page.getByRole('button', { name: 'Test the request' }).click()
  await expect(page.getByRole('table', { name: 'Rules and the request' })).toContainText('applies')
  await expectFine(page)
  await page.getByRole('button', { name: 'Advice' }).click()
  await expect(page.getByRole('heading', { name: 'Password storms' })).toBeVisible()
  await expectAccessibleInBoth(page)

  await page.getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('combobox', { name: 'Rule' }).selectOption('rule-event')
  await expect(page.getByRole('list', { name: 'Requests' }).getByText('(rule-event)').first()).toBeVisible()
  await expectFine(page)
  await expectAccessibleInBoth(page)

  await page.getByRole('grid', { name: 'Rules' }).getByText('rule-event').click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByText(/Would have limited/)).toBeVisible()
  await expectAccessibleInBoth(page)
  await page.getByRole('checkbox', { name: 'Enabled' }).click()
  await expect(page.getByRole('grid', { name: 'Rules' }).getByText('disabled')).toHaveCount(2)

  // The other screens show that the source has no API server.
  await page.evaluate(() => {
    location.hash = '#/overview'
  })
  await expect(page.getByText('The connected source is an etcd.')).toBeVisible()
})

test('a recording of an etcd opens on the etcd screen, which says what is not recorded', async ({
  consolePage: page,
}) => {
  await page.evaluate(() => {
    location.hash = '#/connection'
  })
  await page.getByRole('button', { name: /^etcd proxy/ }).click()
  await page.getByRole('button', { name: 'Explore a simulated etcd' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('limited, most by rule-event', {
    timeout: 60_000,
  })
  const at = await page.evaluate(() => new Date().toISOString())
  await page.evaluate(() => {
    location.hash = '#/recordings'
  })
  await page
    .getByRole('row')
    .filter({ hasText: 'Simulated etcd' })
    .getByRole('button', { name: 'Open' })
    .first()
    .click()
  await expect(page.getByText(/^Recorded at/)).toBeVisible()
  // The flood of events may be over where the recording ends.
  await page.evaluate((then) => {
    const [path, query] = location.hash.split('?')
    const asked = new URLSearchParams(query)
    asked.set('at', then)
    location.hash = `${path}?${asked}`
  }, at)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('limited, most by rule-event')
  await expect(page.getByRole('grid', { name: 'Rejected requests' }).getByText('rule-event').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Advice' })).toBeDisabled()
  await expectAccessible(page)
  await page.getByRole('grid', { name: 'Rules' }).getByText('rule-event').click()
  await expect(page.getByText('This is a recording, so there is no proxy')).toBeVisible()
})
