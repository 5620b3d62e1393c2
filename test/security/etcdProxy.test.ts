import { type ClientHttp2Session, createSecureServer, createServer } from 'node:http2'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { EtcdProxy } from '../../main/etcd/etcdProxy.ts'
import { clientOf, proxyWith, rawClient, serverTls, WAYS } from '../harness/etcdProxies.ts'
import { CONTINUATION, DATA, frame, HEADERS, PING, PREFACE, preface, RST, SETTINGS } from '../harness/http2Frames.ts'
import { putKey, putOf, smallEtcd, type SmallEtcd } from '../harness/smallEtcd.ts'

// Clients that mean harm, in front of an etcd that answers everything: each hurts itself alone.

const RULES = `
classes: [{ name: few, qdisc: lbf, qps: 0.001 }]
rules: [{ name: limited, qClassName: few, priority: 1, ops: [Put], prefixPaths: [/limited/] }]
`

describe.each(WAYS)('hostile clients of the etcd proxy, %s', (way) => {
  let etcd: SmallEtcd
  let proxy: EtcdProxy
  let innocent: ClientHttp2Session
  const unread = vi.fn<() => void>()
  const opened: { readonly destroy: () => void }[] = []
  const meter = { unread, watch: () => undefined, ended: () => undefined, overhead: () => undefined }
  const proxyBefore = (url: string): Promise<EtcdProxy> => proxyWith(RULES, url, way, { meter })

  function session(url: string, options = {}): ClientHttp2Session {
    const client = clientOf(url, options)
    opened.push(client)
    return client
  }

  beforeEach(async () => {
    unread.mockReset()
    etcd = await smallEtcd(0, serverTls(way))
    proxy = await proxyBefore(etcd.url)
    innocent = session(proxy.url)
    await putKey(innocent, '/x')
  })
  afterEach(async () => {
    for (const one of opened.splice(0)) one.destroy()
    await proxy.close()
    await etcd.close()
  })

  /** Sends bytes as they are; settles when the other side closes, or after a second. */
  function sendRaw(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      const socket = rawClient(proxy.url, () => socket.write(bytes))
      opened.push(socket)
      setTimeout(() => socket.destroy(), 1_000).unref()
      socket.on('close', () => resolve())
      socket.resume()
    })
  }

  test.each([
    ['no HTTP/2 at all', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['noise after the preface', Buffer.from(PREFACE + '\xff'.repeat(4_000), 'latin1')],
    ['a frame that announces 16 MB', preface(frame(DATA, 0, 1, Buffer.alloc(10), 0xffffff))],
    ['data of a stream that is not open', preface(frame(DATA, 1, 1, Buffer.alloc(100)))],
    ['headers that are no HPACK', preface(frame(HEADERS, 5, 1, Buffer.alloc(100, 0xff)))],
    ['a stream of an even number', preface(frame(HEADERS, 5, 2, Buffer.from([0x82, 0x84, 0x86])))],
    [
      'headers without an end, continued for ever',
      preface(
        frame(HEADERS, 0, 1, Buffer.from([0x82])),
        ...Array.from({ length: 2_000 }, () => frame(CONTINUATION, 0, 1, Buffer.alloc(1_000, 0x82))),
      ),
    ],
    ['a flood of settings', preface(...Array.from({ length: 20_000 }, () => frame(SETTINGS, 0, 0, Buffer.alloc(0))))],
    ['a flood of pings', preface(...Array.from({ length: 20_000 }, () => frame(PING, 0, 0, Buffer.alloc(8))))],
    [
      'streams opened and reset at once',
      preface(
        ...Array.from({ length: 5_000 }, (_, index) =>
          Buffer.concat([
            frame(HEADERS, 4, 2 * index + 1, Buffer.from([0x83, 0x84, 0x86])),
            frame(RST, 0, 2 * index + 1, Buffer.alloc(4, 8)),
          ]),
        ),
      ),
    ],
    ['half a preface', Buffer.from(PREFACE.slice(0, 10))],
  ])('%s', async (_, bytes) => {
    await sendRaw(bytes)
    // Earlier clients are not affected.
    expect(await putKey(innocent, '/x')).toBe('0')
  })

  test('header bombs are refused, whether long or many', async () => {
    const calls = etcd.calls()
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`x-${index}`, 'y']))
    for (const headers of [{ 'x-long': 'y'.repeat(300_000) }, many])
      expect(await putKey(session(proxy.url), '/x', putOf('/x'), headers)).not.toBe('0')
    expect(etcd.calls()).toBe(calls)
    expect(await putKey(innocent, '/x')).toBe('0')
  })

  test('a call with fields of a connection, or with repeated ones, is passed on', async () => {
    const client = session(proxy.url, { strictSingleValueFields: false })
    expect(await putKey(client, '/x', putOf('/x'), { host: 'elsewhere', 'user-agent': ['a', 'b'] })).toBe('0')
  })

  test('a message too long to be read is rejected, and nothing of it is kept', async () => {
    // The memory of Node's own client is bounded by less than it sends here.
    const client = session(proxy.url, { maxSessionMemory: 1_000 })
    const before = process.memoryUsage().rss
    for (let index = 0; index < 4; index++) {
      const head = Buffer.from([0, 0, 0, 0, 0])
      head.writeUInt32BE(24 * 1024 * 1024, 1)
      expect(await putKey(client, '', Buffer.concat([head, Buffer.alloc(24 * 1024 * 1024)]))).toBe('3')
    }
    expect(unread).toHaveBeenCalledTimes(4)
    expect((process.memoryUsage().rss - before) / 1024 ** 2).toBeLessThan(400)
    // One that announces four gigabytes and sends nothing of them.
    const stuck = client.request({
      ':method': 'POST',
      ':path': '/etcdserverpb.KV/Put',
      'content-type': 'application/grpc',
    })
    stuck.on('error', () => undefined)
    stuck.write(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]))
    expect(await putKey(client, '/x')).toBe('0')
    stuck.close()
  })

  test('a rule is not escaped by cutting the message into bytes, nor by a second one behind it', async () => {
    const client = session(proxy.url)
    const limited = putOf('/limited/a')
    expect(await putKey(client, '', limited)).toBe('0')
    expect(await putKey(client, '', limited)).toBe('8')
    const calls = etcd.calls()
    expect(await putKey(client, '', Buffer.concat([limited, putOf('/x')]))).toBe('8')
    const status = await new Promise<string>((resolve) => {
      const stream = client.request({
        ':method': 'POST',
        ':path': '/etcdserverpb.KV/Put',
        'content-type': 'application/grpc',
      })
      stream.on('response', (headers) => resolve(String(headers['grpc-status'])))
      stream.on('error', () => undefined)
      for (const byte of limited) stream.write(Buffer.from([byte]))
      stream.end()
    })
    expect(status).toBe('8')
    expect(etcd.calls()).toBe(calls)
  })

  test('a reader that takes nothing holds a few windows, not the answer', async () => {
    let sent = 0
    const tls = serverTls(way)
    const endless = tls === undefined ? createServer() : createSecureServer({ ...tls })
    endless.on('stream', (stream) => {
      stream.on('error', () => undefined)
      stream.resume()
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
      const write = (): void => {
        const chunk = Buffer.alloc(64 * 1024)
        for (let room = true; room && !stream.destroyed;) {
          sent += chunk.length
          room = stream.write(chunk)
        }
      }
      stream.on('drain', write)
      write()
    })
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
    const address = endless.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    const slow = await proxyBefore(`${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`)
    const client = session(slow.url)
    const stuck = client.request({
      ':method': 'POST',
      ':path': '/etcdserverpb.Maintenance/Snapshot',
      'content-type': 'application/grpc',
    })
    stuck.on('error', () => undefined)
    stuck.pause()
    stuck.end(putOf(''))
    await vi.waitFor(() => expect(sent).toBeGreaterThan(0))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const settled = sent
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(sent).toBe(settled)
    expect(sent).toBeLessThan(8 * 1024 ** 2)
    client.destroy()
    await slow.close()
    endless.close()
  })

  test('clients that give up while their answer is on its way', async () => {
    const client = session(proxy.url)
    let closed = 0
    for (let index = 0; index < 3_000; index++) {
      const call = client.request({
        ':method': 'POST',
        ':path': '/etcdserverpb.KV/Put',
        'content-type': 'application/grpc',
      })
      call.on('error', () => undefined)
      call.once('close', () => (closed += 1))
      call.resume()
      call.end(putOf('/x'))
      setTimeout(() => call.close(8), index % 12)
      if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await vi.waitFor(() => expect(closed).toBe(3_000), 30_000)
    expect(await putKey(innocent, '/x')).toBe('0')
  })

  test('10,000 idle watches keep nobody waiting, and leave nothing behind', async () => {
    const client = session(proxy.url, { maxSessionMemory: 512, peerMaxConcurrentStreams: 20_000 })
    const calls = etcd.calls()
    for (let index = 0; index < 10_000; index++) {
      const watch = client.request({
        ':method': 'POST',
        ':path': '/etcdserverpb.Watch/Watch',
        'content-type': 'application/grpc',
      })
      watch.on('error', () => undefined)
      watch.write(putOf('w'))
      if (index % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await vi.waitFor(() => expect(etcd.calls()).toBe(calls + 10_000), { timeout: 100_000, interval: 200 })
    expect(await putKey(innocent, '/x')).toBe('0')
    expect(await putKey(client, '/x')).toBe('0')
    client.destroy()
  })
})
