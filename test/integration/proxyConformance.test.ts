import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  type Cleanups,
  type Proxied,
  cleanUp,
  inUse,
  nothingHeld,
  portOf,
  proxied,
  upstreamServer,
} from '../harness/proxied.ts'
import { rawClient, requestHead } from '../harness/rawClient.ts'

const cleanups: Cleanups = []
let proxy: Proxied | undefined
afterEach(async () => {
  // In every case, ended requests hold nothing.
  if (proxy !== undefined) await nothingHeld(proxy.run)
  proxy = undefined
  await cleanUp(cleanups)
})

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void

async function before(handle: Handler, options: Parameters<typeof proxied>[2] = {}): Promise<Proxied> {
  const server = await upstreamServer(cleanups, handle)
  proxy = await proxied(cleanups, portOf(server), options)
  return proxy
}

const client = (port: number, allowHalfOpen = false) => {
  const one = rawClient(port, allowHalfOpen)
  cleanups.push(() => one.socket.destroy())
  return one
}

const alice = { 'X-Remote-User': 'alice' }

interface Got {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly trailers: NodeJS.Dict<string>
  readonly body: string
}

type AskOptions = Omit<http.RequestOptions, 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

function ask(url: string, { headers, ...options }: AskOptions = {}, body?: string): Promise<Got> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { ...options, headers: { ...alice, ...headers } }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => (text += piece))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, trailers: answer.trailers, body: text }),
      )
      answer.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}

describe('connections', () => {
  test('are kept for the next request', async () => {
    const { url } = await before((request, response) => response.end(request.url))
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    cleanups.push(() => agent.destroy())
    const used = new Set<unknown>()
    agent.on('free', (socket: unknown) => used.add(socket))
    for (let i = 0; i < 100; i++) expect((await ask(`${url}/r/${i}`, { agent })).body).toBe(`/r/${i}`)
    expect(used.size).toBe(1)
  })

  test('carry requests that come before the answers to others, one after the other', async () => {
    const waiting: (() => void)[] = []
    const { port, run } = await before((request, response) => {
      if (request.url === '/r/0') waiting.push(() => response.end('first'))
      else response.end(`answer to ${request.url}.`)
    })
    const { socket, until } = client(port)
    socket.write(Array.from({ length: 50 }, (_, i) => requestHead(port, `GET /r/${i}`)).join(''))
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
    await sleep(50)
    expect(run.log.count).toBe(1)
    waiting[0]?.()
    const text = await until('answer to /r/49.')
    const order = [...text.matchAll(/answer to \/r\/(\d+)\./g)].map(([, number]) => Number(number))
    expect(order).toEqual(Array.from({ length: 49 }, (_, i) => i + 1))
    expect(run.log.count).toBe(50)
  })

  test('that end take the requests along which wait for their turn', async () => {
    let asked = 0
    const { port, run } = await before(() => (asked += 1))
    const { socket } = client(port)
    socket.write(Array.from({ length: 20 }, (_, i) => requestHead(port, `GET /r/${i}`)).join(''))
    await vi.waitFor(() => expect(asked).toBe(1))
    socket.destroy()
    await vi.waitFor(() => expect(run.log.before(1)[0]?.state).toBe('cancelled'))
    expect([asked, run.log.count]).toEqual([1, 1])
  })

  test('of which the client closed its half count as left, as at the server', async () => {
    let left = 0
    const { port, run } = await before((_request, response) => response.on('close', () => (left += 1)))
    const { socket, closed } = client(port, true)
    socket.end(requestHead(port, 'GET /slow'))
    await vi.waitFor(() => expect(left).toBe(1))
    await closed
    expect(run.log.before(1)[0]?.state).toBe('cancelled')
  })

  test('of an upstream that ends its answer by closing deliver it whole', async () => {
    const { url } = await before((_request, response) => {
      response.useChunkedEncodingByDefault = false
      response.removeHeader('transfer-encoding')
      response.writeHead(200, { Connection: 'close' })
      response.write('one ')
      setTimeout(() => response.end('two'), 20)
    })
    expect((await ask(`${url}/x`)).body).toBe('one two')
  })

  test('that trickle their headers are closed, while others are served', async () => {
    const { port, url } = await before((_request, response) => response.end('served'), { limits: { headersMs: 400 } })
    const slow = Array.from({ length: 20 }, () => client(port))
    const timer = setInterval(() => slow.forEach(({ socket }) => socket.writable && socket.write('a')), 50)
    try {
      slow.forEach(({ socket }) => socket.write('GET / HTTP/1.1\r\nX-Slow: '))
      const served = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(`${url}/r/${i}`)))
      expect(served.every(({ body }) => body === 'served')).toBe(true)
      await Promise.all(slow.map(({ closed }) => closed))
    } finally {
      clearInterval(timer)
    }
    expect(slow.every(({ text }) => text().startsWith('HTTP/1.1 408 '))).toBe(true)
  })

  test('with a bomb of headers are answered 431 and closed', async () => {
    const { port, url, run } = await before((_request, response) => response.end('served'))
    const bomb = client(port)
    bomb.socket.write(requestHead(port, 'GET /', [`X-Bomb: ${'x'.repeat(200_000)}`]))
    await bomb.until('HTTP/1.1 431 ')
    await bomb.closed
    const many = client(port)
    many.socket.write(
      requestHead(
        port,
        'GET /',
        Array.from({ length: 20_000 }, (_, i) => `X-${i}: 1`),
      ),
    )
    await many.until('HTTP/1.1 431 ')
    await many.closed
    expect((await ask(`${url}/x`)).body).toBe('served')
    expect(run.log.count).toBe(1)
  })

  test('that send what is no HTTP are closed', async () => {
    const { port, url } = await before((_request, response) => response.end('served'))
    for (const garbage of [
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'hello there\r\n\r\n',
      'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n',
      requestHead(port, 'POST /', ['Content-Length: 3', 'Transfer-Encoding: chunked']),
    ]) {
      const one = client(port)
      one.socket.write(garbage)
      await one.closed
    }
    expect((await ask(`${url}/x`)).body).toBe('served')
  })
})

