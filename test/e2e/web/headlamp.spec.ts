import { AxeBuilder } from '@axe-core/playwright'
import { expect, test, type FrameLocator, type Page } from '@playwright/test'
import { SimulationSpecSchema } from '../../../core/contract/simulation.ts'
import { systemEnvironment } from '../../../main/ports/environment.ts'
import { startSimulatedHttpServer, type SimulatedHttpServer } from '../../../main/simulated/httpServer.ts'
import { createSimulationSource } from '../../../main/sources/simulation.ts'
import { startHeadlampHost, type HeadlampHost } from '../../harness/headlamp/serve.ts'
import { complaintsOf } from '../console.ts'

/** The console in a page that stands in for Headlamp, on a simulated API server over HTTP. */

const ended = new AbortController()
let cluster: SimulatedHttpServer
let headlamp: HeadlampHost
let locked: HeadlampHost

test.beforeAll(async () => {
  const source = createSimulationSource(SimulationSpecSchema.parse({ kind: 'simulation' }), systemEnvironment, {
    backfillSeconds: 75,
  })
  source.start(ended.signal, () => undefined)
  cluster = await startSimulatedHttpServer({ server: source.server })
  headlamp = await startHeadlampHost({ api: cluster.url })
  locked = await startHeadlampHost({
    api: cluster.url,
    refuse: (path) =>
      path === '/metrics' ? { status: 403, message: 'forbidden: User "eve" cannot get path "/metrics"' } : undefined,
  })
})
test.afterAll(async () => {
  ended.abort()
  await Promise.all([headlamp.close(), locked.close()])
  await cluster.close()
})

const consoleIn = (page: Page): FrameLocator => page.frameLocator('iframe[title="APF Console"]')

test('shows the Overview and a level, reads only, and disturbs nothing around it', async ({ page }) => {
  const complaints = complaintsOf(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${headlamp.origin}/c/prod-eu-1/apf`)
  await expect(page.getByRole('link', { name: 'Priority and Fairness' })).toBeVisible()
  const shown = consoleIn(page)
  const levels = shown.getByRole('grid', { name: /Priority levels/ })
  await expect(levels).toBeVisible()
  await expect(levels.getByText('workload-low')).toBeVisible()
  await expectAccessible(page)

  await shown.getByRole('link', { name: 'Level' }).click()
  await expect(shown.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page).toHaveURL(/\/c\/prod-eu-1\/apf\/level\/[\w-]+$/)
  await levelOf(page, 'workload-low')
  // The target of the link is missing here.
  for (const name of [/^Edit/, /^Explain/, /Connect/, /Record/])
    await expect(shown.getByRole('button', { name })).toHaveCount(0)
  await expectAccessible(page)

  // The address of the page matches the screen.
  await page.reload()
  await expect(consoleIn(page).getByRole('heading', { level: 1, name: 'workload-low' })).toBeVisible()

  expect(new Set(headlamp.asked.map((path) => path.split('?', 1)[0]))).toEqual(
    new Set([
      '/metrics',
      '/version',
      '/debug/api_priority_and_fairness/dump_priority_levels',
      '/debug/api_priority_and_fairness/dump_queues',
      '/debug/api_priority_and_fairness/dump_requests',
      '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
      '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    ]),
  )
  // No watch holds a connection of the browser.
  expect(headlamp.asked.filter((path) => path.includes('watch'))).toEqual([])
  expect(
    await page.evaluate(() => ({
      styles: document.querySelectorAll('style, link[rel=stylesheet]').length,
      theme: document.documentElement.dataset['theme'],
      font: getComputedStyle(document.body).fontFamily,
    })),
  ).toEqual({ styles: 0, theme: undefined, font: expect.not.stringContaining('Inter') })
  expect(complaints).toEqual([])
})

async function levelOf(page: Page, name: string): Promise<void> {
  const shown = consoleIn(page)
  await shown.getByRole('link', { name: 'Overview' }).click()
  await shown
    .getByRole('grid', { name: /Priority levels/ })
    .getByText(name)
    .click()
  await page.keyboard.press('Enter')
  await expect(shown.getByRole('heading', { level: 1, name })).toBeVisible()
}

test('takes the theme of Headlamp', async ({ page }) => {
  await page.goto(`${headlamp.origin}/c/prod-eu-1/apf/overview?theme=light`)
  await expect(consoleIn(page).locator('html')).toHaveAttribute('data-theme', 'light')
})

test('says in one sentence that the metrics may not be read', async ({ page }) => {
  await page.goto(`${locked.origin}/c/prod-eu-1/apf`)
  const shown = consoleIn(page)
  await expect(shown.getByRole('heading', { name: 'You may not read /metrics on prod-eu-1.' })).toBeVisible()
  await expect(
    shown.getByText('Your user may not read /metrics of prod-eu-1 (403); ask for the get permission on that path.'),
  ).toBeVisible()
})

async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)).toEqual(
    [],
  )
}
