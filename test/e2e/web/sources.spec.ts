import { zstdCompressSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { readFixture } from '../../fixtures/load.ts'
import { expect, test } from '../console.ts'
import { expectFine } from '../looks.ts'
import { refuse, startFakePrometheus } from '../../harness/fakePrometheus.ts'
import { metricsPage } from '../../harness/hostileServer.ts'
import { startMetricsServer } from '../metricsServer.ts'

const mode = /LIVE|STALE|PAUSED|REPLAY|NO SOURCE/

/** Overview and Level as they are now: accessible, and nothing sideways, at every size. */
async function expectWhole(page: Page): Promise<void> {
  for (const hash of ['overview', 'level/workload-low', 'allocation', 'live']) {
    await page.evaluate((to) => {
      location.hash = `#/${to}`
    }, hash)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    await expectFine(page, ['dark'])
  }
  await page.evaluate(() => {
    location.hash = '#/overview'
  })
}

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

  await expectWhole(page)
  await server.die()
  await expect(badge).toContainText('STALE')
  await expect(row).toContainText('13')
  // Nothing keeps the colour of a level: the pattern of a swatch is none of the tokens that a stale screen changes.
  const fills = await page
    .locator('main [class*=legend] rect')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).fill))
  expect(fills.filter((fill) => fill.includes('url'))).toEqual([])
  await expectWhole(page)
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

test('a Prometheus: a cluster is found and chosen, and what it has and hides is said', async ({
  consolePage: page,
}) => {
  const began = Date.now() - 120_000
  const targets = ['prod', 'staging'].map((cluster) => ({
    labels: { job: 'apiserver', instance: '10.0.0.1:6443', cluster },
    intervalMs: 2_000,
    page: (at: number) => (at < began ? undefined : metricsPage({ step: Math.round(at / 1_000) % 100_000 })),
  }))
  const prometheus = await startFakePrometheus(Date.now, () => targets)
  await page.goto(`${new URL(page.url()).origin}/#/connection`)
  // The form is that of the connected source, so it is reset once that has loaded. Its servers died with the test before.
  await page.getByRole('heading', { name: /^(Connected to|Cannot read) / }).waitFor()
  await page.getByRole('button', { name: /^Prometheus/ }).click()
  await page.getByRole('textbox', { name: 'Address' }).fill(prometheus.url('/'))
  await page.getByRole('button', { name: 'Find servers' }).click()
  await page.getByRole('combobox', { name: 'Cluster', exact: true }).selectOption('prod')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()

  const badge = page.getByRole('banner').getByText(mode).first()
  await expect(badge).toContainText('LIVE')
  const row = page.getByRole('grid', { name: /Priority levels/ }).getByRole('row', { name: /workload-low/ })
  await expect(row).toContainText('20')

  await page.getByRole('link', { name: /^Connection/ }).click()
  await expect(page.getByText(/^Prometheus has no scrape between .*; the history begins then\./)).toBeVisible()
  await expect(page.getByText(/scrapes this server every 2 s\. Seats and queues are those at the scrape/)).toBeVisible()
  // The page may write to the clipboard and not read it.
  await page.evaluate(() => {
    const write = navigator.clipboard.writeText.bind(navigator.clipboard)
    navigator.clipboard.writeText = (text) => {
      document.documentElement.dataset['copied'] = text
      return write(text)
    }
  })
  const clipboard = (): Promise<string> => page.evaluate(() => document.documentElement.dataset['copied'] ?? '')
  await page.getByRole('button', { name: 'Copy recording rules' }).click()
  await expect.poll(clipboard).toMatch(/^groups:\n {2}- name: apf-console\n {4}interval: 2s\n/)

  await page.getByRole('link', { name: /^Overview/ }).click()
  for (const [button, entry, measured] of [
    ['Export Priority levels', 'Copy Limit as PromQL', 'current_limit_seats'],
    ['Export Seat ledger', 'Copy as PromQL', 'nominal_limit_seats'],
  ] as const) {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('menuitem', { name: entry, exact: true }).click()
    await expect.poll(clipboard).toContain(`${measured}{cluster="prod",instance="10.0.0.1:6443"`)
  }
  prometheus.fail((_, response) => refuse(response, 503, 'Service Unavailable'))
  await expect(badge).toContainText('STALE')
  await expect(row).toContainText('20')
  await page.getByRole('link', { name: /^Connection/ }).click()
  await expect(page.getByText(/is not ready \(503\), as after a restart/).first()).toBeVisible()
  await prometheus.close()
})

