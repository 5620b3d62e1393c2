import http2 from 'node:http2'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { selfSigned } from '../harness/hostileServerCertificates.ts'
import {
  type Cleanups,
  type Proxied,
  cleanUp,
  nothingHeld,
  portOf,
  proxied,
  upstreamServer,
} from '../harness/proxied.ts'

const cleanups: Cleanups = []
let proxy: Proxied | undefined
afterEach(async () => {
  if (proxy !== undefined) await nothingHeld(proxy.run)
  proxy = undefined
  await cleanUp(cleanups)
})

const tls = selfSigned({ name: 'localhost', dns: ['localhost'], ips: ['127.0.0.1'] })

async function before(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = await upstreamServer(cleanups, handle)
  proxy = await proxied(cleanups, portOf(server), { tls })
  const session = http2.connect(proxy.url, { ca: tls.cert, maxSessionMemory: 256 })
  session.on('error', () => undefined)
  cleanups.push(() => session.destroy())
  return { ...proxy, session }
}

interface Got {
  readonly headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader
  readonly body: string
  readonly trailers: http2.IncomingHttpHeaders
}

function ask(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  send?: (stream: http2.ClientHttp2Stream) => void,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const stream = session.request(
      { 'x-remote-user': 'alice', ...headers },
      { endStream: send === undefined, waitForTrailers: send !== undefined },
    )
    let got: Got['headers'] = {}
    let trailers: Got['trailers'] = {}
    let body = ''
    stream.setEncoding('utf8')
    stream.on('response', (head) => (got = head))
    stream.on('trailers', (tail) => (trailers = tail))
    stream.on('data', (piece: string) => (body += piece))
    stream.on('end', () => resolve({ headers: got, body, trailers }))
    stream.on('error', reject)
    stream.on('aborted', () => reject(new Error('aborted')))
    if (send === undefined) return
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-client': 'mine' }))
    send(stream)
  })
}

test('many streams share a connection, each with its own flow', async () => {
  const { session, run } = await before((request, response) => {
    response.writeHead(200, { 'X-Path': request.url })
    request.pipe(response)
  })
  const body = 'x'.repeat(200_000)
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      ask(session, { ':path': `/r/${i}`, ':method': 'POST' }, (stream) => stream.end(`${body}${i}`)),
    ),
  )
  answers.forEach((answer, i) => {
    expect(answer.headers).toMatchObject({ ':status': 200, 'x-path': `/r/${i}` })
    expect(answer.body === `${body}${i}`).toBe(true)
  })
  expect(run.log.count).toBe(200)
})

test('trailers pass in both directions, headers of the connection in none', async () => {
  let seen: string[] = []
  const { session } = await before((request, response) => {
    seen = request.rawHeaders
    request.resume().on('end', () => {
      response.writeHead(200, {
        Trailer: 'X-Sum',
        'Set-Cookie': 'a=1',
        Link: ['<a>', '<b>'],
        'Keep-Alive': 'timeout=5',
      })
      response.write('body')
      response.addTrailers({ 'X-Sum': String(request.trailers['x-client']) })
      response.end()
    })
  })
  const head = { ':path': '/x', ':method': 'POST', 'x-a': ['1', '2'] }
  const answer = await ask(session, head, (stream) => stream.end('some body'))
  expect(answer).toMatchObject({ body: 'body', trailers: { 'x-sum': 'mine' } })
  expect(answer.headers).toMatchObject({ link: '<a>, <b>' })
  expect(answer.headers['set-cookie']).toBeUndefined()
  expect(answer.headers['keep-alive']).toBeUndefined()
  expect(seen.join(' ')).toMatch(/x-a 1, 2|x-a 1 x-a 2/)
  expect(seen).not.toContain(':path')
})

test('messages without a body end with their head', async () => {
  const { session, run } = await before((request, response) => {
    if (request.url === '/204') response.writeHead(204).end()
    else if (request.url === '/304') response.writeHead(304).end()
    else response.writeHead(200, { 'Content-Length': '4' }).end('body')
  })
  const statuses = []
  for (const head of [
    { ':path': '/a', ':method': 'HEAD' },
    { ':path': '/204' },
    { ':path': '/304' },
    { ':path': '/a' },
  ]) {
    const { headers, body } = await ask(session, head)
    statuses.push(`${headers[':status']} ${body}`)
  }
  expect(statuses).toEqual(['200 ', '204 ', '304 ', '200 body'])
  await vi.waitFor(() => expect(run.log.before(4).map(({ state }) => state)).toEqual(Array(4).fill('served')))
})

