import { createServer, type Server } from 'node:http'
import { expect, test, type Page } from '@playwright/test'
import { createDeriver } from '../../../core/frame/derive.ts'
import { levelStates } from '../../../core/frame/recent.ts'
import { readCapture } from '../../fixtures/load.ts'
import { runCommand, startCommand, type Running } from '../../harness/command.ts'
import { startConsole, type RunningConsole } from '../../harness/webConsole.ts'
import { complaintsOf } from '../console.ts'

/*
 * The command line and the screen give one answer about one source: what levels do, and who reaches a proxy.
 */

test.describe.configure({ mode: 'serial' })

let running: RunningConsole
let page: Page
/** A metrics address whose page stays the same until the test changes it, and the upstream of proxies. */
let upstream: Server
let address = ''
const pages = readCapture('captures/v1.36.3/elephants-and-mice.metrics.ndjson.gz').map(({ body }) => body)
let shown = 0
const commands: Running[] = []
let complaints: readonly string[] = []

test.beforeAll(async ({ browser }) => {
  upstream = createServer((asked, response) => {
    const body = asked.url === '/metrics' ? pages[shown] : undefined
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/plain; version=0.0.4' }).end(body)
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as { port: number }
  address = `http://127.0.0.1:${port}`
  running = await startConsole(['--metrics-url', `${address}/metrics`])
  page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  complaints = complaintsOf(page)
  await page.goto(running.address)
})
test.afterAll(async () => {
  await page.context().close()
  for (const command of commands) command.terminate()
  await Promise.all(commands.map(({ ended }) => ended))
  upstream.closeAllConnections()
  upstream.close()
  await running.stop()
})
test.afterEach(() => expect(complaints).toEqual([]))

const goTo = (hash: string) => page.goto(`${new URL(page.url()).origin}/${hash}`)
const begun = (...args: readonly string[]): Running => {
  const command = startCommand(...args)
  commands.push(command)
  return command
}

/** The text of the state column: the level’s name comes after its code in the cell before. */
async function statesOnScreen(levels: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const rows = await page
    .getByRole('grid', { name: 'Priority levels', exact: true })
    .getByRole('row')
    .evaluateAll((all) => all.map((row) => [...row.children].map(({ textContent }) => textContent)))
  const stateOf = (level: string): string => rows.find(([name]) => name?.endsWith(level) === true)?.[1] ?? 'no row'
  return Object.fromEntries(levels.map((level) => [level, stateOf(level)]))
}

const WORDS = {
  rejecting: 'rejecting',
  queueing: 'queueing',
  flowing: 'flowing',
  idle: 'idle',
  'no-limit': 'no limit',
  unknown: '–',
}

test('the states of the levels are those of the frames that watch prints', async () => {
  const command = begun('watch', '--metrics-url', `${address}/metrics`, '--json')
  let printed: Readonly<Record<string, string>> = {}
  const derive = createDeriver('')
  const read = async (): Promise<void> => {
    const { servers } = await command.nextFrame()
    const [server] = servers
    if (server !== undefined) {
      const { levels } = derive(server)
      const states = server.levels.map((level) => {
        const own = levels.find(({ name }) => name === level.name)
        return [
          level.name,
          levelStates(level, own)
            .map((state) => WORDS[state])
            .join(''),
        ] as const
      })
      printed = Object.fromEntries(states)
    }
    return read()
  }
  const reading = read().catch(() => undefined)
  const agree = async (seen: string): Promise<void> => {
    await expect.poll(() => Object.values(printed).join(' ')).toContain(seen)
    await expect
      .poll(async () => JSON.stringify(printed) === JSON.stringify(await statesOnScreen(Object.keys(printed))))
      .toBe(true)
  }
  await goTo('#/overview')
  shown = 0
  await agree('queueing')
  const before = printed
  // From one page to the last of the load: what was rejected between counts as of now.
  shown = pages.length - 1
  await agree('rejecting')
  expect(Object.keys(printed).length).toBeGreaterThan(6)
  expect(printed).not.toEqual(before)
  expect(Object.values(printed).some((states) => states.includes('queueing'))).toBe(true)
  command.terminate()
  await reading
})

/** Ports differ from proxy to proxy. */
const anyPort = (text: string): string => text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT').trim()

/** The form of a proxy in front of the small server, with the identity `headers`. */
async function fillProxy(): Promise<void> {
  await goTo('#/connection')
  await page.getByRole('button', { name: /^Live proxy/ }).click()
  await page.getByRole('radio', { name: 'Any HTTP server' }).click()
  await page.getByRole('textbox', { name: 'Address of the server' }).fill(address)
  await page.getByRole('combobox', { name: 'Identity of callers' }).selectOption('headers')
  await page.getByRole('radio', { name: 'Built-in' }).click()
  const listen = page.getByRole('textbox', { name: 'Address to listen on' })
  if (!(await listen.isVisible())) await page.getByText('Who can connect').click()
  await expect(listen).toBeVisible()
}

const ARGUMENTS = ['--identity', 'headers', '--objects', 'built-in'] as const

for (const { token, args } of [
  { token: 'None', args: [] },
  { token: 'Generated', args: ['--generate-token'] },
] as const) {
  test(`a proxy with the client token ${token} is reached as the command says`, async () => {
    const command = begun('proxy', '--upstream', address, ...ARGUMENTS, ...args)
    await expect.poll(command.output).toContain('Try it: ')
    const said = /Try it: (.+)/.exec(command.output())?.[1] ?? ''
    await fillProxy()
    await page
      .getByRole('radiogroup', { name: 'Client token' })
      .getByRole('radio', { name: token, exact: true })
      .click()
    await page.getByRole('button', { name: /^(Start|Restart) the proxy/ }).click()
    const place = page.getByRole('region', { name: 'Address for clients' })
    await expect(place).toContainText(token === 'None' ? 'X-Remote-User' : 'Bearer')
    expect(anyPort(await place.locator('pre').innerText())).toBe(anyPort(said))
    command.terminate()
  })
}

test('what the command refuses of who can connect, the form refuses with the same sentence', async () => {
  const { code, told } = await runCommand('proxy', '--upstream', address, ...ARGUMENTS, '--listen', '0.0.0.0:0')
  expect(code).not.toBe(0)
  const sentence = /(Other than on loopback.+?) \(--tls/.exec(told)?.[1] ?? 'no sentence'
  await fillProxy()
  await page.getByRole('textbox', { name: 'Address to listen on' }).fill('0.0.0.0')
  await expect(page.getByText(sentence, { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: /the proxy$/ })).toBeDisabled()
})
