import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium, type BrowserContext, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ensureBuilt } from '../../main/bootstrap/build.mjs'
import { SECRET_KEY } from '../../core/contract/webSession.ts'
import { CHROMIUM_ARGS, chromiumPath, launchChromium } from '../harness/chromium.ts'
import { ask, enter, openSocket } from '../harness/http.ts'
import { webWorld } from '../harness/web.ts'
import { addressIn, runConsole, startConsole, type RunningConsole } from '../harness/webConsole.ts'

/*
 * Web mode on a machine with other users and other local servers (docs/security.md).
 */
const isRoot = process.getuid?.() === 0
const NOBODY = { uid: 65_534, gid: 65_534, cwd: '/' }

let folder: string
let running: RunningConsole | undefined
beforeAll(async () => {
  await ensureBuilt()
  folder = mkdtempSync(path.join(tmpdir(), 'apf-session-'))
})
afterEach(async () => {
  await running?.stop()
  running = undefined
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const shown = (page: Page): Promise<void> => page.getByRole('link', { name: /^Overview/ }).waitFor()

/** A browser whose profile outlives it. */
async function browserOf(profile: string): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
  const file = chromiumPath()
  const context = await chromium.launchPersistentContext(path.join(folder, profile), {
    args: CHROMIUM_ARGS,
    ...(file === undefined ? {} : { executablePath: file }),
  })
  return { context, page: context.pages()[0] ?? (await context.newPage()) }
}

describe('another user of the machine', () => {
  test.skipIf(!isRoot || !existsSync('/proc/self/cmdline'))(
    'finds no address in the list of processes, and cannot read its file (needs root, for the other user, and /proc)',
    async () => {
      // Stays, as a browser does, so that its arguments can be read.
      const opener = path.join(folder, 'xdg-open')
      const opened = path.join(folder, 'opened')
      writeFileSync(
        opener,
        `#!/bin/sh\necho $$ "$@" > ${opened}\nwhile [ -d /proc/${process.pid} ]; do sleep 1; done\n`,
      )
      chmodSync(opener, 0o755)
      // Ends with the tests, also where they are killed.
      const look = `while [ -d /proc/${process.pid} ]; do `.concat(
        "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -a -e 'token[=]' -e 'apf-[c]onsole-'; done",
      )
      const scan = spawn('/bin/sh', ['-c', look], { ...NOBODY, stdio: ['ignore', 'pipe', 'ignore'], detached: true })
      onTestFinished(() => void process.kill(-(scan.pid ?? 0)))
      let seen = ''
      scan.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()))

      running = await runConsole(['main/bootstrap/start.mjs', '--web', '--demo'], {
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        BROWSER: '',
      })
      const { address, file } = running
      await vi.waitFor(() => expect(readFileSync(opened, 'utf8')).toMatch(/^\d+ \S+\n$/), { timeout: 20_000 })
      const [pid, argument] = readFileSync(opened, 'utf8').trim().split(' ')
      onTestFinished(() => void process.kill(Number(pid)))
      expect(argument).toBe(file)
      // The scan does see the arguments of the browser.
      await vi.waitFor(() => expect(seen).toContain(file), { timeout: 20_000 })
      for (const program of ['cat', 'ls', 'cp']) {
        const target = program === 'ls' ? path.dirname(file) : file
        const { status, stdout } = spawnSync(
          program,
          [target, ...(program === 'cp' ? ['/tmp/apf-stolen'] : [])],
          NOBODY,
        )
        expect({ program, failed: status !== 0, out: stdout.toString() }).toEqual({ program, failed: true, out: '' })
      }
      expect((await enter(address)).secret).toMatch(/^[\w-]{32}$/)
      await vi.waitFor(() => expect(existsSync(file)).toBe(false))
      const token = new URL(address).searchParams.get('token') ?? ''
      expect(seen).not.toContain(token)
      expect(running.printed()).not.toContain(token)
    },
  )

  test('every address is used by who reads its file first, and by nobody after', async () => {
    running = await startConsole()
    for (const address of [running.address, await running.newAddress()]) {
      const [first, second] = await Promise.all([enter(address), enter(address)])
      expect([first.secret, second.secret].filter((secret) => secret !== '')).toHaveLength(1)
    }
  })

  test('the file goes when the console ends', async () => {
    running = await startConsole()
    const { file } = running
    expect(addressIn(file)).toBe(running.address)
    await running.stop()
    expect(existsSync(file)).toBe(false)
  })
})

