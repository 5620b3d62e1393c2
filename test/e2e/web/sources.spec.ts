import { readFixture } from '../../fixtures/load.ts'
import { expect, test } from '../console.ts'
import { startMetricsServer } from '../metricsServer.ts'

const mode = /LIVE|STALE|PAUSED|REPLAY|NO SOURCE/

test('a metrics address: live, stale with the last values when the server dies, live again', async ({
  consolePage: page,
}) => {
  const server = await startMetricsServer()
  await page.goto(`${new URL(page.url()).origin}/#/connection`)
  await page.getByRole('button', { name: /^Direct to kube-apiserver/ }).click()
  await page.getByRole('radio', { name: 'Metrics addresses' }).click()
  await page.getByRole('textbox', { name: /address/i }).fill(server.url)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('link', { name: /^Overview/ }).click()

  const badge = page.getByRole('banner').getByText(mode).first()
  await expect(badge).toContainText('LIVE')
  const row = page.getByRole('grid', { name: /Priority levels/ }).getByRole('row', { name: /workload-low/ })
  await expect(row).toContainText('13')

  await server.die()
  await expect(badge).toContainText('STALE')
  await expect(row).toContainText('13')
  await server.revive()
  await expect(badge).toContainText('LIVE')
  await server.die()
})

test('two servers at once: each with its own limits, a sum only where it says so', async ({ consolePage: page }) => {
  const servers = [await startMetricsServer(), await startMetricsServer()]
  await page.goto(`${new URL(page.url()).origin}/#/connection`)
  await page.getByRole('button', { name: /^Direct to kube-apiserver/ }).click()
  await page.getByRole('radio', { name: 'Metrics addresses' }).click()
  await page.getByRole('textbox', { name: /address/i }).fill(servers.map(({ url }) => url).join('\n'))
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('link', { name: /^Overview/ }).click()

  const table = page.getByRole('grid', { name: /levels/i }).first()
  const ports = servers.map(({ url }) => new URL(url).port)
  for (const port of ports) await expect(table.getByRole('columnheader', { name: new RegExp(port) })).toBeVisible()
  const row = table.getByRole('row', { name: /workload-low/ })
  await expect(row.getByText(/\/\d+/).first()).toBeVisible()
  await page.getByRole('radio', { name: 'Sum' }).click()
  await expect(page.getByText(/\bsum\b/i).first()).toBeVisible()
  await Promise.all(servers.map((server) => server.die()))
})

test('files: a metrics page opens without any cluster, anything else is named in one sentence', async ({
  consolePage: page,
}) => {
  await page.goto(`${new URL(page.url()).origin}/#/connection`)
  await page.getByRole('button', { name: /^File/ }).click()
  const chooser = page.locator('input[type=file]').first()
  await chooser.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('just some words {') })
  await expect(page.getByText(/notes\.txt/).first()).toBeVisible()

  await chooser.setInputFiles({
    name: 'metrics.txt',
    mimeType: 'text/plain',
    buffer: readFixture('captures/v1.33.13/mixed-and-lists.metrics.txt.gz'),
  })
  // What was connected before stays until the file is read.
  await expect(page.getByRole('banner').getByRole('button', { name: /metrics\.txt/ })).toBeVisible()
  await page.getByRole('link', { name: /^Overview/ }).click()
  await expect(
    page.getByRole('grid', { name: /Priority levels/ }).getByRole('row', { name: /workload-low/ }),
  ).toBeVisible()
  await expect(page.getByText('v1.33.13').first()).toBeVisible()
})
