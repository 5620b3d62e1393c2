import { execFileSync } from 'node:child_process'
import { type ClientHttp2Session, connect } from 'node:http2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PRESETS } from '../../core/qos/advise.ts'
import { framed, HEAD_BYTES } from '../../main/etcd/messages.ts'
import { readToken } from '../../main/etcd/requests.ts'
import { Management } from '../../main/etcd/management.ts'
import { EtcdMetrics } from '../../main/etcd/metrics.ts'
import { watchStorage } from '../../main/etcd/storage.ts'
import { putKey } from '../harness/smallEtcd.ts'
import { type EtcdPrograms, type EtcdServer, type ProxiedEtcd, proxyBefore, startEtcd } from './etcdServer.ts'

// Debian's etcd 3.4, which has no quota in its status: what protects a store on the real thing, without and with rules.

const DEBIAN: EtcdPrograms = { etcd: '/usr/bin/etcd', etcdctl: '/usr/bin/etcdctl' }
const version = ((): string => {
  try {
    return execFileSync(DEBIAN.etcd, ['--version'], { encoding: 'utf8' })
  } catch {
    return ''
  }
})()
const missing = !version.includes('etcd Version: 3.4')
if (missing) console.warn('Tests on Debian’s etcd 3.4 are skipped: apt-get install etcd-server etcd-client.')

const QUOTA = 32 * 1024 * 1024
const now = (): number => performance.now()
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

/** A message with length-delimited fields, by their numbers. */
const message = (...fields: readonly (readonly [field: number, bytes: Buffer])[]): Buffer =>
  framed(
    Buffer.concat(fields.flatMap(([field, bytes]) => [Buffer.from([(field << 3) | 2]), varint(bytes.length), bytes])),
  )
function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80; left = Math.floor(left / 128)) bytes.push((left & 0x7f) | 0x80)
  return Buffer.from([...bytes, left])
}
const list = (prefix: string): Buffer =>
  message(
    [1, Buffer.from(prefix)],
    [2, Buffer.from(prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1))],
  )
const put = (key: string, bytes: number): Buffer => message([1, Buffer.from(key)], [2, Buffer.alloc(bytes, 'x')])

interface Answer {
  /** Of gRPC. */
  readonly status: string
  readonly ms: number
  readonly payload: Buffer
}

/** One call from its first byte to its end. */
function call(session: ClientHttp2Session, method: string, body: Buffer, more = {}): Promise<Answer> {
  const began = now()
  return new Promise((resolve) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': `/etcdserverpb.${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...more,
    })
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    let status = 'reset'
    const read = (headers: Readonly<Record<string, unknown>>): void => {
      if (typeof headers['grpc-status'] === 'string') status = headers['grpc-status']
    }
    stream.on('response', read)
    stream.on('trailers', read)
    stream.on('error', () => undefined)
    stream.on('close', () =>
      resolve({ status, ms: now() - began, payload: Buffer.concat(chunks).subarray(HEAD_BYTES) }),
    )
    stream.end(body)
  })
}

/** Lets `load` run against a proxy while somebody else writes one key every 50 ms: their latencies in milliseconds. */
async function besides(
  url: string,
  ms: number,
  load: (session: ClientHttp2Session, over: () => boolean) => Promise<unknown>,
  more = {},
): Promise<{ readonly took: readonly number[]; readonly refused: number }> {
  const [own, other] = [connect(url), connect(url)]
  const end = now() + ms
  const working = load(other, () => now() >= end)
  const took: number[] = []
  let refused = 0
  while (now() < end) {
    const { status, ms: one } = await call(own, 'KV/Put', put('/innocent', 10), more)
    took.push(one)
    if (status !== '0') refused += 1
    await pause(50)
  }
  await working
  own.destroy()
  other.destroy()
  return { took, refused }
}