describe('deaths', () => {
  test.each([{}, { 'Content-Length': '1000' }])('of the upstream within its answer break it off', async (headers) => {
    const { url, run } = await before((_request, response) => {
      response.writeHead(200, headers)
      response.write('half')
      setTimeout(() => response.destroy(), 20)
    })
    await expect(ask(`${url}/api/v1/pods`)).rejects.toThrow(/aborted|socket hang up|reset/i)
    await vi.waitFor(() => expect(run.log.before(1)[0]?.state).toBe('failed'))
  })

  test('of the upstream within an upload are answered', async () => {
    const { url, run } = await before((request) => {
      request.once('data', () => request.socket.destroy())
    })
    const request = http.request(`${url}/api/v1/namespaces/a/pods`, { method: 'POST', headers: alice })
    cleanups.push(() => request.destroy())
    request.on('error', () => undefined)
    const answered = new Promise<number | undefined>((resolve) => {
      request.on('response', (answer) => resolve(answer.resume().statusCode))
    })
    const timer = setInterval(() => request.write('x'.repeat(10_000)), 5)
    expect(await answered).toBe(502)
    clearInterval(timer)
    expect(run.log.before(1)[0]?.state).toBe('failed')
  })

  test('of the client within its upload reach the upstream', async () => {
    let broken = false
    const { port, run } = await before((request) => {
      request.on('error', () => (broken = true))
      request.resume()
    })
    const { socket } = client(port)
    socket.write(`${requestHead(port, 'POST /api/v1/namespaces/a/pods', ['Content-Length: 1000'])}half`)
    await vi.waitFor(() => expect(run.log.count).toBe(1))
    await sleep(20)
    socket.destroy()
    await vi.waitFor(() => expect(broken).toBe(true))
    expect(run.log.before(1)[0]?.state).toBe('cancelled')
  })

  test('of a client that waits in a queue cost the upstream nothing', async () => {
    let asked = 0
    const held: http.ServerResponse[] = []
    const { port, run, url } = await before(
      (_request, response) => {
        asked += 1
        held.push(response)
      },
      { seats: 100 },
    )
    const pods = `${url}/api/v1/namespaces/default/pods/one`
    const taken = Array.from({ length: 40 }, () => ask(pods))
    await vi.waitFor(() => expect(run.log.before(40).some(({ state }) => state === 'waiting')).toBe(true))
    await vi.waitFor(() => expect(run.log.count).toBe(40))
    const running = asked
    const { socket } = client(port)
    socket.write(requestHead(port, 'GET /api/v1/namespaces/default/pods/one'))
    await vi.waitFor(() => expect(run.log.count).toBe(41))
    expect(run.log.before(1)[0]?.state).toBe('waiting')
    socket.destroy()
    await vi.waitFor(() => expect(run.log.before(1)[0]?.state).toBe('cancelled'))
    const done = Promise.all(taken)
    const timer = setInterval(() => held.shift()?.end(), 1)
    await done
    clearInterval(timer)
    expect([running > 0 && running < 40, asked]).toEqual([true, 40])
  })
})

