import { expect, test } from '../console.ts'
import { expectFine } from '../looks.ts'

test('calculators stand on the page of their scenario and follow what is typed', async ({ consolePage: page }) => {
  await page.keyboard.press('w')
  await page.keyboard.press('w')
  const library = page.getByRole('navigation', { name: 'Library of scenarios' })
  await library.getByRole('button', { name: 'Mixed server versions' }).click()

  const buckets = page.getByRole('region', { name: 'Watches across servers', exact: true })
  await expect(buckets.getByRole('status')).toContainText('10 buckets for each resource')
  await buckets.getByLabel('A: buckets of namespaces').fill('1')
  await expect(buckets.getByRole('status')).toContainText('8 buckets for each resource')
  await buckets.getByLabel('Written object').fill('pods')
  await expect(buckets.getByText('Enter resource, namespace and name.')).toBeVisible()
  await expect(buckets.getByRole('table')).toHaveCount(0)
  await buckets.getByLabel('Written object').fill('pods kube-system dns')
  await expect(buckets.getByRole('table')).toBeVisible()

  await expectFine(page, ['dark'])

  await library.getByRole('button', { name: 'Isolating list events' }).click()
  const lists = page.getByRole('region', { name: 'Width of a list', exact: true })
  await expect(lists.getByRole('status')).toContainText(/above 400.000 objects/)
  await lists.getByLabel('Average object, kB').fill('20')
  await expect(lists.getByRole('status')).toContainText(/above 200.000 objects/)
  await lists.getByLabel('Seats of the level').fill('8')
  await lists.getByLabel('Wider than the level').selectOption('reject')
  await expect(lists.getByRole('cell', { name: 'rejected' })).toHaveCount(4)

  await expectFine(page, ['light'])

  await library.getByRole('button', { name: 'Overbearing tenant' }).click()
  const fluid = page.getByRole('region', { name: 'Beside the fluid ideal', exact: true })
  await expect(fluid.getByRole('status')).toContainText('within the bound of 10.')
  await fluid.getByLabel('Show').selectOption('instants')
  await expect(fluid.getByRole('columnheader', { name: 'NEQ' })).toBeVisible()

  await library.getByRole('button', { name: 'Self-maintenance crowded out' }).click()
  await expect(buckets).toHaveCount(0)
})
