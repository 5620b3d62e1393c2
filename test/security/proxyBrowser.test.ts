import http from 'node:http'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { launchChromium } from '../harness/chromium.ts'
import { lendingProxy } from '../harness/lendingProxy.ts'
import { cleanUp, portOf, upstreamServer, type Cleanups } from '../harness/proxied.ts'

/**
 * What a browser of this machine could do with the operator's credentials. No token, so that nothing else is in its
 * way: the user opened an address, or a page of another origin runs a script.
 */
describe('a real browser', () => {
  const cleanups: Cleanups = []
  let lending: Awaited<ReturnType<typeof lendingProxy>>
  let evil = ''
  let browser: Browser
  beforeAll(async () => {
    lending = await lendingProxy(cleanups, { listen: { token: { kind: 'none' } } })
    const server = await upstreamServer(cleanups, (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>evil</title>')
    })
    evil = `http://127.0.0.1:${portOf(server)}`
    browser = await launchChromium()
    cleanups.push(() => browser.close())
  })
  beforeEach(() => {
    lending.seen.length = 0
  })
  afterAll(() => cleanUp(cleanups))

  const addresses = (): string[] => [
    `${lending.proxy.url}/api/v1/secrets`,
    `${lending.proxy.url.replace('127.0.0.1', 'localhost')}/api/v1/secrets`,
  ]

  test('that opens an address is shown a refusal', async () => {
    const page = await browser.newPage()
    for (const address of addresses()) {
      const answer = await page.goto(address)
      expect(answer?.status()).toBe(403)
      expect(await page.textContent('body')).toMatch(/^This proxy does not answer browsers; /)
      // A script on that very page, which a user could be tricked into.
      expect(
        await page.evaluate(async () => (await fetch('/api/v1/namespaces/default', { method: 'DELETE' })).status),
      ).toBe(403)
    }
    await page.close()
    expect(lending.seen).toEqual([])
  })

  const ways: readonly (readonly [by: string, act: (url: string) => void])[] = [
    ['a frame', (url) => document.body.append(Object.assign(document.createElement('iframe'), { src: url }))],
    ['an image', (url) => document.body.append(Object.assign(document.createElement('img'), { src: url }))],
    ['a script', (url) => document.body.append(Object.assign(document.createElement('script'), { src: url }))],
    [
      'a form',
      (url) => {
        const form = Object.assign(document.createElement('form'), { action: url, method: 'post' })
        document.body.append(form)
        form.submit()
      },
    ],
    ['a link', (url) => void (location.href = url)],
    ['fetch', (url) => void fetch(url).catch(() => undefined)],
    ['fetch without CORS', (url) => void fetch(url, { mode: 'no-cors' }).catch(() => undefined)],
    ['fetch of DELETE', (url) => void fetch(url, { method: 'DELETE' }).catch(() => undefined)],
    ['sendBeacon', (url) => void navigator.sendBeacon(url, 'x')],
    ['EventSource', (url) => void new EventSource(url)],
    ['WebSocket', (url) => void new WebSocket(url.replace('http', 'ws'))],
  ]
  test.each(ways)('of another origin reaches nothing by %s', async (_by, act) => {
    for (const address of addresses()) {
      const page = await browser.newPage()
      await page.goto(evil)
      const statuses: number[] = []
      const answered = new Promise<void>((resolve) => {
        page.on('response', (answer) => {
          if (!answer.url().startsWith(address)) return
          statuses.push(answer.status())
          resolve()
        })
        page.on('requestfailed', (request) => request.url().startsWith(address) && resolve())
        page.on('websocket', (socket) => socket.on('socketerror', () => resolve()))
      })
      await page.evaluate(act, address)
      await answered
      expect(statuses.filter((status) => status !== 403)).toEqual([])
      await page.close()
    }
    expect(lending.seen).toEqual([])
  })

  test('has opened nothing for the clients that are none', async () => {
    const statusOf = (headers: http.OutgoingHttpHeaders): Promise<number> =>
      new Promise((resolve, reject) => {
        http
          .get(`${lending.proxy.url}/api/v1/secrets`, { headers }, (answer) => resolve(answer.resume().statusCode ?? 0))
          .on('error', reject)
      })
    expect(await statusOf({})).toBe(200)
    expect(await statusOf({ 'User-Agent': 'curl/8.5.0', Accept: '*/*' })).toBe(200)
    expect(await statusOf({ Origin: lending.proxy.url })).toBe(200)
    expect((await fetch(`${lending.proxy.url}/api/v1/secrets`)).status).toBe(200)
    for (const headers of [{ 'Sec-Fetch-Site': 'none' }, { 'Sec-Fetch-Site': 'same-origin' }, { 'Sec-Fetch-Dest': '' }])
      expect(await statusOf(headers)).toBe(403)
    expect(await statusOf({ 'Sec-Fetch-Mode': 'navigate' })).toBe(403)
  })
})