test.skipIf(process.platform !== 'linux')(
  'the address is printed on a terminal, and another one on Enter (needs script(1) of Linux)',
  async () => {
    const state = mkdtempSync(path.join(folder, 'terminal-'))
    const child = spawn('script', ['-qfec', `"${process.execPath}" out/main/cli.js web --demo`, '/dev/null'], {
      env: { ...process.env, APF_CONSOLE_STATE: state },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    const addresses = () => [...new Set(printed.match(/http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/g))]
    await vi.waitFor(() => expect(addresses()).toHaveLength(1), { timeout: 30_000 })
    await vi.waitFor(() => expect(printed).toContain('press Enter'))
    child.stdin.write('\n')
    await vi.waitFor(() => expect(addresses()).toHaveLength(2), { timeout: 30_000 })
    expect(printed).not.toContain('Address file')
    for (const address of addresses()) expect((await enter(address)).secret).not.toBe('')
    child.stdin.write('\u0003')
    await ended
  },
)

test('a local server that is given the cookie gets neither the socket nor the secret', async () => {
  const world = await webWorld()
  const browser = await launchChromium()
  const stolen: string[] = []
  const thief = createServer((request, response) => {
    stolen.push(request.headers.cookie ?? '')
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>thief</title>')
  })
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve))
  const bound = thief.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  try {
    const page = await (await browser.newContext()).newPage()
    const address = world.server.newAddress().url
    await page.goto(address)
    await page.waitForURL(`${world.origin}/`)
    const secret = await page.evaluate((key) => localStorage.getItem(key), SECRET_KEY)
    expect(secret).toMatch(/^[\w-]{32}$/)
    // What the page holds: no token in its address or history, no secret in cookies, no cookie for scripts.
    expect(page.url()).toBe(`${world.origin}/`)
    expect(await page.evaluate(() => document.cookie)).toBe('')
    const cookies = await page.context().cookies()
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }])
    expect(cookies.map(({ value }) => value)).not.toContain(secret)
    await page.goBack()
    expect(page.url()).not.toContain('token')

    // The owner follows a link to another local server, which browsers send the cookie.
    await page.goto(`http://127.0.0.1:${port}/`)
    const cookie = stolen.find((one) => one.includes('apf-console-')) ?? ''
    expect(cookie).toMatch(/^apf-console-\d+=[\w-]{32}$/)

    // With the cookie and any header it likes.
    const { origin } = world
    expect(await openSocket(origin, { origin, cookie })).toBe(401)
    for (const guess of ['x', cookie.split('=')[1] ?? '']) {
      expect(await openSocket(origin, { origin, cookie }, { secret: guess })).toBe(401)
    }
    for (const question of ['/', '/index.html', '/session', '/?token=x', new URL(address).search]) {
      const { body, headers } = await ask(origin, {
        path: question.startsWith('/') ? question : `/${question}`,
        headers: { cookie },
      })
      expect(body + JSON.stringify(headers)).not.toContain(secret)
    }
    // In the owner's browser, as a page of its own port.
    const attempts = await page.evaluate(
      async ([target = '', key = '']) => ({
        read: await fetch(target, { credentials: 'include' }).then(
          (answer) => answer.text(),
          () => 'refused',
        ),
        blind: await fetch(target, { credentials: 'include', mode: 'no-cors' }).then(
          (answer) => answer.text(),
          () => 'refused',
        ),
        stored: localStorage.getItem(key),
        socket: await new Promise((resolve) => {
          const socket = new WebSocket(`${target.replace('http', 'ws')}/rpc`, ['apf-console', 'x'])
          socket.addEventListener('open', () => resolve('open'))
          socket.addEventListener('error', () => resolve('refused'))
        }),
      }),
      [origin, SECRET_KEY],
    )
    expect(attempts).toEqual({ read: 'refused', blind: 'refused', stored: null, socket: 'refused' })
    // The owner is not disturbed.
    await page.goto(origin)
    expect(await page.title()).toBe('t')
    expect((await openSocket(origin, { origin, cookie }, { secret: secret ?? '' })) instanceof Object).toBe(true)
  } finally {
    await browser.close()
    thief.close()
    await world.close()
  }
})

describe('the owner', () => {
  test('closes the browser and opens it again, and opens a second tab', async () => {
    running = await startConsole()
    const first = await browserOf('reopened')
    await first.page.goto(running.address)
    await shown(first.page)
    const { origin } = new URL(running.address)
    expect(first.page.url().startsWith(`${origin}/`)).toBe(true)
    expect(first.page.url()).not.toContain('token')
    const secret = (await first.page.evaluate((key) => localStorage.getItem(key), SECRET_KEY)) ?? ''
    await first.context.close()
    const second = await browserOf('reopened')
    await second.page.goto(origin)
    await shown(second.page)
    const tab = await second.context.newPage()
    await tab.goto(origin)
    await shown(tab)
    await second.context.close()
    expect(secret).toMatch(/^[\w-]{32}$/)
    expect(running.printed()).not.toContain(secret)
  })

  test('is told what to do without a session, and gets in by a new address', async () => {
    running = await startConsole()
    const { origin } = new URL(running.address)
    const { context, page } = await browserOf('locked-out')
    const locked = page.getByRole('heading', { name: 'This browser has no session' })
    await page.goto(origin)
    await locked.waitFor()
    await expect(page.locator('main').innerText()).resolves.toMatch(/To get a new address, run kill -USR2 \d+\./)
    // The file itself, as a browser opens it that is given its path.
    await page.goto(`file://${running.file}`)
    await shown(page)
    // The cookie alone shows the page, which finds no secret and reports that.
    await page.evaluate(() => localStorage.clear())
    await page.goto(origin)
    await locked.waitFor()
    await page.goto(await running.newAddress())
    await shown(page)
    // A secret of an earlier run.
    await page.evaluate((key) => localStorage.setItem(key, 'old'), SECRET_KEY)
    await page.goto(`${origin}/?`)
    await locked.waitFor()
    await context.clearCookies()
    await page.goto(origin)
    await locked.waitFor()
    await page.goto(await running.newAddress())
    await shown(page)
    await context.close()
  })
})
