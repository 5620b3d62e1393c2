import { mkdtemp, readFile, rm } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { FeedSpecSchema } from '../../core/contract/live.ts'
import { AS_UPSTREAM, profileFor } from '../../core/engine/profiles.ts'
import { type Feed, type FeedOptions, createFeed } from '../../main/feeds/open.ts'
import { startWebhook, type Webhook } from '../../main/feeds/webhook.ts'
import { createFeedSource } from '../../main/sources/liveFeed.ts'
import { readFixture } from '../fixtures/load.ts'
import { allNamed } from '../harness/consent.ts'
import { standingClock } from '../harness/standingClock.ts'
import { createAuthority } from '../harness/hostileServerCertificates.ts'

const open: (Feed | Webhook)[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

const authority = createAuthority()
const { key, cert } = authority.issue({ name: 'webhook', dns: ['localhost'], ips: ['127.0.0.1'] })
const batch = readFixture('feeds/audit-webhook-batch.json.gz').toString('utf8')
const TOKEN = 'a-token-for-the-test'

async function opened(options: Partial<FeedOptions> = {}): Promise<Feed> {
  const feed = await createFeed({
    spec: { kind: 'audit-webhook', port: 0 },
    engine: {
      maxRequestsInFlight: 400,
      maxMutatingRequestsInFlight: 200,
      profile: profileFor('v1.36.3'),
      corrections: AS_UPSTREAM,
    },
    configuration: builtInObjects('v1.36.3'),
    kept: 1_000,
    untold: 10,
    certificate: () => Promise.resolve({ key, cert }),
    token: TOKEN,
    warn: () => undefined,
    clock: { now: () => Date.UTC(2026, 10, 22), after: () => () => undefined },
    ...options,
  })
  open.push(feed)
  return feed
}

interface Sending {
  readonly body?: string
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** PEM; that of the test without. */
  readonly ca?: string
}

/** As an API server does it: over TLS, trusting only the authority of the test. */
function post(url: string, { body = batch, method = 'POST', path = '', headers, ca = authority.cert }: Sending = {}) {
  const target = new URL(url + path)
  const secure = target.protocol === 'https:'
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const given = { method, headers: { authorization: `Bearer ${TOKEN}`, ...headers } }
    const request = secure
      ? https.request(target, { ...given, ca, servername: 'localhost', agent: false })
      : http.request(target, { ...given, agent: false })
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    request.on('error', reject)
    request.end(body)
  })
}
const addressOf = ({ address }: Feed): string => {
  if (address === undefined) throw new Error('the feed has no address')
  return address
}

const Kubeconfig = z.object({
  'current-context': z.literal('apf-console'),
  clusters: z.tuple([z.object({ cluster: z.object({ server: z.url(), 'certificate-authority-data': z.base64() }) })]),
  users: z.tuple([z.object({ user: z.object({ token: z.string() }) })]),
})