test('files: a packed metrics page opens without any cluster, anything else is named in one sentence', async ({
  consolePage: page,
}) => {
  await page.goto(`${new URL(page.url()).origin}/#/connection`)
  await page.getByRole('button', { name: /^File/ }).click()
  const chooser = page.locator('input[type=file]').first()
  await chooser.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('just some words {') })
  await expect(page.getByText(/notes\.txt/).first()).toBeVisible()

  await chooser.setInputFiles({
    name: 'metrics.txt.zst',
    mimeType: 'application/zstd',
    buffer: zstdCompressSync(readFixture('captures/v1.33.13/mixed-and-lists.metrics.txt.gz')),
  })
  // What was connected before stays until the file is read.
  await expect(page.getByRole('banner').getByRole('button', { name: /metrics\.txt/ })).toBeVisible()
  await page.getByRole('link', { name: /^Overview/ }).click()
  await expect(
    page.getByRole('grid', { name: /Priority levels/ }).getByRole('row', { name: /workload-low/ }),
  ).toBeVisible()
  await expect(page.getByText('v1.33.13').first()).toBeVisible()
  await expectWhole(page)
})

test('a file dropped on the window opens; its levels have one state wherever it stands', async ({
  consolePage: page,
}) => {
  const content = readFixture('captures/v1.33.13/mixed-and-lists.metrics.txt.gz').toString()
  const dataTransfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer()
    data.items.add(new File([text], 'dropped.txt', { type: 'text/plain' }))
    return data
  }, content)
  // A browser repeats the event while files are held over the page; what opens them is loaded after the first screen.
  await expect(async () => {
    await page.dispatchEvent('body', 'dragover', { dataTransfer })
    await expect(page.getByText('Drop to open')).toBeVisible({ timeout: 350 })
  }).toPass()
  await page.dispatchEvent('body', 'drop', { dataTransfer })
  await expect(page.getByText('Drop to open')).toBeHidden()
  await expect(page.getByRole('banner').getByRole('button', { name: /dropped\.txt/ })).toBeVisible()
  await page.getByRole('link', { name: /^Overview/ }).click()

  const rows = page.getByRole('grid', { name: 'Priority levels', exact: true }).getByRole('row')
  const roster = page.getByRole('navigation', { name: 'Screens and priority levels' })
  await expect(rows.nth(8)).toBeVisible()
  // The name comes after its code of two letters.
  const states = new Map(
    await rows.evaluateAll((all) =>
      all.slice(1).map((row) => [row.children[0]?.textContent.slice(2) ?? '', row.children[1]?.textContent ?? '']),
    ),
  )
  const headline = await page.getByRole('heading', { level: 1 }).innerText()
  const inTrouble = [...states].filter(([, state]) => /queueing|rejecting/.test(state))
  expect(inTrouble.length).toBeGreaterThan(0)
  expect(inTrouble.some(([name]) => headline.includes(name))).toBe(true)
  for (const [name, state] of states) {
    const trouble = /rejecting|queueing/.exec(state)?.[0]
    const entry = roster.getByRole('link', { name: new RegExp(name) })
    if (trouble === undefined) await expect(entry).not.toContainText(/rejecting|queueing/)
    else await expect(entry).toContainText(trouble)
  }
  const [name, state] = inTrouble[0] ?? ['', '']
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill(name)
  await expect(page.getByRole('option', { name: new RegExp(name) }).first()).toContainText(
    new RegExp(/rejecting|queueing/.exec(state)?.[0] ?? ''),
  )
  await page.keyboard.press('Escape')
  await roster.getByRole('link', { name: new RegExp(name) }).click()
  await expect(page.locator('main header').first()).toContainText(
    new RegExp(/rejecting|queueing/.exec(state)?.[0] ?? ''),
  )
})
