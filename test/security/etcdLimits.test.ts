import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { EtcdProxy } from '../../main/etcd/etcdProxy.ts'
import { VISIT_LIMITS, type VisitLimits } from '../../main/etcd/visits.ts'
import { clientOf, proxyWith, rawClient, serverTls, WAYS } from '../harness/etcdProxies.ts'
import { putKey, putOf, smallEtcd, type SmallEtcd } from '../harness/smallEtcd.ts'

// Each limit of docs/security.md on the clients of the etcd proxy: whoever exceeds it is stopped, nobody else.

const MEGABYTE = 1024 * 1024

describe.each(WAYS)('limits of the clients of the etcd proxy, %s', (way) => {
  let etcd: SmallEtcd
  const closing: (() => unknown)[] = []

  beforeEach(async () => {
    etcd = await smallEtcd(0, serverTls(way))
    closing.push(() => etcd.close())
  })
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  })

  const proxyOf = async (limits: Partial<VisitLimits>): Promise<EtcdProxy> => {
    const proxy = await proxyWith('rules: []', etcd.url, way, { limits: { ...VISIT_LIMITS, ...limits } })
    closing.push(() => proxy.close())
    return proxy
  }
  const sessionOf = ({ url }: EtcdProxy): ClientHttp2Session => {
    const session = clientOf(url, { maxSessionMemory: 4_000 })
    closing.push(() => session.destroy())
    return session
  }
  const callOf = (session: ClientHttp2Session, path: string): ClientHttp2Stream => {
    const call = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' })
    call.on('error', () => undefined)
    return call
  }
  const watchOf = (session: ClientHttp2Session): ClientHttp2Stream => {
    const watch = callOf(session, '/etcdserverpb.Watch/Watch')
    watch.write(putOf('w'))
    return watch
  }
  const statusOf = async (call: ClientHttp2Stream): Promise<string> => {
    const headers = await new Promise<Readonly<Record<string, unknown>>>((resolve) => {
      call.on('response', resolve)
      call.on('close', () => resolve({ 'grpc-status': `reset ${call.rstCode}` }))
    })
    return String(headers['grpc-status'])
  }
  /** A session that is refused also has an error. */
  const closed = (session: ClientHttp2Session): Promise<void> =>
    new Promise((resolve) => session.on('close', () => resolve()))
  const { connections } = VISIT_LIMITS

  test('connections that never speak are closed', async () => {
    const proxy = await proxyOf({ connections: { ...connections, new: { most: 100, ms: 300 } } })
    const silent = Array.from({ length: 50 }, () => rawClient(proxy.url, () => undefined))
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.resume().on('close', resolve))))
    expect(await putKey(sessionOf(proxy), 'x')).toBe('0')
  })

  test('a client without a call is sent away; a watch, however silent, is a call', async () => {
    const proxy = await proxyOf({ idleMs: 300 })
    const [idle, watching] = [sessionOf(proxy), sessionOf(proxy)]
    const watch = watchOf(watching)
    expect(await putKey(idle, 'x')).toBe('0')
    await closed(idle)
    const late = sessionOf(proxy)
    await closed(late)
    expect([watching.closed, watch.closed]).toEqual([false, false])
    expect(await putKey(watching, 'x')).toBe('0')
  })

  test('pings keep a client without a call, but not for ever, and not if there are many', async () => {
    const proxy = await proxyOf({ idleMs: 400, pingedMs: 1_200, pings: 5, pingEveryMs: 100 })
    const pinging = sessionOf(proxy)
    await once(pinging, 'connect')
    const began = performance.now()
    const timer = setInterval(() => pinging.closed || pinging.destroyed || pinging.ping(() => undefined), 150)
    await closed(pinging)
    clearInterval(timer)
    expect(performance.now() - began).toBeGreaterThan(1_200)

    const many = sessionOf(proxy)
    const code = new Promise((resolve) => many.on('goaway', resolve))
    await once(many, 'connect')
    for (let index = 0; index < 100; index++) many.ping(() => undefined)
    expect(await code).toBe(11)
  })

  test('calls of a connection, and of all: the connection with most calls gives way', async () => {
    const proxy = await proxyOf({ calls: { each: 60, all: 70 } })
    const [few, many] = [sessionOf(proxy), sessionOf(proxy)]
    await Promise.all([once(few, 'remoteSettings'), once(many, 'remoteSettings')])
    expect(many.remoteSettings.maxConcurrentStreams).toBe(60)
    for (let index = 0; index < 20; index++) watchOf(few)
    await vi.waitFor(() => expect(etcd.calls()).toBe(20))
    const gone = closed(many)
    for (let index = 0; index < 60; index++) watchOf(many)
    await gone
    expect(few.destroyed).toBe(false)
    expect(await putKey(few, 'x')).toBe('0')
  })

  test('connections with calls: as many as the proxy takes, those that are there stay', async () => {
    const proxy = await proxyOf({ connections: { ...connections, busy: { most: 2, ms: Number.POSITIVE_INFINITY } } })
    const [first, second, third] = [sessionOf(proxy), sessionOf(proxy), sessionOf(proxy)]
    const watches = [watchOf(first), watchOf(second)]
    await vi.waitFor(() => expect(etcd.calls()).toBe(2))
    expect(await putKey(third, 'x')).toBe('8')
    expect(await putKey(first, 'x')).toBe('0')
    watches[1]?.close()
    await vi.waitFor(async () => expect(await putKey(third, 'x')).toBe('0'))
  })

  test('messages that are not whole hold what one connection may have; those beyond it are refused', async () => {
    const proxy = await proxyOf({ bytes: { each: 4 * MEGABYTE, all: 256 * MEGABYTE } })
    const [innocent, greedy] = [sessionOf(proxy), sessionOf(proxy)]
    const part = Buffer.concat([Buffer.from([0, 0, 0x20, 0, 0]), Buffer.alloc(MEGABYTE)])
    const calls = Array.from({ length: 40 }, () => callOf(greedy, '/etcdserverpb.KV/Put'))
    let refused = 0
    for (const call of calls) {
      void statusOf(call).then((status) => (refused += status === '8' ? 1 : 0))
      call.resume()
      call.write(part)
    }
    await vi.waitFor(() => expect(refused).toBeGreaterThanOrEqual(36), 10_000)
    expect(await putKey(innocent, 'x')).toBe('0')
  })

  test('bytes of all: the connection that holds most gives way', async () => {
    const proxy = await proxyOf({ bytes: { each: 4 * MEGABYTE, all: 5 * MEGABYTE } })
    const [innocent, greedy, more] = [sessionOf(proxy), sessionOf(proxy), sessionOf(proxy)]
    const head = Buffer.from([0, 0, 0x7f, 0, 0])
    const hold = (session: ClientHttp2Session, bytes: number): ClientHttp2Stream => {
      const call = callOf(session, '/etcdserverpb.KV/Put')
      call.write(Buffer.concat([head, Buffer.alloc(bytes)]))
      return call
    }
    const small = hold(innocent, 1_000)
    hold(greedy, 3.5 * MEGABYTE)
    hold(more, 3 * MEGABYTE)
    await Promise.race([closed(greedy), closed(more)])
    expect([innocent.destroyed, small.closed]).toEqual([false, false])
    expect(await putKey(innocent, 'x')).toBe('0')
  })

  test('a request that does not become whole is ended in time', async () => {
    const proxy = await proxyOf({ unfinishedMs: 400 })
    const session = sessionOf(proxy)
    const [empty, begun] = [callOf(session, '/etcdserverpb.KV/Put'), callOf(session, '/etcdserverpb.KV/Range')]
    begun.write(Buffer.from([0, 0, 0, 1, 0, 1]))
    expect(await Promise.all([statusOf(empty), statusOf(begun)])).toEqual(['4', '4'])
    // The calls are over, although the client never ends them.
    for (const call of [empty, begun]) if (!call.closed) await once(call.resume(), 'close')
    expect(await putKey(session, 'x')).toBe('0')
  })
})
