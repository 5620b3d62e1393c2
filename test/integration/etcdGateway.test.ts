import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, request as httpsRequest } from 'node:https'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { CA, clientOf, proxyWith, serverTls, WAYS } from '../harness/etcdProxies.ts'

const RULES = `
classes: [{ name: few, qdisc: lbf, qps: 0.001 }]
rules:
  - { name: events, qClassName: few, priority: 1, ops: [Put], prefixPaths: [/events/] }
  - { name: alice, qClassName: few, priority: 2, ops: [Range], subjects: [{ user: alice }] }
`
const b64 = (text: string): string => Buffer.from(text).toString('base64')

describe.each(WAYS)('HTTP/1.1 on the port of the etcd proxy, %s', (way) => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  })

  /** An etcd that answers everything over HTTP/1.1 with what it was asked. */
  async function opened() {
    const asked: string[] = []
    const handler = (request: IncomingMessage, response: ServerResponse): void => {
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => {
        asked.push(`${request.method} ${request.url} ${body}`)
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify(
            request.url === '/v3/auth/authenticate' ? { token: 'secret' } : { count: '3', host: request.headers.host },
          ),
        )
      })
    }
    const tls = serverTls(way)
    const server = tls === undefined ? createServer(handler) : createTlsServer({ ...tls }, handler)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const calls = { begun: 0, answered: 0, givenUp: 0 }
    const meter = {
      unread: vi.fn<() => void>(),
      watch: vi.fn<(change: 1 | -1) => void>(),
      ended: vi.fn<(method: string, status: string, ms: number) => void>(),
      overhead: vi.fn<(ms: number) => void>(),
    }
    const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`
    const proxy = await proxyWith(RULES, url, way, { calls, meter })
    closing.push(() => proxy.close())
    return { proxy, asked, calls, meter }
  }

  interface Answer {
    readonly status: number
    readonly body: string
    readonly headers: IncomingMessage['headers']
  }

  const ask = (url: string, path: string, body?: string, headers = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const send = url.startsWith('https') ? httpsRequest : httpRequest
      const method = body === undefined ? 'GET' : 'POST'
      // A path as it is: an address would be tidied.
      const to = { host: '127.0.0.1', port: new URL(url).port, path, checkServerIdentity: () => undefined }
      const one = send({ ...to, method, headers, ca: CA, agent: false }, (response) => {
        let text = ''
        response.on('data', (chunk) => (text += String(chunk)))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }))
      })
      one.on('error', reject)
      one.end(body)
    })

  test('health, metrics and the like pass', async () => {
    const { proxy, asked } = await opened()
    for (const path of ['/health', '/readyz?verbose', '/metrics', '/version'])
      expect(await ask(proxy.url, path)).toMatchObject({ status: 200 })
    expect(asked).toEqual(['GET /health ', 'GET /readyz?verbose ', 'GET /metrics ', 'GET /version '])
  })

  test('rules apply to the gateway, and its calls are counted', async () => {
    const { proxy, asked, calls, meter } = await opened()
    const put = JSON.stringify({ key: b64('/events/a'), value: b64('v') })
    expect(await ask(proxy.url, '/v3/kv/put', put)).toMatchObject({ status: 200 })
    const limited = await ask(proxy.url, '/v3/kv/put', put)
    expect(limited).toMatchObject({ status: 429, headers: { 'etcd-qos-rule': 'events' } })
    expect(JSON.parse(limited.body)).toMatchObject({ code: 8, message: 'etcdserver: too many requests' })
    expect(await ask(proxy.url, '/v3/kv/put', JSON.stringify({ key: b64('/x') }))).toMatchObject({ status: 200 })
    expect(asked).toHaveLength(2)
    await vi.waitFor(() => expect(calls).toEqual({ begun: 2, answered: 2, givenUp: 0 }))
    expect(meter.ended).toHaveBeenCalledWith('KV/Put', '0', expect.any(Number))
  })

  test('a token belongs to the user that it was given to, under the names that the gateway passes on', async () => {
    const { proxy } = await opened()
    await ask(proxy.url, '/v3/auth/authenticate', JSON.stringify({ name: 'alice', password: 'x' }))
    const range = JSON.stringify({ key: b64('/x') })
    const statuses = []
    for (const headers of [{ token: 'secret' }, { authorization: 'secret' }, { 'grpc-metadata-token': 'secret' }])
      statuses.push((await ask(proxy.url, '/v3/kv/range', range, headers)).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  test('what etcd could read differently is refused', async () => {
    const { proxy, asked } = await opened()
    const refused = [
      await ask(proxy.url, '/v3/kv/put', '{"key":'),
      await ask(proxy.url, '/v3/kv/r%61nge', '{}'),
      await ask(proxy.url, '/v3//kv/range', '{}'),
      await ask(proxy.url, '/v3/./kv/range', '{}'),
      await ask(proxy.url, '/v3/kv/put', JSON.stringify({ value: 'x'.repeat(9 * 1024 * 1024) })),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 413])
    expect(asked).toEqual([])
  })

  test('no page of a browser, and no name that only resolves here', async () => {
    const { proxy, asked } = await opened()
    for (const headers of [{ origin: 'https://page.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect(await ask(proxy.url, '/v3/kv/put', '{}', headers)).toMatchObject({ status: 403 })
    expect(await ask(proxy.url, '/health', undefined, { host: 'page.example' })).toMatchObject({ status: 421 })
    expect(asked).toEqual([])
  })

  test('HTTP/2 does not lead around the rules', async () => {
    const { proxy, asked } = await opened()
    const client = clientOf(proxy.url)
    closing.push(() => client.destroy())
    const call = client.request({ ':method': 'POST', ':path': '/v3/kv/put', 'content-type': 'application/json' })
    call.on('error', () => undefined)
    call.end('{}')
    await new Promise<void>((resolve) => call.on('close', () => resolve()))
    // HTTP_1_1_REQUIRED, after which clients ask again.
    expect(call.rstCode).toBe(13)
    expect(asked).toEqual([])
  })
})
