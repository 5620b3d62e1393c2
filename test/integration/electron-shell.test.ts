import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { DESKTOP_BRIDGE } from '../../core/contract/desktop.ts'
import type { DesktopBridge } from '../../core/contract/desktop.ts'
import * as harness from '../harness/electron-chromium.ts'

// The built application gets Chromium where it imports Electron.
registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier === 'electron' ? new URL('../harness/electron-chromium.ts', import.meta.url).href : specifier,
      context,
    ),
})

declare global {
  interface Window {
    readonly [DESKTOP_BRIDGE]?: DesktopBridge
  }
}

const out = path.resolve(import.meta.dirname, '..', '..', 'out')
const preload = path.join(out, 'preload', 'index.cjs')
let page: Page

beforeAll(async () => {
  if (!existsSync(preload)) throw new Error('The application is not built: run `npm run build`.')
  await import(pathToFileURL(path.join(out, 'main', 'index.js')).href)
  const window = await vi.waitUntil(() => harness.seen.windows[0], 20_000)
  page = await window.ready
})
afterAll(() => harness.closeHarness())

/** Shakes hands through the real preload script as the page does, and makes one call by hand. */
const callByHand = (where: Page, call: string): Promise<string> =>
  where.evaluate(
    (text) =>
      new Promise<string>((resolve) => {
        window.addEventListener('message', ({ data, ports: [port] }) => {
          if (data !== 'by hand' || port === undefined) return
          port.addEventListener('message', (answer) => resolve(String(answer.data)))
          port.addEventListener('close', () => resolve('closed'))
          port.start()
          port.postMessage(text, [])
        })
        window.apfDesktop?.connect('by hand')
        setTimeout(() => resolve('silence'), 2_000)
      }),
    call,
  )
/**
 * The answer to a call. A page has one line: its own client, which reconnects by itself, may close the one by hand
 * before the answer arrives.
 */
const answerByHand = (where: Page, call: string): Promise<unknown> =>
  vi.waitFor(async (): Promise<unknown> => {
    const answer = await callByHand(where, call)
    expect(answer).not.toBe('closed')
    return JSON.parse(answer)
  })
const INFO = '{"type":"call","id":1,"name":"app.info","input":null}'

test('the page is drawn, from the real build, under its own policy and without a complaint', async () => {
  await vi.waitFor(async () => expect(await page.locator('#root > *').count()).toBeGreaterThan(0), 10_000)
  expect(await page.title()).toContain('APF')
  expect(harness.seen.complaints).toEqual([])
  expect(harness.seen.windows[0]?.isShown).toBe(true)
})

test('the page is live: the demo plays on it, through its own client', async () => {
  await vi.waitFor(async () => expect(await page.getByText('workload-low').count()).toBeGreaterThan(0), 10_000)
})

test('dialogs that add styles of their own do so with the nonce of the page', async () => {
  for (const command of ['open-palette', 'choose-source', 'show-shortcuts']) {
    harness.choose(command)
    await vi.waitFor(async () =>
      expect(await page.locator('[role=dialog], [role=menu], [role=listbox]').count()).toBeGreaterThan(0),
    )
    await page.keyboard.press('Escape')
    await vi.waitFor(async () => expect(await page.locator('[role=dialog]').count()).toBe(0))
  }
  expect(harness.seen.complaints).toEqual([])
})

test('the workspace answers over the port', async () => {
  expect(await answerByHand(page, INFO)).toMatchObject({
    type: 'result',
    output: { mode: 'desktop', version: '0.0.0-harness' },
  })
})

/** The status of an answer to the page's own fetch. */
const status = (url: string, method = 'GET'): Promise<number> =>
  page.evaluate(async ([to = '', how = '']) => (await fetch(to, { method: how })).status, [url, method])

