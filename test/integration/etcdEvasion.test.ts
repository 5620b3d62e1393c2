import { gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { framed, HEAD_BYTES } from '../../main/etcd/messages.ts'
import { etcdParts, EVENTS, serverTls, WAYS } from '../harness/etcdProxies.ts'
import { putKey, putOf } from '../harness/smallEtcd.ts'

// Requests that would have evaded rules because the proxy reads less of them than etcd.

const { etcd, proxy, session } = etcdParts()

const countingMeter = () => ({
  unread: vi.fn<(verdict: 'passed' | 'limited') => void>(),
  watch: vi.fn<(change: 1 | -1) => void>(),
  ended: vi.fn<(method: string, status: string, ms: number) => void>(),
  overhead: vi.fn<(ms: number) => void>(),
})
const packed = (payload: Buffer): Buffer => {
  const message = framed(payload)
  message[0] = 1
  return message
}
const gzip = { 'grpc-encoding': 'gzip' }
const put = putOf('/events/a').subarray(HEAD_BYTES)
const inField = (field: number, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from([field * 8 + 2, 0x80 | (payload.length & 0x7f), payload.length >> 7]), payload])
/** A Put in a Txn in a Txn, so many times. */
function nestedTxn(levels: number): Buffer {
  let txn = inField(2, inField(2, put))
  for (let level = 0; level < levels; level++) txn = inField(level % 2 === 0 ? 2 : 3, inField(4, txn))
  return framed(txn)
}
const txn = { ':path': '/etcdserverpb.KV/Txn' }
/** Requests that etcd would execute, or could in another configuration, and that cannot be read in full. */
const UNREADABLE: readonly (readonly [string, Buffer, Readonly<Record<string, string>>])[] = [
  ['a Txn of 33 levels', nestedTxn(33), txn],
  ['a Txn of 1,000 levels', nestedTxn(1_000), txn],
  ['gzip of 64 MiB', packed(gzipSync(Buffer.alloc(64 * 1024 * 1024))), gzip],
  ['gzip that is none', packed(Buffer.from('no gzip')), gzip],
  ['another compression', packed(put), { 'grpc-encoding': 'zstd' }],
  ['a compression without a name', packed(put), {}],
  ['a tag that is too long', framed(Buffer.concat([put, Buffer.from([0x8a, 0x80, 0x80, 0x80, 0x10, 1, 0x78])])), {}],
  ['9 MiB', framed(Buffer.concat([put, Buffer.alloc(9 * 1024 * 1024)])), {}],
  ['half a message', framed(put).subarray(0, 9), {}],
]

test.each(WAYS)(
  'rules apply to compressed requests, nested Txns and the first of several messages, %s',
  async (way) => {
    const upstream = await etcd(0, serverTls(way))
    const meter = countingMeter()
    const { url } = await proxy(EVENTS, upstream.url, way, { meter })
    const client = session(url)
    expect(await putKey(client, '/events/a')).toBe('0')
    for (const [body, headers] of [
      [packed(gzipSync(put)), gzip],
      [nestedTxn(0), txn],
      [nestedTxn(32), txn],
      [framed(inField(3, inField(2, put))), txn],
      [Buffer.concat([framed(put), putOf('/x')]), {}],
      [framed(Buffer.concat([inField(1, Buffer.from('/x')), put])), {}],
    ] as const)
      expect(await putKey(client, '', body, headers)).toBe('8')
    expect(meter.unread).not.toHaveBeenCalled()
    expect(upstream.calls()).toBe(1)
  },
)

test.each(UNREADABLE)('%s does not evade rules: it is rejected and counted', async (_, body, headers) => {
  const upstream = await etcd()
  const meter = countingMeter()
  const { url } = await proxy(EVENTS, upstream.url, 'plain', { meter })
  const client = session(url)
  const told = vi.fn<(headers: Readonly<Record<string, unknown>>) => void>()
  expect(await putKey(client, '', body, headers, told)).toBe('3')
  expect(decodeURIComponent(String(told.mock.calls[0]?.[0]['grpc-message']))).toMatch(/so rules cannot be applied\./)
  expect(meter.unread.mock.calls).toEqual([['limited']])
  expect(upstream.calls()).toBe(0)
  expect(await putKey(client, '/x')).toBe('0')
})

test.each([
  ['without rules', '{}', 'enforce'],
  ['with a disabled rule', EVENTS.replace('priority: 1', 'priority: 1, enabled: false'), 'enforce'],
  ['while observing', EVENTS, 'observe'],
] as const)('%s, etcd decides about requests that cannot be read', async (_, rules, mode) => {
  const upstream = await etcd()
  const meter = countingMeter()
  const { url } = await proxy(rules, upstream.url, 'plain', { meter, mode })
  for (const [, body, headers] of UNREADABLE) expect(await putKey(session(url), '', body, headers)).toBe('0')
  expect(meter.unread.mock.calls).toEqual(UNREADABLE.map(() => ['passed']))
  expect(upstream.calls()).toBe(UNREADABLE.length)
})
