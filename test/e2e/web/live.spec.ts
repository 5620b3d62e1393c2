import { createServer, request, type ClientRequest, type Server } from 'node:http'
import path from 'node:path'
import { expect, test, type Page } from '@playwright/test'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf, LONG } from '../console.ts'
import { expectFine } from '../looks.ts'

/*
 * Live requests in the real process, from the form of the Connection screen on: a proxy with few seats in front of a
 * small server, clients that send through it what the screen then shows, and logs of a real server.
 */

test.describe.configure({ mode: 'serial' })

let running: RunningConsole
let page: Page
let upstream: Server
/** Where the proxy listens. */
let address = ''
let complaints: string[] = []

test.beforeAll(async ({ browser }) => {
  upstream = createServer((asked, response) => {
    // Stuck requests are never answered: they stay where they are until they disconnect.
    if (asked.url?.includes('stuck') === true) return
    setTimeout(
      () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      asked.url?.includes('slow') === true ? 400 : 5,
    )
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  running = await startConsole([])
  page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  complaints = complaintsOf(page)
  await page.goto(running.address)
})
test.afterAll(async () => {
  await page.context().close()
  // Both ended within the tests, unless one of these failed.
  upstream.closeAllConnections()
  upstream.close()
  await running.stop()
})
test.afterEach(() => expect(complaints).toEqual([]))

const heading = () => page.getByRole('heading', { level: 1 })
const grid = () => page.getByRole('grid', { name: 'Live requests' })
const filter = () => page.getByRole('combobox', { name: 'Filter requests' })
/** The connected source, as the top bar shows it. */
const source = (name: RegExp) => page.getByRole('banner').getByRole('button', { name })
const goTo = (hash: string) => page.goto(`${new URL(page.url()).origin}/${hash}`)

/** Chooses a kind of source on the Connection screen, as its reader does. */
async function choose(kind: string): Promise<void> {
  await goTo('#/connection')
  await page.getByRole('button', { name: new RegExp(`^${kind}`) }).click()
}

/** The page of live requests, by the sidebar. */
async function openLive(): Promise<void> {
  await page.getByRole('link', { name: 'Live requests' }).click()
}

/** A request through the proxy whose response is not read. */
function open(user: string, target: string): ClientRequest {
  const asked = request(new URL(target, address), { headers: { 'x-remote-user': user } }, (response) => {
    response.resume()
  })
  return asked.on('error', () => {}).end()
}

/** Status of the answer that a user gets through the proxy. */
const send = (user: string, target: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(new URL(target, address), { headers: { 'x-remote-user': user } }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('error', reject)
      .end()
  })

test('a proxy is started by the form, and the page says where to send requests', async () => {
  const { port } = upstream.address() as { port: number }
  await choose('Live proxy')
  await page.getByRole('radio', { name: 'Any HTTP server' }).click()
  await page.getByRole('textbox', { name: 'Address of the server' }).fill(`http://127.0.0.1:${port}`)
  await page.getByRole('combobox', { name: 'Identity of callers' }).selectOption('headers')
  await page.getByRole('radio', { name: 'Built-in' }).click()
  await page.getByRole('textbox', { name: 'Requests in flight', exact: true }).fill('60')
  await page.getByRole('textbox', { name: 'Mutating requests in flight' }).fill('0')
  await page.getByRole('radio', { name: 'Enforce' }).click()
  await page.getByRole('button', { name: 'Start the proxy' }).click()
  const place = page.getByRole('region', { name: 'Address for clients' })
  address = /http:\/\/127\.0\.0\.1:\d+/.exec((await place.textContent()) ?? '')?.[0] ?? ''
  expect(address).not.toBe('')
  await openLive()
  await expect(heading()).toHaveText('No requests yet.')
  await expect(page.getByText(`Send requests to ${address}; they appear here as they arrive.`)).toBeVisible()
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

test('rejections appear as they happen, with what their reason means', async () => {
  await page.getByRole('button', { name: 'Close the request' }).click()
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  // Many more than its seats and the six queues of the flow’s hand hold; the waiting ones then disconnect.
  const flood: ClientRequest[] = []
  const waiting = page.getByRole('listbox', { name: /requests wait in \d+ of \d+ queues of global-default/ })
  await expect(async () => {
    // They wait for a quarter of a minute; on a busy machine the lists may stand still for longer.
    for (let i = 0; i < 400; i++) flood.push(open('carol', '/api/v1/namespaces/stuck/pods'))
    // The lists above grow, and what is out of sight is not drawn.
    await page.getByRole('region', { name: 'Queues' }).scrollIntoViewIfNeeded()
    await expect(waiting).toBeVisible({ timeout: 5_000 })
  }).toPass(LONG)
  const rejected = page.getByRole('grid', { name: 'Rejections as they happen' })
  await expect(rejected.getByRole('row', { name: /carol queue-full/ }).first()).toBeVisible()
  await expect(page.getByText(/The shortest queue of the flow’s hand was full/)).toBeVisible()
  // Those that wait for too long, or that disconnect, are in the same list.
  await rejected
    .getByRole('row', { name: /carol queue-full/ })
    .nth(1)
    .click()
  await expect(page.getByText(/Flow carol of global-default was rejected at global-default at once/)).toBeVisible()
  for (const one of flood) one.destroy()
  await filter().fill('user:carol reason:queue-full')
  await expect(grid().getByRole('row').nth(1)).toContainText('429')
})

test('a saved filter is chosen again in the palette', async () => {
  await filter().fill('flow:bob wait>100ms')
  await page.getByRole('button', { name: 'Save filter' }).click()
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await goTo('#/overview')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('=bob')
  await page.getByRole('option', { name: /flow:bob wait>100ms/ }).click()
  await expect(filter()).toHaveValue('flow:bob wait>100ms')
  await expect(grid().getByRole('row').nth(1)).toContainText('bob')
})

test('the down arrow lists what can be asked', async () => {
  await filter().fill('')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('option', { name: /^wait>/ })).toContainText('time in its queue')
  await page.keyboard.press('Enter')
  await expect(filter()).toHaveValue('level:')
  await page.keyboard.press('Escape')
  await filter().fill('flow:bob wait>100ms')
  await grid().getByRole('row').nth(1).click()
})

test('pause holds everything still, and going on shows what came', async () => {
  await filter().fill('user:dave')
  await filter().blur()
  await page.keyboard.press('Space')
  await expect(page.getByText('0 newer above; paused')).toBeVisible()
  expect(await send('dave', '/api/v1/namespaces/shop/pods')).toBe(200)
  await expect(page.getByText('1 newer above; paused')).toBeVisible()
  await expect(grid().getByRole('row')).toHaveCount(1)
  await page.keyboard.press('l')
  await expect(grid().getByRole('row', { name: /dave/ })).toBeVisible()
  await filter().fill('flow:bob wait>100ms')
})

test('the draft runs beside on the same requests', async () => {
  await expect(page.getByRole('switch', { name: 'Run the draft beside' })).toBeHidden()
  await page.getByRole('radio', { name: 'Engine and server' }).click()
  await expect(page.getByRole('switch', { name: 'Run the draft beside' })).toBeDisabled()
  await expect(page.getByText(/There is no draft/)).toBeVisible()
})

test('the proxy lets requests pass, and holds them back again, after a question', async () => {
  const answered = async (): Promise<ReadonlySet<number>> =>
    new Set(await Promise.all(Array.from({ length: 900 }, () => send('dave', '/api/v1/namespaces/slow/pods'))))
  await page.getByRole('radio', { name: 'Observe', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('radio', { name: 'Enforce' })).toBeChecked()

  await page.getByRole('radio', { name: 'Observe', exact: true }).click()
  await page.getByRole('button', { name: 'Switch editing on and observe' }).click()
  await expect(page.getByRole('radio', { name: 'Observe', exact: true })).toBeChecked()
  expect([...(await answered())]).toEqual([200])
  await filter().fill('flow:dave state:rejected')
  await expect(
    grid()
      .getByRole('row', { name: /rejected/ })
      .first(),
  ).toContainText('200')

  await page.getByRole('radio', { name: 'Enforce' }).click()
  await page.getByRole('button', { name: 'Enforce', exact: true }).click()
  await expect(page.getByRole('radio', { name: 'Enforce' })).toBeChecked()
  expect(await answered()).toContain(429)
  await filter().fill('flow:bob wait>100ms')
})

test('by keyboard: the filter, a row, its details, and why this schema', async () => {
  await page.getByRole('button', { name: 'Close the request' }).click()
  await grid().getByRole('gridcell').first().focus()
  await page.keyboard.press('f')
  await expect(filter()).toBeFocused()
  await grid().getByRole('gridcell').first().focus()
  const foot = page.getByText(/the list holds still while/)
  await expect(foot).toBeVisible()
  expect(await foot.evaluate((line) => line.scrollWidth - line.clientWidth)).toBeLessThanOrEqual(0)
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
  await goTo('#/live')
})

test('accessible, and whole at every size in both themes', async () => {
  await expect(grid().getByRole('row').nth(1)).toBeVisible()
  for (const side of ['Traffic', 'Engine and server']) {
    await page.getByRole('radio', { name: side }).click()
    await expectFine(page)
  }
})

test('a server that dies is told, and what was there stays', async () => {
  await page.setViewportSize({ width: 1440, height: 900 })
  // Off the list, which holds still under the pointer.
  await page.mouse.move(700, 5)
  await filter().fill('')
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
  expect(await send('erin', '/api/v1/namespaces/shop/pods')).toBe(502)
  await expect(heading()).toHaveText('The server behind the proxy does not respond.')
  await expect(page.getByText(/The server did not respond to 1 request in the last 10 s/)).toBeVisible()
  await expect(grid().getByRole('row', { name: /erin/ })).toContainText('failed')
  await filter().fill('user:alice')
  await expect(grid().getByRole('row', { name: /alice/ }).first()).toContainText('200')
  await filter().fill('')
})

test('a request log is read by the form; all of it is counted, with what the server said', async () => {
  await choose('Audit or log feed')
  await page.getByRole('radio', { name: '-v=3 log' }).click()
  await page
    .getByRole('textbox', { name: 'Path of the file on this machine' })
    .fill(path.resolve('test/fixtures/feeds/joint.httplog.txt.gz'))
  await page.getByRole('radio', { name: 'Read it once' }).click()
  await page.getByRole('radio', { name: 'Built-in' }).click()
  await page.getByRole('button', { name: 'Start the feed' }).click()
  await expect(source(/^request log/)).toBeVisible()
  await openLive()
  await expect(heading()).toHaveText(/^2.618 requests are read. Server and engine agree on \d\d/)
  await page.getByRole('region', { name: 'Where they differ' }).getByRole('button', { name: 'Show them' }).click()
  await expect(heading()).toHaveText(/^\d+ of 2.618 requests match this filter/)
  await filter().fill('')
})

test('an audit log, which names no level, agrees with nothing', async () => {
  await choose('Audit or log feed')
  await page.getByRole('radio', { name: 'Audit log' }).click()
  await page
    .getByRole('textbox', { name: 'Path of the file on this machine' })
    .fill(path.resolve('test/fixtures/feeds/audit.jsonl.gz'))
  await page.getByRole('textbox', { name: 'Requests in flight', exact: true }).fill('20')
  await page.getByRole('textbox', { name: 'Mutating requests in flight' }).fill('10')
  await page.getByRole('button', { name: /[Ss]tart the feed/ }).click()
  await expect(source(/^audit log/)).toBeVisible()
  await openLive()
  await expect(heading()).toHaveText('4\u202f975 requests are read.')
  await expect(page.getByText(/The server reported neither the level nor the width of these requests/)).toBeVisible()
  await page.getByRole('radio', { name: 'Traffic' }).click()
  await expect(page.getByRole('radio', { name: 'all' })).toBeChecked()
  await expect(page.getByRole('region', { name: 'Rejections' })).toContainText('queue-full')
})

test('a source without single requests says so, and leads to one that has them', async () => {
  await choose('Recorded demo')
  await page.getByRole('button', { name: 'Play the recording' }).click()
  await expect(source(/^Demo/)).toBeVisible()
  await openLive()
  await expect(page.getByRole('heading', { name: 'This source does not report individual requests.' })).toBeVisible()
  await page.getByRole('button', { name: 'Choose another source' }).click()
  await expect(page).toHaveURL(/#\/connection/)
})

test('when the console itself goes, what was heard last stays and is marked', async () => {
  await choose('Audit or log feed')
  await page.getByRole('radio', { name: '-v=3 log' }).click()
  await page
    .getByRole('textbox', { name: 'Path of the file on this machine' })
    .fill(path.resolve('test/fixtures/feeds/joint.httplog.txt.gz'))
  await page.getByRole('radio', { name: 'Built-in' }).click()
  await page.getByRole('button', { name: /[Ss]tart the feed/ }).click()
  await expect(source(/^request log/)).toBeVisible()
  await openLive()
  await expect(grid().getByRole('row').nth(1)).toBeVisible()
  await running.stop()
  await expect(heading()).toHaveText('The console does not respond.')
  await expect(page.getByText(/The last requests received are shown below/)).toBeVisible()
  await expect(grid().getByRole('row').nth(1)).toBeVisible()
  // The browser reports every attempt to reconnect.
  complaints.splice(0)
})