describe.skipIf(missing)('Debian’s etcd 3.4 behind the proxy', () => {
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

  test('etcdctl prints the same as without it', { timeout: 60_000 }, async () => {
    const { url } = await proxy()
    for (const command of [
      'put P/a 1',
      'get P/a',
      'get P/ --prefix --keys-only',
      'del P/a --prev-kv',
      'get P/a --rev 99999999',
      'lease timetolive 1',
      'member list',
      'alarm list',
      'user list',
      'auth enable',
    ]) {
      const words = (prefix: string) => command.split(' ').map((word) => word.replace(/^P\//, `${prefix}/`))
      const run = async (at: string, prefix: string) =>
        (await etcd.etcdctl(at, words(prefix))).replaceAll(`${prefix}/`, 'P/').replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
      const plain = (output: string) =>
        output
          .split('\n')
          .filter((line) => !line.startsWith('{"level"'))
          .join('\n')
      expect.soft(plain(await run(url, 'P2')), command).toBe(plain(await run(etcd.url, 'P1')))
    }
  })

  test('10,000 idle watches are carried, counted, and do not keep others waiting', { timeout: 120_000 }, async () => {
    const door = (await proxy()).door
    const { openEtcdProxy } = await import('../../main/etcd/etcdProxy.ts')
    const management = new Management(
      { door, url: () => '', upstream: etcd.url, storage: () => undefined, now, time: () => Date.now() },
      0,
    )
    const meter = new EtcdMetrics(door, management, { storage: () => undefined, clock: { now } })
    const counted = await openEtcdProxy({ upstream: { url: etcd.url }, port: 0, door, now, meter })
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
      `10,000 watches: ${grown.toFixed(0)} KiB each with their client; reads ${median(took.map(({ ms }) => ms)).toFixed(1)} ms.`,
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

  test('a tenant that lists everything: others are never limited', { timeout: 180_000 }, async () => {
    const open = await proxy()
    const filling = connect(open.url)
    for (let i = 0; i < 20_000; i += 200)
      await Promise.all(
        Array.from({ length: 200 }, (_, j) => call(filling, 'KV/Put', put(`/registry/pods/${i + j}`, 500))),
      )
    filling.destroy()
    const lists = (session: ClientHttp2Session, over: () => boolean) =>
      Promise.all(
        Array.from({ length: 20 }, async () => {
          while (!over()) {
            const { status } = await call(session, 'KV/Range', list('/registry/pods/'))
            if (status === '8') await pause(20)
          }
        }),
      )
    const limited = await proxy(`
classes: [{ name: slow-query, qdisc: tbf, qps: 2, burst: 2 }]
rules: [{ name: pods, qClassName: slow-query, priority: 10, ops: [Range], prefixPaths: [/registry/pods/], conditions: [{ kind: ScanKeyNum, threshold: 1000 }] }]
`)
    const without = await besides(open.url, 8_000, lists)
    const withRules = await besides(limited.url, 8_000, lists)
    const ratio = median(without.took) / median(withRules.took)
    console.warn(
      `Lists of 20,000 keys: others wait ${median(without.took).toFixed(1)} ms without rules and ${median(withRules.took).toFixed(1)} ms with them (ratio ${ratio.toFixed(1)}).`,
    )
    expect(withRules.refused).toBe(0)
    expect(limited.door.engine.state.tracker.size).toBe(1)
  })
})

describe.skipIf(missing)('an etcd 3.4 whose quota is nearly used up', () => {
  /** Fills the store to above 90 %, floods it with events for 8 s, and says whether etcd raised its alarm. */
  async function flood(rules: string | undefined): Promise<{ readonly alarm: string; readonly refused: number }> {
    const etcd = await startEtcd({ ...DEBIAN, more: [`--quota-backend-bytes=${QUOTA}`] })
    const proxied = await proxyBefore(etcd.url, rules)
    const storage = watchStorage({ url: etcd.url }, proxied.door, now)
    try {
      const session = connect(proxied.url)
      await expect.poll(() => storage.reading()?.quota, { timeout: 10_000 }).toBe(QUOTA)
      expect(storage.reading()?.quotaFrom).toBe('metrics')
      // The last part slowly: the size is read once a second.
      for (let i = 0; i < 400 && (storage.reading()?.status.dbSizeInUse ?? 0) < 0.905 * QUOTA; i++) {
        await call(session, 'KV/Put', put(`/fill/${i}`, 100_000))
        if (i > 230) await pause(350)
      }
      await expect
        .poll(() => storage.reading()?.status.dbSizeInUse ?? 0, { timeout: 5_000 })
        .toBeGreaterThan(0.9 * QUOTA)
      let refused = 0
      const end = now() + 8_000
      for (let i = 0; now() < end; i++) {
        const { status } = await call(session, 'KV/Put', put(`/registry/events/${i}`, 5_000))
        if (status === '8') refused += 1
        await pause(5)
      }
      session.destroy()
      return { alarm: await etcd.etcdctl(etcd.url, ['alarm', 'list']), refused }
    } finally {
      storage.close()
      await proxied.close()
      await etcd.stop()
    }
  }

  test(
    'an event flood raises the NOSPACE alarm without the rule, and does not with it',
    { timeout: 180_000 },
    async () => {
      const without = await flood(undefined)
      expect(without.alarm).toContain('NOSPACE')
      const withRule = await flood(`
classes: [{ name: event, qdisc: lbf, qps: 2 }]
rules: [{ name: rule-event, qClassName: event, priority: 9, ops: [Put], prefixPaths: [/registry/events/], conditions: [{ kind: PercentOfStorageQuotaUsed, threshold: 0.9 }] }]
`)
      expect(withRule.alarm).not.toContain('NOSPACE')
      expect(withRule.refused).toBeGreaterThan(0)
      console.warn(
        `Event flood above 90 % of the quota: ${withRule.refused} writes refused with the rule, no alarm; without it the alarm.`,
      )
    },
  )
})

describe.skipIf(missing)('an etcd 3.4 with users', () => {
  test('a password storm: holders of a token are never limited by the starter rule', { timeout: 120_000 }, async () => {
    const etcd = await startEtcd(DEBIAN)
    const preset = PRESETS.find(({ id }) => id === 'passwords')
    const open = await proxyBefore(etcd.url)
    const limited = await proxyBefore(etcd.url, JSON.stringify({ classes: preset?.classes, rules: preset?.rules }))
    try {
      for (const words of ['user add root:secret', 'role add root', 'user grant-role root root', 'auth enable'])
        await etcd.etcdctl(etcd.url, words.split(' '))
      const login = message([1, Buffer.from('root')], [2, Buffer.from('secret')])
      const session = connect(etcd.url)
      const { status, payload } = await call(session, 'Auth/Authenticate', login)
      expect(status).toBe('0')
      session.destroy()
      const token = readToken(payload)
      let admitted = 0
      const storm = (by: ClientHttp2Session, over: () => boolean) =>
        Promise.all(
          Array.from({ length: 32 }, async () => {
            while (!over()) {
              const answer = await call(by, 'Auth/Authenticate', login)
              if (answer.status === '0') admitted += 1
              else await pause(20)
            }
          }),
        )
      const without = await besides(open.url, 6_000, storm, { token })
      const free = admitted
      admitted = 0
      const withRule = await besides(limited.url, 6_000, storm, { token })
      console.warn(
        `Password storm: ${free} logins without the rule and ${admitted} with it in 6 s; others wait ${median(without.took).toFixed(1)} ms and ${median(withRule.took).toFixed(1)} ms (ratio ${(median(without.took) / median(withRule.took)).toFixed(1)}).`,
      )
      expect(withRule.refused).toBe(0)
      expect(admitted).toBeLessThanOrEqual(45)
    } finally {
      await open.close()
      await limited.close()
      await etcd.stop()
    }
  })
})
