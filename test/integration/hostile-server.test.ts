import { Agent } from 'node:https'
import { afterEach, describe, expect, test } from 'vitest'
import { urlsConnection } from '../../main/cluster/connection.ts'
import { send, type Delivered, type Failed } from '../../main/cluster/http.ts'
import { sendWith } from '../../main/cluster/nodeHttp.ts'
import type { HttpLimits } from '../../main/cluster/httpProblems.ts'
import {
  answerDisguisedHtml,
  answerEndless,
  answerHtml,
  answerHuge,
  answerPage,
  answerStatus,
  drip,
  gzipBomb,
  metricsPage,
  resetConnection,
  saySilent,
  startHostileServer,
  tooShortLength,
  truncate,
  type HostileServer,
} from '../harness/hostileServer.ts'
import { createAuthority, selfSigned } from '../harness/hostileServerCertificates.ts'
import { allNamed } from '../harness/consent.ts'

/** No response of these servers takes so long, however busy the machine is; limits in the tests are shorter. */
const LIMITS: HttpLimits = {
  connectMs: 60_000,
  firstByteMs: 60_000,
  idleMs: 60_000,
  totalMs: 120_000,
  maxWireBytes: 4_000_000,
  maxBytes: 8_000_000,
}

const open: HostileServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

async function start(...[options]: Parameters<typeof startHostileServer>): Promise<HostileServer> {
  const server = await startHostileServer(options)
  open.push(server)
  return server
}

async function read(
  address: string,
  { limits = LIMITS, gzip = false, secrets = [] as string[], ca = undefined as string | undefined } = {},
): Promise<{ result: Delivered | Failed; bytes: number }> {
  const connection = await urlsConnection({ kind: 'urls', urls: [address] }, Date.now, allNamed)
  const [server] = connection.servers
  if (server === undefined) throw new Error('no server')
  const settings = await connection.settings(server)
  const agent = ca === undefined ? settings.agent : new Agent({ ca })
  let bytes = 0
  const result = await send(
    { url: server.metrics, settings: { ...settings, send: sendWith(agent), secrets }, limits, gzip },
    (chunk) => {
      bytes += chunk.length
      return undefined
    },
  )
  connection.close()
  return { result, bytes }
}

/** The problem of a result, and whether its message is one sentence for people: no code of Node, no stack. */
function told(result: Delivered | Failed) {
  if (result.ok) return { ok: true }
  const { code, message } = result.problem
  const sentence = /^[^\n]{20,300}\.$/.test(message) && !/Error:|at .*:\d+:\d+|ECONN|ERR_/.test(message)
  return { ok: false, code, message, sentence }
}

const problem = (code: string, words: RegExp) => ({
  ok: false,
  code,
  message: expect.stringMatching(words),
  sentence: true,
})

describe('an answer that cannot be used', () => {
  const page = metricsPage({})
  const cases = [
    ['half a page with a length', truncate(page, 'length'), 'unreachable', /closed the connection/],
    ['half a page in chunks', truncate(page, 'chunks'), 'unreachable', /closed the connection/],
    ['endless lines', answerEndless, 'too-large', /larger than 4 MiB/],
    ['a web page', answerHtml, 'bad-answer', /web page/],
    ['a web page under a false name', answerDisguisedHtml, 'bad-answer', /web page/],
    ['a reset', resetConnection, 'unreachable', /closed the connection/],
    ['a redirect', answerStatus(302, '', { Location: 'https://elsewhere/x?token=t0k' }), 'bad-answer', /redirects/],
    ['401', answerStatus(401, '{"kind":"Status","message":"Unauthorized"}'), 'unauthorized', /credentials/],
    ['403', answerStatus(403, '{"kind":"Status","message":"no"}'), 'forbidden', /may not read/],
    ['404', answerStatus(404), 'not-found', /does not exist/],
    ['429', answerStatus(429, 'Too many requests', { 'Retry-After': '7' }), 'throttled', /is shedding load/],
    ['500', answerStatus(500, 'panic'), 'bad-answer', /failed with status 500/],
    [
      'an endless error',
      (_: unknown, response: Parameters<typeof answerEndless>[1]) => {
        response.writeHead(503)
        response.write('x'.repeat(10_000_000))
      },
      'bad-answer',
      /failed with status 503/,
    ],
    [
      'an encoding that was not asked for',
      answerStatus(200, 'x', { 'Content-Encoding': 'br' }),
      'bad-answer',
      /encoding/,
    ],
  ] as const
  test.each(cases)('%s', async (_, behaviour, code, words) => {
    const server = await start({ behaviour })
    const { result } = await read(server.url(), { limits: { ...LIMITS, maxWireBytes: 4 * 1024 * 1024 } })
    expect(told(result)).toEqual(problem(code, words))
    expect(result).not.toMatchObject({ problem: { details: expect.stringContaining('t0k') } })
  })

  test.each([
    ['one byte now and then', drip(50), { totalMs: 1_000 }, /did not finish its answer within 1 s/],
    ['silence in the middle', drip(600_000), { idleMs: 200 }, /stopped in the middle/],
    ['silence', saySilent, { firstByteMs: 300 }, /sent nothing for 0\.3 s/],
  ] as const)('%s', async (_, behaviour, shorter, words) => {
    const server = await start({ behaviour })
    const { result } = await read(server.url(), { limits: { ...LIMITS, ...shorter } })
    expect(told(result)).toEqual(problem('timeout', words))
  })

  test('the words of a Kubernetes refusal and its Retry-After are kept', async () => {
    const server = await start({
      behaviour: answerStatus(429, '{"kind":"Status","message":"too many"}', { 'Retry-After': '7' }),
    })
    const { result } = await read(server.url())
    expect(result).toMatchObject({ ok: false, status: 429, retryAfterMs: 7_000, problem: { details: 'too many' } })
  })

  test('a length that is too short yields no more than promised', async () => {
    const server = await start({ behaviour: tooShortLength(page) })
    const { bytes } = await read(server.url())
    expect(bytes).toBeLessThanOrEqual(Math.floor(page.length / 2))
  })

  test('a gzip bomb is stopped soon after the limit', async () => {
    const server = await start({ behaviour: gzipBomb(200_000_000) })
    const before = process.memoryUsage().rss
    const { result, bytes } = await read(server.url(), { gzip: true, limits: LIMITS })
    expect(told(result)).toEqual(problem('too-large', /larger than 8 MiB when decompressed/))
    expect(bytes).toBeLessThanOrEqual(LIMITS.maxBytes)
    expect(process.memoryUsage().rss - before).toBeLessThan(120_000_000)
  })

  test('damaged compression is said so', async () => {
    const server = await start({ behaviour: answerStatus(200, 'not gzip at all', { 'Content-Encoding': 'gzip' }) })
    expect(told((await read(server.url(), { gzip: true })).result)).toEqual(
      problem('bad-answer', /compressed answer .* is damaged/),
    )
  })

  test('a page of 50 MB is read in bounded memory', async () => {
    const server = await start({ behaviour: answerHuge(page, 50_000_000) })
    const limits = { ...LIMITS, maxWireBytes: 100_000_000, maxBytes: 100_000_000 }
    const { result, bytes } = await read(server.url(), { limits })
    expect(result.ok).toBe(true)
    expect(bytes).toBeGreaterThan(50_000_000)
  })
})

