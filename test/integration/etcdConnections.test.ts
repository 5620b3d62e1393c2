import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { etcdParts, EVENTS, serverTls, WAYS } from '../harness/etcdProxies.ts'
import { createAuthority } from '../harness/hostileServerCertificates.ts'
import { putKey, putOf } from '../harness/smallEtcd.ts'

const { etcd, proxy, session } = etcdParts()

const ALICE = `
classes: [{ name: few, qdisc: lbf, qps: 0.001 }]
rules: [{ name: alice, qClassName: few, priority: 1, ops: [Put], subjects: [{ user: alice }] }]
`
describe('connections through the etcd proxy', () => {
  test('TLS and client certificates on both sides; the common name is the user', async () => {
    const [clients, servers] = [createAuthority('clients'), createAuthority('servers')]
    const server = servers.issue({ name: 'etcd', ips: ['127.0.0.1'] })
    const own = servers.issue({ name: 'the proxy' })
    const upstream = await etcd(0, { ...server, ca: servers.cert, requestCert: true, rejectUnauthorized: true })
    const { url } = await proxy(ALICE, upstream.url, 'TLS', {
      upstream: { url: upstream.url, tls: { ca: servers.cert, ...own } },
      tls: { ...servers.issue({ name: 'proxy', ips: ['127.0.0.1'] }), clientCa: clients.cert },
    })
    const as = (name: string) => session(url, { ca: servers.cert, ...clients.issue({ name }) })
    const [alice, bob] = [as('alice'), as('bob')]
    expect(await putKey(alice, '/x')).toBe('0')
    expect(await putKey(alice, '/x')).toBe('8')
    expect(await putKey(bob, '/x')).toBe('0')
    expect(await putKey(bob, '/x')).toBe('0')
    // A token that nobody verified changes nothing: neither is alice let in again, nor is bob charged as alice.
    for (const metadata of ['token', 'authorization']) {
      expect(await putKey(alice, '/x', undefined, { [metadata]: 'x.{"username":"bob"}.x' })).toBe('8')
      expect(await putKey(bob, '/x', undefined, { [metadata]: 'x.{"username":"alice"}.x' })).toBe('0')
    }
    // Neither without a certificate nor with one that another authority signed.
    const before = upstream.calls()
    for (const stranger of [session(url, { ca: servers.cert }), session(url, { ca: servers.cert, ...own })]) {
      stranger.once('close', () => undefined)
      expect(await putKey(stranger, '/x').catch(() => 'refused')).not.toBe('0')
    }
    expect(upstream.calls()).toBe(before)
  })

  test('an etcd that wants a client certificate: calls end with the reason, until it accepts the connection', async () => {
    const authority = createAuthority('authority of etcd')
    const server = authority.issue({ name: 'etcd', ips: ['127.0.0.1'] })
    const strict = await etcd(0, { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true })
    const { url } = await proxy(EVENTS, strict.url, 'plain', {
      upstream: { url: strict.url, tls: { ca: authority.cert } },
    })
    const client = session(url)
    const message = await new Promise<string>((resolve) => {
      const call = client.request({
        ':method': 'POST',
        ':path': '/etcdserverpb.KV/Put',
        'content-type': 'application/grpc',
      })
      call.on('response', (headers) => resolve(`${String(headers['grpc-status'])} ${String(headers['grpc-message'])}`))
      call.on('error', () => undefined)
      call.end(putOf('/x'))
    })
    expect(message).toMatch(/^14 etcd cannot be reached: .*start the proxy with --client-certificate/)
    await strict.close()
    // The same address, now without that requirement.
    await etcd(0, { ...server }, Number(new URL(strict.url).port))
    await vi.waitFor(async () => expect(await putKey(client, '/x')).toBe('0'))
  })

  test.each(WAYS)('after GOAWAY calls under way end, and new ones go to a new connection, %s', async (way) => {
    const upstream = await etcd(200, serverTls(way))
    const { url } = await proxy(EVENTS, upstream.url, way)
    const client = session(url)
    const under = Promise.all(Array.from({ length: 20 }, () => putKey(client, '/x')))
    await vi.waitFor(() => expect(upstream.calls()).toBe(20))
    upstream.goAway()
    const later = await Promise.all(Array.from({ length: 20 }, () => putKey(client, '/y')))
    expect(new Set(await under)).toEqual(new Set(['0']))
    expect(new Set(later)).toEqual(new Set(['0']))
    expect(upstream.connections()).toBe(2)
  })

  test.each(WAYS)(
    'a member that is gone: clients are sent away, so that those of several use the others, %s',
    async (way) => {
      const upstream = await etcd(0, serverTls(way))
      const { url } = await proxy(EVENTS, upstream.url, way)
      const [busy, idle] = [session(url), session(url)]
      expect(await putKey(busy, '/x')).toBe('0')
      const left = once(busy, 'close')
      await upstream.close()
      // At once, not at the next call.
      await left
      // One that had no connection to the member learns it with its call.
      const end = once(idle, 'close')
      expect(await putKey(idle, '/x')).toBe('14')
      await end
      // A client of gRPC counts on a connection as soon as it has its settings.
      const settings = vi.fn<() => void>()
      const refused = session(url)
      refused.once('remoteSettings', settings)
      await once(refused, 'close')
      const waiting = session(url)
      waiting.once('remoteSettings', settings)
      const status = putKey(waiting, '/x')
      await sleep(500)
      expect(settings).not.toHaveBeenCalled()

      const back = await etcd(0, serverTls(way), Number(new URL(upstream.url).port))
      expect(await status).toBe('0')
      expect(await putKey(session(url), '/x')).toBe('0')
      expect(back.calls()).toBe(2)
    },
  )

  test.each(WAYS)('a member that restarts at once: its clients stay, %s', async (way) => {
    const upstream = await etcd(0, serverTls(way))
    const { url } = await proxy(EVENTS, upstream.url, way)
    const client = session(url)
    expect(await putKey(client, '/x')).toBe('0')
    upstream.goAway()
    await vi.waitFor(() => expect(upstream.connections()).toBe(2))
    expect(await putKey(client, '/x')).toBe('0')
    expect(client.closed).toBe(false)
  })
})
