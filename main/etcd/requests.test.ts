import { gzipSync } from 'node:zlib'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FirstMessage, framed } from './messages.ts'
import { readRequest, readStatus } from './requests.ts'

const keys = (key: string, end: string): BinaryWriter =>
  new BinaryWriter().tag(1, 2).bytes(Buffer.from(key, 'latin1')).tag(2, 2).bytes(Buffer.from(end, 'latin1'))
const range = keys('/a\xff', '/b')
  .tag(3, 0)
  .int64(500)
  .tag(4, 0)
  .int64(7)
  .tag(9, 0)
  .bool(true)
  .tag(99, 0)
  .int32(1)
  .finish()
const plain = (payload: Uint8Array) => ({ compressed: false, payload })
const READ = {
  body: { op: 'Range', key: '/a\xff', rangeEnd: '/b', options: { limit: 500, revision: 7, countOnly: true } },
}

test('a Range is read with its options, and fields that are not known are passed over', () => {
  expect(readRequest('KV/Range', plain(range), undefined)).toEqual(READ)
})

test('a compressed request is read as gzip alone', () => {
  const packed = { compressed: true, payload: gzipSync(range) }
  expect(readRequest('KV/Range', packed, 'gzip')).toEqual(READ)
  expect(readRequest('KV/Range', packed, 'snappy')).toBeUndefined()
  const bomb = { compressed: true, payload: gzipSync(Buffer.alloc(64 << 20)) }
  expect(readRequest('KV/Range', bomb, 'gzip')).toBeUndefined()
})

test('a Txn is read in both branches, and not deeper than any real one', () => {
  const put = new BinaryWriter().tag(2, 2).bytes(keys('/p', 'value').finish()).finish()
  const txn = new BinaryWriter().tag(2, 2).bytes(put).tag(3, 2).bytes(put).finish()
  const element = { op: 'Put', key: '/p' }
  expect(readRequest('KV/Txn', plain(txn), undefined)).toEqual({
    body: { op: 'Txn', success: [element], failure: [element] },
  })
  let nested = txn
  for (let depth = 0; depth < 100; depth++) {
    const inner = new BinaryWriter().tag(4, 2).bytes(nested).finish()
    nested = new BinaryWriter().tag(2, 2).bytes(inner).finish()
  }
  expect(readRequest('KV/Txn', plain(nested), undefined)).toBeUndefined()
})

test('no bytes of a request make the reader throw', () => {
  fc.assert(
    fc.property(fc.constantFrom('KV/Range', 'KV/Txn', 'Auth/Authenticate'), fc.uint8Array(), (method, bytes) => {
      expect(() => readRequest(method, plain(bytes), undefined)).not.toThrow()
    }),
  )
})

test('a status is read, with 0 for what an older etcd does not say', () => {
  const status = new BinaryWriter().tag(2, 2).string('3.6.8').tag(3, 0).int64(20_480).tag(9, 0).int64(16_384).finish()
  expect(readStatus(status)).toMatchObject({ version: '3.6.8', dbSize: 20_480, dbSizeInUse: 16_384, dbSizeQuota: 0 })
})

test('the first message is gathered however it is cut, and what follows stays', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (payload, cuts) => {
      const bytes = Buffer.concat([framed(payload), Buffer.from('rest')])
      const first = new FirstMessage(1_000)
      let at = 0
      for (let whole = false; !whole; at += cuts) whole = first.push(bytes.subarray(at, at + cuts))
      expect([...(first.read()?.payload ?? [])]).toEqual([...payload])
      expect(Buffer.concat(first.chunks).equals(bytes.subarray(0, at))).toBe(true)
    }),
  )
})

test('a message that announces more than is read is not waited for', () => {
  const first = new FirstMessage(10)
  expect(first.push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]))).toBe(true)
  expect(first.read()).toBeUndefined()
})
