import { connect as connectHttp2, constants } from 'node:http2'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { METHODS } from '../../core/qos/operations.ts'
import { bypassTold } from './etcdBypass.ts'
import { printedBoth } from './etcdctlScript.ts'
import { type EtcdServer, type ProxiedEtcd, proxyBefore, rulesOf, startEtcd } from './etcdServer.ts'
import { noCluster } from './suite.ts'

const RULES = `
classes:
  - { name: few, qdisc: tbf, qps: 0.001, burst: 2 }
rules:
  - { name: big-lists, qClassName: few, priority: 10, ops: [Range], prefixPaths: [/pods/], conditions: [{ kind: ScanKeyNum, threshold: 5 }] }
`

describe.skipIf(noCluster)('an etcd with users behind the proxy', () => {
  test(
    'a rule about one user limits that one alone, known by the token that etcd gave',
    { timeout: 600_000 },
    async () => {
      const etcd = await startEtcd()
      const proxy = await proxyBefore(
        etcd.url,
        `
classes: [{ name: few, qdisc: tbf, qps: 0.001, burst: 1 }]
rules: [{ name: alice, qClassName: few, priority: 1, ops: [Put], subjects: [{ user: alice }], prefixPaths: [/] }]
`,
      )
      try {
        const direct = (...args: readonly string[]): Promise<string> => etcd.etcdctl(etcd.url, args)
        await direct('role', 'add', 'all')
        await direct('role', 'grant-permission', 'all', 'readwrite', '--prefix', '/')
        for (const user of ['root', 'alice', 'bob']) await direct('user', 'add', `${user}:secret`)
        await direct('user', 'grant-role', 'root', 'root')
        for (const user of ['alice', 'bob']) await direct('user', 'grant-role', user, 'all')
        await direct('auth', 'enable')
        const put = (user: string): Promise<string> =>
          etcd.etcdctl(proxy.url, ['put', '/x', '1', '--user', `${user}:secret`, '--command-timeout=60s'])
        expect(await put('alice')).toBe('OK\nexit 0')
        expect(await put('alice')).toContain('etcdserver: too many requests')
        expect(await put('bob')).toBe('OK\nexit 0')
        expect(await put('bob')).toBe('OK\nexit 0')
        expect(await etcd.etcdctl(proxy.url, ['put', '/x', '1', '--user', 'bob:wrong'])).toContain('invalid user')
        expect(await etcd.etcdctl(proxy.url, ['put', '/x', '1'])).toContain('user name is empty')
      } finally {
        await proxy.close()
        await etcd.stop()
      }
    },
  )
})

