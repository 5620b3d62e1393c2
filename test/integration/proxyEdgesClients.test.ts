import http2 from 'node:http2'
import type net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { Caller } from '../../main/proxy/identity.ts'
import { inUse, upstreamServer } from '../harness/proxied.ts'
import { alice, edgeTls, POD, statusOf, useEdges } from '../harness/proxyEdges.ts'
import { requestHead } from '../harness/rawClient.ts'

const { before, beforeServer, cleanups, client, session } = useEdges()

describe('a client', () => {
  test('that offers another protocol along with a body has its body passed on', async () => {
    const { port } = await before((request, response) => {
      let body = ''
      request.on('data', (piece: Buffer) => (body += piece.toString()))
      request.on('end', () => response.end(`got ${body}.`))
    })
    const offer = ['Connection: Upgrade', 'Upgrade: TLS/1.2']
    const sized = client(port)
    sized.socket.write(requestHead(port, 'POST /x', [...offer, 'Content-Length: 4']))
    await sleep(20)
    sized.socket.write('body')
    expect(await sized.until('got body.')).toMatch(/^HTTP\/1\.1 200 /)
    const chunked = client(port)
    chunked.socket.write(
      `${requestHead(port, 'POST /x', [...offer, 'Transfer-Encoding: chunked'])}4\r\nbody\r\n0\r\n\r\n`,
    )
    expect(await chunked.until('got body.')).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('that waits with a WebSocket and leaves gives up its place', async () => {
    const { port, run, url } = await before(() => undefined, { seats: 1 })
    const abort = new AbortController()
    const taken = Array.from({ length: 4 }, () =>
      fetch(`${url}${POD}`, { headers: alice, signal: abort.signal }).catch(() => 0),
    )
    await vi.waitFor(() => expect(run.log.count).toBe(4))
    const { socket } = client(port)
    const offer = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']
    socket.write(requestHead(port, 'GET /api/v1/pods?watch=1', offer))
    await vi.waitFor(() => expect(run.log.before(1)[0]?.state).toBe('waiting'))
    socket.end()
    await vi.waitFor(() => expect(run.log.before(1)[0]?.state).toBe('cancelled'))
    abort.abort()
    await Promise.all(taken)
  })

  test('that leaves while it is identified never changes a protocol', async () => {
    let known: ((caller: Caller) => void) | undefined
    let asked = 0
    const server = await upstreamServer(cleanups, () => undefined)
    server.on('upgrade', (_request, socket: net.Socket) => {
      asked += 1
      socket.destroy()
    })
    const { port, run } = await beforeServer(server, { identify: () => new Promise((resolve) => (known = resolve)) })
    const { socket, closed } = client(port)
    socket.end(requestHead(port, `POST ${POD}/exec`, ['Connection: Upgrade', 'Upgrade: SPDY/3.1']))
    await vi.waitFor(() => expect(known).toBeDefined())
    await sleep(50)
    known?.({ kind: 'known', user: { name: 'alice', groups: [] }, without: new Set(), added: [] })
    await closed
    expect([asked, run.log.count]).toEqual([0, 0])
  })

  test('that resets its stream while it is identified never arrives', async () => {
    let known: ((caller: Caller) => void) | undefined
    const { url, run } = await before((_request, response) => response.end(), {
      tls: edgeTls,
      identify: () => new Promise((resolve) => (known = resolve)),
    })
    const stream = session(url).request({ ':path': POD })
    stream.on('error', () => undefined)
    await vi.waitFor(() => expect(known).toBeDefined())
    stream.close(http2.constants.NGHTTP2_CANCEL)
    await sleep(50)
    known?.({ kind: 'known', user: { name: 'alice', groups: [] }, without: new Set(), added: [] })
    await sleep(20)
    expect(run.log.count).toBe(0)
  })

  test('that resets its stream gives back its place in the queue, and its seat in the middle of a body', async () => {
    let left = 0
    const { url, run } = await before(
      (request, response) => {
        request.resume()
        response.on('close', () => (left += 1))
        response.write('begun')
      },
      { tls: edgeTls, seats: 60 },
    )
    const rows = (wanted: string): number => run.log.before(50).filter(({ state }) => state === wanted).length
    const one = session(url)
    const open = (method: string): http2.ClientHttp2Stream => {
      const path = `/api/v1/namespaces/default/pods${method === 'GET' ? '/one' : ''}`
      const stream = one.request({ ':path': path, ':method': method, 'x-remote-user': 'alice' }, { endStream: false })
      return stream.on('error', () => undefined)
    }
    const uploading = open('POST')
    uploading.write('half a body')
    await new Promise((resolve) => uploading.once('data', resolve))
    const others = Array.from({ length: 40 }, () => open('GET'))
    await vi.waitFor(() => expect(run.log.count).toBe(41))
    expect(rows('waiting')).toBeGreaterThan(20)
    others.forEach((stream) => stream.close(http2.constants.NGHTTP2_CANCEL))
    await vi.waitFor(() => expect([rows('cancelled'), inUse(run)]).toEqual([40, 1]))
    const leftBefore = left
    uploading.close(http2.constants.NGHTTP2_CANCEL)
    await vi.waitFor(() => expect([rows('cancelled'), inUse(run)]).toEqual([41, 0]))
    await vi.waitFor(() => expect(left).toBeGreaterThan(leftBefore))
  })

  test.each([
    ['Transfer-Encoding: gzip, chunked', 501],
    ['Transfer-Encoding: identity', 501],
    ['Transfer-Encoding: xchunked', 501],
    ['Transfer-Encoding: chunked, gzip', 400],
    ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', 400],
    ['Transfer-Encoding: chunked\r\nContent-Length: 3', 400],
    ['Content-Length: 3\r\nContent-Length: 3', 400],
    ['Content-Length: 3, 3', 400],
    ['Content-Length: +3', 400],
    ['Content-Length : 3', 400],
    ['X-A: 1\r\n folded: 2', 400],
  ])('that says of its body "%s" gets %i, and the upstream nothing', async (header, status) => {
    let asked = 0
    const { port } = await before((_request, response) => {
      asked += 1
      response.end()
    })
    const { socket, until } = client(port)
    socket.write(`${requestHead(port, 'POST /x', [header])}3\r\nabc\r\n0\r\n\r\n`)
    await until(`HTTP/1.1 ${status} `)
    expect(asked).toBe(0)
  })

  test('that writes its method small is told so, as it would arrive in capitals', async () => {
    const { url, run } = await before((_request, response) => response.end(), { tls: edgeTls })
    expect(await statusOf(session(url).request({ ':path': POD, ':method': 'get' }))).toBe(501)
    expect(run.log.count).toBe(0)
  })
})
