import { connect } from 'node:http2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Management } from '../../main/etcd/management.ts'
import { EtcdMetrics } from '../../main/etcd/metrics.ts'
import { putKey } from '../harness/smallEtcd.ts'
import { call, list, message, pause, percentile, put } from './etcdClient.ts'
import { bypassTold } from './etcdBypass.ts'
import { printedBoth } from './etcdctlScript.ts'
import { DEBIAN, type EtcdServer, missingDebian, type ProxiedEtcd, proxyBefore, startEtcd } from './etcdServer.ts'

const now = (): number => performance.now()

describe.skipIf(missingDebian)('Debian’s etcd 3.4 behind the proxy', () => {
  let etcd: EtcdServer
  const proxies: ProxiedEtcd[] = []
  const proxy = async (rules?: string): Promise<ProxiedEtcd> => {
    const opened = await proxyBefore(etcd.url, rules)
    proxies.push(opened)
    return opened
  }
  beforeAll(async () => {
    etcd = await startEtcd(DEBIAN)
  }, 60_000)
  afterAll(async () => {
    for (const one of proxies) await one.close()
    await etcd?.stop()
  })

  test('etcdctl prints the same as without it', { timeout: 300_000 }, async () => {
    for (const { command, direct, proxied } of await printedBoth(etcd, (await proxy()).url))
      expect.soft(proxied, command).toBe(direct)
  })

  test('what goes past the proxy is told from the metrics of the member', { timeout: 60_000 }, async () => {
    expect(await bypassTold(etcd, await proxy())).toMatchObject([
      { answered: 2, outside: 0 },
      { answered: 6, outside: 3 },
    ])
  })

  test('10,000 idle watches are carried, counted, and do not keep others waiting', { timeout: 120_000 }, async () => {
    const gate = (await proxy()).gate
    const { openEtcdProxy } = await import('../../main/etcd/etcdProxy.ts')
    const management = new Management(
      { gate, url: () => '', upstream: etcd.url, storage: () => undefined, now, time: () => Date.now() },
      0,
    )
    const meter = new EtcdMetrics(gate, management, { storage: () => undefined, clock: { now } })
    const counted = await openEtcdProxy({ upstream: { url: etcd.url }, port: 0, gate, now, meter })
    const session = connect(counted.url, { maxSessionMemory: 256, peerMaxConcurrentStreams: 20_000 })
    const before = process.memoryUsage().rss
    // WatchCreateRequest of one key, in the first field of a WatchRequest.
    const create = message([1, Buffer.from([0x0a, 1, 0x77])])
    let created = 0
    for (let i = 0; i < 10_000; i++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/etcdserverpb.Watch/Watch',
        'content-type': 'application/grpc',
        te: 'trailers',
      })
      stream.on('error', () => undefined)
      stream.once('data', () => (created += 1))
      stream.write(create)
      if (i % 500 === 0) await pause(10)
    }
    await expect.poll(() => created, { timeout: 90_000, interval: 500 }).toBe(10_000)
    expect(management.watches).toBe(10_000)
    const grown = (process.memoryUsage().rss - before) / 10_000 / 1024
    const own = connect(counted.url)
    const took = await Promise.all(Array.from({ length: 20 }, () => call(own, 'KV/Range', list('/a'))))
    expect(took.every(({ status }) => status === '0')).toBe(true)
    console.warn(
      `10,000 watches: ${grown.toFixed(0)} KiB each with their client; reads ${percentile(
        took.map(({ ms }) => ms),
        50,
      ).toFixed(1)} ms.`,
    )
    own.destroy()
    session.destroy()
    await expect.poll(() => management.watches, { timeout: 30_000 }).toBe(0)
    await counted.close()
  })

  test('a reader that takes nothing keeps nobody else waiting', { timeout: 60_000 }, async () => {
    const { url } = await proxy()
    const filling = connect(url)
    for (let i = 0; i < 20; i++) await call(filling, 'KV/Put', put(`/large/${i}`, 1_000_000))
    const slow = connect(url)
    const stuck = slow.request({
      ':method': 'POST',
      ':path': '/etcdserverpb.KV/Range',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stuck.on('error', () => undefined)
    stuck.pause()
    stuck.end(list('/large/'))
    await pause(500)
    const before = process.memoryUsage().rss
    for (let i = 0; i < 50; i++) expect(await putKey(filling, '/k')).toBe('0')
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(64)
    slow.destroy()
    filling.destroy()
  })
})