test('a stream that is reset cancels its request and no other', async () => {
  const left: string[] = []
  const finish: (() => void)[] = []
  const { session, run } = await before((request, response) => {
    response.write('begun')
    response.on('close', () => left.push(request.url ?? ''))
    if (request.url === '/stays') finish.push(() => response.end(' done'))
  })
  const stays = ask(session, { ':path': '/stays' })
  const goes = session.request({ ':path': '/goes', 'x-remote-user': 'alice' })
  goes.on('error', () => undefined)
  await new Promise((resolve) => goes.once('data', resolve))
  goes.close(http2.constants.NGHTTP2_CANCEL)
  await vi.waitFor(() => expect(left).toEqual(['/goes']))
  await vi.waitFor(() =>
    expect(
      run.log
        .before(2)
        .map(({ state }) => state)
        .toSorted(),
    ).toEqual(['cancelled', 'executing']),
  )
  finish[0]?.()
  expect((await stays).body).toBe('begun done')
})

test('an upstream that dies within its answer resets the stream', async () => {
  const { session, run } = await before((_request, response) => {
    response.write('half')
    setTimeout(() => response.destroy(), 20)
  })
  await expect(ask(session, { ':path': '/api/v1/pods' })).rejects.toThrow(/INTERNAL_ERROR|aborted/)
  await vi.waitFor(() => expect(run.log.before(1)[0]?.state).toBe('failed'))
})

test('a stream that is not read holds its upstream back', async () => {
  let sent = 0
  const total = 64 * 2 ** 20
  const piece = Buffer.alloc(2 ** 16)
  const { session } = await before((_request, response) => {
    const more = (): void => {
      while (sent < total) {
        sent += piece.length
        if (!response.write(piece)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  })
  const stream = session.request({ ':path': '/x', 'x-remote-user': 'alice' })
  await new Promise((resolve) => stream.once('response', resolve))
  await sleep(300)
  expect(sent).toBeLessThan(32 * 2 ** 20)
  let read = 0
  stream.on('data', (one: Buffer) => (read += one.length))
  await new Promise((resolve) => stream.once('end', resolve))
  expect(read).toBe(total)
})

test('a session that ends takes its streams along', async () => {
  let left = 0
  const { session, run } = await before((_request, response) => {
    response.write('begun')
    response.on('close', () => (left += 1))
  })
  const streams = Array.from({ length: 20 }, (_, i) => session.request({ ':path': `/${i}`, 'x-remote-user': 'alice' }))
  streams.forEach((stream) => stream.on('error', () => undefined))
  await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('data', resolve))))
  session.destroy()
  await vi.waitFor(() => expect(left).toBe(20))
  expect(run.log.before(20).every(({ state }) => state === 'cancelled')).toBe(true)
})

test('a body may wait to be asked for', async () => {
  const { session } = await before((request, response) => {
    request.on('data', (piece: Buffer) => response.end(`got ${piece.toString()}`))
  })
  const { body } = await ask(session, { ':path': '/x', ':method': 'POST', expect: '100-continue' }, (stream) => {
    stream.on('continue', () => stream.end('body'))
  })
  expect(body).toBe('got body')
})

test('bombs of headers end the stream or its session; the proxy goes on', async () => {
  const { session, url } = await before((_request, response) => response.end('served'))
  const bomb = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`x-${i}`, 'y'.repeat(4_000)]))
  await expect(ask(session, { ':path': '/x', ...bomb })).rejects.toThrow(/.+/)
  const other = http2.connect(url, { ca: tls.cert })
  cleanups.push(() => other.destroy())
  expect((await ask(other, { ':path': '/x' })).body).toBe('served')
})

test('HTTP/1.1 is spoken over TLS to those who know no other', async () => {
  const { url } = await before((request, response) => response.end(`${request.httpVersion} ${request.url}`))
  const body = await new Promise<string>((resolve, reject) => {
    https
      .get(`${url}/x`, { ca: tls.cert, headers: { 'X-Remote-User': 'alice' } }, (answer) => {
        let text = ''
        answer.on('data', (piece: Buffer) => (text += piece.toString()))
        answer.on('end', () => resolve(text))
      })
      .on('error', reject)
  })
  expect(body).toBe('1.1 /x')
})

test('foreign names are refused here, too', async () => {
  const { session, run } = await before((_request, response) => response.end('served'))
  expect((await ask(session, { ':path': '/x', ':authority': 'evil.example' })).headers[':status']).toBe(421)
  expect(run.log.count).toBe(0)
})