describe('the audit webhook', () => {
  test('as a source shows what is held back by its own clock, though nothing more is posted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'apf-webhook-'))
    const clock = standingClock(Date.UTC(2026, 10, 22))
    const spec = FeedSpecSchema.parse({ kind: 'feed', feed: { kind: 'audit-webhook', port: 0 } })
    const made = await createFeedSource(spec, { environment: clock.environment, stateDir: folder, consent: allNamed })
    const end = new AbortController()
    try {
      if (!made.ok) throw new Error(made.problem.message)
      const { source } = made
      source.start(end.signal, () => undefined)
      const written = await readFile(join(folder, 'feeds', 'audit-webhook.kubeconfig'), 'utf8')
      const { clusters, users } = Kubeconfig.parse(parse(written))
      const { server, 'certificate-authority-data': authorityOfIt } = clusters[0].cluster
      const headers = { authorization: `Bearer ${users[0].user.token}` }
      const ca = Buffer.from(authorityOfIt, 'base64').toString('utf8')
      expect(await post(server, { headers, ca })).toEqual({ status: 200, text: '' })
      const counts = () => {
        const { arrived, heldBack = 0 } = source.live?.state() ?? { arrived: 0 }
        return { arrived, heldBack }
      }
      const { arrived, heldBack } = counts()
      expect(heldBack).toBeGreaterThan(0)
      expect(arrived + heldBack).toBe(100)
      clock.advance(5_000)
      // A batch with earlier events may still be under way.
      expect(counts()).toEqual({ arrived, heldBack })
      clock.advance(2_000)
      expect(counts()).toEqual({ arrived: 100, heldBack: 0 })
    } finally {
      end.abort()
      if (made.ok) await made.source.closed
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('takes batches over, and counts those that an API server posts again once', async () => {
    const feed = await opened()
    expect(await post(addressOf(feed))).toEqual({ status: 200, text: '' })
    expect(await post(addressOf(feed))).toEqual({ status: 200, text: '' })
    feed.run.finish()
    expect(feed.run.counts).toMatchObject({ arrived: 100, repeated: 100, unreadable: 0 })
    expect(feed.run.log.before(1)[0]).toMatchObject({ state: 'served', level: expect.stringMatching(/./) })
  })

  test('counts what is held back, and shows it when no more comes, or at the end', async () => {
    let now = Date.UTC(2026, 10, 22)
    const feed = await opened({ clock: { now: () => now, after: () => () => undefined } })
    await post(addressOf(feed))
    const { arrived, heldBack } = feed.run.counts
    expect(arrived + heldBack).toBe(100)
    expect(heldBack).toBeGreaterThan(0)
    now += 6_000
    feed.settle()
    expect(feed.run.counts).toMatchObject({ arrived: 100, heldBack: 0 })

    const ended = await opened()
    await post(addressOf(ended))
    ended.finish()
    expect(ended.run.counts).toMatchObject({ arrived: 100, heldBack: 0 })
  })

  test('counts a batch once whose answer did not come through, or was that of an error', async () => {
    const feed = await opened({ certificate: 'plain-http' })
    const url = new URL(addressOf(feed))
    // The API server gives up waiting for the answer and posts the same again.
    await new Promise<void>((resolve) => {
      const socket = connect(Number(url.port), url.hostname, () => {
        const head = `POST /audit HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${TOKEN}\r\n`
        socket.write(`${head}Content-Length: ${Buffer.byteLength(batch)}\r\n\r\n${batch}`)
      })
      socket.once('data', () => socket.resetAndDestroy())
      socket.once('close', () => resolve())
    })
    expect(feed.run.counts.repeated).toBe(0)
    expect((await post(addressOf(feed))).status).toBe(200)
    feed.run.finish()
    expect(feed.run.counts).toMatchObject({ arrived: 100, repeated: 100, unreadable: 0 })
  })

  test('keeps an idle connection longer than an API server does, which takes a closed one for a failure', async () => {
    const feed = await opened({ certificate: 'plain-http' })
    const url = new URL(addressOf(feed))
    const head = await new Promise<string>((resolve) => {
      const socket = connect(Number(url.port), url.hostname, () => {
        socket.write(`POST /audit HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${TOKEN}\r\n`)
        socket.write(`Content-Length: ${Buffer.byteLength(batch)}\r\n\r\n${batch}`)
      })
      socket.once('data', (data: Buffer) => {
        resolve(data.toString('utf8'))
        socket.destroy()
      })
    })
    expect(Number(/keep-alive: timeout=(\d+)/i.exec(head)?.[1])).toBeGreaterThan(90)
  })

  test('answers an error when a batch could not be taken over, so that it is posted again', async () => {
    let failing = true
    const sentences: string[] = []
    let taken = 0
    const webhook = await startWebhook({
      port: 0,
      token: TOKEN,
      tls: 'plain-http',
      onBatch(records) {
        if (failing) throw new Error('out of memory')
        taken += records.length
      },
      onUnreadable: (sentence) => void sentences.push(sentence),
      onRefused: () => undefined,
    })
    open.push(webhook)
    expect(await post(webhook.url)).toMatchObject({ status: 500, text: expect.stringContaining('out of memory') })
    expect(sentences).toEqual([expect.stringContaining('out of memory')])
    failing = false
    expect((await post(webhook.url)).status).toBe(200)
    expect(taken).toBe(100)
  })

  test('hands out the configuration that an API server needs', async () => {
    const feed = await opened({ certificate: () => Promise.resolve({ key, cert: `${cert}${authority.cert}` }) })
    const { clusters, users } = Kubeconfig.parse(parse(feed.kubeconfig ?? ''))
    expect(clusters[0].cluster.server).toBe(feed.address)
    expect(users[0].user.token).toBe(TOKEN)
    expect(feed.title).toBe(`audit webhook at ${feed.address}`)
    expect(feed.title).not.toContain(TOKEN)
  })

  test('wants the token, in the header or in the path', async () => {
    const feed = await opened()
    const url = addressOf(feed)
    const status = async (sending: Sending): Promise<number> => (await post(url, sending)).status
    const none = { authorization: '' }
    expect(await status({ headers: none })).toBe(401)
    expect(await status({ headers: { authorization: 'Bearer wrong' } })).toBe(401)
    expect(await status({ headers: none, path: '/wrong' })).toBe(401)
    expect(feed.run.counts.arrived).toBe(0)
    expect(await status({ headers: none, path: `/${TOKEN}` })).toBe(200)
    expect(await status({ headers: none, path: `/${TOKEN}?timeout=30s` })).toBe(200)
  })

  test('refuses what is no batch of events, by a foreign name, or elsewhere', async () => {
    const feed = await opened()
    const url = addressOf(feed)
    const status = async (sending: Sending): Promise<number> => (await post(url, sending)).status
    expect(await status({ body: 'not json' })).toBe(400)
    expect(await status({ body: '{"kind":"Pod"}' })).toBe(400)
    expect(await status({ method: 'GET', body: '' })).toBe(405)
    expect(await status({ headers: { host: 'evil.example' } })).toBe(421)
    expect((await post(url.replace('/audit', '/other'))).status).toBe(404)
    expect(feed.run.counts).toMatchObject({ arrived: 0, unreadable: 2 })
  })

  test('takes no body that is too large, and nothing of one that breaks off', async () => {
    let batches = 0
    const webhook = await startWebhook({
      port: 0,
      token: TOKEN,
      tls: 'plain-http',
      mostBodyBytes: 100_000,
      onBatch: () => (batches += 1),
      onUnreadable: () => undefined,
      onRefused: () => undefined,
    })
    open.push(webhook)
    expect(webhook.url).toMatch(/^http:/)
    expect(webhook.kubeconfig).not.toContain('certificate-authority-data')
    expect((await post(webhook.url, { body: 'x'.repeat(200_000) })).status).toBe(413)
    await new Promise<void>((resolve) => {
      const request = http.request(webhook.url, { method: 'POST', headers: { authorization: `Bearer ${TOKEN}` } })
      request.on('error', () => resolve())
      request.write(batch.slice(0, 1_000), () => request.destroy())
    })
    expect(batches).toBe(0)
    expect((await post(webhook.url)).status).toBe(200)
    expect(batches).toBe(1)
  })

  test('says so when its port is taken', async () => {
    const feed = await opened()
    const port = Number(new URL(addressOf(feed)).port)
    await expect(opened({ spec: { kind: 'audit-webhook', port } })).rejects.toThrow(`cannot listen on port ${port}`)
  })
})
