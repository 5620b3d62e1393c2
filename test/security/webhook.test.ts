import http from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startWebhook, type Webhook, type WebhookOptions } from '../../main/feeds/webhook.ts'
import { readFixture } from '../fixtures/load.ts'

/*
 * What any user of the machine can do to the audit webhook: it listens on loopback, where all can connect, and the API
 * server that posts to it must get through whatever others do.
 */

const TOKEN = 'a-token-for-the-test'
const batch = readFixture('feeds/audit-webhook-batch.json.gz').toString('utf8')
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` }

const open: Webhook[] = []
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const one of open.splice(0)) await one.close()
})

interface Started extends Webhook {
  readonly refused: string[]
  batches(): number
}

async function start(options: Partial<WebhookOptions> = {}): Promise<Started> {
  let batches = 0
  const refused: string[] = []
  const webhook = await startWebhook({
    port: 0,
    token: TOKEN,
    tls: 'plain-http',
    onBatch: () => (batches += 1),
    onUnreadable: () => undefined,
    onRefused: (sentence) => void refused.push(sentence),
    ...options,
  })
  open.push(webhook)
  return { ...webhook, refused, batches: () => batches }
}

/** The status of the answer; 0 where the connection was closed before there was one. */
const post = (url: string, body: string | Buffer, agent: http.Agent | false = false): Promise<number> =>
  new Promise((resolve) => {
    const request = http.request(url, { method: 'POST', headers: AUTHORIZED, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
      response.once('error', () => resolve(response.statusCode ?? 0))
    })
    request.once('error', () => resolve(0))
    request.end(body)
  })

/** A connection that sends `text` and then nothing. */
const silent = async (url: string, text = ''): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket.on('error', () => undefined))
  await new Promise((resolve) => socket.once('connect', resolve))
  if (text !== '') socket.write(text)
  return socket
}
const head = (url: string, length: number): string =>
  `POST /audit HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: ${length}\r\n\r\n`

describe('the audit webhook on a shared machine', () => {
  test('takes a batch after any number of oversized ones, each of them counted', async () => {
    const webhook = await start()
    const tooLarge = Buffer.alloc(33 * 1024 * 1024, 'x')
    for (let i = 0; i < 6; i++) expect([0, 413]).toContain(await post(webhook.url, tooLarge))
    await vi.waitFor(() => expect(webhook.refused).toHaveLength(6))
    expect(webhook.refused.every((sentence) => sentence.startsWith('Answered 413'))).toBe(true)
    expect(await post(webhook.url, batch)).toBe(200)
    expect(webhook.batches()).toBe(1)
  })

  test('takes a batch after any number of bodies that broke off', async () => {
    const webhook = await start({ mostBodyBytes: 1_000_000 })
    for (let i = 0; i < 12; i++) {
      const socket = await silent(webhook.url, head(webhook.url, 900_000))
      socket.write('x'.repeat(800_000))
      await new Promise<void>((resolve) => void socket.end(() => resolve()))
      socket.destroy()
    }
    await vi.waitFor(async () => expect(await post(webhook.url, batch)).toBe(200))
  })

  test('lets a real post through beside more silent connections than it keeps', async () => {
    const webhook = await start()
    for (let i = 0; i < 100; i++) await silent(webhook.url, i % 2 === 0 ? '' : 'POST /audit HTTP/1.1\r\nHost: ')
    expect(await post(webhook.url, batch)).toBe(200)
    await vi.waitFor(() => expect(webhook.refused.length).toBeGreaterThanOrEqual(36))
  })

  test('reads no body, and keeps no connection, of a client without the token', async () => {
    const webhook = await start()
    const request = http.request(webhook.url, { method: 'POST', agent: false })
    request.on('error', () => undefined)
    // Its body never ends.
    request.write('x')
    const response = await new Promise<http.IncomingMessage>((resolve) => request.once('response', resolve))
    expect([response.statusCode, response.headers.connection]).toEqual([401, 'close'])
    await new Promise((resolve) => response.resume().socket.once('close', resolve))
    expect(webhook.refused).toEqual([expect.stringMatching(/^Answered 401/)])
  })

  test('closes connections whose request does not arrive in time, at every stage', async () => {
    const quick = { most: 64, ms: 50 }
    const webhook = await start({ limits: { new: quick, busy: quick, idle: quick } })
    for (const text of ['', 'POST /audit HT', head(webhook.url, 100), `${head(webhook.url, 100)}half of it`]) {
      const socket = await silent(webhook.url, text)
      await new Promise((resolve) => socket.resume().once('close', resolve))
    }
    expect(webhook.refused).toHaveLength(4)
    const idle = await silent(webhook.url, `${head(webhook.url, batch.length)}${batch}`)
    await new Promise((resolve) => idle.resume().once('close', resolve))
    expect([webhook.batches(), webhook.refused.length]).toEqual([1, 4])
  })

  test('keeps the connection of an API server between two batches, however many others come and go', async () => {
    const webhook = await start({
      limits: { new: { most: 4, ms: 10_000 }, busy: { most: 4, ms: 10_000 }, idle: { most: 4, ms: 10_000 } },
    })
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    expect(await post(webhook.url, batch, agent)).toBe(200)
    const [kept] = Object.values(agent.freeSockets).flatMap((list) => list ?? [])
    for (let i = 0; i < 20; i++) await silent(webhook.url)
    expect(await post(webhook.url, batch, agent)).toBe(200)
    expect(kept?.destroyed).toBe(false)
    agent.destroy()
  })
})