describe.skipIf(noCluster)('a real etcd behind the proxy', () => {
  let etcd: EtcdServer
  let proxy: ProxiedEtcd
  beforeAll(async () => {
    etcd = await startEtcd()
    proxy = await proxyBefore(etcd.url)
  }, 600_000)
  afterAll(async () => {
    await proxy.close()
    await etcd.stop()
  })

  test('etcdctl prints the same as without it', { timeout: 300_000 }, async () => {
    for (const { command, direct, proxied } of await printedBoth(etcd, proxy.url))
      expect.soft(proxied, command).toBe(direct)
  })

  test('what goes past the proxy is told from the metrics of the member', { timeout: 60_000 }, async () => {
    expect(await bypassTold(etcd, proxy)).toMatchObject([
      { answered: 2, outside: 0 },
      { answered: 6, outside: 3 },
    ])
  })

  test(
    'the answer to each unary method is that of etcd byte by byte, with its head and its end',
    { timeout: 60_000 },
    async () => {
      const sessions = [connectHttp2(etcd.url), connectHttp2(proxy.url)] as const
      try {
        const answered: string[] = []
        for (const method of METHODS.filter((one) => !NOT_COMPARED.has(one))) {
          const [direct, proxied] = [await wholeAnswer(sessions[0], method), await wholeAnswer(sessions[1], method)]
          expect.soft(proxied, method).toEqual(direct)
          answered.push(direct.trailers['grpc-status'] ?? direct.head['grpc-status'] ?? '')
        }
        expect(answered).toHaveLength(METHODS.length - NOT_COMPARED.size)
        expect(answered).toContain('0')
        expect(answered).toContain('3')
      } finally {
        for (const session of sessions) session.destroy()
      }
    },
  )

  test('large values, long answers and a snapshot pass whole', { timeout: 60_000 }, async () => {
    const value = 'v'.repeat(1_500_000)
    expect(await etcd.etcdctl(proxy.url, ['put', 'large/0'], value)).toBe('OK\nexit 0')
    for (let i = 1; i < 8; i++) await etcd.etcdctl(etcd.url, ['put', `large/${i}`], value)
    const all = ['get', 'large/', '--prefix', '--print-value-only']
    const [direct, proxied] = [await etcd.etcdctl(etcd.url, all), await etcd.etcdctl(proxy.url, all)]
    expect(direct.length).toBeGreaterThan(8 * value.length)
    expect(proxied === direct).toBe(true)
    expect(await etcd.etcdctl(proxy.url, ['snapshot', 'save', 'copy.db'])).toContain('Snapshot saved')
  })

  test(
    'a rule limits what it selects, by keys that were really scanned, and nothing else',
    { timeout: 60_000 },
    async () => {
      for (let i = 0; i < 8; i++) await etcd.etcdctl(etcd.url, ['put', `/pods/${i}`, 'x'])
      const limiting = await proxyBefore(etcd.url, RULES)
      try {
        const list = (): Promise<string> => etcd.etcdctl(limiting.url, ['get', '/pods/', '--prefix', '--keys-only'])
        const outcomes: boolean[] = []
        for (let i = 0; i < 5; i++) outcomes.push((await list()).endsWith('exit 0'))
        // The first is not yet classified as expensive, and two are the burst.
        expect(outcomes).toEqual([true, true, true, false, false])
        expect(await list()).toContain('etcdserver: too many requests')
        expect(await etcd.etcdctl(limiting.url, ['get', '/pods/1'])).toContain('exit 0')
        expect(await etcd.etcdctl(limiting.url, ['put', '/pods/1', 'y'])).toContain('exit 0')
        limiting.gate.configure(limiting.gate.configuration, 'observe')
        expect(await list()).toContain('exit 0')
        limiting.gate.configure(rulesOf(RULES.replace('priority: 10', 'priority: 10, enabled: false')), 'enforce')
        expect(await list()).toContain('exit 0')
      } finally {
        await limiting.close()
      }
    },
  )

  test('a read costs all keys of its range, whatever it asks to see of them', { timeout: 60_000 }, async () => {
    for (let i = 0; i < 31; i++) await etcd.etcdctl(etcd.url, ['put', `/scan/${i}`, 'x'])
    const watching = await proxyBefore(etcd.url, RULES.replace('/pods/', '/scan/'))
    try {
      for (const words of ['--limit=3', '--count-only', '--keys-only'])
        await etcd.etcdctl(watching.url, ['get', '/scan/', '--prefix', words])
      const scanned = [...watching.gate.engine.state.tracker.values()].map(({ scannedKeys }) => scannedKeys)
      expect(scanned).toEqual([31, 31, 31])
    } finally {
      await watching.close()
    }
  })

  test(
    'what a class delays waits, and leaves without a charge when its client gives up',
    { timeout: 60_000 },
    async () => {
      const delaying = await proxyBefore(
        etcd.url,
        `
classes: [{ name: slow, qdisc: lbf, qps: 0.001, action: delay, maxDelayMs: 2000000, maxWaiting: 3 }]
rules: [{ name: slow-puts, qClassName: slow, priority: 1, ops: [Put], prefixPaths: [/slow/] }]
`,
      )
      try {
        expect(await etcd.etcdctl(delaying.url, ['put', '/slow/a', '1'])).toContain('exit 0')
        // Its deadline expires before it is admitted.
        expect(await etcd.etcdctl(delaying.url, ['put', '/slow/b', '1', '--command-timeout=500ms'])).toContain('exit 1')
        expect(waitingIn(delaying)).toBe(0)
        const waits = etcd.etcdctl(delaying.url, ['put', '/slow/c', '1', '--command-timeout=60s'])
        await expect.poll(() => waitingIn(delaying), { timeout: 10_000 }).toBe(1)
        // Rules change while it waits: it is admitted, and not dropped.
        delaying.gate.configure(rulesOf(RULES))
        expect(await waits).toContain('exit 0')
        expect(await etcd.etcdctl(etcd.url, ['get', '/slow/', '--prefix', '--keys-only'])).not.toContain('/slow/b')
      } finally {
        await delaying.close()
      }
    },
  )

  test('a kill -9 of etcd is survived', { timeout: 60_000 }, async () => {
    await etcd.etcdctl(proxy.url, ['put', 'kept', 'yes'])
    const session = connectHttp2(proxy.url)
    try {
      await statusOf(session)
      await etcd.killAndRestart()
      let last = ''
      // The session of the client stays; that of the proxy is reopened.
      for (let i = 0; i < 100 && last !== '0'; i++) {
        last = await statusOf(session)
        if (last !== '0') await new Promise((resolve) => setTimeout(resolve, 100))
      }
      expect(last).toBe('0')
      expect(await etcd.etcdctl(proxy.url, ['get', 'kept'])).toBe('kept\nyes\nexit 0')
    } finally {
      session.destroy()
    }
  })

  test('broken frames, long heads and unknown services harm nobody', { timeout: 60_000 }, async () => {
    await sendRaw(proxy.url, 'GET / HTTP/1.1\r\n\r\n')
    await sendRaw(proxy.url, `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'\xff'.repeat(1_000)}`)
    const session = connectHttp2(proxy.url)
    try {
      expect(await statusOf(session, '/no.such.Service/Method')).toBe('12')
      // A Range whose field is longer than its message: for etcd to refuse.
      expect(await statusOf(session, undefined, Buffer.from([0, 0, 0, 0, 2, 0x0a, 0x7f]))).not.toBe('0')
      // A message that announces four gigabytes.
      expect(await statusOf(session, undefined, Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1]))).not.toBe('0')
    } finally {
      session.destroy()
    }
    expect(await etcd.etcdctl(proxy.url, ['get', 'none'])).toBe('exit 0')
  })
})