test('files outside the build, other methods and other hosts have no answer', async () => {
  expect(await status('/index.html')).toBe(200)
  expect(await status('/../package.json')).toBe(404)
  expect(await status('/%2e%2e/preload/index.cjs')).toBe(404)
  expect(await status('/__proto__')).toBe(404)
  expect(await status('/', 'POST')).toBe(405)
})

test('the policy holds against what a page could be tricked into', async () => {
  const violated = await page.evaluate(async () => {
    const directives: string[] = []
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
      directives.push(effectiveDirective),
    )
    const script = document.createElement('script')
    script.textContent = 'window.injected = true'
    const style = document.createElement('style')
    style.textContent = 'body { display: none }'
    const frame = document.createElement('iframe')
    frame.src = 'https://evil.test/'
    const image = document.createElement('img')
    image.src = 'https://evil.test/?stolen'
    document.body.append(script, style, frame, image)
    await fetch('https://evil.test/').catch(() => undefined)
    // The browser reports the frame once it would load it, which takes longer on a busy machine.
    for (let waits = 0; waits === 0 || (waits < 100 && directives.length < 5); waits++) {
      await new Promise((resolve) => void setTimeout(resolve, 200))
    }
    for (const element of [script, style, frame, image]) element.remove()
    return { directives: directives.toSorted(), injected: 'injected' in window }
  })
  expect(violated).toEqual({
    directives: ['connect-src', 'frame-src', 'img-src', 'script-src-elem', 'style-src-elem'],
    injected: false,
  })
})

test('a foreign page gets no line, even with the preload script in it', async () => {
  for (const url of ['https://evil.test/', 'https://console.apf.test.evil.test/', 'https://apf.test/console/']) {
    const foreign = await harness.openForeignPage(url, preload)
    expect(await callByHand(foreign, INFO)).toBe('closed')
    await foreign.close()
  }
})

test('a page has one line: asking again closes the one before', async () => {
  const first = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        window.addEventListener('message', ({ data, ports: [port] }) => {
          if (data !== 'first' || port === undefined) return
          port.addEventListener('close', () => resolve('closed'))
          port.start()
          window.apfDesktop?.connect('second')
        })
        window.apfDesktop?.connect('first')
      }),
  )
  expect(await first).toBe('closed')
})

test('the menu moves the page', async () => {
  harness.choose('go-level')
  await vi.waitFor(() => expect(page.url()).toContain('level'))
  harness.choose('go-overview')
  await vi.waitFor(() => expect(page.url()).toContain('overview'))
})

test('the page cannot leave or open windows; links to known places open outside', async () => {
  const before = page.url()
  await page.evaluate(() => void window.open('https://kubernetes.io/opened'))
  await page.evaluate(() => void window.open('https://evil.test/opened'))
  await page.evaluate(() => window.location.assign('https://evil.test/gone'))
  await page.evaluate(() => window.location.assign('https://kubernetes.io/gone'))
  await vi.waitFor(() =>
    expect(harness.seen.outside.toSorted()).toEqual(['https://kubernetes.io/gone', 'https://kubernetes.io/opened']),
  )
  expect(harness.seen.openAnswers).toEqual(['deny', 'deny'])
  expect(page.url()).toBe(before)
})

test('after a crash the page is loaded again once; then the operator is asked', async () => {
  const window = harness.seen.windows[0]
  const loads: string[] = []
  page.on('load', () => loads.push('load'))
  window?.webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 })
  await vi.waitFor(() => expect(loads).toHaveLength(1), 5_000)
  expect(await answerByHand(page, INFO)).toMatchObject({ type: 'result' })
  expect(harness.seen.dialogs).toEqual([])
  window?.webContents.emit('render-process-gone', {}, { reason: 'oom', exitCode: 6 })
  await vi.waitFor(() => expect(harness.seen.dialogs).toEqual([expect.stringContaining('twice')]))
})

test('closing the last window ends the application', () => {
  harness.app.emit('window-all-closed')
  expect(harness.seen.quits).toBe(1)
})