describe('a connection that cannot be made', () => {
  test('nothing listens', async () => {
    const server = await startHostileServer()
    await server.close()
    expect(told((await read(server.url())).result)).toEqual(
      problem('unreachable', /Nothing listens at 127\.0\.0\.1:\d+/),
    )
  })

  const authority = createAuthority()
  const ips = ['127.0.0.1']
  test.each([
    ['self-signed', selfSigned({ name: 'self', ips }), /is self-signed/],
    [
      'of an unknown authority',
      createAuthority('other').issue({ name: 'server', ips }),
      /authority that is not trusted/,
    ],
    ['expired', authority.issue({ name: 'server', ips, fromDay: -30, toDay: -1 }), /has expired/],
    ['of tomorrow', authority.issue({ name: 'server', ips, fromDay: 1 }), /not valid yet/],
    ['for another host', authority.issue({ name: 'server', dns: ['elsewhere.example'] }), /for another host/],
  ])('a certificate %s', async (_, tls, words) => {
    const server = await start({ tls })
    expect(told((await read(server.url(), { ca: authority.cert })).result)).toEqual(problem('tls', words))
  })

  test('a right certificate is accepted', async () => {
    const server = await start({ tls: authority.issue({ name: 'server', ips }) })
    expect((await read(server.url(), { ca: authority.cert })).result.ok).toBe(true)
  })

  test('TLS spoken to a server without it', async () => {
    const server = await start()
    const { result } = await read(server.url().replace('http:', 'https:'))
    expect(told(result)).toEqual(problem('tls', /does not speak TLS/))
  })

  test('plain HTTP spoken to a TLS server', async () => {
    const server = await start({ tls: authority.issue({ name: 'server', ips }) })
    const { result } = await read(server.url().replace('https:', 'http:'))
    expect(result.ok).toBe(false)
  })
})

describe('a good answer', () => {
  test('compressed counts both sizes', async () => {
    const server = await start({ behaviour: answerPage(() => metricsPage({})) })
    const { result, bytes } = await read(server.url(), { gzip: true })
    expect(result).toMatchObject({ ok: true, status: 200, bytes })
    if (result.ok) expect(result.wireBytes).toBeLessThan(bytes)
  })

  test('a kept connection that the server closed is opened anew', async () => {
    const server = await start()
    const connection = await urlsConnection({ kind: 'urls', urls: [server.url()] }, Date.now, allNamed)
    const [address] = connection.servers
    if (address === undefined) throw new Error('no server')
    const settings = await connection.settings(address)
    const once = () => send({ url: address.metrics, settings, limits: LIMITS }, () => undefined)
    expect((await once()).ok).toBe(true)
    let first = true
    server.behave((request, response) => {
      if (first) {
        first = false
        request.socket.resetAndDestroy()
      } else answerPage(() => metricsPage({}))(request, response)
    })
    expect((await once()).ok).toBe(true)
    connection.close()
  })
})

test('secrets are hidden in problems', async () => {
  const server = await start({ behaviour: answerStatus(403, '{"message":"token s3cr3t is not welcome"}') })
  const { result } = await read(server.url('/metrics?key=s3cr3t'), { secrets: ['s3cr3t'] })
  expect(JSON.stringify(result)).not.toContain('s3cr3t')
  expect(result).toMatchObject({ problem: { details: 'token [hidden] is not welcome' } })
})