/** Streams, and methods whose answer differs from call to call, waits for others or changes the members. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'Watch/Watch',
  'Lease/LeaseKeepAlive',
  'KV/Compact',
  'Lease/LeaseGrant',
  'Cluster/MemberAdd',
  'Maintenance/Snapshot',
  'Lock/Lock',
  'Election/Campaign',
  'Election/Observe',
])
const PACKAGES: Readonly<Record<string, string>> = { Lock: 'v3lockpb', Election: 'v3electionpb' }

interface WholeAnswer {
  readonly head: Readonly<Record<string, string>>
  readonly payload: string
  readonly trailers: Readonly<Record<string, string>>
}

/** The full response to an empty message. */
function wholeAnswer(session: ReturnType<typeof connectHttp2>, method: string): Promise<WholeAnswer> {
  return new Promise((resolve) => {
    const service = method.split('/')[0] ?? ''
    const stream = session.request({
      ':method': 'POST',
      ':path': `/${PACKAGES[service] ?? 'etcdserverpb'}.${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    const chunks: Buffer[] = []
    let head: Record<string, string> = {}
    let trailers: Record<string, string> = {}
    const texts = (headers: object): Record<string, string> =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    stream.on('response', (headers) => {
      head = texts(headers)
    })
    stream.on('trailers', (headers) => {
      trailers = texts(headers)
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', () => undefined)
    stream.on('close', () => resolve({ head, payload: Buffer.concat(chunks).toString('hex'), trailers }))
    stream.end(Buffer.alloc(5))
  })
}

const waitingIn = ({ gate }: ProxiedEtcd): number =>
  [...gate.engine.state.pools.values()]
    .flatMap(({ groups }) => [...groups.values()])
    .reduce((sum, { waiting }) => sum + waiting.length, 0)

/** The status of gRPC of a call, or the code of its reset. */
function statusOf(
  session: ReturnType<typeof connectHttp2>,
  path = '/etcdserverpb.KV/Range',
  body = Buffer.from([0, 0, 0, 0, 3, 0x0a, 1, 0x61]),
): Promise<string> {
  return new Promise((resolve) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    let status = ''
    const read = (headers: Readonly<Record<string, unknown>>): void => {
      if (typeof headers['grpc-status'] === 'string') status = headers['grpc-status']
    }
    stream.on('response', read)
    stream.on('trailers', read)
    stream.on('error', () => undefined)
    stream.on('close', () => resolve(status || `reset ${stream.rstCode ?? constants.NGHTTP2_NO_ERROR}`))
    stream.resume()
    stream.end(body)
  })
}

/** Settles when the other side closes the connection. */
function sendRaw(url: string, text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.end(text, 'latin1'))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    socket.resume()
  })
}