describe('messages', () => {
  test('keep chunks, lengths and trailers in both directions', async () => {
    const { url } = await before((request, response) => {
      let body = ''
      request.on('data', (piece: Buffer) => (body += piece.toString()))
      request.on('end', () => {
        response.writeHead(200, {
          Trailer: 'X-Sum',
          'X-Framing': request.headers['transfer-encoding'] ?? `length ${request.headers['content-length']}`,
        })
        response.write(body)
        response.addTrailers({ 'X-Sum': `${body.length} ${request.trailers['x-client'] ?? 'none'}` })
        response.end()
      })
    })
    for (const method of ['POST', 'DELETE', 'PATCH']) {
      const chunked = http.request(`${url}/api/v1/namespaces/a/pods/b`, {
        method,
        headers: { ...alice, 'Transfer-Encoding': 'chunked', Trailer: 'X-Client' },
      })
      const answered = new Promise<http.IncomingMessage>((resolve) => chunked.on('response', resolve))
      chunked.write('some ')
      chunked.write('pieces')
      chunked.addTrailers({ 'X-Client': 'mine' })
      chunked.end()
      const answer = await answered
      let body = ''
      for await (const piece of answer) body += String(piece)
      expect([method, answer.headers['x-framing'], body, answer.trailers['x-sum']]).toEqual([
        method,
        'chunked',
        'some pieces',
        '11 mine',
      ])
      const sized = await ask(`${url}/x`, { method, headers: { 'Content-Length': '3' } }, 'abc')
      expect([sized.headers['x-framing'], sized.trailers['x-sum']]).toEqual(['length 3', '3 none'])
    }
  })

  test('announce trailers only where some can follow', async () => {
    const seen: (string | undefined)[] = []
    const { port } = await before((request, response) => {
      seen.push(request.headers.trailer)
      request.resume()
      // Bytes, as Node writes no such heads.
      const head = 'HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nContent-Length: 2\r\nConnection: close\r\n\r\n'
      response.socket?.end(request.method === 'HEAD' ? head : `${head}ok`)
    })
    const heads = [
      'GET /a HTTP/1.1\r\nTrailer: X-Client',
      'POST /a HTTP/1.1\r\nTrailer: X-Client\r\nContent-Length: 0',
      'HEAD /a HTTP/1.1\r\nTrailer: X-Client',
    ]
    for (const head of heads) {
      const { socket, until } = client(port)
      socket.write(`${head}\r\nHost: 127.0.0.1:${port}\r\nX-Remote-User: alice\r\n\r\n`)
      expect(await until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200 OK\r\n(?![^]*trailer)/i)
    }
    expect(seen).toEqual([undefined, undefined, undefined])
  })

  test('without a body have none', async () => {
    const { url, port } = await before((request, response) => {
      if (request.url === '/204') response.writeHead(204).end()
      else if (request.url === '/304') response.writeHead(304, { ETag: '"a"' }).end()
      else response.writeHead(200, { 'Content-Length': '4' }).end('body')
    })
    const { socket, until } = client(port)
    socket.write(['HEAD /head', 'GET /204', 'GET /304', 'GET /last'].map((line) => requestHead(port, line)).join(''))
    const text = await until(/body$/)
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    expect(statuses).toEqual(['200', '204', '304', '200'])
    expect(text.match(/body/g)).toHaveLength(1)
    expect(text.match(/transfer-encoding/gi)).toBeNull()
    const empty = await ask(`${url}/x`, { method: 'POST', headers: { 'Content-Length': '0' } })
    expect(empty.body).toBe('body')
  })

  test('keep their headers: order, repetitions, spelling; what belongs to the connection stays', async () => {
    let seen: string[] = []
    const { port } = await before((request, response) => {
      seen = request.rawHeaders
      response.writeHead(200, ['Warning', 'a=1', 'X-Odd', 'Ä', 'warning', 'b=2', 'Content-Length', '0'])
      response.end()
    })
    const { socket, until } = client(port)
    const own = ['X-A: 1', 'x-a: 2', 'Connection: X-Mine, keep-alive', 'X-Mine: 1', 'TE: trailers', 'Upgrade: h2c']
    socket.write(requestHead(port, 'GET /', own))
    const text = await until(/\r\n\r\n/)
    expect(text).toMatch(/Warning: a=1\r\nX-Odd: Ä\r\nwarning: b=2\r\n/)
    expect(seen.slice(0, 4)).toEqual(['X-A', '1', 'x-a', '2'])
    expect(seen.map((one) => one.toLowerCase())).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(x-mine|te|upgrade|x-remote-user)$/)]),
    )
  })

  test('may wait to be told to continue', async () => {
    const { port } = await before((request, response) => {
      request.on('data', (piece: Buffer) => response.end(`got ${piece.toString()}`))
    })
    const { socket, until } = client(port)
    socket.write(requestHead(port, 'POST /', ['Expect: 100-continue', 'Content-Length: 4']))
    await until('HTTP/1.1 100 Continue')
    socket.write('body')
    expect(await until('got body')).toContain('HTTP/1.1 200 OK')
  })

  test('that are refused before they continue end the connection, whose next bytes nobody could understand', async () => {
    const server = await upstreamServer(cleanups, () => undefined)
    server.on('checkContinue', (_request, response: http.ServerResponse) => {
      response.writeHead(413, { 'Content-Length': '0' }).end()
    })
    proxy = await proxied(cleanups, portOf(server))
    const { socket, until, closed } = client(proxy.port)
    socket.write(requestHead(proxy.port, 'POST /', ['Expect: 100-continue', 'Content-Length: 4']))
    expect(await until('HTTP/1.1 413 ')).not.toContain('100 Continue')
    await closed
  })

  test('whose rest the upstream does not want leave a usable connection', async () => {
    const { url } = await before((request, response) => {
      if (request.method === 'GET') response.end('fine')
      else request.once('data', () => response.writeHead(413).end('too much'))
    })
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    cleanups.push(() => agent.destroy())
    const refused = await ask(`${url}/x`, { method: 'POST', agent }, 'x'.repeat(5_000_000)).catch(() => undefined)
    // The upstream closes the connection of a client that continues to send, which may overtake its response.
    expect([413, 502, undefined]).toContain(refused?.status)
    expect((await ask(`${url}/x`, { agent })).body).toBe('fine')
  })

  test('of old clients are answered until the end of the connection', async () => {
    const { port } = await before((_request, response) => {
      response.write('old ')
      response.end('friend')
    })
    const { socket, text, closed } = client(port)
    socket.write(`GET / HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
    await closed
    expect(text()).toMatch(/\r\n\r\nold friend$/)
  })

  test('that take long begin at once', async () => {
    const answered = Promise.withResolvers<void>()
    const { url } = await before((_request, response) => {
      response.flushHeaders()
      void answered.promise.then(() => response.end('late'))
    })
    const answer = await fetch(`${url}/poll`, { headers: alice })
    answered.resolve()
    expect(await answer.text()).toBe('late')
  })

  test('flow no faster than the slower side takes them', async () => {
    const total = 200 * 2 ** 20
    const piece = Buffer.alloc(2 ** 16, 'x')
    let sent = 0
    const { url } = await before((_request, response) => {
      response.writeHead(200, { 'Content-Length': total })
      const more = (): void => {
        while (sent < total) {
          sent += piece.length
          if (!response.write(piece)) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    })
    const answer = await new Promise<http.IncomingMessage>((resolve) => http.get(url, { headers: alice }, resolve))
    let read = 0
    answer.on('data', (one: Buffer) => (read += one.length))
    answer.pause()
    // The capacity of the buffers of the four sockets, and no more. A busy machine takes a while to fill them.
    let ahead: number
    do {
      ahead = sent
      await sleep(300)
    } while (sent > ahead)
    expect(ahead).toBeLessThan(32 * 2 ** 20)
    answer.resume()
    await new Promise((resolve) => answer.on('end', resolve))
    expect(read).toBe(total)
  })

  test('are sent no faster than the upstream reads them', async () => {
    let read: (() => void) | undefined
    const { url, run } = await before((request, response) => {
      request.pause()
      read = () => request.resume()
      request.on('end', () => response.end('all'))
    })
    const total = 64 * 2 ** 20
    const request = http.request(`${url}/api/v1/namespaces/a/pods`, {
      method: 'POST',
      headers: { ...alice, 'Content-Length': total },
    })
    cleanups.push(() => request.destroy())
    const piece = Buffer.alloc(2 ** 16)
    let sent = 0
    const more = (): void => {
      while (sent < total) {
        sent += piece.length
        if (!request.write(piece)) return void request.once('drain', more)
      }
      request.end()
    }
    const answered = new Promise<http.IncomingMessage>((resolve) => request.on('response', resolve))
    more()
    await vi.waitFor(() => expect(run.log.count).toBe(1))
    await sleep(300)
    expect(sent).toBeLessThan(32 * 2 ** 20)
    read?.()
    expect((await answered).statusCode).toBe(200)
    expect(sent).toBe(total)
  })
})

describe('the upstream', () => {
  test('may have closed a kept connection: reads are asked for again, writes are not', async () => {
    let kill = false
    const broken: string[] = []
    const used = new WeakSet<object>()
    const server = await upstreamServer(cleanups, (request, response) => {
      const { method = '', socket } = request
      if (kill && used.has(socket)) {
        broken.push(method)
        return void socket.destroy()
      }
      used.add(socket)
      request.resume().on('end', () => response.end(method))
    })
    proxy = await proxied(cleanups, portOf(server))
    const { url, run } = proxy
    expect((await ask(`${url}/a`)).body).toBe('GET')
    kill = true
    expect((await ask(`${url}/a`)).body).toBe('GET')
    expect(broken).toEqual(['GET'])
    const write = await ask(`${url}/api/v1/namespaces/a/pods`, { method: 'POST' }, 'body')
    expect([write.status, broken]).toEqual([502, ['GET', 'POST']])
    expect(run.log.before(3).map(({ state }) => state)).toEqual(['served', 'served', 'failed'])
  })

  test('that is not there is told as Kubernetes clients understand it', async () => {
    const server = await upstreamServer(cleanups, () => undefined)
    const port = portOf(server)
    proxy = await proxied(cleanups, port)
    await cleanUp([cleanups.shift() ?? (() => undefined)])
    const json = await ask(`${proxy.url}/api`, {
      headers: { Accept: 'application/vnd.kubernetes.protobuf,application/json' },
    })
    expect([json.status, json.headers['content-type']]).toEqual([502, 'application/json'])
    expect(JSON.parse(json.body)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `Nothing listens at 127.0.0.1:${port}; check the port, and that the server runs.`,
      code: 502,
    })
    const text = await ask(`${proxy.url}/api`)
    expect(text.body).toBe(`Nothing listens at 127.0.0.1:${port}; check the port, and that the server runs.\n`)
  })
})

describe('requests', () => {
  test('of pages, for other servers and under other names are refused', async () => {
    const { url, port, run } = await before((_request, response) => response.end('served'))
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await ask(`${url}/api`, { headers })).status
    expect(await statusOf({ Origin: 'https://evil.example' })).toBe(403)
    expect(await statusOf({ Origin: 'null' })).toBe(403)
    expect(await statusOf({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
    expect(await statusOf({ Host: `evil.example:${port}` })).toBe(421)
    expect(await statusOf({ 'Sec-Fetch-Site': 'none' })).toBe(403)
    expect(await statusOf({ Host: `LOCALHOST:${port}` })).toBe(200)
    const forward = client(port)
    forward.socket.write(requestHead(port, 'GET http://elsewhere.example/'))
    await forward.until('HTTP/1.1 400 ')
    expect(run.log.count).toBe(1)
  })

  test('show no token in their row', async () => {
    let target: string | undefined
    const { url, run } = await before((request, response) => {
      target = request.url
      response.end()
    })
    await ask(`${url}/api/v1/pods?token=s3cret&limit=5&access_token=other`)
    expect(target).toBe('/api/v1/pods?token=s3cret&limit=5&access_token=other')
    expect(run.log.before(1)[0]?.url).toBe('/api/v1/pods?token=[hidden]&limit=5&access_token=[hidden]')
    expect(JSON.stringify(run.log.before(10))).not.toMatch(/s3cret|other/)
  })

  test('wait for a quarter of their own timeout', async () => {
    const { url, run } = await before(() => undefined, { seats: 1 })
    const pods = `${url}/api/v1/namespaces/default/pods/one`
    const abort = new AbortController()
    const long = Array.from({ length: 4 }, () => fetch(pods, { headers: alice, signal: abort.signal }).catch(() => 0))
    await vi.waitFor(() => expect(run.log.before(4).some(({ state }) => state === 'waiting')).toBe(true))
    const started = performance.now()
    const refused = await ask(`${pods}?timeout=1s`)
    expect(refused.status).toBe(429)
    expect(performance.now() - started).toBeGreaterThan(240)
    expect(run.log.before(1)[0]).toMatchObject({ state: 'rejected', reason: 'time-out' })
    abort.abort()
    await Promise.all(long)
  })

  test('to watch give their seats back once they are initialised, and end by themselves or with their client', async () => {
    const open: http.ServerResponse[] = []
    const { url, run } = await before((request, response) => {
      open.push(response)
      response.write('{"type":"ADDED"}\n')
      if (request.url?.includes('sendInitialEvents') === true) {
        response.write(
          '{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}\n',
        )
      }
    })
    const abort = new AbortController()
    const quiet = await fetch(`${url}/api/v1/pods?watch=1`, { headers: alice, signal: abort.signal })
    const told = await fetch(`${url}/api/v1/pods?watch=1&sendInitialEvents=true`, { headers: alice })
    await vi.waitFor(() => expect(inUse(run)).toBe(0))
    expect(run.log.before(2).map(({ state }) => state)).toEqual(['executing', 'executing'])
    abort.abort()
    await vi.waitFor(() => expect(run.log.before(2)[0]?.state).toBe('cancelled'))
    open[1]?.end()
    expect(await told.text()).toContain('initial-events-end')
    await expect(quiet.text()).rejects.toThrow(/abort/i)
  })
})
