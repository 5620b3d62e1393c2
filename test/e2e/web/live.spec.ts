import { createServer, request, type Server } from 'node:http'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, test, type Page } from '@playwright/test'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'

/*
 * Live requests in the real process: a proxy with few seats in front of a small server, and clients that send through
 * it what the screen then shows.
 */

test.describe.configure({ mode: 'serial' })

let running: RunningConsole
let page: Page
let upstream: Server
/** Where the proxy listens. */
let address = ''
const complaints: string[] = []

test.beforeAll(async ({ browser }) => {
  upstream = createServer((asked, response) => {
    setTimeout(
      () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      asked.url?.includes('slow') === true ? 400 : 5,
    )
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  running = await startConsole([])
  page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(running.address)
})
test.afterAll(async () => {
  await page.context().close()
  await running.stop()
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})
test.afterEach(() => expect(complaints).toEqual([]))

const heading = () => page.getByRole('heading', { level: 1 })
const grid = () => page.getByRole('grid', { name: 'Live requests' })
const filter = () => page.getByRole('combobox', { name: 'Filter requests' })
const goTo = (hash: string) => page.goto(`${new URL(page.url()).origin}/${hash}`)

/** Connects a source as the Connection screen does, whose form has tests of its own. */
async function connect(spec: object): Promise<void> {
  const answer = await page.evaluate(
    (call) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(`ws://${location.host}/rpc`)
        socket.addEventListener('open', () => socket.send(call))
        socket.addEventListener('message', ({ data }) => {
          socket.close()
          resolve(String(data))
        })
      }),
    JSON.stringify({ type: 'call', id: 1, name: 'sources.connect', input: { spec } }),
  )
  expect(answer).toContain('"type":"result"')
}

/** Status of the answer that a user gets through the proxy. */
const send = (user: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(new URL(path, address), { headers: { 'x-remote-user': user } }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('error', reject)
      .end()
  })

test('a proxy is connected, and the page says where to send requests', async () => {
  const { port } = upstream.address() as { port: number }
  await connect({
    kind: 'proxy',
    upstream: { kind: 'url', url: `http://127.0.0.1:${port}` },
    identity: 'headers',
    objects: 'built-in',
    maxRequestsInFlight: 60,
    maxMutatingRequestsInFlight: 0,
  })
  await goTo('#/classify/live')
  await expect(heading()).toHaveText('No request has come yet.')
  const text = await page.getByText(/^Send requests to http/).textContent()
  address = /http:\/\/127\.0\.0\.1:\d+/.exec(text ?? '')?.[0] ?? ''
  expect(address).not.toBe('')
})

test('each request appears as it comes; a filter shows some of them', async () => {
  expect(await send('alice', '/api/v1/namespaces/shop/pods')).toBe(200)
  expect(await send('system:serviceaccount:inventory:scanner', '/api/v1/pods?limit=500')).toBe(200)
  const row = grid().getByRole('row', { name: /inventory:scanner/ })
  await expect(row).toContainText('LIST pods')
  await expect(row).toContainText('200')
  await expect(grid().getByRole('row', { name: /alice/ })).toContainText('shop')
  await filter().fill('user:ali')
  await page.keyboard.press('Tab')
  await expect(filter()).toHaveValue('user:alice ')
  await expect(grid().getByRole('row')).toHaveCount(2)
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
})

test('requests wait in the proxy, and the list tells how long', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => send('bob', '/api/v1/namespaces/slow/pods')))
  expect(answers.every((status) => status === 200 || status === 429)).toBe(true)
  await filter().fill('flow:bob wait>100ms')
  await expect.poll(() => grid().getByRole('row').count()).toBeGreaterThan(3)
  await expect(page.getByRole('grid', { name: 'Flows' }).getByRole('row', { name: /bob/ })).toBeVisible()
  await grid().getByRole('row').nth(1).click()
  const details = page.getByRole('region', { name: 'LIST pods' })
  await expect(details.getByText(/held \d+ seats? of global-default after .* in queue \d+/)).toBeVisible()
  await expect(details.getByRole('img', { name: /^queue .*, execution / })).toBeVisible()
})

test('the draft runs beside on the same requests', async () => {
  await expect(page.getByRole('switch', { name: 'Shadow on the draft' })).toBeHidden()
  await page.getByRole('radio', { name: 'Engine and server' }).click()
  await expect(page.getByRole('switch', { name: 'Shadow on the draft' })).toBeDisabled()
  await expect(page.getByText(/There is no draft/)).toBeVisible()
})

test('by keyboard: the filter, a row, its details, and why this schema', async () => {
  await page.getByRole('button', { name: 'Close the request' }).click()
  await grid().getByRole('gridcell').first().focus()
  await page.keyboard.press('f')
  await expect(filter()).toBeFocused()
  await grid().getByRole('gridcell').first().focus()
  await expect(page.getByText(/the list holds still while/)).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('p')
  await expect(page.getByRole('button', { name: 'Unpin' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Unpin' })).toBeHidden()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Why this schema' }).click()
  await expect(page).toHaveURL(/#\/classify\/request/)
  await expect(page.getByRole('textbox', { name: 'User', exact: true })).toHaveValue('bob')
  await goTo('#/classify/live')
})

for (const theme of ['dark', 'light'] as const) {
  test(`${theme}: accessible, and whole at both sizes`, async () => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await expect(grid().getByRole('row').nth(1)).toBeVisible()
    for (const side of ['Traffic', 'Engine and server']) {
      await page.getByRole('radio', { name: side }).click()
      for (const size of [
        { width: 1440, height: 900 },
        { width: 1100, height: 700 },
      ]) {
        await page.setViewportSize(size)
        await page.screenshot({ path: `test-results/screens/Live-${side.slice(0, 6)}-${theme}-${size.width}.png` })
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(overflow).toBe(0)
      }
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
    }
  })
}

test('a source without single requests says so, and leads to one that has them', async () => {
  await connect({ kind: 'demo' })
  await expect(page.getByRole('heading', { name: /shows no single requests/ })).toBeVisible()
  await page.getByRole('button', { name: 'Choose another source' }).click()
  await expect(page).toHaveURL(/#\/connection/)
})
